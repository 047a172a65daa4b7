/* SPDX-License-Identifier: MIT */
/*
 * DIR/server.beat: signs of life of the server, one struct abi_beat.  The server writes
 * it when it begins some work, at least once a second, and every few milliseconds
 * during long work.  The thread that does the work writes the beat, so a beat proves
 * that the work goes on.  If `beats` does not change, the server is stopped, hangs, or
 * gets no CPU time.
 *
 * The file stays when the server ends.  The next server continues to write it.
 */
#ifndef ULF_ABI_BEAT_H
#define ULF_ABI_BEAT_H

#include <assert.h>
#include <stdint.h>

#define ABI_BEAT_FILE		"server.beat"
#define ABI_BEAT_NS		10000000u	/* the server waits at least this many
						 * ns between two beats */
/*
 * A program that waits for the server gives up when the server has written no beat for
 * ABI_BEAT_SILENT_NS.
 */
#define ABI_BEAT_SILENT_NS	80000000u	/* in ns; because of this limit, a
						 * server that hangs delays the start
						 * of a program by less than 100 ms */

struct abi_beat {
	uint32_t version;		/* ABI_VERSION of the roots that this server
					 * serves */
	uint32_t pid;			/* pid of the server in its own pid namespace */
	uint64_t beats;			/* time of the last beat, CLOCK_MONOTONIC, ns */
};

static_assert(sizeof(struct abi_beat) == 16, "ABI");

#endif
