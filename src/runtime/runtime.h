/* SPDX-License-Identifier: MIT */
/*
 * libulf inside: what its files offer each other.  Everything here runs in
 * somebody else's program: no printing, no exit, errno is left alone.
 *
 * runtime_lock() protects the list of modules, the probe lists, the text and
 * the buffers' ring sets.  Held by the agent while it applies, by threads in
 * (un)register calls and constructors, and across fork().  No function of the
 * program is called under it.
 *
 * Order: libc's own lock of dlopen() | libc's own of dl_iterate_phdr() | the modules' lock
 * (module.c) | a tracepoint's lock (tracepoint_enter()) | runtime_lock().
 *
 * fork() takes the last one, and the program may call it, or any function of libulf's,
 * while it has one of libc's locks: in a constructor, in a callback of dl_iterate_phdr().
 * So no thread calls dlopen(), dlsym(), dladdr() or dl_iterate_phdr() while it has one of
 * ours (object_walk(), table_find_object()); functions of the program that are called with
 * the modules' or a tracepoint's lock held may.  In a child of fork() libc's locks may be
 * taken for ever, by threads that the child has not: nothing that a child does by itself,
 * at its start or at exit(), takes them.
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
void runtime_init(void);		/* idempotent */
bool runtime_is_exiting(void);
void runtime_watch_exit(void);		/* may be called again and again */
void runtime_watch_forks(void);		/* the same */

/* ---- lock.c ---- */
void runtime_lock(void);		/* recursive */
void runtime_unlock(void);
/* In the child of a fork: the holder's thread id in the parent. */
uint32_t runtime_lock_reset(void);

/* Others: a word, 0 while it is free. */
bool lock_try(uint32_t *owner);
int lock_take(uint32_t *owner);		/* -EDEADLK: it is this thread's */
void lock_drop(uint32_t *owner);
/* For one that may vanish while it is waited for: mark it while it is there,
 * then sleep until it is dropped. */
uint32_t lock_mark(uint32_t *owner);
void lock_sleep(const uint32_t *owner, uint32_t seen);
/* In the child: still this thread's, or free. */
void lock_after_fork(uint32_t *owner, uint32_t old_tid);

/* A recursive one. */
struct lock {
	uint32_t owner;
	uint32_t depth;			/* the holder's */
};
void lock_enter(struct lock *lock);
void lock_leave(struct lock *lock);

/* ---- memory.c ---- */
void *memory_alloc(size_t bytes);	/* zeroed */
/* What is freed of it is used for nothing else, and given out again as it is. */
void *memory_alloc_stable(size_t bytes);
void memory_free(void *ptr);
/* Address space for much, to be mapped over; NULL: there is none. */
void *memory_reserve(uint64_t bytes);
/* Zeroed; what of it is used becomes memory.  For ever. */
void *memory_alloc_table(uint64_t bytes);
/* What is not to be locked with the program's memory; false: too many.  Is @addr in
 * that, or in the graph tracer's room?  *@until is lowered to where the answer ends. */
bool memory_note_large(void *mem, uint64_t bytes);
bool memory_is_large(uint64_t addr, uint64_t *until);
/* To be freed together later; *@list is NULL at first. */
void memory_defer(void **list, void *ptr);
void memory_defer_all(void **list, void *more);
void memory_free_deferred(void *list);

/* ---- root.c: the shared memory.  NULL: this process has no root. ---- */
extern struct abi_control *root_control;
/*
 * The geometry of the memory.  Tables are where ABI_*_OFF says; the rest is kept in
 * private memory since the root was made, because any process of the root can change
 * the words of abi_control (docs/design/trust.md).
 */
uint64_t root_map_bytes(void);
uint32_t root_nr_cpus(void);
bool root_has_rseq(void);		/* the process that made the root could use rseq */
const char *root_exe(void);		/* as abi_control.exe was */
const char *root_boot(void);		/* as abi_control.boot was */
int root_create(void);
void root_remove_if_unused(void);
/* ULF_DIR/roots/NAME, where it was made. */
const char *root_directory(void);
/* Has the server ever wished for anything? */
bool root_is_wished(void);
/* Make [off, off + bytes) of the memory usable, without a SIGBUS later.  -ENOSPC: some of it
 * has never been written to, and there is no room for it. */
int root_populate(uint64_t off, uint64_t bytes);
/* The same for the page of a table's @row, which no row crosses; once for each page. */
int root_populate_row(const void *row);
/* The same for the first @bytes of the heap, before any of it is looked at; the lock of
 * the tables must be held.  -EINVAL: the heap is not as large. */
