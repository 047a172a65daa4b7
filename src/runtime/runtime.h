/* SPDX-License-Identifier: MIT */
/*
 * The internal interface of libulf: functions that its files offer each other.  All this
 * code runs inside of a traced program: it must not print, must not exit and must not
 * change errno.
 *
 * runtime_lock() protects the list of modules, the probe lists, the patched text and the
 * ring sets of the buffers.  The agent holds it while it applies settings; threads hold
 * it in (un)register calls and in constructors, and across fork().  No function of the
 * program is called with it held.  "Lock held" in a contract means that the caller must
 * hold it.
 *
 * Locks are taken in this order: libc's lock of dlopen(), libc's lock of
 * dl_iterate_phdr(), the modules' lock (module.c), a tracepoint's lock
 * (tracepoint_enter()), runtime_lock().
 *
 * fork() takes runtime_lock().  The program may call fork(), or any function of libulf,
 * while it holds one of libc's locks: in a constructor, or in a callback of
 * dl_iterate_phdr().  So libulf must not call dlopen(), dlsym(), dladdr() or
 * dl_iterate_phdr() while it holds one of its own locks (see object_walk(),
 * table_find_object()).  Functions of the program that libulf calls with the modules'
 * lock or a tracepoint's lock held may call them.  In a child of fork() libc's locks may
 * be held for ever, by threads that do not exist in the child.  So code that libulf runs
 * in a child at its start or in exit() must not take them.
 *
 * "Any context" in a contract: any thread and any signal handler may call the function,
 * also while a thread holds one of these locks; the function takes none of them.
 */
#ifndef ULF_RUNTIME_RUNTIME_H
#define ULF_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "event/boot.h"
#include "event/printk.h"
#include "filter/run.h"
#include "ring/ring.h"
#include <ulf/event.h>

/* ---- init.c ---- */
/* Create the root and start the agent.  Only the first call does anything.  May wait for
 * the server. */
void runtime_init(void);
/* Returns true after exit() has called our first handler.  Any context. */
bool runtime_is_exiting(void);
/* Register an exit handler.  Each module calls this, because only a handler that is
 * registered late enough runs before the destructors. */
void runtime_watch_exit(void);
/* Register the fork handlers.  Only the first call does anything. */
void runtime_watch_forks(void);

/* ---- lock.c ---- */
/* Take and release the runtime's lock.  It is recursive.  Taking it may sleep. */
void runtime_lock(void);
void runtime_unlock(void);
/* Release the lock in a child of fork(), however often it was taken.  Returns the thread
 * id that its holder, this thread, had in the parent. */
uint32_t runtime_lock_reset(void);

/*
 * Other locks are words that are 0 while the lock is free.
 *
 * lock_try - take the lock if it is free.  Returns false if it is not.
 * lock_take - take the lock; may sleep.  Returns 0, or -EDEADLK: this thread holds it.
 * lock_drop - release the lock, and wake all threads that sleep on it.
 */
bool lock_try(uint32_t *owner);
int lock_take(uint32_t *owner);
void lock_drop(uint32_t *owner);
/*
 * Wait for a lock whose word may be unmapped during the wait.
 *
 * lock_mark - mark the lock as waited for.  The word must exist.  Returns its value; 0:
 *	the lock is free.
 * lock_sleep - sleep until the lock is dropped.  @seen: from lock_mark().  May return
 *	early.
 */
uint32_t lock_mark(uint32_t *owner);
void lock_sleep(const uint32_t *owner, uint32_t seen);
/* Repair a lock in a child of fork().  If this thread held it in the parent, where it had
 * the thread id @old_tid, it holds the lock in the child, too.  Otherwise the lock is
 * free. */
void lock_after_fork(uint32_t *owner, uint32_t old_tid);

/* A recursive lock. */
struct lock {
	uint32_t owner;
	uint32_t depth;			/* lock_enter() calls of the holder that are not
					 * undone yet */
};
/* Take and release a recursive lock.  Taking it may sleep. */
void lock_enter(struct lock *lock);
void lock_leave(struct lock *lock);

/* ---- memory.c ---- */
/* Returns @bytes bytes, all 0, or NULL.  Takes the runtime's lock. */
void *memory_alloc(size_t bytes);
/* As memory_alloc(), but only this function uses the memory again after memory_free().
 * Memory that is used again has its old content, not zeroes. */
