/* SPDX-License-Identifier: MIT */
/*
 * What runs at the entry of a traced function, and when it returns: with
 * general registers only (the others are the program's), in any context.
 * Nothing here is called by name from C; see ftrace.S.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/pids.h"
#include "abi/stack.h"
#include "arch/arch.h"
#include "runtime/ftrace.h"
#include "runtime/runtime.h"
#include "runtime/shadow.h"
#include <linux/ftrace.h>

struct ftrace_state ftrace_state;
uint32_t ftrace_graph_lost;

/* ---- records, as the kernel's ---- */

struct function_entry {
	uint64_t head;			/* struct trace_entry */
	uint64_t ip, parent_ip;
};

struct graph_entry {
	uint64_t head;
	uint64_t func;
	uint32_t depth;
} __attribute__((packed, aligned(8)));

struct graph_exit {
	uint64_t head;
	struct ftrace_graph_ret ret;
};

static uint64_t entry_head(const struct thread_slot *thread, uint32_t id)
{
	return id | (uint64_t)thread->thread.tid << 32;
}

/* ---- where the ring is full, or there is none ---- */

/* The first member is what they are known by. */
static uint64_t buffer_of(struct ring_set *const *set)
{
	static_assert(!offsetof(struct buffer, set), "the first");
	return (uint64_t)set;
}

__attribute__((cold))
uint32_t ftrace_function_slowly(struct ring_set *const *set, uint64_t ip,
				uint64_t parent, uint64_t head)
{
	struct function_entry entry = { head, ip, parent };

	ftrace_call_slowly(ftrace_write_slowly, buffer_of(set), (uint64_t)&entry,
			   sizeof(entry));
	return 0;
}

__attribute__((cold))
uint32_t ftrace_graph_slowly(struct ring_set *const *set, uint64_t func,
			     uint64_t *ret_ns, uint64_t head, uint32_t depth)
{
	struct graph_entry entry = { head, func, depth };

	*ret_ns = ftrace_call_slowly(ftrace_write_slowly, buffer_of(set),
				     (uint64_t)&entry, sizeof(entry));
	return 1;
}

static struct ftrace_graph_ret graph_ret(uint64_t func, uint64_t value,
					 const struct shadow *shadow)
{
	return (struct ftrace_graph_ret){
		.func = func, .retval = value, .depth = (int)shadow->depth,
		.overrun = __atomic_load_n(&ftrace_graph_lost, __ATOMIC_RELAXED),
		.calltime = shadow->time_ns,
	};
}

__attribute__((cold))
uint64_t ftrace_exit_slowly(struct ring_set *const *set, uint64_t func,
			    uint64_t value, uint64_t head,
			    const struct shadow *shadow)
{
	struct graph_exit exit = { head, graph_ret(func, value, shadow) };

	ftrace_call_slowly(ftrace_write_exit_slowly, buffer_of(set),
			   (uint64_t)&exit, sizeof(exit));
	return shadow->ret;
}

/* ---- the graph ---- */

static bool is_body(uint64_t ret)
{
	return ret - (uint64_t)ftrace_graph_bodies < GRAPH_BODIES_BYTES;
}

static uint64_t func_of(uint64_t body_return)
{
	const struct graph_body *body =
		(const void *)(body_return - GRAPH_BODY_RETURN);

	return body->target - FSITE_BYTES;
}

/* Frames that are below @place were left by some other way than a return. */
static uint64_t live_above(const struct thread_slot *thread,
			   const uint64_t *place)
{
	uint64_t above = thread->graph_top;
	uint64_t at;

	while (above && (at = above & FRAME_PLACE_MASK) <= frame_place(place))
		above = shadow_at((const uint64_t *)(at << 3))->above;
	return above;
}

static uint64_t write_exit(const struct thread_slot *thread, uint64_t func,
			   uint64_t value, const struct shadow *shadow)
{
	return arch_exit_append(&ftrace_state.graph_buffer->set, func, value,
				entry_head(thread, ABI_EVENT_ID_GRAPH_EXIT),
				shadow);
}

static uint32_t write_entry(const struct thread_slot *thread, uint64_t func,
			    struct shadow *shadow, uint32_t depth)
{
	return arch_graph_append(&ftrace_state.graph_buffer->set, func,
				 &shadow->time_ns,
				 entry_head(thread, ABI_EVENT_ID_GRAPH_ENTRY),
				 depth);
}

static bool is_long_enough(const struct shadow *shadow)
{
	return !ftrace_state.thresh_ns ||
	       ftrace_call_slowly(ftrace_now, 0, 0, 0) - shadow->time_ns >=
	       ftrace_state.thresh_ns;
}

