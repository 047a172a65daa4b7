/* SPDX-License-Identifier: MIT */
/*
 * struct abi_stop: how a process lets the server stop its other threads while the process
 * changes its own code (abi_process.stop_wanted).  This struct is in the private memory of
 * the process, because every process of the root can write the root's memory, but only a
 * process that may trace this process can write its private memory.  The thread that waits
 * for the stop passes the struct's address as the fifth argument of its futex() call, which
 * the kernel ignores.  The stopper finds the address in /proc/PID/task/TID/syscall.
 */
#ifndef ULF_ABI_STOP_H
#define ULF_ABI_STOP_H

#include <assert.h>
#include <stdint.h>

#define ABI_STOP_MAGIC		0x3170746f73666c75ull	/* the bytes "ulfstop1" */
#define ABI_STOP_RANGES_MAX	(4u << 20)
#define ABI_STOP_ARGUMENT	4u	/* index of that argument */
#define ABI_STOP_COMING		0x80000000u	/* value of abi_process.stop_given; it
						 * differs from every thread id and
						 * every -errno */

/* Addresses of instructions that the process will change. */
struct abi_stop_range {
	uint64_t start, end;
};

struct abi_stop {
	uint64_t magic;			/* ABI_STOP_MAGIC */
	uint64_t ranges;		/* address of struct abi_stop_range [nr], in ascending
					 * order */
	uint64_t nr;
	uint64_t inside;		/* address of a bitmap of @nr bits: the
					 * stopper sets the bits of those ranges in
					 * which threads may still be */
	uint64_t tid;			/* the stopper stores the id of the only
					 * running thread when all other threads are
					 * stopped and @inside is complete; this
					 * thread stores 0 to let the others continue */
};

static_assert(sizeof(struct abi_stop_range) == 16, "ABI");
static_assert(sizeof(struct abi_stop) == 40, "ABI");

#endif