int root_reach_heap(uint64_t bytes);
/* The address of @bytes of the heap at @off.  NULL: they are not all in the part that
 * root_reach_heap() has made usable, so some process has stored a wrong offset. */
void *root_heap_at(uint64_t off, uint64_t bytes);
void *root_at(uint64_t off);
struct abi_event *root_event(uint32_t row);
struct abi_buffer *root_buffer(uint32_t index);

/* ---- leave.c ---- */
/* Has this process left the root?  Then its memory there is private, and empty. */
bool root_is_left(void);
/* In the process that has made the root, and in each child of a fork. */
void root_leave_init(bool was_forked);
/* Was it forked by a process of the root?  Not in a child of vfork(). */
bool root_is_child(void);

/* ---- process.c: this process's slot in the root ---- */
extern struct abi_process *process_slot;
/* @parent: what the parent's slot was when it called fork(), or NULL. */
int process_claim(const struct abi_process *parent);
/* Is @fn true for one of the live processes? */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg);

/* ---- thread.c: threads that call probes; async-signal-safe ---- */
struct thread_slot {
	struct ulf_thread thread;	/* tid 0: free */
	/* the stack tracer's (stack_tracer.c) */
	uint32_t stack_resets;		/* when stack_depth was so deep */
	uint64_t stack_depth;		/* the deepest that is known of */
	uint64_t stack_top;		/* where its stack begins; 0: not known */
	uint64_t stack_known;		/* bytes that are sure to be of it */
	uint64_t stack_room;		/* it has no more than that */
} __attribute__((aligned(64)));

/* Calls @fn for every slot; stops when it is not 0. */
int thread_for_each(int (*fn)(struct thread_slot *slot, void *arg), void *arg);
void thread_after_fork(void);
/* The program has set a probe or a callback, which needs no root.  Lock held. */
extern bool thread_may_hit;
/* A slot for this thread, which has none, until it is taken back, if one is left and
 * there may be hits: its first one is still to come. */
void thread_lend(void);
void thread_take_back(void);
/* Of this thread, which has a slot.  Others may try to claim it. */
static inline uint32_t thread_tid(void)
{
	return __atomic_load_n(&ulf_this_thread->tid, __ATOMIC_RELAXED);
}
/* The CPU it runs on. */
static inline uint32_t thread_cpu(void)
{
	unsigned int cpu = arch_rseq_cpu();

	if (cpu >= ABI_CPUS)
		arch_syscall3(SYS_getcpu, &cpu, NULL, NULL);
	return cpu < ABI_CPUS ? cpu : 0;
}

/* ---- comm.c ---- */
void comm_record(uint32_t tid);
/* The name of this thread. */
void comm_get(char ret_comm[ABI_COMM_LEN]);

/* ---- grace.c ---- */
void grace_init(void);
/* Does a grace period also restart rseq sections? */
bool grace_has_rseq(void);
/* Have every thread that is in an rseq section begin it again.  0, or -errno of membarrier().
 * Does not sleep; lock held or not. */
int grace_restart_sections(void);
/* Waits until no probe runs that ran when it was called.  @timeout_ms < 0:
 * as long as it takes; else -ETIMEDOUT. */
int grace_wait(int timeout_ms);
/* memory_free(@ptr) after a grace period: at the next grace_wait().  Lock held. */
void grace_free(void *ptr);

/* ---- tracepoint.c ---- */

/* Has it functions that are to be called at its first and last probe
 * (TRACE_EVENT_FN)?  Then its probes change between enter and leave only, and
 * without the runtime's lock: see docs/design/regfunc.md. */
bool tracepoint_has_calls(const struct tracepoint *tp);
int tracepoint_enter(struct tracepoint *tp);	/* -EDEADLK */
void tracepoint_leave(struct tracepoint *tp);
/* The text does not follow yet. */
int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_remove(struct tracepoint *tp, void *probe, void *data);
/* The same, but no function is called. */
int tracepoint_drop(struct tracepoint *tp, void *probe, void *data);
/* Lock held. */
bool tracepoint_has(const struct tracepoint *tp, void *probe, void *data);

/* ---- site.c: makes the text follow tracepoint.enabled; lock held ---- */
int site_update_all(void);
int site_update_key(const struct tracepoint *key);
int site_update_module(struct ulf_module *module);

