/* SPDX-License-Identifier: MIT */
/*
 * What runs at the entry of a traced function, and when it returns: with
 * general registers only (the others are the program's), in any context.
 * Nothing here is called by name from C; see ftrace.S.
 */
#include <stdbool.h>

#include "arch/arch.h"
#include "runtime/ftrace.h"
#include "runtime/runtime.h"
#include "runtime/shadow.h"
#include <linux/ftrace.h>

struct ftrace_state ftrace_state;

/* ---- records, as the kernel's ---- */

struct function_entry {
	struct trace_entry entry;
	unsigned long ip, parent_ip;
};

struct graph_entry {
	struct trace_entry entry;
	unsigned long func;
	int depth;
} __attribute__((packed, aligned(4)));

struct graph_exit {
	struct trace_entry entry;
	struct ftrace_graph_ret ret;
};

static struct trace_entry entry_head(uint32_t id)
{
	return (struct trace_entry){
		.type = (unsigned short)id, .pid = (int)ulf_this_thread->tid,
	};
}

static uint64_t write_slowly(const struct buffer *buffer, void *entry,
			     uint32_t bytes)
{
	return ftrace_call_slowly(ftrace_write_slowly, (uint64_t)buffer,
				  (uint64_t)entry, bytes);
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

	while (above && above <= (uint64_t)place)
		above = shadow_at((const uint64_t *)above)->above;
	return above;
}

static bool is_long_enough(const struct shadow *shadow)
{
	return !ftrace_state.thresh_ns ||
	       ftrace_call_slowly(ftrace_now, 0, 0, 0) - shadow->time_ns >=
	       ftrace_state.thresh_ns;
}

static void write_exit(const struct shadow *shadow, uint64_t func,
		       uint64_t value, uint32_t users)
{
	const struct buffer *buffer = ftrace_state.graph_buffer;
	struct graph_exit exit = {
		.entry = entry_head(ABI_EVENT_ID_GRAPH_EXIT),
		.ret = {
			.func = func, .retval = value,
			.depth = (int)shadow->depth,
			.calltime = shadow->time_ns,
		},
	};

	if (users & 1u << FTRACE_GRAPH && is_long_enough(shadow) &&
	    !arch_event_append_stamped(&buffer->set, &exit, sizeof(exit)))
		ftrace_call_slowly(ftrace_write_exit_slowly, (uint64_t)buffer,
				   (uint64_t)&exit, sizeof(exit));
	if (users & 1u << FTRACE_GRAPH_OPS)
		ftrace_call_slowly(ftrace_call_graph_exit, (uint64_t)&exit.ret, 0, 0);
}

/* Returns the time, or 0: it is not to be followed. */
static uint64_t write_entry(uint64_t func, uint32_t depth, uint32_t users)
{
	const struct buffer *buffer = ftrace_state.graph_buffer;
	struct graph_entry entry = {
		.entry = entry_head(ABI_EVENT_ID_GRAPH_ENTRY),
		.func = func, .depth = (int)depth,
	};
	uint64_t time_ns = 0;

	if (users & 1u << FTRACE_GRAPH_OPS)
		time_ns = ftrace_call_slowly(ftrace_call_graph_entry, func, depth, 0);
	if (users & 1u << FTRACE_GRAPH && ftrace_state.thresh_ns) {
		time_ns = ftrace_call_slowly(ftrace_now, 0, 0, 0);
	} else if (users & 1u << FTRACE_GRAPH) {
		time_ns = arch_event_append(&buffer->set, &entry, sizeof(entry));
		if (!time_ns)
			time_ns = write_slowly(buffer, &entry, sizeof(entry));
	}
	return time_ns;
}

/* Of a call in the followed call @above, if there is one: does the graph tracer
 * follow it? */
static uint32_t graph_users(uint32_t users, const struct fsite_slot *slot,
			    const struct shadow *above, uint32_t depth)
{
	bool is_wanted = depth < ftrace_state.graph_depth &&
		(above || !ftrace_state.has_starts ||
		 slot->users & 1u << FTRACE_START);

	return is_wanted ? users : users & ~(1u << FTRACE_GRAPH);
}

/* It is not followed.  If the function before has called it as its last act, the
 * return is still to the body of that one. */