void *memory_alloc_stable(size_t bytes);
/* Free memory of one of these two functions.  @ptr may be NULL.  Takes the runtime's
 * lock. */
void memory_free(void *ptr);
/* Reserve address space without access rights; the caller maps its memory over it.
 * Returns NULL if there is none. */
void *memory_reserve(uint64_t bytes);
/* Returns a large table, all 0, or NULL.  Pages take memory only when they are used.  The
 * table cannot be freed. */
void *memory_alloc_table(uint64_t bytes);
/*
 * memory_note_large - note a range that mlockall() must not lock with the program's
 *	memory.  Only one thread at a time may call this.  Returns false if there are too
 *	many ranges.
 * memory_is_large - returns true if @addr is in such a range, or in the graph tracer's
 *	bodies.  *@until is lowered to the address up to which the answer holds.
 */
bool memory_note_large(void *mem, uint64_t bytes);
bool memory_is_large(uint64_t addr, uint64_t *until);
/*
 * Collect blocks of memory_alloc() in a list, to free them together later.  *@list is
 * NULL at first.
 *
 * memory_defer - add @ptr, which may be NULL, to *@list.
 * memory_defer_all - move all blocks of the list @more to *@list.
 * memory_free_deferred - free all blocks of @list.
 */
void memory_defer(void **list, void *ptr);
void memory_defer_all(void **list, void *more);
void memory_free_deferred(void *list);

/* ---- root.c: the shared memory ---- */
/* The control block.  NULL: this process has no root. */
extern struct abi_control *root_control;
/*
 * Size and layout of the memory.  Tables are at the offsets ABI_*_OFF.  These functions
 * return private copies that were made when the root was created, because any process of
 * the root can change the words of abi_control (docs/design/trust.md).  Any context.
 */
uint64_t root_map_bytes(void);
uint32_t root_nr_cpus(void);
bool root_has_rseq(void);		/* true: the process that created the root could
					 * use rseq */
const char *root_exe(void);		/* copy of abi_control.exe */
const char *root_boot(void);		/* copy of abi_control.boot */
/* Create the root, and wait until the server has applied the boot settings, if there are
 * any.  Returns 0 or -errno. */
int root_create(void);
/* Remove the root's directory if nothing of interest was recorded and this is the root's
 * last process.  Called in exit(). */
void root_remove_if_unused(void);
/* Returns the path ULF_DIR/roots/NAME with which the root was created. */
const char *root_directory(void);
/* Returns true if the server has ever changed a setting.  There must be a root.  Any
 * context. */
bool root_is_wished(void);
/*
 * Make [@off, @off + @bytes) of the memory usable, so that no access raises SIGBUS later.
 * Any context.
 * Returns 0, -ENOMEM (outside of the mapping), -ENOSPC (a part has never been written to,
 * and the file system has no space for it) or another -errno of mprotect() or madvise().
 */
int root_populate(uint64_t off, uint64_t bytes);
/* As root_populate(), for the page that contains the row @row of a table.  No row crosses
 * pages.  Later calls for the same page do nothing.  Any context. */
int root_populate_row(const void *row);
/* Make the first @bytes bytes of the heap usable.  Call this before the heap is read; the
 * lock of the tables must be held.  Returns 0, -EINVAL (the heap is smaller) or -errno of
 * root_populate(). */
int root_reach_heap(uint64_t bytes);
/* Returns the address of @bytes bytes of the heap at offset @off.  Returns NULL if some
 * of them are outside of the part that root_reach_heap() has made usable: then another
 * process has stored a wrong offset. */
void *root_heap_at(uint64_t off, uint64_t bytes);
/* Return addresses in the memory: of an offset, of a row of the table of events, of a
 * buffer.  They do not check their argument, nor make the memory usable. */
void *root_at(uint64_t off);
struct abi_event *root_event(uint32_t row);
struct abi_buffer *root_buffer(uint32_t index);

/* ---- leave.c ---- */
/* Returns true if this process has left the root.  Then private memory, all 0, is mapped
 * at the address of the root's memory.  Any context. */
