/* SPDX-License-Identifier: MIT */
/*
 * Function tracing in the process.  A site at a function's entry is on while
 * it has users; a user is a bit in its slot.
 *
 * hit.c runs at the sites, with general registers only, in any context; it
 * calls nothing of libc.  ftrace.c says who the users are.
 */
#ifndef ULF_RUNTIME_FTRACE_H
#define ULF_RUNTIME_FTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "arch/x86_64/ftrace.h"
#include "arch/x86_64/offsets.h"
#include "runtime/runtime.h"

struct abi_stack;
struct buffer;
struct ftrace_ops;
struct fgraph_ops;
struct thread_slot;

/* Users of sites. */
#define FTRACE_OPS_MAX		8u
#define FTRACE_TAGS		32u
enum ftrace_user {
	FTRACE_FUNCTION		= 0,	/* + the buffer: its tracer, function or graph */
	FTRACE_OPS		= ABI_BUFFERS,	/* + n: a callback */
	FTRACE_GRAPH		= FTRACE_OPS + FTRACE_OPS_MAX,	/* a buffer of the users has
							 * function_graph */
	FTRACE_GRAPH_OPS,
	FTRACE_PROFILE,			/* the profiler; it follows returns, too */
	FTRACE_PROBES,			/* commands: function_probe.c */
	FTRACE_STACK,			/* the stack tracer */
	FTRACE_USERS,
	/* marks for graph tracers */
	FTRACE_START		= FTRACE_USERS,	/* follow this function and its callees */
	FTRACE_SKIP,			/* leave out this function and its callees */
	/* and for a call that is followed */
	FTRACE_CPU_TIME,		/* shadow.time_ns is ftrace_cpu_ns() */
	/* and for one, in the place of users that follow none */
	FTRACE_HANDLER		= FTRACE_PROBES,	/* of a signal: the kernel called it */
	FTRACE_IN_HANDLER	= FTRACE_STACK,	/* that, or inside of it */
};
#define FTRACE_FUNCTION_MASK	((1u << ABI_BUFFERS) - 1)
#define FTRACE_OPS_MASK		(((1u << FTRACE_OPS_MAX) - 1) << FTRACE_OPS)
#define FTRACE_GRAPH_MASK	(1u << FTRACE_GRAPH | 1u << FTRACE_GRAPH_OPS | \
				 1u << FTRACE_PROFILE)

/* Sites with just these users are the function tracer's of this buffer. */
struct ftrace_case {
	struct ring_set *set;		/* published, RCU [buffer.set] */
	uint32_t users;
};

/* What hits look at.  Pointers are there while the user's bit is in `active`,
 * and until all who saw it are gone.  What ftrace.S can do by itself is in the
 * first two, and graph_sets; else they have no rings. */
struct ftrace_state {
	const struct ftrace_case *function;	/* of the one that traces functions */
	struct ring_set *graph_set;	/* of graph_buffer; published, RCU [buffer.set] */
	uint64_t restorer;		/* arch_restorer(); stays */
	struct ring_set *graph_sets[FTRACE_LANES];	/* graph_set in the lane of its
						 * tag; other lanes have no rings */
	uint32_t active;		/* users */
	uint32_t graphs;		/* buffers that have function_graph */
	uint32_t tags;			/* of active graph tracers, a bit each */
	uint32_t graph_depth;		/* how deep graph tracers go */
	uint8_t tag_of[ABI_BUFFERS];	/* shadow_tags.h */
	const struct buffer *buffers[ABI_BUFFERS];	/* of tracers */
	const struct buffer *tag_buffers[FTRACE_TAGS];	/* of graph tracers, by tag */
	const struct buffer *graph_buffer;	/* of the only graph tracer */
	struct ftrace_ops *ops[FTRACE_OPS_MAX];
	struct fgraph_ops *graph_ops;
	bool has_starts;		/* FTRACE_START counts */
	uint64_t thresh_ns;		/* shorter calls are not recorded */
	struct abi_stack *stack;	/* the stack tracer's; stays */
};
extern struct ftrace_state ftrace_state FTRACE_HIDDEN;
extern const struct ftrace_case ftrace_no_case FTRACE_HIDDEN;

/* Of each thread.  A handler may come between any two stores: it leaves all as
 * it has found it, but for the last three.  The page is one word.  The signal stack may
 * be a mixture of two then: calls are taken for left that were not, or not for left, so
 * depths are wrong for a while, and the way around them ends (shadow_around()). */
struct ftrace_thread {
	uint64_t head;			/* of the function tracer's records; 0: it
					 * is not known yet, or nothing is recorded
					 * just now */
	uint64_t entry_head, exit_head;	/* of the graph tracer's */
	uint64_t top;			/* the place of its innermost followed
					 * call, or SHADOW_NONE; and SHADOW_SLOWLY */
	uint32_t depth;			/* of the next one */
	uint32_t is_in_callback;	/* of the program's */
	uint64_t page;			/* ftrace.S's alone: one of a stack, the shadow
					 * of which is at home; the last one */
	uint64_t signal_stack, signal_bytes;	/* that of its last handler, or 0 */
};
extern __thread struct ftrace_thread ftrace_this FTRACE_HIDDEN;

