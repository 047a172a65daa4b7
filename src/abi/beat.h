/* SPDX-License-Identifier: MIT */
/*
 * DIR/server.beat: signs of life of the server, one struct abi_beat.  The server writes it
 * again when it takes up something to do, at least once a second, and every few milliseconds
 * while it does something that takes long; all from the thread that does the work.
 * If `beats` stays the same, the server is stopped, it hangs, or it gets no CPU.
 *
 * The file stays when the server ends, and the next one goes on with it.
 */
#ifndef ULF_ABI_BEAT_H
#define ULF_ABI_BEAT_H

#include <assert.h>
#include <stdint.h>

#define ABI_BEAT_FILE		"server.beat"
#define ABI_BEAT_NS		10000000u	/* at most one in that time */
/* A program waits for the server as long as beats come at least this often. */
#define ABI_BEAT_SILENT_NS	80000000u	/* so a start is delayed by less than 100 ms */

struct abi_beat {
	uint32_t version;		/* ABI_VERSION of the roots that it serves */
	uint32_t pid;			/* as the server sees it */
	uint64_t beats;			/* CLOCK_MONOTONIC at the last one */
};

static_assert(sizeof(struct abi_beat) == 16, "ABI");

#endif