/* The graph tracer has conditions, or is not the only one. */
__attribute__((noinline))
static uint64_t exit_for(uint32_t users, const struct thread_slot *thread,
			 uint64_t func, uint64_t value, const struct shadow *shadow)
{
	struct ftrace_graph_ret ret = graph_ret(func, value, shadow);

	if (shadow->is_silent)
		return shadow->ret;
	if (users & 1u << FTRACE_GRAPH && is_long_enough(shadow))
		write_exit(thread, func, value, shadow);
	if (users & 1u << FTRACE_GRAPH_OPS)
		ftrace_call_slowly(ftrace_call_graph_exit, (uint64_t)&ret, 0, 0);
	return shadow->ret;
}

/* @shadow->time_ns is 0 then: it is not to be followed. */
static void entry_for(uint32_t users, const struct thread_slot *thread,
		      uint64_t func, struct shadow *shadow)
{
	if (users & 1u << FTRACE_GRAPH_OPS)
		shadow->time_ns = ftrace_call_slowly(ftrace_call_graph_entry, func,
						     shadow->depth, 0);
	if (users & 1u << FTRACE_GRAPH && ftrace_state.thresh_ns)
		shadow->time_ns = ftrace_call_slowly(ftrace_now, 0, 0, 0);
	else if (users & 1u << FTRACE_GRAPH)
		write_entry(thread, func, shadow, shadow->depth);
}

/* Of a call in the followed call @above, if there is one: does the graph tracer
 * follow it? */
static uint32_t graph_users(uint32_t users, const struct fsite_slot *slot,
			    uint64_t above, uint32_t depth)
{
	bool is_wanted = depth < ftrace_state.graph_depth &&
		(above || !ftrace_state.has_starts ||
		 slot->users & 1u << FTRACE_START);

	return is_wanted ? users : users & ~(1u << FTRACE_GRAPH);
}

/* The return address becomes the body's. */
static inline void take_place(struct thread_slot *thread, uint64_t *place,
			      const struct fsite_slot *slot,
			      uint32_t depth, uint32_t is_silent)
{
	thread->graph_top = frame_make(place, depth, is_silent);
	/* A handler that unwinds from here on finds the shadow. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = (uint64_t)slot->body + GRAPH_BODY_RETURN;
}

/* It is not followed.  If the function before has called it as its last act, the
 * return is still to the body of that one. */
static uint32_t leave_out(struct thread_slot *thread, const uint64_t *place,
			  struct shadow *shadow)
{
	if (is_body(*place)) {
		shadow->is_silent = 1;
		thread->graph_top = frame_make(place, shadow->depth, 1);
	}
	return 0;
}

/*
 * Whatever there may be to consider.  The return address may be a body's already:
 * the function before has called this one as its last act and left, so its exit
 * is now, and this one's return is to where that would have returned.
 */
static uint32_t enter(struct thread_slot *thread, uint64_t func, uint64_t *place,
		      const struct fsite_slot *slot, uint32_t users)
{
	struct shadow *shadow = slot->body ? shadow_at(place) : NULL;
	struct shadow new = { .ret = *place };

	if (!shadow) {
		__atomic_add_fetch(&ftrace_graph_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (is_body(*place)) {
		exit_for(users, thread, func_of(*place), 0, shadow);
		new.ret = shadow->ret;
		new.above = shadow->above;
	} else {
		new.above = live_above(thread, place);
	}
	new.depth = frame_depth_within(new.above);
	if (new.above & FRAME_IS_SILENT)
		return leave_out(thread, place, shadow);
	users = graph_users(users, slot, new.above, new.depth);
	/* Its return is waited for, so that it is known what is inside of it. */
	new.is_silent = slot->users & 1u << FTRACE_SKIP &&
			users & 1u << FTRACE_GRAPH;
	if (!new.is_silent)
		entry_for(users, thread, func, &new);
	if (!new.time_ns && !new.is_silent)
		return leave_out(thread, place, shadow);
	*shadow = new;
	take_place(thread, place, slot, new.depth, new.is_silent);
	return 1;
}

/* The same where there is nothing to consider.  Returns false: look closer. */
static inline bool can_follow(struct thread_slot *thread, uint64_t *place,
			      const struct fsite_slot *slot,
			      struct shadow **ret_shadow)
{
	uint64_t above = live_above(thread, place);
	struct shadow *shadow = shadow_at(place);
	uint32_t depth = frame_depth_within(above);

	if (!shadow || !slot->body || slot->users & 1u << FTRACE_SKIP ||
	    above & FRAME_IS_SILENT)
		return false;
	shadow->ret = *place;
	shadow->above = above;
	shadow->depth = depth;
	shadow->is_silent = 0;
	take_place(thread, place, slot, depth, 0);
	*ret_shadow = shadow;
	return true;
}

uint64_t ftrace_graph_left(const uint8_t *body_return, uint64_t *place,
			   uint64_t value)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;
	const struct shadow *shadow = shadow_at(place);
	uint64_t func = func_of((uint64_t)body_return);
	uint32_t users = FTRACE_GRAPH_MASK &
		__atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!thread, 0)) {
		thread = (void *)ftrace_call_slowly(ftrace_attach, 0, 0, 0);
		if (!thread)
			return shadow->ret;
	}
	thread->graph_top = shadow->above;
	if (__builtin_expect(users == 1u << FTRACE_GRAPH && !shadow->is_silent &&
			     !ftrace_state.has_conditions, 1))
		return write_exit(thread, func, value, shadow);
	return exit_for(users, thread, func, value, shadow);
}