bool root_is_left(void);
/* Note the pid of this process.  Called in the process that has created the root, and
 * with @was_forked in each child of fork(). */
void root_leave_init(bool was_forked);
/* Returns true if this process was forked by a process of the root; false in a child of
 * vfork(). */
bool root_is_child(void);

/* ---- process.c: this process's slot in the root ---- */
/* The slot of this process; NULL: it has none. */
extern struct abi_process *process_slot;
/*
 * Claim a slot, and set process_slot.
 * @parent: a copy of the parent's slot when it called fork(), or NULL.
 * Returns 0 or -ENOSPC.
 */
int process_claim(const struct abi_process *parent);
/* Returns true if @fn returns true for the slot of at least one live process. */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg);

/* ---- thread.c: slots of threads that call probes; any context ---- */
struct thread_slot {
	struct ulf_thread thread;	/* its tid is 0 while the slot is free */
	/* members of the stack tracer (stack_tracer.c) */
	uint32_t stack_resets;		/* abi_stack_resets() when stack_depth was
					 * stored */
	uint64_t stack_depth;		/* greatest depth seen so far, in bytes */
	uint64_t stack_top;		/* highest address of the thread's stack; 0: not
					 * known */
	uint64_t stack_known;		/* bytes below stack_top that certainly belong to
					 * the stack */
	uint64_t stack_room;		/* limit: bytes below stack_top that may belong to
					 * the stack */
} __attribute__((aligned(64)));

/* Call @fn for every slot, until it returns a value other than 0.  Returns that value,
 * or 0. */
int thread_for_each(int (*fn)(struct thread_slot *slot, void *arg), void *arg);
/* In a child of fork(): free the slots of the other threads. */
void thread_after_fork(void);
/* True: the program has set a probe or a callback.  Probes and callbacks work without a
 * root, too.  Written with the lock held. */
extern bool thread_may_hit;
/*
 * thread_lend - give a slot to this thread, which has none because it has not hit
 *	anything yet.  Does nothing if no slot is available, or if there can be no hits.
 * thread_take_back - free the slot that thread_lend() gave.
 */
void thread_lend(void);
void thread_take_back(void);
/* Returns the id of this thread, which must have a slot.  The load is atomic, because
 * other threads may try to claim the slot. */
static inline uint32_t thread_tid(void)
{
	return __atomic_load_n(&ulf_this_thread->tid, __ATOMIC_RELAXED);
}
/* Returns the CPU on which this thread runs, or 0 if it is not known. */
static inline uint32_t thread_cpu(void)
{
	unsigned int cpu = arch_rseq_cpu();

	if (cpu >= ABI_CPUS)
		arch_syscall3(SYS_getcpu, &cpu, NULL, NULL);
	return cpu < ABI_CPUS ? cpu : 0;
}

/* ---- comm.c; any context ---- */
/* Record the name of this thread in the root, if there is one.  @tid: its id. */
void comm_record(uint32_t tid);
/* Get the name of this thread, padded with NULs. */
void comm_get(char ret_comm[ABI_COMM_LEN]);

/* ---- grace.c ---- */
/* Register this process for membarrier().  May be called again. */
void grace_init(void);
/* Returns true if grace_wait() also restarts rseq sections.  Any context. */
bool grace_has_rseq(void);
/* Restart every rseq section that a thread is in.  Does not sleep; the lock may be held
 * or not.  Returns 0 or -errno of membarrier(). */
int grace_restart_sections(void);
/*
 * Wait until every probe that runs now has returned, then free the memory that was given
 * to grace_free() before.  Sleeps.  The caller must not be in a probe.
 * @timeout_ms: limit of the wait; negative: none.
 * Returns 0, -ETIMEDOUT or -errno of membarrier().  On failure the memory is freed by a
 * later call.
 */
int grace_wait(int timeout_ms);
/* Have the next grace_wait() call memory_free(@ptr).  Lock held. */
void grace_free(void *ptr);

/* ---- tracepoint.c ---- */

/* Returns true if @tp has calls: functions of the program that must be called when the
 * first probe is added and when the last one is removed (TRACE_EVENT_FN).  Then its
 * probes may only change between tracepoint_enter() and tracepoint_leave(), and the
 * caller must not hold the runtime's lock: see docs/design/regfunc.md. */