/* ---- module.c ---- */
struct ulf_module *module_first(void);	/* lock held */
/* @old_tid: of this thread, before the fork. */
void module_after_fork(uint32_t old_tid);

/* ---- table.c: what the root knows of this process; lock held ---- */
struct table_object;
int table_add_module(struct ulf_module *module, const struct table_object *object);
void table_remove_module(struct ulf_module *module);
/* With abi_control.table_lock held: room in the heap, for good; 0: none. */
uint64_t table_heap_alloc(uint32_t bytes);
uint32_t table_hash(const void *data, uint32_t bytes);
/* A format of trace_printk(): private, but for its copy in the root's heap. */
struct printk_format {
	struct printk_format *next;
	const char *text;		/* a copy, behind @args */
	uint64_t address;		/* of the copy in the heap; records have it */
	uint32_t hash;
	struct printk_arg args[];	/* how to record arguments; then the text */
};
/* ---- table.c: any time; takes no lock where libc has _dl_find_object() ---- */
bool table_is_program(const struct ulf_module *module);

/* ---- event.c; lock held ---- */
struct abi_probes;
struct abi_rule;
struct abi_trigger;
struct abi_triggers;
struct buffer;
/* Make probes follow abi_event.wanted; sites are not touched.  But for those
 * that have calls: */
int event_follow(struct ulf_module *module);
/* is there one that does not follow yet? */
bool event_has_calls_to_make(void);
bool event_module_has_calls_to_make(const struct ulf_module *module);
/* Nobody will make them: what is to be on has failed, what is to be off goes
 * off without its call. */
void event_give_up_calls(int error);
/* All off; nothing is called. */
void event_stop_module(struct ulf_module *module);
/* May its probes run at the sites of others? */
bool event_module_is_custom(const struct ulf_module *module);
/* In the child: what another thread was about to write down. */
void event_after_fork(const struct ulf_module *module);
/* The buffer's set of rings has been replaced. */
void event_use_set(const struct buffer *buffer);
/* ---- event.c; lock not held, in a thread of libc's ---- */
int event_make_calls(void);
int event_make_calls_coming(struct ulf_module *module);
void event_make_calls_going(struct ulf_module *module);
/* Take the custom events of others off its tracepoints; modules do not change. */
void event_detach_from(const struct ulf_module *module);

/* ---- plan.c: where the records of an event go; lock held ---- */
struct event_use {
	const struct event_use *next;
	const struct buffer *buffer;
	const struct filter_program *filter;	/* NULL: all */
	const struct filter_program *only;	/* the same, if a record that it
						 * drops is of use to nobody else */
	/* In soft mode, else NULL: while it is not 0 records are dropped. */
	const uint64_t *soft;
	const struct abi_triggers *triggers;	/* only in soft mode; NULL: none */
	uint32_t triggers_bytes;
	bool is_conditional;			/* triggers_are_conditional() */
	bool has_stack;				/* the option stacktrace */
	bool is_anybodys;			/* whatever set_event_pid says */
	const struct ulf_event *event;		/* NULL: a buffer's own use */
};
/* Have them go to the buffers of @wanted, a bit each, not 0, by the rules of
 * each.  What it did before goes on if it fails. */
int plan_follow(struct ulf_event *event, uint32_t wanted);
/* It is off, for good. */
void plan_forget(struct ulf_event *event);
/* The set of rings of its plan's buffer has been replaced. */
void plan_use_set(struct ulf_event *event);

/* Some of a buffer's rules, not checked. */
struct rules_bytes {
	const void *at;
	uint32_t nr;			/* 0: there are none */
};
struct rules;
bool rules_has_row(const struct rules *rules, uint32_t row,
		   struct abi_rule *ret_rule);
/* What is at @at; 0: nothing. */
int rules_find(const struct rules *rules, uint32_t at, uint32_t nr,
	       struct rules_bytes *ret_bytes);
bool rules_is_same(const void *used, size_t nr, const struct rules_bytes *wished);

/* ---- commit.c: any context, no lock ---- */
/* Does the record pass?  In a probe. */
bool filter_keeps(const struct filter_program *filter, const void *entry,
		  size_t bytes);
/* The rest of ulf_event_commit(). */
void event_commit_slowly(const struct ulf_event *event, void *entry, size_t bytes)
	__attribute__((visibility("hidden"), aligned(64)));	/* of a filter's cost, a tenth */

/* ---- trigger.c ---- */
/* May they be run?  A private copy of @bytes. */
int triggers_verify(const struct abi_triggers *list, uint32_t bytes,
		    uint32_t nr_slots, uint32_t record_bytes);
