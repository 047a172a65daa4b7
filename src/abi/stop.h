/* SPDX-License-Identifier: MIT */
/*
 * A process lets the server stop its threads while it changes its code (abi_process.stop_wanted).
 * This struct is in the private memory of the process: every process of the root can write the
 * root's memory, but only a process that may trace this one can write here.  The thread that
 * waits for the stop passes the address as the fifth argument of its futex() call, which the
 * call ignores.  The stopper finds it in /proc/PID/task/TID/syscall.
 */
#ifndef ULF_ABI_STOP_H
#define ULF_ABI_STOP_H

#include <assert.h>
#include <stdint.h>

#define ABI_STOP_MAGIC		0x3170746f73666c75ull	/* the bytes "ulfstop1" */
#define ABI_STOP_RANGES_MAX	(4u << 20)
#define ABI_STOP_ARGUMENT	4u	/* index of that argument */
#define ABI_STOP_COMING		0x80000000u	/* a value of abi_process.stop_given that is no
						 * thread id, and no -errno */

/* Addresses of instructions that the process will change. */
struct abi_stop_range {
	uint64_t start, end;
};

struct abi_stop {
	uint64_t magic;			/* ABI_STOP_MAGIC */
	uint64_t ranges;		/* address of struct abi_stop_range [nr], in ascending
					 * order */
	uint64_t nr;
	uint64_t inside;		/* address of a bitmap of @nr bits, in words: the stopper
					 * sets the bits of ranges that threads may still
					 * execute */
	uint64_t tid;			/* when all other threads are stopped and @inside is
					 * complete, the stopper stores the id of the only
					 * thread that still runs; that thread stores 0 when the
					 * others may continue */
};

static_assert(sizeof(struct abi_stop_range) == 16, "ABI");
static_assert(sizeof(struct abi_stop) == 40, "ABI");

#endif