bool tracepoint_has_calls(const struct tracepoint *tp);
/* Take and release the lock of @tp.  Both do nothing if @tp has no calls.
 * tracepoint_enter() may sleep.  It returns 0, or -EDEADLK: this thread holds the lock. */
int tracepoint_enter(struct tracepoint *tp);
void tracepoint_leave(struct tracepoint *tp);
/*
 * Add a probe to @tp, or remove it.  The sites are not patched: call site_update_key()
 * afterwards.  Probes with a higher @prio are called first.
 *
 * tracepoint_add - returns 0, -EEXIST, -EINVAL (@probe is NULL), -ENOMEM or the
 *	-errno of the tracepoint's regfunc.
 * tracepoint_remove - returns 0, -ENOENT or -ENOMEM.
 * tracepoint_drop - as tracepoint_remove(), but unregfunc is not called.
 */
int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_remove(struct tracepoint *tp, void *probe, void *data);
int tracepoint_drop(struct tracepoint *tp, void *probe, void *data);
/* Returns true if @tp has this probe with this data.  Lock held. */
bool tracepoint_has(const struct tracepoint *tp, void *probe, void *data);

/* ---- site.c: patch sites, so that they agree with tracepoint.enabled; lock held ---- */
/* Patch all sites, those of one tracepoint, or those of one module.  Return 0 or -errno;
 * on an error some sites may not be patched. */
int site_update_all(void);
int site_update_key(const struct tracepoint *key);
int site_update_module(struct ulf_module *module);

/* ---- module.c ---- */
/* Returns the first module of the list (ulf_module.next), or NULL.  Lock held. */
struct ulf_module *module_first(void);
/* In a child of fork(): repair the locks of modules and tracepoints.  @old_tid: the id
 * that this thread had in the parent. */
void module_after_fork(uint32_t old_tid);

/* ---- table.c: rows of the root's tables; lock held ---- */
struct table_object;
/* Add rows for @module, its events, formats and strings.  @object: from
 * table_find_object().  Returns 0, -ENOSPC, or -EBUSY: did not get the lock of
 * the tables. */
int table_add_module(struct ulf_module *module, const struct table_object *object);
/* Note in the process slot that this process has unloaded @module. */
void table_remove_module(struct ulf_module *module);
/* Allocate @bytes bytes of the heap; they are never freed.  The caller must hold
 * abi_control.table_lock.  Returns their offset, or 0: no space. */
uint64_t table_heap_alloc(uint32_t bytes);
/* Returns the FNV-1a hash of the bytes.  Needs no lock. */
uint32_t table_hash(const void *data, uint32_t bytes);
/* A format of trace_printk(), in private memory.  Only the copy of its text is in the
 * root's heap. */
struct printk_format {
	struct printk_format *next;
	const char *text;		/* private copy of the text; it is stored after
					 * @args */
	uint64_t address;		/* address of the text in the heap; records
					 * contain it */
	uint32_t hash;			/* table_hash() of the text */
	struct printk_arg args[];	/* how to record the arguments; @text follows them */
};
/* ---- table.c: lock held or not; takes no lock if libc has _dl_find_object() ---- */
/* Returns true if @module belongs to the program itself, not to a library. */
bool table_is_program(const struct ulf_module *module);

/* ---- event.c; lock held ---- */
struct abi_probes;
struct abi_rule;
struct abi_trigger;
struct abi_triggers;
struct buffer;
/* Apply abi_event.wanted to the events of @module: add and remove their probes.  Sites
 * are not patched.  Events whose tracepoint has calls (tracepoint_has_calls()) are left
 * out; event_make_calls() switches these.  Returns 0 or the first -errno. */
int event_follow(struct ulf_module *module);
/* Return true if an event that has calls is on but should be off, or off but should be on
 * (abi_event.wanted): an event of any registered module, or of @module. */
bool event_has_calls_to_make(void);
bool event_module_has_calls_to_make(const struct ulf_module *module);
/* Called if no thread can make the calls.  Events that should be on get @error (-errno)
 * as abi_event.failed.  Events that should be off are switched off without a call of
 * unregfunc. */
