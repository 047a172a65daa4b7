/* SPDX-License-Identifier: MIT */
/*
 * The events raw_syscalls:sys_enter and sys_exit, and the events of single system calls,
 * syscalls:sys_enter_NAME and sys_exit_NAME, which syscall_table.h lists.  libulf makes all of
 * them in memory.  They are ordinary events: filters, triggers, histograms and lists of threads
 * apply to them.
 */
#ifndef ULF_RUNTIME_SYSCALL_EVENTS_H
#define ULF_RUNTIME_SYSCALL_EVENTS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include <ulf/event.h>

/* The two events of a system call: the call begins, and the call has
 * returned. */
struct syscall_pair {
	struct ulf_event enter;
	/* fields of @enter: the number, the arguments, and the end of the table;
	 * see event_fields() */
	struct ulf_field fields[SCALL_ARGS + 2];
	struct ulf_event exit;
	struct tracepoint enter_point, exit_point;
	uint32_t nr_args;
};

static_assert(offsetof(struct syscall_pair, fields) == sizeof(struct ulf_event), "event_fields()");

/* The events of system calls.  Only libulf.so has them: with libulf.a the address of
 * syscall_events is NULL. */
struct syscall_events {
	struct syscall_pair *raw;		/* the raw events */
	struct syscall_pair *const *named;	/* array of SCALL_NUMBERS elements:
						 * the events of each system call, by
						 * its number; NULL: it has no events */
	/* Make all events and register their module.  Takes runtime_lock(). */
	void (*init)(void);
	/* Call the probes of an event, for ftrace_call_slowly().  @event: a struct ulf_event;
	 * @record: the struct scall_record of the hook. */
	uint64_t (*hit)(uint64_t event, uint64_t record, uint64_t c);
};
extern const struct syscall_events syscall_events __attribute__((weak, visibility("hidden")));

/* Returns the size of the records of @pair's event `enter`, bytes. */
static inline uint32_t syscall_enter_bytes(const struct syscall_pair *pair)
{
	return (uint32_t)(offsetof(struct scall_record, args) +
			  pair->nr_args * sizeof(unsigned long));
}

/* Returns the size of the records of each event `exit`, bytes. */
static inline uint32_t syscall_exit_bytes(void)
{
	return offsetof(struct scall_record, ret) + sizeof(long);
}

#endif
