/* SPDX-License-Identifier: MIT */
/*
 * Function tracing in this process.  The site at a function's entry is on while it has
 * users; a user is a bit in the site's slot.
 *
 * hit.c runs at the sites, in any thread and any signal handler.  It uses general
 * registers only and calls nothing of libc.  ftrace.c adds and removes users.
 *
 * "@place" is the address on a stack at which a return address is stored, unless a
 * comment says otherwise.  It also identifies a call: "the call at @place".  A
 * followed call is a call whose return address libulf has replaced, because it waits
 * for the return of the call.
 */
#ifndef ULF_RUNTIME_FTRACE_H
#define ULF_RUNTIME_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/base/root.h"

struct abi_stack;
struct buffer;
struct ftrace_ops;
struct fgraph_ops;
struct ring_set;
struct thread_slot;

#define FTRACE_OPS_MAX		8u	/* maximum number of registered callbacks */
#define FTRACE_TAGS		32u	/* number of tags, including tag 0; see shadow_tags.h */

/* Numbers of bits.  A set of users has one bit for each tracer, callback and so on that wants
 * to know of a function's calls.  Sites and followed calls have such sets. */
enum ftrace_user {
	FTRACE_FUNCTION		= 0,	/* FTRACE_FUNCTION + i is the tracer of buffer i:
					 * function or function_graph */
	FTRACE_OPS		= ABI_BUFFERS,	/* FTRACE_OPS + i is callback i of the program */
	/* some buffer among the users has function_graph as its tracer */
	FTRACE_GRAPH		= FTRACE_OPS + FTRACE_OPS_MAX,
	FTRACE_GRAPH_OPS,		/* the struct that the program has registered
					 * with register_ftrace_graph() */
	FTRACE_PROFILE,			/* the profiler, which also needs the return
					 * of each call */
	FTRACE_PROBES,			/* commands of set_ftrace_filter (function_probe.c) */
	FTRACE_STACK,			/* the stack tracer */
	FTRACE_USERS,
	/* Marks of a site, which only graph tracers use. */
	FTRACE_START		= FTRACE_USERS,	/* mark: the function is in
						 * set_graph_function, so graph
						 * tracers follow it and its callees */
	FTRACE_SKIP,			/* mark: the function is in set_graph_notrace,
					 * so graph tracers record neither it nor its
					 * callees */
	/* A mark in the users of a followed call. */
	FTRACE_CPU_TIME,		/* mark: shadow.time_ns is a CPU time, from
					 * ftrace_cpu_ns() */
	/*
	 * A user of a site: the events of libc's functions (libcalls.h).  Its bit is that of
	 * FTRACE_CPU_TIME, a mark that sites do not have.  For a followed call the bit
	 * FTRACE_PROFILE stands for the profiler and for these events; each of the two knows
	 * which calls are its own.
	 */
	FTRACE_LIBC		= FTRACE_CPU_TIME,
	/* Marks of a followed call.  They reuse the bits of users that never follow
	 * calls, because these bits are free in the users of a followed call. */
	FTRACE_HANDLER		= FTRACE_PROBES,	/* the call is a signal handler,
							 * which the kernel called */
	FTRACE_IN_HANDLER	= FTRACE_STACK,	/* the call is a signal handler, or inside of
						 * one */
};
#define FTRACE_FUNCTION_MASK	((1u << ABI_BUFFERS) - 1)
#define FTRACE_OPS_MASK		(((1u << FTRACE_OPS_MAX) - 1) << FTRACE_OPS)
#define FTRACE_GRAPH_MASK	(1u << FTRACE_GRAPH | 1u << FTRACE_GRAPH_OPS | \
				 1u << FTRACE_PROFILE | 1u << FTRACE_LIBC)

/* The case that ftrace.S handles: the function tracer of one buffer is the only user of the
 * site. */
struct ftrace_case {
	struct ring_set *set;		/* the set of rings; the old set is freed a
					 * grace period after a replacement
					 * [buffer.set] */
	uint32_t users;			/* the bit that this buffer's tracer has in the
					 * users of a site */
};