void event_give_up_calls(int error);
/* Switch all events of @module off, without a call of unregfunc. */
void event_stop_module(struct ulf_module *module);
/* Returns true if probes of @module may run at sites of other modules, because it has
 * custom events. */
bool event_module_is_custom(const struct ulf_module *module);
/* In a child of fork(): correct ulf_event.is_on.  Another thread of the parent may have
 * changed the probes without having written is_on yet. */
void event_after_fork(const struct ulf_module *module);
/* The set of rings of @buffer has been replaced: let the events use the new one. */
void event_use_set(const struct buffer *buffer);
/* ---- event.c; lock not held, in a thread of libc ---- */
/* Switch the events whose tracepoints have calls, until all registered modules agree with
 * abi_event.wanted.  Calls functions of the program.  Returns 0 or the first -errno. */
int event_make_calls(void);
/* As event_make_calls(), for the events of a module that is being loaded. */
int event_make_calls_coming(struct ulf_module *module);
/* Switch off those events of a module that have calls; the module is being unloaded.
 * Waits for calls that are under way. */
void event_make_calls_going(struct ulf_module *module);
/* Remove custom events of other modules from the tracepoints of @module.  The caller must
 * hold the modules' lock. */
void event_detach_from(const struct ulf_module *module);

/* ---- plan.c: where the records of an event go; lock held ---- */
/* One entry of a plan: the records of an event in one buffer. */
struct event_use {
	const struct event_use *next;
	const struct buffer *buffer;
	const struct filter_program *filter;	/* NULL: record every hit */
	const struct filter_program *only;	/* @filter if this is the only use and not
						 * in soft mode; else NULL */
	/* A rule word: while it is not 0 records are dropped.  NULL: the event is not in
	 * soft mode. */
	const uint64_t *soft;
	const struct abi_triggers *triggers;	/* NULL: none, always so outside of soft
						 * mode */
	uint32_t triggers_bytes;		/* size of @triggers */
	bool is_conditional;			/* result of triggers_are_conditional() */
	bool has_stack;				/* the option stacktrace is on */
	bool is_anybodys;			/* record all threads: ignore
						 * set_event_pid */
	const struct ulf_event *event;		/* NULL in buffer.use and in
						 * function_hit.use */
};
/* Make a plan by which the records of @event go to the buffers of @wanted, by the rules
 * of each buffer.  @wanted: one bit for each buffer, not 0.  Returns 0, -ENOMEM or
 * -EINVAL (an invalid rule); on failure the old plan stays. */
int plan_follow(struct ulf_event *event, uint32_t wanted);
/* Remove the plan of @event, whose records go nowhere from now on. */
void plan_forget(struct ulf_event *event);
/* The plan of @event, or its buffer's set of rings, has changed: update ulf_event.set. */
void plan_use_set(struct ulf_event *event);

/* A range of bytes in the block of a buffer's rules.  The bytes are not verified, and
 * another process can change them. */
struct rules_bytes {
	const void *at;
	uint32_t nr;			/* number of bytes; 0: there are none */
};
struct rules;
/* Find the rule of the event in @row.  Copies it to *@ret_rule.  Returns false if there
 * is no rule; *@ret_rule is overwritten in that case, too. */
bool rules_has_row(const struct rules *rules, uint32_t row,
		   struct abi_rule *ret_rule);
/* Get the @nr bytes at offset @at of the block.  If @at is 0 there are none, and
 * *@ret_bytes is not changed.  Returns 0, or -EINVAL: the bytes are outside of the block
 * or not aligned. */
int rules_find(const struct rules *rules, uint32_t at, uint32_t nr,
	       struct rules_bytes *ret_bytes);
/* Compare the @nr bytes at @used, which are in private memory, with the range of the last
 * argument.  Returns true if they are equal. */
bool rules_is_same(const void *used, size_t nr, const struct rules_bytes *wished);

/* ---- commit.c; any context ---- */
/* Returns true if the record passes @filter; NULL: every record passes.  Call it in a
 * probe. */
bool filter_keeps(const struct filter_program *filter, const void *entry,
		  size_t bytes);
/* The part of ulf_event_commit() that is in C: write a record by the event's plan.  It is
 * aligned because that saves a tenth of the cost of a filter. */