bool triggers_are_conditional(const struct abi_triggers *list);
/* In a probe, any context: run those of a hit; returns which are to run after
 * the record was written, or not.  @entry is for conditional ones only. */
uint32_t triggers_before(const struct event_use *use, const void *entry,
			 size_t bytes);
void triggers_after(const struct event_use *use, uint32_t after);
/* One by itself; or that of a function, which is called: */
void trigger_fire(const struct event_use *use, const struct abi_trigger *trigger);
bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots);
struct function_call {
	uint64_t ip;			/* the function's site */
	uint64_t parent;		/* where it returns to */
	const uint64_t *place;		/* where on the stack that stands */
	const struct ftrace_regs *regs;	/* of then */
};
struct function_hit {
	struct event_use use;		/* of no event */
	const struct function_call *call;
};

/* ---- function_probe.c; lock held ---- */
/* Take over the commands of functions. */
int probes_follow(struct buffer *buffer);

/* ---- function_option.c ---- */
/* Take over the options of the function tracer.  Lock held. */
int function_options_follow(struct buffer *buffer);
void function_options_after_fork(void);

/* ---- buffer.c: the rings and rules as this process sees them ---- */
struct rules {
	const struct abi_rules *shared;	/* believed in nothing but that it is
					 * there: @bytes of it, @nr rules */
	uint32_t bytes, nr, nr_slots;
};

struct buffer {
	struct ring_set *set;		/* published, RCU [buffer.set] */
	struct abi_buffer *shared;
	struct rules rules;
	struct abi_pids *pids[ABI_PIDS_LISTS];	/* published, RCU [buffer.pids] */
	struct abi_probes *probes;	/* published, RCU [buffer.probes] */
	uint32_t probes_bytes;
	bool has_pids;			/* one of those for events */
	bool has_function_pids;		/* one of those for functions, or options that
					 * are nothing for ftrace.S */
	bool has_ticks;			/* its clock counts those of the TSC */
	uint64_t function_options;	/* of its tracer, not as by default */
	struct repeats *repeats;	/* of each CPU; NULL: not asked for yet */
	uint32_t bit;			/* 1 << its number */
	struct event_use use;		/* the plan of events that just go here */
};
/* nr_cpus 0: every write fails.  Hooks need ring_set_init() of it. */
extern struct ring_set buffer_no_rings;
/* NULL: no memory. */
struct buffer *buffer_get(uint32_t index);
/* NULL: this process has had nothing to do with it.  Any context, no lock. */
const struct buffer *buffer_if_used(uint32_t index);
/* Any context; NULL: this process is not traced. */
const struct buffer *buffer_top(void);

/* In a probe, any context. */
static inline struct ring_set *buffer_set(const struct buffer *buffer)
{
	/* mate: buffer.c [buffer.set] */
	return __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
}
/* Take over the server's rings.  Lock held. */
int buffer_follow(uint32_t index);
/* Record nothing more.  In a child that has no other thread yet. */
void buffer_detach_all(void);

/* ---- write.c: between ulf_probe_enter() and ulf_probe_exit(); any context, no
 * lock ---- */
/* @entry begins with its struct trace_entry and has RING_HEADROOM writable bytes
 * in front; @bytes: a multiple of 4, RING_PAYLOAD_MAX at most.  Returns false if recording is
 * off, true also for a record that is lost and counted. */
bool buffer_write(const struct buffer *buffer, void *entry, size_t bytes);
/* It is too big to be written. */
void buffer_drop(const struct buffer *buffer);

/* ---- dump.c ---- */
/* What ftrace_dump() will need, and handlers for deadly signals if wanted. */
void dump_init(void);
void dump_after_fork(void);

/* ---- stack.c: as write.c ---- */
/* Write the stack of the function that has hit @event. */
void stack_record(const struct buffer *buffer, const struct ulf_event *event);
/* That of a function which has been called. */
struct function_call;
void stack_record_function(const struct buffer *buffer,
			   const struct function_call *call);

/* ---- switch.c: as write.c ---- */
/* Does a record of this CPU go to the buffer?  If so, @set leads to where. */
bool buffer_aim(const struct buffer *buffer, struct ring_set *set);
/* tracing_on.  Returns whether it was otherwise. */
bool buffer_set_recording(const struct buffer *buffer, bool on);
bool buffer_is_recording(const struct buffer *buffer);
/* Swap the sides.  Where there is no spare one recording stops, as the kernel's
 * does, and the trace says so. */