/*
 * The state that hits read.  The agent and (un)register functions write it under
 * runtime_lock().  A user's pointers are valid while the user's bit is in `active`, and
 * until the end of the grace period after that.
 *
 * function, graph_set and graph_sets are for ftrace.S.  While an active user needs
 * something that ftrace.S cannot do, these members have no rings, and so ftrace.S leaves
 * every hit to hit.c.
 */
struct ftrace_state {
	const struct ftrace_case *function;	/* the case of the only function
						 * tracer; ftrace_no_case if there is
						 * not exactly one */
	struct ring_set *graph_set;	/* set of rings of @graph_buffer; the old set is
					 * freed a grace period after a replacement
					 * [buffer.set] */
	uint64_t restorer;		/* result of arch_restorer(), which never changes
					 * after it is set */
	/* for each lane, a set of rings: @graph_set for the lane of its tag, and sets without
	 * rings for all other lanes */
	struct ring_set *graph_sets[FTRACE_LANES];
	uint32_t active;		/* one bit (enum ftrace_user) for each tracer,
					 * callback and so on that is switched on */
	uint32_t graphs;		/* buffers that have function_graph, one bit for each */
	uint32_t tags;			/* tags of active graph tracers, one bit for each */
	uint32_t graph_depth;		/* max_graph_depth; UINT32_MAX: no limit */
	uint8_t tag_of[ABI_BUFFERS];	/* tag of each buffer in @graphs (shadow_tags.h) */
	/* element i is buffer number i, if this buffer has a tracer */
	const struct buffer *buffers[ABI_BUFFERS];
	/* element t is the buffer that has the tag t */
	const struct buffer *tag_buffers[FTRACE_TAGS];
	const struct buffer *graph_buffer;	/* the buffer that has the only graph
						 * tracer */
	struct ftrace_ops *ops[FTRACE_OPS_MAX];	/* callbacks of the program */
	struct fgraph_ops *graph_ops;	/* struct that the program has passed to
					 * register_ftrace_graph() */
	bool has_starts;		/* true: set_graph_function is not empty */
	uint64_t thresh_ns;		/* tracing_thresh: shorter calls are not recorded */
	struct abi_stack *stack;	/* block of the stack tracer, which never changes
					 * after it is set */
	uint64_t own_text, own_bytes;	/* address and size of libulf.so's code, which
					 * never change after they are set; with
					 * libulf.a the size is 0 */
};
extern struct ftrace_state ftrace_state FTRACE_HIDDEN;
extern const struct ftrace_case ftrace_no_case FTRACE_HIDDEN;

/*
 * Returns true if libulf itself calls a function, which is so if @ret, the return address,
 * is in libulf.so.  Functions of libc can be traced, and libulf calls some of them
 * (memcpy(), memset()), in the agent and in the middle of a hit.  Such a call must not be a
 * hit: the agent is no thread of the program, and the first hit of a thread would begin
 * again and again.
 */
static inline bool ftrace_is_own_call(uint64_t ret)
{
	return ret - ftrace_state.own_text < ftrace_state.own_bytes;
}

/*
 * The state of one thread.  Only that thread and its signal handlers write it.  A handler
 * may run between any two stores.  It leaves all members as it found them, except for the
 * last three:
 *
 * page		is one word, so it is always valid
 * signal_* may be a mixture of two stacks after a handler.  Then a call that is still
 *		running may count as ended, or a call that has ended as running.  Depths
 *		are wrong for a while, but every walk over calls ends (shadow_around()).
 *
 * Example: main() calls f(), f() calls g(), g() leaves by longjmp() to main(), and main()
 * calls h().  Calls of f(), g() and h() are followed.
 *
 *	f entered	top = address of f's return address,	depth = 1
 *	g entered	top = address of g's return address,	depth = 2
 *	longjmp()	nothing changes
 *	h entered	live_above() drops g and f: their return addresses are not above
 *			that of h, so they have ended
 *			top = address of h's return address,	depth = 1
 */