/* ---- functions ---- */

static uint32_t write_function(const struct thread_slot *thread,
			       const struct buffer *buffer, uint64_t ip,
			       uint64_t parent)
{
	return arch_function_append(&buffer->set, ip, parent,
				    entry_head(thread, ABI_EVENT_ID_FUNCTION));
}

/* [buffer.pids], as pids.c has it */
static const struct abi_pids *pids_of(const struct buffer *buffer, int list)
{
	return __atomic_load_n(&buffer->pids[list], __ATOMIC_ACQUIRE);
}

/* May this thread's functions not be recorded there? */
static bool is_ignored(const struct buffer *buffer, uint32_t tid)
{
	const struct abi_pids *only = pids_of(buffer, ABI_PIDS_FUNCTION);
	const struct abi_pids *not = pids_of(buffer, ABI_PIDS_FUNCTION_NOTRACE);

	return (only && !abi_pids_has(only, tid)) ||
	       (not && abi_pids_has(not, tid));
}

/* The same for all users. */
static uint32_t without_ignoring(uint32_t users, uint32_t tid)
{
	for (uint32_t left = users & FTRACE_FUNCTION_MASK; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		if (is_ignored(ftrace_state.buffers[i], tid))
			users &= ~(1u << i);
	}
	if (users & 1u << FTRACE_GRAPH && is_ignored(ftrace_state.graph_buffer, tid))
		users &= ~(1u << FTRACE_GRAPH);
	return users;
}

/* May it be the deepest call of this thread so far? */
static bool is_deepest(const struct thread_slot *thread, const uint64_t *place)
{
	uint64_t max = __atomic_load_n(&ftrace_state.stack->max, __ATOMIC_RELAXED);
	uint64_t depth = thread->stack_top - (uint64_t)place;

	return abi_stack_resets(max) != thread->stack_resets ||
	       (depth > thread->stack_depth && depth <= thread->stack_room);
}

static void record_call(const struct thread_slot *thread,
			const struct buffer *buffer,
			const struct function_call *call)
{
	if (buffer->function_options)
		ftrace_call_slowly(ftrace_record_call, (uint64_t)buffer,
				   (uint64_t)call, 0);
	else
		write_function(thread, buffer, call->ip, call->parent);
}

/* Whatever is not as ftrace_hit() hopes. */
__attribute__((noinline))
static uint32_t hit_for(uint32_t users, uint64_t ip, uint64_t *place,
			const struct fsite_slot *slot)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;
	struct function_call call = { .ip = ip, .place = place };

	if (!users)
		return 0;
	if (!thread)
		thread = (void *)ftrace_call_slowly(ftrace_attach, 0, 0, 0);
	if (!thread || thread->is_in_callback)
		return 0;
	users = without_ignoring(users, thread->thread.tid);
	call.parent = is_body(*place) ? shadow_at(place)->ret : *place;
	for (uint32_t left = users & FTRACE_FUNCTION_MASK; left; left &= left - 1)
		record_call(thread, ftrace_state.buffers[__builtin_ctz(left)],
			    &call);
	if (users & FTRACE_OPS_MASK)
		ftrace_call_slowly(ftrace_call_ops, users, ip, *place);
	if (users & 1u << FTRACE_PROBES)
		ftrace_call_slowly(ftrace_run_probes, (uint64_t)&call, 0, 0);
	if (users & 1u << FTRACE_STACK && is_deepest(thread, place))
		ftrace_call_slowly(ftrace_check_stack, ip, (uint64_t)place, 0);
	return users & FTRACE_GRAPH_MASK ?
	       enter(thread, ip, place, slot, users) : 0;
}

/*
 * Reading the clock waits for all loads before it, so what counts here is how
 * many of them depend on each other.  That is why the one buffer that functions
 * are traced to has a pointer of its own, and frames have their depth with them.
 */
uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *behind)
{
	const struct fsite_slot *slot =
		(const void *)(behind - FSITE_SLOT_CALL);
	uint32_t users = slot->users &
		__atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;
	const struct buffer *buffer =
		__atomic_load_n(&ftrace_state.function_buffer, __ATOMIC_ACQUIRE);
	struct shadow *shadow;

	if (!thread || thread->is_in_callback || is_body(*place))
		return hit_for(users, ip, place, slot);
	if (buffer && users == buffer->bit && !buffer->has_function_pids)
		return write_function(thread, buffer, ip, *place);
	if (users == 1u << FTRACE_GRAPH && !ftrace_state.has_conditions &&
	    !ftrace_state.graph_buffer->has_function_pids &&
	    can_follow(thread, place, slot, &shadow))
		return write_entry(thread, ip, shadow, shadow->depth);
	return hit_for(users, ip, place, slot);
}