void event_commit_slowly(const struct ulf_event *event, void *entry, size_t bytes)
	__attribute__((visibility("hidden"), aligned(64)));

/* ---- trigger.c ---- */
/* Check that the triggers are safe to run.  @list: a private copy of @bytes bytes.
 * @nr_slots: number of valid rule words.  @record_bytes: size of the fixed part of a
 * record.  Returns 0 or -EINVAL. */
int triggers_verify(const struct abi_triggers *list, uint32_t bytes,
		    uint32_t nr_slots, uint32_t record_bytes);
/* Returns true if the triggers make their event conditional (see trigger.c). */
bool triggers_are_conditional(const struct abi_triggers *list);
/*
 * Run the triggers of a hit.  Call these in a probe; any context.
 *
 * triggers_before - run the triggers that come before the record.  @entry is only needed
 *	if triggers_are_conditional().  Returns a mask of trigger commands for @after.
 * triggers_after - run the triggers whose commands are in @after.  Call it after the record
 *	was written or dropped.
 */
uint32_t triggers_before(const struct event_use *use, const void *entry,
			 size_t bytes);
void triggers_after(const struct event_use *use, uint32_t after);
/* Run one trigger of an event or of a function.  For a function use->event is NULL, and
 * @use must be part of a struct function_hit.  Call it in a probe; any context. */
void trigger_fire(const struct event_use *use, const struct abi_trigger *trigger);
/* Returns true if the command and the rule words of @trigger are valid.  @trigger: a
 * private copy. */
bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots);
/* A call of a traced function. */
struct function_call {
	uint64_t ip;			/* address of the function's site */
	uint64_t parent;		/* return address of the call */
	const uint64_t *place;		/* address on the stack at which the return
					 * address is */
	const struct ftrace_regs *regs;	/* registers at the call */
};
/* A call that runs the triggers of a function. */
struct function_hit {
	struct event_use use;		/* use.event is NULL */
	const struct function_call *call;
};

/* ---- function_probe.c; lock held ---- */
/* Apply the commands of set_ftrace_filter that the buffer's rules contain.  Returns 0,
 * -ENOMEM or -EINVAL. */
int probes_follow(struct buffer *buffer);

/* ---- function_option.c ---- */
/* Apply the options of the buffer's function or graph tracer.  Lock held.  Returns 0 or
 * -ENOMEM. */
int function_options_follow(struct buffer *buffer);
/* In a child of fork(): release the states of func-no-repeats that threads of the parent
 * held. */
void function_options_after_fork(void);

/* ---- buffer.c: the rings and rules as this process uses them ---- */
/* The block of rules of a buffer (abi/rules.h). */
struct rules {
	const struct abi_rules *shared;	/* its first @bytes bytes are usable; any process
					 * can change them */
	uint32_t bytes, nr, nr_slots;	/* size of the block; number of rules; number of
					 * rule words in use */
};

struct buffer {
	struct ring_set *set;		/* freed after a grace period [buffer.set] */
	struct abi_buffer *shared;
	struct rules rules;
	struct abi_pids *pids[ABI_PIDS_LISTS];	/* freed after a grace period [buffer.pids] */
	struct abi_probes *probes;	/* freed after a grace period [buffer.probes] */
	uint32_t probes_bytes;		/* bytes of @probes */
	bool has_pids;			/* there is a list of threads for events */
	bool has_function_pids;		/* there is a list of threads for functions, or
					 * an option that ftrace.S does not implement */
	bool has_ticks;			/* the buffer's clock counts ticks of the TSC */
	uint64_t function_options;	/* options of its tracer that differ from their
					 * default */
	struct repeats *repeats;	/* for func-no-repeats, one for each CPU; NULL:
					 * not needed so far */
	uint32_t bit;			/* 1 << number of the buffer */
	struct event_use use;		/* plan of plain events (plan.c) of this buffer */
};
/* A set without rings: nr_cpus is 0, so every write fails.  It must be initialized by
 * ring_set_init() before a hook uses it. */
extern struct ring_set buffer_no_rings;
/* Returns the buffer, which is set up if need be, or NULL: no memory.  Lock held, except
 * at the start of the runtime. */
