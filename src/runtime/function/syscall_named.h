/* SPDX-License-Identifier: MIT */
/*
 * The events syscalls:sys_enter_NAME and sys_exit_NAME, which libulf makes in memory from the
 * table in syscall_table.h.
 */
#ifndef ULF_RUNTIME_SYSCALL_NAMED_H
#define ULF_RUNTIME_SYSCALL_NAMED_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <ulf/event.h>

#define SYSCALL_ARGS_MAX	6
#define SYSCALL_NUMBERS		512u	/* the table has only numbers of system calls
					 * below this one */

/* The two events of a system call. */
struct syscall_pair {
	struct ulf_event enter;
	/* fields of @enter: __syscall_nr, the arguments, and the end of the table;
	 * see event_fields() */
	struct ulf_field fields[SYSCALL_ARGS_MAX + 2];
	struct ulf_event exit;
	struct tracepoint enter_point, exit_point;
	uint32_t nr_args;
};

static_assert(offsetof(struct syscall_pair, fields) == sizeof(struct ulf_event), "event_fields()");

/* A system call that is about to be made, or has returned. */
struct syscall_hit {
	int nr;
	long ret;			/* sys_exit only */
	const unsigned long *args;	/* sys_enter only: all six */
};

/* The events of each system call, by its number; NULL: it has no events. */
extern struct syscall_pair *syscall_pairs[SYSCALL_NUMBERS] ULF_HIDDEN;

/* Make the events of all system calls and register their module.  Takes
 * runtime_lock(). */
void syscall_named_init(void);
/* Call the probes of @tp, which is a member of a struct syscall_pair. */
void syscall_named_hit(const struct tracepoint *tp, const struct syscall_hit *hit);

#endif