struct ftrace_thread {
	uint64_t head;			/* first word of the function tracer's records
					 * of this thread; 0: not known yet, or the
					 * thread records nothing now */
	uint64_t entry_head, exit_head;	/* first words of the graph tracer's entry and
					 * exit records of this thread */
	uint64_t top;			/* @place of the thread's innermost followed
					 * call, or SHADOW_NONE; possibly with the flag
					 * SHADOW_SLOWLY */
	uint32_t depth;			/* depth of the next followed call */
	uint32_t is_in_callback;	/* is 1 while the thread runs a callback of the program */
	uint64_t page;			/* the memory page of a stack that ftrace.S used
					 * last; its shadow is at home (see the top of
					 * shadow.h); only ftrace.S uses this member */
	uint64_t signal_stack, signal_bytes;	/* address and size of the signal
						 * stack on which the thread's last
						 * traced signal handler ran; size 0:
						 * it ran on none */
};
extern __thread struct ftrace_thread ftrace_this FTRACE_HIDDEN;

/* ---- functions of hit.c that change the state of the current thread; signal handlers
 * may call them ---- */

/* Update ftrace_this, because the thread has got a (new) tid or is_in_callback has
 * changed. */
void ftrace_thread_named(void);
/* Restore ftrace_this after vfork().  @top: value of ftrace_this.top before vfork(). */
void ftrace_thread_restore(uint64_t top, bool is_in_callback);
/* Called before the thread gives up its thread slot, and so its tid.  Afterwards ftrace.S
 * records nothing of this thread. */
void ftrace_thread_forget(void);

/* Returns the current time of the clock of rings (server/core/timebase.c), or 0 if the root
 * has no such clock, or there is no root.  Any thread and any signal handler may call it;
 * it uses general registers only. */
static inline uint64_t ftrace_ring_ns(void)
{
	const struct abi_clock *clock = root_control ? &root_control->clock : NULL;
	/* acquire: the other members of the clock were stored before @mult; mate:
	 * server/core/timebase.c [root.clock] */
	uint64_t mult = clock ? __atomic_load_n(&clock->mult, __ATOMIC_ACQUIRE) : 0;

	return mult ? clock->ns0 + arch_tsc_scale(arch_tsc() - clock->tsc0, mult << 32) : 0;
}

/* Returns the CPU time of the current thread, by a system call.  Any thread and any signal
 * handler may call it; it uses general registers only. */