static uint32_t leave_out(const uint64_t *place, struct shadow *shadow)
{
	if (is_body(*place))
		shadow->is_silent = 1;
	return 0;
}

/* Its return is waited for, so that it is known what is inside of it. */
static uint32_t enter_silently(uint64_t *place, const struct fsite_slot *slot,
			       struct shadow *shadow, struct shadow new)
{
	new.is_silent = 1;
	*shadow = new;
	((struct thread_slot *)ulf_this_thread)->graph_top = (uint64_t)place;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = (uint64_t)slot->body + GRAPH_BODY_RETURN;
	return 1;
}

/*
 * The return address becomes the body's.  It may be one already: the function
 * before has called this one as its last act and left, so its exit is now, and
 * this one's return is to where that would have returned.
 */
static uint32_t enter(uint64_t func, uint64_t *place,
		      const struct fsite_slot *slot, uint32_t users)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;
	struct shadow *shadow = slot->body ? shadow_at(place) : NULL;
	struct shadow new = { .ret = *place };
	const struct shadow *above;

	if (!shadow) {
		__atomic_add_fetch(&ftrace_state.lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (is_body(*place)) {
		if (!shadow->is_silent)
			write_exit(shadow, func_of(*place), 0, users);
		new.ret = shadow->ret;
		new.above = shadow->above;
	} else {
		new.above = live_above(thread, place);
	}
	above = new.above ? shadow_at((const uint64_t *)new.above) : NULL;
	new.depth = above ? above->depth + 1 : 0;
	if (above && above->is_silent)
		return leave_out(place, shadow);
	users = graph_users(users, slot, above, new.depth);
	if (slot->users & 1u << FTRACE_SKIP && users & 1u << FTRACE_GRAPH)
		return enter_silently(place, slot, shadow, new);
	new.time_ns = users ? write_entry(func, new.depth, users) : 0;
	if (!new.time_ns)
		return leave_out(place, shadow);
	*shadow = new;
	thread->graph_top = (uint64_t)place;
	/* A handler that unwinds from here on finds the shadow. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = (uint64_t)slot->body + GRAPH_BODY_RETURN;
	return 1;
}

uint64_t ftrace_graph_left(const uint8_t *body_return, uint64_t *place,
			   uint64_t value)
{
	const struct shadow *shadow = shadow_at(place);
	uint64_t ret = shadow->ret;
	uint32_t users = FTRACE_GRAPH_MASK &
		__atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);

	if (ulf_this_thread ||
	    ftrace_call_slowly(ftrace_attach, 0, 0, 0)) {
		((struct thread_slot *)ulf_this_thread)->graph_top = shadow->above;
		if (users && !shadow->is_silent)
			write_exit(shadow, func_of((uint64_t)body_return), value,
				   users);
	}
	return ret;
}

/* ---- functions ---- */

static void write_function(uint32_t users, uint64_t ip, const uint64_t *place)
{
	struct function_entry entry = {
		.entry = entry_head(ABI_EVENT_ID_FUNCTION),
		.ip = ip,
		.parent_ip = is_body(*place) ? shadow_at(place)->ret : *place,
	};

	while (users) {
		uint32_t i = (uint32_t)__builtin_ctz(users);
		const struct buffer *buffer = ftrace_state.buffers[i];

		users &= users - 1;
		if (!arch_event_append(&buffer->set, &entry, sizeof(entry)))
			write_slowly(buffer, &entry, sizeof(entry));
	}
}

uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *behind)
{
	const struct fsite_slot *slot =
		(const void *)(behind - FSITE_SLOT_CALL);
	uint32_t users = slot->users &
		__atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);

	if (!users)
		return 0;
	if (__builtin_expect(!ulf_this_thread, 0) &&
	    !ftrace_call_slowly(ftrace_attach, 0, 0, 0))
		return 0;
	if (((struct thread_slot *)ulf_this_thread)->is_in_callback)
		return 0;
	if (users & FTRACE_FUNCTION_MASK)
		write_function(users & FTRACE_FUNCTION_MASK, ip, place);
	if (users & FTRACE_OPS_MASK)
		ftrace_call_slowly(ftrace_call_ops, users, ip, *place);
	if (users & FTRACE_GRAPH_MASK)
		return enter(ip, place, slot, users);
	return 0;
}
