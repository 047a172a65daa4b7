/* SPDX-License-Identifier: MIT */
/*
 * Compile an event probe to a program (abi/hist.h) that a process runs on each record of the
 * target.  The program has no table.  Its one action records the probe's event.
 *
 * Processes read memory only at the addresses in fields that the program declares as
 * pointers (docs/design/trust.md).  A probe that reads at other addresses is refused,
 * unless the program has allowed it (abi_process.reads_memory).
 */
#ifndef ULF_SERVER_EPROBE_COMPILE_H
#define ULF_SERVER_EPROBE_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/dynamic/eprobe_parse.h"

struct event_format;
struct hist_program;

/* The reason why an event probe cannot be compiled. */
struct eprobe_refusal {
	enum eprobe_error_code code;
	uint32_t arg;			/* number of the argument */
};

/*
 * Compile @eprobe, the event in row @row, for records of @target.
 * @reads_memory: true if the processes may read any of their memory.  Returns 0 and a
 * program, which the caller frees with free(); -EPERM, -EINVAL or -E2BIG and the
 * reason in *@ret_refusal; or -ENOMEM.
 */
int eprobe_compile(const struct eprobe *eprobe, const struct event_format *target, uint32_t row,
		   bool reads_memory, struct hist_program **ret_program,
		   struct eprobe_refusal *ret_refusal);

#endif