static inline uint64_t ftrace_cpu_ns(void)
{
	struct timespec time = { 0, 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- functions of ftrace.c; the caller holds runtime_lock(), and is not a signal handler
 * ---- */

/* Settings of the graph tracers. */
struct ftrace_graph_settings {
	uint32_t buffers;		/* buffers whose tracer is function_graph, one
					 * bit for each */
	uint8_t sessions[ABI_BUFFERS];	/* for each buffer, a number that changes each
					 * time function_graph becomes its tracer */
	uint32_t depth;			/* max_graph_depth; 0: no limit */
	bool has_starts;		/* true: set_graph_function is not empty */
	uint64_t thresh_ns;		/* tracing_thresh in ns; 0: there is no
					 * threshold */
};
/*
 * ftrace_apply_users - apply the server's settings for functions.  The caller has stored
 * the users of each site in the objects (object.users).
 * @users: all users of all sites together
 *
 * If memory or a needed feature is missing, the function changes nothing.  Any other
 * error concerns only single sites: all other sites are patched and traced.  Sites
 * whose bytes are not as expected are skipped, and this is no error.
 *
 * Returns 0, -ENOMEM, -EOPNOTSUPP (the CPU has no xsave) or another error of
 * shadow_make(), stack_tracer_apply() or of patching.
 */
int ftrace_apply_users(uint32_t users, const struct ftrace_graph_settings *graph);

/* Called when the rings or the lists of threads of @buffer have changed. */
void ftrace_buffer_changed(const struct buffer *buffer);
/*
 * Users that the program registers (register_ftrace.c).
 *
 * ftrace_user_add - from now on, call the user at the sites that the filter @filter
 * selects.  Returns 0
 *	or an error of shadow_make() or of patching.
 * ftrace_user_remove - from now on, do not call the user.  Hits that have begun may
 * still call the user until a grace period has ended.
 * ftrace_has_user - returns true if the user was added, and not removed.
 * ftrace_has_filter - returns true if a user was added with the filter of @ops.
 * ftrace_filter_changed - patch the sites, because the filter of a user has changed.
 *	The user need not be added yet.  Returns 0 or an error of patching.
 */
int ftrace_user_add(uint32_t user, const struct ftrace_ops *filter);
void ftrace_user_remove(uint32_t user);
bool ftrace_has_user(uint32_t user);
bool ftrace_has_filter(const struct ftrace_ops *ops);
int ftrace_filter_changed(void);
/* Returns true if no object can be unmapped now, because no thread is in a dlclose(). */
bool ftrace_objects_are_safe(void);
/* Update libraries whose update was put off during a dlclose().  Does nothing while a
 * dlclose() still runs. */
void ftrace_update_put_off(void);

/* ---- functions of ftrace.c; the caller is a thread that libc created, and does not hold
 * runtime_lock() ---- */

/* Called before and after libc's dlclose().  Between the two calls libulf patches only
 * the text of the program, not that of libraries.  ftrace_unload_begin() waits until an
 * update of sites, if one has begun, is complete. */
void ftrace_unload_begin(void);
void ftrace_unload_end(void);
/* Called by a constructor that dlopen() runs: ftrace_load_begin() before it waits for
 * the server, and ftrace_load_end() afterwards.  Between the two calls libulf may
 * patch all text, even during a dlclose().  @has_applied: the server knows the new
 * objects, and the agent has applied the server's settings. */
void ftrace_load_begin(void);
void ftrace_load_end(bool has_applied);
/* Called in the child after fork(): forget that threads of the parent were in dlclose()
 * or dlopen(), and call stack_tracer_after_fork(). */
void ftrace_after_fork(uint32_t old_tid);
/* Returns true if updates of libraries were put off because of a dlclose().  In this case
 * a child of fork() must call ftrace_apply(). */
bool ftrace_has_put_off(void);
/* Switch off all users that the server has set, because this process has no root from now
 * on.  The sites stay on.  Runs in a child that has no other thread yet. */
void ftrace_detach(void);

/* ---- functions of ftrace_apply.c; the caller holds runtime_lock() ---- */

/* Apply the server's settings for functions, and updates that were put off.  The agent calls
 * this.  Returns 0, -EINVAL (the block of functions is invalid) or an error of
 * root_populate() or ftrace_apply_users(). */
int ftrace_apply(void);
/* Stop all tracing of functions that the server has asked for.  Returns 0 or an error of
 * ftrace_apply_users(). */
int ftrace_drop_settings(void);
/* Call ftrace_apply() and profile_apply() in a thread of the program.  If the settings
 * name objects that were not loaded the last time, the settings are applied even if
 * they have not changed. */
void ftrace_apply_again(void);
/* Returns true if the text of @object cannot be unmapped now. */
struct object;
bool ftrace_may_patch(const struct object *object);

/* ---- functions of stack_tracer.c, which records how deep stacks have been ---- */

/* Find the main thread's stack.  Runs in the thread that starts the runtime. */
void stack_tracer_init(void);
/* Called in the child after fork(): release the stack tracer's private lock, and forget
 * the last deepest stack of this process. */
void stack_tracer_after_fork(void);
/* Find the block in the root's memory in which the deepest stack is stored.  The caller
 * holds runtime_lock().  Returns 0, -EINVAL (invalid block) or an error of
 * root_populate(). */
int stack_tracer_apply(void);
/* Reset the stack tracer's members of @slot, for a new thread or for the only thread of a
 * child of fork().  Signal handlers may call this function. */
void stack_tracer_forget(struct thread_slot *slot);
/* Called by ftrace_call_slowly().  @below: address at which the return address of an
 * earlier call was stored.  Returns 1 if that call must have ended, because the thread
 * now makes a call at @place; else 0. */
uint64_t ftrace_is_left(uint64_t below, uint64_t place, uint64_t) FTRACE_HIDDEN;
/* Called by ftrace_call_slowly() when the current thread's stack may be deeper than
 * ever before.  Records the stack if it is the deepest.  @ip: the function's site.
 * Blocks signals meanwhile.  Returns 0. */
uint64_t ftrace_check_stack(uint64_t ip, uint64_t place, uint64_t) FTRACE_HIDDEN;

/* Move to the next page of the current CPU's ring if the current page has no space for a record of
 * @bytes.  Uses general registers only; any context.  Returns 0 (try to append again), -ENOBUFS
 * (recording is off, or the ring is full and has counted the record as dropped) or another error,
 * after which the caller must take the slow path. */
int hit_make_space(const struct buffer *buffer, uint32_t bytes);

/* ---- functions of hit_slow.c, which hit.c calls through ftrace_call_slowly(), so that
 * they may use any register.  Any thread and any signal handler may run them. ---- */

struct ftrace_write {
	const struct buffer *buffer;
	void *entry;			/* the record, in the form that buffer_write() expects */
	size_t bytes;			/* size of @entry */
	uint64_t *ret_time;		/* address at which the current time is stored
					 * before the record is written; may point
					 * into @entry */
};
/* Write the record of @write, a struct ftrace_write *.  Returns false if recording is off. */
uint64_t ftrace_write_slowly(uint64_t write, uint64_t, uint64_t) FTRACE_HIDDEN;
/* Returns the current time in ns, by the clock of the rings.  If the root has no such
 * clock, uses clock number 0. */
uint64_t ftrace_now(uint64_t, uint64_t, uint64_t) FTRACE_HIDDEN;
/* Returns the current time in ns, as ftrace_now() does, but uses only general registers, so
 * hit.c may call it. */
static inline uint64_t ftrace_hit_ns(void)
{
	uint64_t ns = ftrace_ring_ns();

	return ns ? ns : ftrace_call_slowly(ftrace_now, 0, 0, 0);
}
/* Call the program's callbacks that are in @users and active.  @ip: the function's site;
 * @parent: its return address.  Returns 0. */
uint64_t ftrace_call_ops(uint64_t users, uint64_t ip, uint64_t parent)
	FTRACE_HIDDEN;
/* Call the program's entryfunc().  Returns the time of the entry, or 0 if the program does
 * not want the return callback for this call. */
uint64_t ftrace_call_graph_entry(uint64_t func, uint64_t depth, uint64_t)
	FTRACE_HIDDEN;
/* Call the program's retfunc().  @ret: a struct ftrace_graph_ret *, whose rettime this
 * function sets.  Returns 0. */
uint64_t ftrace_call_graph_exit(uint64_t ret, uint64_t, uint64_t) FTRACE_HIDDEN;
/* Run the commands of a function (function_probe.c).  @call: a struct function_call *.
 * Returns 0. */
uint64_t ftrace_run_probes(uint64_t call, uint64_t, uint64_t) FTRACE_HIDDEN;
/* Record a call for a function tracer that has options (function_option.c).  @buffer: a
 * struct buffer *; @call: a struct function_call *.  Returns 0. */
uint64_t ftrace_record_call(uint64_t buffer, uint64_t call, uint64_t)
	FTRACE_HIDDEN;
/* Give the current thread a thread slot.  Returns the struct ulf_thread *, or 0 if no
 * thread slot is free. */
uint64_t ftrace_attach(uint64_t, uint64_t, uint64_t) FTRACE_HIDDEN;

#endif