/* This thread has got another tid, or records again, or does not. */
void ftrace_thread_named(void);
/* Its innermost followed call is @top, as its word was; is it in a callback? */
void ftrace_thread_restore(uint64_t top, bool is_in_callback);
/* It has no tid any more. */
void ftrace_thread_forget(void);

/* Now, by the clock that rings have (server/core/timebase.c); 0: there is none.  Any
 * context, general registers only; so is the next. */
static inline uint64_t ftrace_ring_ns(void)
{
	const struct abi_clock *clock = root_control ? &root_control->clock : NULL;
	uint64_t mult = clock ? __atomic_load_n(&clock->mult, __ATOMIC_ACQUIRE) : 0;

	return mult ? clock->ns0 + arch_tsc_scale(arch_tsc() - clock->tsc0, mult << 32) : 0;
}

/* How long this thread has run.  A system call. */
static inline uint64_t ftrace_cpu_ns(void)
{
	struct timespec time = { 0, 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- ftrace.c; lock held ---- */

/* The objects have their users from the server (object.h); these are all
 * of them together. */
struct ftrace_graph_wish {
	uint32_t buffers;		/* buffers with function_graph, a bit each */
	uint8_t sessions[ABI_BUFFERS];	/* changes each time that a buffer gets it */
	uint32_t depth;			/* 0: all */
	bool has_starts;
	uint64_t thresh_ns;
};
int ftrace_set_wishes(uint32_t users, const struct ftrace_graph_wish *graph);

/* A buffer has got other rings, or lists of threads. */
void ftrace_buffer_changed(void);
/* Update libraries that were left alone during a dlclose(), if that is over. */
void ftrace_update_put_off(void);

/* ---- ftrace.c; a thread of libc's, lock not held ---- */

/* Around dlclose().  Between them only the program's own text is changed. */
void ftrace_unload_begin(void);
void ftrace_unload_end(void);
/* In a constructor that dlopen() calls.  Between them all text may be changed.
 * @has_followed: the server knows what has come, and our agent what it wishes. */
void ftrace_load_begin(void);
void ftrace_load_end(bool has_followed);
/* In the child.  Returns true if libraries were left alone because of a dlclose() in the parent:
 * the child must call ftrace_follow(). */
bool ftrace_after_fork(void);
/* This process has no root from now on. */
void ftrace_detach(void);

/* ---- ftrace_follow.c; lock held ---- */

/* Do what the server wishes for, and what was put off.  For the agent. */
int ftrace_follow(void);
/* Trace none of what the server wishes for. */
int ftrace_forget_wishes(void);
/* The same in a thread of the program, and once more, if objects have come that it was
 * about. */
void ftrace_follow_again(void);

/* ---- stack_tracer.c ---- */

/* In the thread that starts the runtime. */
void stack_tracer_init(void);
void stack_tracer_after_fork(void);
/* Find where the deepest stack is kept.  Lock held. */
int stack_tracer_follow(void);
/* What a new thread, or the one of a new process, begins with. */
void stack_tracer_forget(struct thread_slot *slot);
/* The slow side of hit.c.  A call at @place: has the one @below it ended? */
uint64_t ftrace_is_left(uint64_t below, uint64_t place, uint64_t) FTRACE_HIDDEN;
/* The slow side of hit.c.  @ip, @place: this thread may be deeper there than ever. */
uint64_t ftrace_check_stack(uint64_t ip, uint64_t place, uint64_t) FTRACE_HIDDEN;

/* ---- the slow side of hit.c: ftrace.c; any register ---- */

struct ftrace_write {
	const struct buffer *buffer;
	void *entry;			/* as buffer_write() wants it */
	size_t bytes;
	uint64_t *ret_time;		/* may be a part of it */
};
/* Write the record of @arg, a struct ftrace_write.  Returns false if recording is off. */
uint64_t ftrace_write_slowly(uint64_t write, uint64_t, uint64_t) FTRACE_HIDDEN;
uint64_t ftrace_now(uint64_t, uint64_t, uint64_t) FTRACE_HIDDEN;
/* The same from hit.c's side. */
static inline uint64_t ftrace_hit_ns(void)
{
	uint64_t ns = ftrace_ring_ns();

	return ns ? ns : ftrace_call_slowly(ftrace_now, 0, 0, 0);
}
/* @users, @ip, @parent */
uint64_t ftrace_call_ops(uint64_t users, uint64_t ip, uint64_t parent)
	FTRACE_HIDDEN;
/* @func, @depth.  Returns the time, or 0: it is not to be followed. */
uint64_t ftrace_call_graph_entry(uint64_t func, uint64_t depth, uint64_t)
	FTRACE_HIDDEN;
/* @ret: struct ftrace_graph_ret, without its rettime */
uint64_t ftrace_call_graph_exit(uint64_t ret, uint64_t, uint64_t) FTRACE_HIDDEN;
/* @call: struct function_call.  Do the commands of a function. */
uint64_t ftrace_run_probes(uint64_t call, uint64_t, uint64_t) FTRACE_HIDDEN;
/* @buffer, @call.  The function tracer with options. */
uint64_t ftrace_record_call(uint64_t buffer, uint64_t call, uint64_t)
	FTRACE_HIDDEN;
uint64_t ftrace_attach(uint64_t, uint64_t, uint64_t) FTRACE_HIDDEN;

#endif