void buffer_snapshot(const struct buffer *buffer);
/* Have @cpu write to that side; returns its fast ring. */
struct abi_ring *ring_set_point(struct ring_set *set, uint32_t cpu,
				uint32_t side);

/* ---- pids.c: set_event_pid, set_ftrace_pid ... ---- */
/* Take over the server's lists.  Lock held. */
int pids_follow(struct buffer *buffer);
/* The others between ulf_probe_enter() and ulf_probe_exit(); any context.
 * Are the events of @tid not for this buffer?  It has lists. */
bool pids_ignore(const struct buffer *buffer, uint32_t tid);
/* event-fork: where @parent is, @child is from now on. */
void pids_inherit(uint32_t parent, uint32_t child);
/* Any time: is there a list with event-fork at all? */
bool pids_are_inherited(void);

/* ---- printk.c; lock held ---- */
/* The buffer's set of rings has been replaced. */
void printk_use_set(const struct buffer *buffer);

/* ---- printk_table.c: under abi_control.table_lock ---- */
/* Tell the root the formats of a module. */
void printk_register(const struct ulf_module *module);

/* ---- order.c ---- */

/* Sort the events of @module into the order of its sources: by the file that makes them, and
 * within a file as in its trace headers.  Compilers and linkers put rows of a table into any
 * order.  The caller must not have published the module yet. */
void order_events(struct ulf_module *module);

/* ---- strings.c: under abi_control.table_lock ---- */

/* Copy the strings that @module lists by their addresses into the root's heap, for its row
 * @row. */
void strings_register(const struct ulf_module *module, struct abi_module *row);

/* ---- agent.c ---- */
int agent_start(void);
/* What it will do at first, but for calls of the program's functions; done here and now. */
void agent_catch_up(void);
/* Generations that it has followed, and is it in a function of the program's since? */
const uint32_t *agent_followed(void);
bool agent_is_calling(void);
/* Is there a sanitizer, which wants to know of a thread before it runs? */
bool agent_is_watched(void);
void agent_before_fork(void);
/* After fork().  A sanitizer may not let a child start a thread; without an agent the
 * child goes on as it was. */
bool agent_can_start_in_child(void);

/* ---- caller.c: a thread of libc's that does event_make_calls() ---- */
void caller_start(void);		/* may be called again and again */
/* The agent's: have it done.  False: there is no such thread.  In a child that it
 * has forked itself nothing is done, and that is no error. */
bool caller_ask(int *ret_result);
/* Are we in that thread? */
bool caller_is_this(void);
/* Before the child has an agent. */
void caller_reset(void);

/* ---- format.c ---- */
/* The blob for an event of @module; returns its size, writes it if @blob. */
uint32_t format_blob(const struct ulf_module *module,
		     const struct ulf_event *event, void *blob);
/* Copy abi_event.names for events of @system into the root's heap. */
uint32_t format_names(const struct ulf_module *module, const char *system, void *blob);

/* ---- boot.c: settings from the start ---- */
/* Put them into a new root.  @dir: the ulf directory. */
void boot_fill(struct abi_control *control, const char *dir);
/* The root has its name: take the settings out of the environment, as they are not meant for
 * the programs that this one starts.  Until then an error leaves them to these. */
void boot_root_made(void);
/* There is no root in @dir, a directory of this user, because of @error (-errno): report
 * that to `ulf run`, if this is one of its programs. */
void boot_report_no_root(const char *dir, int error);
/* Wait until the server has applied them, if it is known to be there. */
void boot_wait(void);
/* The same for functions, when there is an agent. */
void boot_wait_functions(void);
/* The same for what they say about this module's events, and for rings, if it has
 * trace_printk(); no lock held. */
void boot_wait_for(const struct ulf_module *module);
/* The same for the functions of objects that have come; no lock of ours held.  False:
 * there is nobody who would follow, or it takes too long. */
bool boot_wait_for_objects(void);
/* Any context. */
bool boot_is_set(enum boot_id id);
/* Do the settings wait for something that can be traced? */
bool boot_is_later(void);
/* dlopen() has brought objects: if one of them can be traced, the server applies the settings
 * that wait for it when it is asked next.  Returns true in that case.  No lock held. */
bool boot_objects_coming(void);
/* For a new event: the buffers in which it is on, a bit each. */
uint32_t boot_wanted(const char *system, const char *name);

#endif
