/* SPDX-License-Identifier: MIT */
/*
 * Parts: features of the runtime, as its core sees them.
 *
 * The core is base/, buffer/ and the files of src/runtime itself: it starts the runtime,
 * keeps threads and buffers, applies settings, and handles fork(), exit() and leaving the
 * root.  A feature is in event/, unwind/ or function/ (and buffer/dump.c) and has one row in
 * parts.c.  A new feature adds a row there; no file of the core names it.
 *
 * The order of the rows is the order of the calls, for every method.
 *
 * Every method is optional.  A method must not change errno.  No method runs at a hit: hits
 * call functions directly.
 */
#ifndef ULF_RUNTIME_BASE_PART_H
#define ULF_RUNTIME_BASE_PART_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct thread_slot;

struct runtime_part {
	const char *name;

	/* ---- methods that are called at the start, in the thread that starts the
	 * runtime ---- */

	/* Method load: prepare what the part needs even without a root.  Called once in
	 * every process, also if no root could be created.  No lock held; may call any
	 * function of libc. */
	void (*load)(void);
	/* Method init: prepare the part.  The process has a root and a process slot,
	 * and no agent yet.  No lock held; may call any function of libc. */
	void (*init)(void);
	/*
	 * Method start: apply the settings that must be in force before the program's first
	 * event or function is hit.  Called after the method init() of all parts, and after the
	 * buffers have their rings.  Lock held.  The result is ignored: the agent applies the
	 * settings again.
	 */
	int (*start)(void);

	/* Method agent_start: called in the agent when it starts, before it gives up its rights.
	 * It must use system calls only.  @has_own_table: the agent has its own descriptor
	 * table, in which the part may keep descriptors open. */
	void (*agent_start)(bool has_own_table);

	/* Method must_wait: return true if the program must not continue before the agent has
	 * called agent_start() of all parts. */
	bool (*must_wait)(void);

	/* ---- methods that apply settings; lock held, unless a comment says otherwise
	 * ---- */

	/*
	 * Method apply: apply the part's settings.  Called when the server has raised
	 * the generation, in the agent, which libc does not know, and in a child of
	 * fork().  Returns 0 or -errno; after an error the other parts still apply
	 * their settings.
	 */
	int (*apply)(void);
	/* Method tick: do regular work.  Only the agent calls this method, after each wait
	 * for settings, with no lock held.  Returns the time after which the agent must
	 * call the method again, ms; 0: no further call is needed. */
	uint32_t (*tick)(void);
	/* Method exit: called in exit(), before destructors run, with no lock held. */
	void (*exit)(void);
	/* Method has_calls: return true if a setting needs calls of functions of the
	 * program.  In this case the agent calls make_calls(). */
	bool (*has_calls)(void);
	/* Method make_calls: call the functions of the program that the settings need,
	 * and wait until they return.  Only the agent calls this method, with no lock
	 * held.  Returns 0 or -errno. */
	int (*make_calls)(void);
	/* Method buffer_apply: apply the part's settings of @buffer.  The process has
	 * already found the buffer's block of rules (buffer.rules).  Returns 0 or
	 * -errno; after an error the buffer keeps its rings and its lists of
	 * threads. */
	int (*buffer_apply)(struct buffer *buffer);
	/* Method pids_changed: called when the lists of threads or the options of @buffer
	 * have changed. */
	void (*pids_changed)(const struct buffer *buffer);
	/* Method rings_changed: called when @buffer uses another set of rings, or none.
	 * The old set is freed after a grace period. */
	void (*rings_changed)(const struct buffer *buffer);
	/* Method leave: switch off everything that uses the root's memory, because this
	 * process leaves the root.  The result, 0 or -errno, is ignored: the memory is
	 * replaced in any case. */
	int (*leave)(void);

	/* ---- methods for threads; may be called in any context and in a child of
	 * vfork() ---- */

	/* Method thread_new: reset the part's members of @slot.  Called when a new thread
	 * is about to use this thread slot, or the only thread of a child of fork(). */
	void (*thread_new)(struct thread_slot *slot);
	/* Method thread_named: called when this thread has got a thread slot, or
	 * another thread id. */
	void (*thread_named)(void);
	/* Method thread_forget: called when this thread is about to give its thread
	 * slot back. */
	void (*thread_forget)(void);

	/* ---- methods for a child of fork(), which has no other thread ---- */

	/*
	 * Method after_fork: repair locks and state that other threads of the parent may
	 * have changed.
	 * @old_tid: the id that this thread had in the parent.  The child need not have a
	 * root.
	 */
	void (*after_fork)(uint32_t old_tid);
	/* Method after_claim: called when the child has claimed a process slot.  @is_late:
	 * the server has changed settings since the fork, so it may already have freed
	 * blocks that the child still uses. */
	void (*after_claim)(bool is_late);
	/* Method inherit: called when the child of fork() uses the current settings.  The
	 * settings that name the thread @old_tid of the parent must now also apply to
	 * this thread, @tid. */
	void (*inherit)(uint32_t old_tid, uint32_t tid);
	/* Method detach: stop using the root's memory, because the child got no process
	 * slot and so has no root from now on. */
	void (*detach)(void);
	/* Method has_put_off: return true if the parent has not applied some settings yet, but
	 * has put that off.  Then the child must apply the settings even if they have not
	 * changed. */
	bool (*has_put_off)(void);
};

/*
 * The table of parts; a row without a name marks its end.  runtime_init() sets
 * this table.  Before that it is empty, because there are no events, no hits and
 * no thread slots yet.
 *
 * runtime_parts is a pointer, because a file of the core that referred to the table
 * itself would depend on all features.
 */
extern const struct runtime_part *runtime_parts;

/* Iterate over the parts that have the method @method. */
#define for_each_runtime_part(part, method)				\
	for ((part) = runtime_parts; (part)->name; (part)++)		\
		if ((part)->method)

#endif
