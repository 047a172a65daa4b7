/* SPDX-License-Identifier: MIT */
/* Buffers: their rings and rules as this process uses them. */
#ifndef ULF_RUNTIME_BUFFER_BUFFER_H
#define ULF_RUNTIME_BUFFER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "abi/pids.h"

struct abi_probes;
struct abi_rules;
struct abi_triggers;
struct event_hist;
struct filter_program;
struct hist_quick;
struct repeats;
struct ring_set;
struct ulf_event;

/* One entry of an event's plan: how the event is recorded in one buffer. */
struct event_use {
	const struct event_use *next;
	const struct buffer *buffer;
	const struct filter_program *filter;	/* filter of the event; NULL: record
						 * every hit */
	const struct filter_program *only;	/* the filter, if the plan has no
						 * other entry and @soft is NULL; else
						 * NULL */
	/* Set if the plan has no other entry, and the event has one histogram and no other
	 * trigger; else NULL.  @solo: the histogram.  @quick: its quick form, if it has one
	 * (event/hist_hit.c). */
	const struct event_hist *solo;
	struct hist_quick *quick;
	/* A rule word for soft mode: while it is not 0, records are dropped.  NULL: the
	 * event is not in soft mode. */
	const uint64_t *soft;
	const struct abi_triggers *triggers;	/* triggers of the event; NULL: it has
						 * none, or it is not in soft mode */
	uint32_t triggers_bytes;		/* size of @triggers, bytes */
	const struct event_hist *hists;		/* array of histograms, one element
						 * for each of @triggers; NULL: there
						 * are none */
	bool is_conditional;			/* true: the triggers make the event
						 * conditional (event/trigger.c) */
	bool has_stack;				/* true: the option stacktrace is on */
	bool is_anybodys;			/* true: record the hits of all
						 * threads, even of those that
						 * set_event_pid excludes */
	const struct ulf_event *event;		/* the event of this entry; NULL in
						 * buffer.use, and for a function */
};

/* The block of rules of a buffer (abi/rules.h). */
struct rules {
	const struct abi_rules *shared;	/* the block of rules in shared memory, which
					 * any process can change; its first @bytes
					 * bytes are usable */
	uint32_t bytes, nr, nr_slots;	/* @bytes: size of the block; @nr: number of rules;
					 * @nr_slots: number of rule words in use */
};

struct buffer {
	struct ring_set *set;		/* the set of rings; the old set is freed a
					 * grace period after a replacement
					 * [buffer.set] */
	struct abi_buffer *shared;
	struct rules rules;
	struct abi_pids *pids[ABI_PIDS_LISTS];	/* lists of threads; an old list is
						 * freed a grace period after its
						 * replacement [buffer.pids] */
	struct abi_probes *probes;	/* private list of commands of functions; an
					 * old list is freed a grace period after its
					 * replacement [buffer.probes] */
	uint32_t probes_bytes;		/* bytes of @probes */
	bool has_pids;			/* true: there is a list of threads for events */
	bool has_function_pids;		/* true: there is a list of threads for
					 * functions, or an option is on that ftrace.S
					 * does not implement */
	bool has_ticks;			/* true: the buffer's clock counts ticks of the TSC */
	uint64_t function_options;	/* one bit (OPTION_...) for each option of
					 * function tracers; the bit is 1 if the
					 * option differs from its default */
	struct repeats *repeats;	/* state of the option func-no-repeats, one
					 * element for each CPU; NULL: not needed so
					 * far */
	uint32_t bit;			/* 1 << number of the buffer */
	struct event_use use;		/* the plan that all plain events (plan.c) of
					 * this buffer share */
};
/* A set without rings: its nr_cpus is 0, so every write fails.  ring_set_init() must have
 * initialized it before a hook uses it. */
extern struct ring_set buffer_no_rings;
/* Returns the buffer with the number @index, and sets it up if necessary.  Returns
 * NULL if there is no memory.  Lock held, except at the start of the runtime. */
struct buffer *buffer_get(uint32_t index);
/* Returns the buffer with the number @index, or NULL if this process has not used it
 * so far.  Any context. */
const struct buffer *buffer_if_used(uint32_t index);
/* Returns the top buffer, or NULL if this process is not traced.  Any context. */
const struct buffer *buffer_top(void);

/* Returns the set of rings of @buffer.  Must be called in a probe; any context. */
static inline struct ring_set *buffer_set(const struct buffer *buffer)
{
	/* acquire: the set is complete; mate: buffer.c [buffer.set] */
	return __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
}
/* Apply the server's settings for all buffers: rings, rules, options and lists of threads.
 * Lock held.  Returns 0 or the first -errno. */
int buffer_apply_all(void);
/* Remove the rings of all buffers, so that nothing more is recorded.  Called in a child
 * of fork() that has no other thread yet, and in a process that leaves the root (lock
 * held). */
void buffer_detach_all(void);

#endif