struct buffer *buffer_get(uint32_t index);
/* Returns the buffer, or NULL: this process has not used it so far.  Any context. */
const struct buffer *buffer_if_used(uint32_t index);
/* Returns the top buffer, or NULL: this process is not traced.  Any context. */
const struct buffer *buffer_top(void);

/* Returns the set of rings of @buffer.  Call it in a probe; any context. */
static inline struct ring_set *buffer_set(const struct buffer *buffer)
{
	/* mate: buffer.c [buffer.set] */
	return __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
}
/* Apply the server's settings for a buffer: rings, rules, options, lists of threads.
 * Lock held.  Returns 0 or -errno. */
int buffer_follow(uint32_t index);
/* Remove the rings of all buffers, so that nothing more is recorded.  For a child of
 * fork() that has no other thread yet, and for a process that leaves the root (lock
 * held). */
void buffer_detach_all(void);

/* ---- write.c: call these in a probe (ulf_probe_enter()); any context ---- */
/*
 * Write a record.
 * @entry: begins with a struct trace_entry and has RING_HEADROOM writable bytes before it.
 * @bytes: a multiple of 4, at most RING_PAYLOAD_MAX.
 * Returns false if recording is off; true also for a record that is lost and counted.
 */
bool buffer_write(const struct buffer *buffer, void *entry, size_t bytes);
/* Count a record that is too big to be written, unless recording is off. */
void buffer_drop(const struct buffer *buffer);

/* ---- dump.c ---- */
/* Prepare ftrace_dump().  Set handlers for deadly signals if the user has asked for
 * dumps.  Called in the thread that starts the runtime. */
void dump_init(void);
/* In a child of fork(): forget a dump that another thread of the parent ran. */
void dump_after_fork(void);

/* ---- stack.c: call these in a probe; any context ---- */
/* Write a record with the stack of the function that has hit @event. */
void stack_record(const struct buffer *buffer, const struct ulf_event *event);
/* Write a record with the stack of a traced function that was called. */
struct function_call;
void stack_record_function(const struct buffer *buffer,
			   const struct function_call *call);

/* ---- switch.c: call these in a probe; any context ---- */
/* Let the entries of @set for this CPU point to the rings to write to.  Returns true if
 * records of this CPU go to the buffer now. */
bool buffer_aim(const struct buffer *buffer, struct ring_set *set);
/* Set tracing_on of the buffer.  Returns true if this has changed it. */
bool buffer_set_recording(const struct buffer *buffer, bool on);
/* Returns true if tracing_on of the buffer is 1. */
bool buffer_is_recording(const struct buffer *buffer);
/* Take a snapshot: swap the sides.  If there is no spare side, write two lines about that
 * to the trace and stop recording, as the kernel does. */
void buffer_snapshot(const struct buffer *buffer);
/* Let the entries of @set for @cpu point to the rings of @side.  Returns the fast ring,
 * or NULL: there is none. */
struct abi_ring *ring_set_point(struct ring_set *set, uint32_t cpu,
				uint32_t side);

/* ---- pids.c: lists of threads (set_event_pid, set_ftrace_pid ...) ---- */
/* Apply the server's lists of threads.  Lock held.  Returns 0 or -errno. */
int pids_follow(struct buffer *buffer);
/* Returns true if the buffer, which has lists, does not record events of the thread
 * @tid.  Call it in a probe; any context. */
bool pids_ignore(const struct buffer *buffer, uint32_t tid);
/* Add @child to each list that contains @parent and has the option event-fork or
 * function-fork.  Call it in a probe, or while the server waits for this process; any
 * context. */
void pids_inherit(uint32_t parent, uint32_t child);
/* Returns true if any list of threads has the option event-fork or function-fork.  Any
 * context. */
bool pids_are_inherited(void);

/* ---- printk.c; lock held ---- */
/* The set of rings of @buffer has been replaced: let trace_printk() use the new one. */
void printk_use_set(const struct buffer *buffer);

/* ---- printk_table.c: under abi_control.table_lock ---- */
/* Add the formats of a module to the root's table. */
void printk_register(const struct ulf_module *module);

/* ---- order.c ---- */

/* Sort the events of @module into the order of its sources: by source file, and within a
 * file as in its trace headers.  Compilers and linkers may put them into any other
 * order.  The caller must not have published the module yet. */
void order_events(struct ulf_module *module);

/* ---- strings.c: under abi_control.table_lock ---- */

/* Copy the strings that @module lists by their addresses into the root's heap, for its
 * row @row. */
void strings_register(const struct ulf_module *module, struct abi_module *row);

/* ---- agent.c ---- */
/* Start the agent of this process, which must have a slot.  Returns 0 or -errno, which is
 * also stored in the slot. */
int agent_start(void);
/* Apply the settings in this thread now, without waiting for the agent.  Calls of the
 * program's functions are left to the agent.  For a child of fork(), before its agent
 * starts. */
void agent_catch_up(void);
/* Returns a futex word: the generation that the agent has applied, except for calls of
 * the program's functions. */
const uint32_t *agent_followed(void);
/* Returns true while the agent waits for calls of the program's functions. */
bool agent_is_calling(void);
/* Returns true if the program is built with a sanitizer, which must know every thread. */
bool agent_is_watched(void);
/* Before fork(): note what agent_can_start_in_child() needs.  Lock held. */
void agent_before_fork(void);
/* In a child of fork().  Returns false if a sanitizer may not let the child start a
 * thread. Without an agent the child keeps the settings that it has. */
bool agent_can_start_in_child(void);

/* ---- caller.c: the caller, a thread of libc that runs event_make_calls() ---- */
/* Start the caller, unless that was done before. */
void caller_start(void);
/* Have the caller run event_make_calls(), and wait for it.  *@ret_result: its result.
 * Only the agent calls this.  Returns false if there is no caller.  A process that the
 * caller has forked has no caller, either: there this does nothing and returns true. */
bool caller_ask(int *ret_result);
/* Returns true if this thread is the caller. */
bool caller_is_this(void);
/* In a child of fork(), before it has an agent: reset the state of the caller. */
void caller_reset(void);

/* ---- format.c ---- */
/* Write the format of an event of @module (struct abi_format) to @blob.  @blob NULL:
 * write nothing.  Returns the size of the format in bytes. */
uint32_t format_blob(const struct ulf_module *module,
		     const struct ulf_event *event, void *blob);
/* Write the enum names for events of @system (abi_event.names) to @blob.  @blob NULL:
 * write nothing.  Returns the size of the names in bytes. */
uint32_t format_names(const struct ulf_module *module, const char *system, void *blob);

/* ---- boot.c: boot settings ---- */
/* Store the boot settings in a new root.  @dir: the ulf directory. */
void boot_fill(struct abi_control *control, const char *dir);
/* Called when the root has its name.  Removes the settings from the environment, because
 * they are not meant for programs that this one starts.  If creating the root fails
 * before this call, they stay there for those programs. */
void boot_root_made(void);
/* Report to `ulf run`, if it has started this program, that there is no root.  @dir: the
 * ulf directory, which belongs to this user.  @error: the reason, as -errno. */
void boot_report_no_root(const char *dir, int error);
/* Wait until the server has applied the boot settings, if a server is known to be there.
 * Waits HOLD_SECONDS at most. */
void boot_wait(void);
/* Wait until the agent has applied the boot settings for functions, if there are any.
 * Call it after agent_start(). */
void boot_wait_functions(void);
/* Wait until the server and the agent have applied the settings for this module's events
 * and, if it uses trace_printk(), until there are rings.  No lock held. */
void boot_wait_for(const struct ulf_module *module);
/* Wait until the server and the agent have applied the settings for functions of objects
 * that were loaded.  No lock of ours held.  Returns false if there is no server or no
 * agent, or if it takes too long. */
bool boot_wait_for_objects(void);
/* Returns true if there is a boot setting @id.  Any context. */
bool boot_is_set(enum boot_id id);
/* Returns true if the settings wait for an object that can be traced.  Any context. */
bool boot_is_later(void);
/* Called after dlopen().  If the boot settings wait for an object that can be traced, and
 * such an object has been loaded, the server applies the settings when it is asked next.
 * Returns true in that case.  No lock held. */
bool boot_objects_coming(void);
/* Returns the buffers in which the boot settings switch a new event on, one bit each. */
uint32_t boot_wanted(const char *system, const char *name);

#endif
