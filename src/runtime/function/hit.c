/* SPDX-License-Identifier: MIT */
/*
 * Code that runs when a traced function is entered, and when a followed call returns.  It
 * runs in any thread and any signal handler.  It uses only general registers, because the
 * vector registers hold values of the program.  ftrace.S handles the common cases itself
 * and leaves the others to this file, which can handle every case.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/pids.h"
#include "abi/ring.h"
#include "abi/stack_tracer.h"
#include "arch/arch.h"
#include "event/option.h"
#include "ring/ring.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/profile.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"
#include "runtime/function/thread_stack.h"
#include "runtime/unwind/stack.h"
#include <linux/ftrace.h>

const struct ftrace_case ftrace_no_case = { &buffer_no_rings, ~0u };
struct ftrace_state ftrace_state = {
	.function = &ftrace_no_case, .graph_set = &buffer_no_rings,
	.restorer = ARCH_NO_RESTORER,
	.graph_sets = { &buffer_no_rings, &buffer_no_rings, &buffer_no_rings,
			&buffer_no_rings },
};
static_assert(FTRACE_LANES == 4, "all of them");
uint32_t ftrace_graph_lost;
__thread struct ftrace_thread ftrace_this = { .top = SHADOW_NONE | SHADOW_SLOWLY };

static_assert(sizeof(struct fsite_slot) == 64, "a cache line");

/* ---- make and write records, in the kernel's layout ---- */

#define RECORD_BYTES(last) \
	(offsetof(struct record, last) + sizeof(((struct record *)0)->last) - \
	 offsetof(struct record, head))

struct record {
	uint64_t headroom;		/* space before the record, of which the writer
					 * uses RING_HEADROOM bytes */
	uint64_t head;			/* a struct trace_entry */
	union {
		struct {
			uint64_t ip, parent_ip;
		} function;
		struct {
			uint64_t func;
			uint32_t depth, marks;		/* depth of the call, and marks
							 * ABI_GRAPH_... */
			uint64_t more[1 + FTRACE_ARGS];	/* return address and arguments,
							 * if options ask for them */
		} entry;
		struct {
			struct ftrace_graph_ret ret;
			uint32_t marks;
		} exit;
	};
};
static_assert(RECORD_BYTES(function) == 24 && RECORD_BYTES(entry.depth) == 20 &&
	      RECORD_BYTES(exit.ret) == 48 && ABI_EVENT_ID_FUNCTION == 1 &&
	      ABI_EVENT_ID_GRAPH_ENTRY == 11 && ABI_EVENT_ID_GRAPH_EXIT == 10,
	      "ftrace.S writes the same");
static_assert(RECORD_BYTES(entry.marks) == 24 && RECORD_BYTES(exit.marks) == 52,
	      "the server reads the same");

int hit_make_space(const struct buffer *buffer, uint32_t bytes)
{
	int r = -EINVAL;

	if (ulf_probe_enter()) {
		struct ring_set *set = buffer_set(buffer);

		if (set->small_max)
			r = ring_set_refresh(buffer, set) ? ring_cross(set, bytes, 0) :
			    -ENOBUFS;
		ulf_probe_exit();
	}
	return r;
}

/* Make space in @ring if it is still the ring of @cpu.  Returns true if the record fits. */
static bool leave_page(const struct ring_set *set, uint32_t cpu,
		       const struct abi_ring *ring, uint32_t bytes, uint64_t now_ns)
{
	const struct ring_view *view = ring_set_fast(set, cpu);

	return view && view->ring == ring && !ring_leave(view, cpu, bytes, now_ns) &&
	       ring_has_room(ring, bytes);
}

/* Make space in @ring, which ftrace.S writes to.  Returns 1 if a record of @bytes fits now.
 * Returns 0 if the current CPU has another ring, or if there is still no space.  After 0,
 * ftrace.S must not try again, because the attempts might never end.  If there is no ring,
 * also sets SHADOW_SLOWLY, so that ftrace.S leaves the next call to hit.c at once. */
uint32_t ftrace_graph_room(uint32_t bytes, uint64_t now_ns, struct abi_ring *ring)
{
	const struct buffer *buffer = ftrace_state.graph_buffer;
	uint32_t cpu = arch_rseq_cpu();
	bool has_space = false;

	if (ring == &ring_none) {
		ftrace_this.top |= SHADOW_SLOWLY;
	} else if (ulf_probe_enter()) {
		struct ring_set *set = buffer_set(buffer);

		has_space = set->small_max && cpu < set->nr_cpus &&
			   set->fast[cpu] == ring && ring_is_recording(ring) &&
			   ring_set_refresh(buffer, set) &&
			   leave_page(set, cpu, ring, bytes, now_ns);
		ulf_probe_exit();
	}
	return has_space;
}

/* Write @bytes bytes of @record, from its member `head` on.  Returns false if recording
 * is off, or if the ring was full.  *@time is set to the time of the record. */
static bool write_record(const struct buffer *buffer, struct record *record,
			 size_t bytes, uint64_t *time)
{
	struct ftrace_write write = { buffer, &record->head, bytes, time };
	uint32_t size = (uint32_t)bytes;
	int r = -EINVAL;

	/* Take the slow path if the ring's clock counts ticks: *@time must be in ns. */
	if (!__atomic_load_n(&buffer->has_ticks, __ATOMIC_RELAXED)) {
		if (arch_words_append(buffer, &record->head, size, time))
			return true;
		r = hit_make_space(buffer, size);
	}
	if (r == -ENOBUFS)
		return false;
	if (r || !arch_words_append(buffer, &record->head, size, time))
		return ftrace_call_slowly(ftrace_write_slowly, (uint64_t)&write, 0, 0);
	return true;
}

/* Returns the address of the called function's site.  @shadow: the shadow of the call. */
static uint64_t func_of(const struct shadow *shadow)
{
	const struct graph_body *body =
		(const void *)(ftrace_bodies + shadow_body(shadow));

	return body->site;
}

/* Returns the users of functions that are switched on.  Acquire; mate: set_active()
 * [ftrace.active] */
static uint32_t active_users(void)
{
	return __atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);
}

/* Returns the tags of the active graph tracers.  Acquire; mate: set_active() [ftrace.tags] */
static uint32_t active_tags(void)
{
	return __atomic_load_n(&ftrace_state.tags, __ATOMIC_ACQUIRE);
}

/*
 * Returns the buffers with function_graph.  While a bit changes, its tracer is not active:
 *
 *	agent: set_active(without it), set_graphs(), set_active(with it)
 *	hit:   graph_buffers(), active_users(), graph_buffers()
 *
 * So if a hit finds a buffer active, and neither of the two loads of graphs has the
 * buffer's bit, the buffer has the function tracer.  mate: set_graphs() [ftrace.graphs]
 */
static uint32_t graph_buffers(void)
{
	return __atomic_load_n(&ftrace_state.graphs, __ATOMIC_ACQUIRE);
}

/* ---- find and store the innermost followed call ---- */

/* Returns the depth of calls made directly by the followed call at @top; 0 for SHADOW_NONE. */
static uint32_t depth_within(uint64_t top)
{
	const struct shadow *shadow = shadow_of(top);

	return shadow ? shadow->depth + 1 : 0;
}

/* Returns the tags of the call at @top, with the marks that calls inside of it inherit. */
static struct shadow_tags tags_within(uint64_t top)
{
	return shadow_tags(shadow_of(top));
}

/* Returns the first word of a record of this thread, without event id and flags. */
static uint64_t this_head(void)
{
	return (uint64_t)thread_tid() << 32;
}

/* Returns true if ftrace.S may write records of this thread. */
static bool is_recorded(void)
{
	return ftrace_this.head && arch_rseq_cpu() < ABI_CPUS &&
	       __atomic_load_n(&ftrace_state.graph_set, __ATOMIC_RELAXED) !=
	       &buffer_no_rings;
}

/* Returns a value for ftrace_this.top: @place, the place of a shadow, with the flag SHADOW_SLOWLY
 * if ftrace.S cannot handle the next calls of functions in this thread. */
static uint64_t top_word(uint64_t place)
{
	const struct shadow *shadow = shadow_of(place);
	bool is_simple = is_recorded() &&
			 (!shadow || (shadow_is_home(place & ~SHADOW_SLOWLY) &&
				      shadow_is_simple(shadow)));

	place &= ~SHADOW_SLOWLY;
	return is_simple ? place : place | SHADOW_SLOWLY;
}

/* Store @place as the top, and the depth of calls inside of it.  Store top before depth: a signal
 * handler that runs between the two stores computes depth again from top. */
static void set_top(uint64_t place)
{
	ftrace_this.top = top_word(place);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ftrace_this.depth = depth_within(place);
}

void ftrace_thread_named(void)
{
	uint64_t head = this_head();

	ftrace_this.head = ftrace_this.is_in_callback ? 0 :
			   head | ABI_EVENT_ID_FUNCTION;
	ftrace_this.entry_head = head | ABI_EVENT_ID_GRAPH_ENTRY;
	ftrace_this.exit_head = head | ABI_EVENT_ID_GRAPH_EXIT;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	set_top(ftrace_this.top);
}

/* Restore the state of the thread.  Store top before ftrace_thread_named(): that function uses
 * top, and computes the words that depend on the thread's tid. */
void ftrace_thread_restore(uint64_t top, bool is_in_callback)
{
	ftrace_this.is_in_callback = is_in_callback;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	set_top(top);
	if (ulf_this_thread)
		ftrace_thread_named();
}

void ftrace_thread_forget(void)
{
	ftrace_this.head = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	set_top(ftrace_this.top);
}

/* Returns true if @place is on the signal stack of the thread's last traced handler. */
static bool is_on_signal_stack(uint64_t place)
{
	return place - ftrace_this.signal_stack < ftrace_this.signal_bytes;
}

/* Returns true if the call at @top is on the signal stack and belongs to a handler.  Also
 * check the marks of the call, because the memory may no longer be a signal stack: it may
 * have another use now, or belong to the current stack.  A call of a function in
 * set_graph_function may have no mark of a handler, so its FTRACE_START counts as well. */
static bool is_of_handler(uint64_t top)
{
	struct shadow_tags tags;

	if (!is_on_signal_stack(top))
		return false;
	tags = tags_within(top);
	return tags.insides || tags.starts;
}

/*
 * Find the innermost followed call that is still running: start at the followed call at
 * @top and go outward.  Skip the calls that have ended without a return (by longjmp() or an
 * exception).  Returns the call, or SHADOW_NONE, in the form of ftrace_this.top.  A call
 * has ended if its address on the stack is not above @place, or if it belongs to a handler
 * on the signal stack and @place is not on that stack.
 * @steps: incremented for each call that is skipped
 */
static uint64_t live_above(uint64_t top, uint64_t place, uint32_t *steps)
{
	bool is_outside = !is_on_signal_stack(place);
	uint32_t downs = 0;

	top &= ~SHADOW_SLOWLY;
	/* Check SHADOW_NONE first, because shadow_around() does not accept it.  @place may be
	 * any interrupted stack pointer, even one above SHADOW_NONE. */
	while (top != SHADOW_NONE &&
	       (top <= place || (is_outside && is_of_handler(top)))) {
		top = shadow_around(top, &downs);
		++*steps;
	}
	return top_word(top);
}

/*
 * For a signal handler whose return address is at @place: find the innermost followed call that
 * is still running.  The calls that the handler has interrupted are around the handler, even if
 * its stack is elsewhere.  So compare with the interrupted stack pointer minus two words, and
 * not with @place.  Two words, because for one instruction on the way to or from a body, the
 * return address of a running call is below the stack pointer.
 */
static uint64_t interrupted_above(const uint64_t *place, uint32_t *steps)
{
	const stack_t *stack = arch_signal_stack(place);
	uint64_t sp = arch_signal_sp(place) - 2 * sizeof(*place);

	/* Drop the calls on the signal stack that was known so far, if they have ended. */
	uint64_t top = live_above(ftrace_this.top, sp, steps);

	/* With SS_AUTODISARM the kernel reports no signal stack (size 0) inside a handler,
	 * although the handler is still on it.  Keep the known stack in this case. */
	if (stack->ss_size || !is_on_signal_stack(sp)) {
		ftrace_this.signal_stack = (uint64_t)stack->ss_sp;
		ftrace_this.signal_bytes = stack->ss_size;
	}
	return live_above(top, sp, steps);
}

/* ---- record the entry and the exit of calls, for graph tracers ---- */

/* Returns the start time of a call for the option nosleep-time: @now_ns minus the CPU time
 * that the thread has used since the entry.  @cpu_ns: the thread's CPU time at the entry. */
static uint64_t ran_since(uint64_t now_ns, uint64_t cpu_ns)
{
	return now_ns - (ftrace_cpu_ns() - cpu_ns);
}

/* The values that the exit records of one call have in common. */
struct leaving {
	const struct shadow *shadow;
	const struct shadow_tags *tags;
	uint64_t now_ns;		/* time of the exit; 0 if no record needs it */
	uint32_t marks;			/* ABI_GRAPH_TAIL, or 0 */
	bool is_many;			/* true: several graph tracers record the call, so
					 * calltime and rettime come from ftrace_hit_ns() */
};

/* Record the exit of a call for the graph tracer with the tag @tag.  With one graph tracer,
 * rettime is the time of the record.  With several, all of their records have now_ns. */
static void write_exit(struct record *record, const struct leaving *call, uint32_t tag)
{
	const struct shadow_tags *tags = call->tags;
	struct ftrace_graph_ret *ret = &record->exit.ret;
	size_t bytes = RECORD_BYTES(exit.ret);
	uint64_t time, *at = (uint64_t *)&ret->rettime;
	uint32_t bit = 1u << tag;

	ret->calltime = tags->cpu_times & bit ? ran_since(call->now_ns, tags->cpu_ns) :
			call->shadow->time_ns;
	if (ftrace_state.thresh_ns &&
	    call->now_ns - ret->calltime < ftrace_state.thresh_ns)
		return;
	if (call->is_many) {
		ret->rettime = call->now_ns;
		at = &time;
	}
	record->head = this_head() | ABI_EVENT_ID_GRAPH_EXIT |
		       (tags->insides & bit ? ABI_FLAG_HANDLER << 16 : 0);
	record->exit.marks = call->marks | (tags->handlers & bit ? ABI_GRAPH_HANDLER : 0);
	if (record->exit.marks)
		bytes = RECORD_BYTES(exit.marks);
	write_record(ftrace_state.tag_buffers[tag], record, bytes, at);
}

/* Record the exit of a call for all its users.  @value: the return value.  @shadow: the call's
 * entry in the table of shadows.  @tags: the call's tags.  @marks: 0 or ABI_GRAPH_TAIL */
static void exit_for(uint64_t value, const struct shadow *shadow,
		     const struct shadow_tags *tags, uint32_t marks)
{
	uint32_t others = shadow_others(shadow) & active_users();
	struct leaving call = {
		.shadow = shadow, .tags = tags, .marks = marks,
		.is_many = shadow_is_many(shadow),
	};
	struct record record = {
		.exit.ret = {
			.func = func_of(shadow), .retval = value,
			.depth = (int)shadow->depth,
			.overrun = __atomic_load_n(&ftrace_graph_lost,
						   __ATOMIC_RELAXED),
		},
	};
	struct ftrace_graph_ret *ret = &record.exit.ret;

	if (call.is_many || tags->cpu_times || ftrace_state.thresh_ns)
		call.now_ns = ftrace_hit_ns();
	if (shadow_others(shadow) & 1u << FTRACE_PROFILE)
		plain_leave(shadow, value, marks);
	for (uint32_t left = tags->users & active_tags(); left; left &= left - 1)
		write_exit(&record, &call, (uint32_t)__builtin_ctz(left));
	if (others & 1u << FTRACE_GRAPH_OPS) {
		ret->calltime = !call.is_many && tags->cpu_times ?
				ran_since(call.now_ns, tags->cpu_ns) : shadow->time_ns;
		ftrace_call_slowly(ftrace_call_graph_exit, (uint64_t)ret, 0, 0);
	}
}

/* A call that begins; enter_function() fills this in. */
struct entering {
	uint64_t func;			/* address of the function's site */
	const struct fsite_slot *slot;
	const struct ftrace_regs *regs;
	struct shadow shadow;		/* the call's shadow, which set_shadow() stores */
	struct shadow_tags tags;
	bool is_many;			/* true: the table shadow_many must have the tags */
};

/* Record the entry of a call for the graph tracer with the tag @tag, one of tags.users.
 * Returns false if recording is off, or if the ring was full. */
static bool write_entry(struct entering *call, uint32_t tag)
{
	const struct buffer *buffer = ftrace_state.tag_buffers[tag];
	uint64_t options = buffer->function_options, time;
	size_t bytes = RECORD_BYTES(entry.depth);
	uint32_t bit = 1u << tag;
	struct record record;
	uint64_t *more = record.entry.more;

	record.head = this_head() |
		      (call->tags.insides & bit ? ABI_FLAG_HANDLER << 16 : 0);
	record.entry.func = call->func;
	record.entry.depth = call->shadow.depth;
	record.entry.marks = call->tags.handlers & bit ? ABI_GRAPH_HANDLER : 0;
	if (record.entry.marks)
		bytes = RECORD_BYTES(entry.marks);
	if (options & OPTION_GRAPH_RETADDR) {
		record.head |= ABI_EVENT_ID_GRAPH_RETADDR;
		*more++ = call->shadow.ret;
	} else {
		record.head |= ABI_EVENT_ID_GRAPH_ENTRY;
	}
	if (options & OPTION_GRAPH_ARGS) {
		memcpy(more, call->regs->args, sizeof(call->regs->args));
		more += FTRACE_ARGS;
	}
	if (more > record.entry.more)
		bytes = (size_t)((char *)more - (char *)&record.head);
	return write_record(buffer, &record, bytes,
			    call->is_many ? &time : &call->shadow.time_ns);
}

/* Returns the tags among @tags whose tracers do not count the time off the CPU (nosleep-time). */
static uint32_t cpu_time_tags(uint32_t tags)
{
	uint32_t those = 0;

	for (uint32_t left = tags; left; left &= left - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(left);

		if (ftrace_state.tag_buffers[tag]->function_options & OPTION_SLEEP_TIME)
			those |= 1u << tag;
	}
	return those;
}

/* Record the entry for each tag in tags.users.  Drop the tags whose buffer does not record.
 * Sets the time of the call.  Returns the bit of FTRACE_GRAPH_OPS if @users has it and the
 * program's callback asks for the return of the call; else 0. */
static uint32_t entry_for(uint32_t users, struct entering *call)
{
	struct shadow_tags *tags = &call->tags;
	struct shadow *shadow = &call->shadow;

	users &= 1u << FTRACE_GRAPH_OPS;
	if (users) {
		shadow->time_ns = ftrace_call_slowly(ftrace_call_graph_entry, call->func,
						     shadow->depth, 0);
		if (!shadow->time_ns)
			users = 0;
	}
	if (tags->users && (call->is_many || ftrace_state.thresh_ns))
		shadow->time_ns = ftrace_hit_ns();
	if (!ftrace_state.thresh_ns) {
		for (uint32_t left = tags->users; left; left &= left - 1)
			if (!write_entry(call, (uint32_t)__builtin_ctz(left)))
				tags->users &= ~(left & -left);
	}
	tags->cpu_times = cpu_time_tags(tags->users);
	if (tags->cpu_times)
		tags->cpu_ns = ftrace_cpu_ns();
	if (tags->cpu_times && !call->is_many)
		shadow->time_ns = tags->cpu_ns;
	return users;
}

/* If the call is in a signal handler, drop the tags of graph tracers without the option
 * funcgraph-irqs.  As in the kernel, a function in set_graph_function keeps its tags and counts as
 * outside of the handler, except if the handler has interrupted such a function. */
static void choose_in_handler(struct entering *call, const struct shadow_tags *within)
{
	struct shadow_tags *tags = &call->tags;
	bool is_named = ftrace_state.has_starts && call->slot->users & 1u << FTRACE_START;

	for (uint32_t left = tags->users & tags->insides; left; left &= left - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(left), bit = 1u << tag;

		if (!(ftrace_state.tag_buffers[tag]->function_options & OPTION_GRAPH_IRQS))
			continue;
		if (!is_named || within->starts & bit) {
			tags->users &= ~bit;
		} else {
			tags->handlers &= ~bit;
			tags->insides &= ~bit;
		}
	}
}

/* Returns the active tags among @tags; or SHADOW_ALL if every active tag is in @tags. */
static uint32_t all_or_none(uint32_t tags, uint32_t active)
{
	if (tags && (tags & active) == active)
		return SHADOW_ALL;
	return tags & active;
}

/*
 * Choose the graph tracers that follow the call, and set its marks:
 * starts	the function is in set_graph_function, or the call is inside of such a call.
 *		A call does not count if it was followed before there was such a list, or for
 *		another user.
 * skips	the function is in set_graph_notrace, or the call is inside of such a call.
 *		The call is followed, so that calls inside of it are known, but not recorded.
 * insides	the call is a signal handler, or inside of one.  A signal handler is a call
 *		that returns to libc's restorer.
 *
 * @graphs: tags of the graph tracers that trace the function; @active: all active tags.
 * Returns the tags in @graphs that skip this call because the function itself is in
 * set_graph_notrace, and not because they skip a call around it.
 */
static uint32_t choose_tags(struct entering *call, uint32_t graphs, uint32_t active)
{
	const struct shadow_tags within = tags_within(call->shadow.above);
	struct shadow_tags *tags = &call->tags;
	uint32_t marks = call->slot->users, skipped;
	bool is_handler = call->shadow.ret == ftrace_state.restorer;

	tags->handlers = is_handler ? SHADOW_ALL : 0;
	tags->insides = is_handler ? SHADOW_ALL : within.insides;
	tags->users = call->shadow.depth < ftrace_state.graph_depth ? graphs : 0;
	if (ftrace_state.has_starts) {
		tags->starts = (within.starts & active) |
			       (marks & 1u << FTRACE_START ? graphs : 0);
		tags->users &= tags->starts;
	}
	choose_in_handler(call, &within);
	skipped = marks & 1u << FTRACE_SKIP ? tags->users & ~within.skips : 0;
	tags->skips = (within.skips & active) | skipped;
	tags->users &= ~tags->skips;
	tags->handlers = all_or_none(tags->handlers, active);
	tags->insides = all_or_none(tags->insides, active);
	call->is_many = shadow_many && shadow_tags_are_many(tags);
	return skipped;
}

/* Replace the return address at @place by an address in the function's body. */
static void redirect_return(uint64_t *place, const struct fsite_slot *slot)
{
	/* Store the shadow before the new return address.  A signal handler that unwinds may find
	 * this return address, and then it needs the shadow. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = (uint64_t)slot->body.back;
}

/* Record the exit of the call @shadow, which has made a tail call.  @tags: those of the call that
 * replaces it.  Returns the tags for which both calls are one run of a signal handler: the
 * records mark neither its end at the first call nor its start at the second. */
static uint32_t exit_into(const struct shadow *shadow, const struct shadow_tags *tags)
{
	struct shadow_tags old = shadow_tags(shadow);
	uint32_t both = tags->users & tags->handlers & old.users & old.handlers;

	old.handlers &= ~both;
	exit_for(0, shadow, &old, ABI_GRAPH_TAIL);
	return both;
}

/*
 * Handle a call at @place that is not followed.  If there are followed calls below @place
 * on the same stack, they have ended.  Later calls are not inside of them, so set top to
 * @above.  If they are on another stack (of an interrupted function or a coroutine), they
 * continue later, so top stays.  But skipping more than SHADOW_FAR of them at each call
 * would take too long.  So in this case set top to @above, too, until one of them returns.
 * @above: the innermost followed call that is still running
 * @steps: number of calls between top and @above
 */
static void pass_over(const uint64_t *place, uint64_t above, uint32_t steps)
{
	uint64_t top = ftrace_this.top & ~SHADOW_SLOWLY;

	if (steps > SHADOW_FAR ||
	    (top <= (uint64_t)place &&
	     ftrace_call_slowly(ftrace_is_left, top, (uint64_t)place, 0)))
		set_top(above);
}

/* Store the shadow of @call in @shadow, an entry of the table of shadows.  @others: the
 * users of the call that have no tag. */
static void set_shadow(struct shadow *shadow, struct entering *call, uint32_t others)
{
	call->shadow.word = shadow_word(call->slot->body.word & SHADOW_BODY_MASK, others,
					call->is_many, &call->tags);
	if (call->is_many)
		*shadow_many_at(shadow) = call->tags;
	*shadow = call->shadow;
}

/*
 * Handle the entry of a call: choose its users, record it, and follow it if a user needs that.
 * Returns 1 if the return address was replaced by the body's, else 0.
 *
 * If the return address is in a body already, a followed function has made a tail call: it
 * has jumped to this function as its last act.  Record the exit of that function now.  This
 * call takes over its return address and its body, because the CPU's return predictor
 * expects a return to that body.
 */
static uint32_t enter_function(uint64_t *place, uint32_t users, struct entering *call)
{
	const struct fsite_slot *slot = call->slot;
	struct shadow *shadow = slot->body.at ? shadow_at(place) : NULL;
	struct shadow *new = &call->shadow;
	bool is_tail = ftrace_is_body(*place);
	uint32_t active = active_tags(), graphs = shadow_tags_of(users) & active;
	uint32_t handlers, others, skipped, steps = 0;

	if (!shadow) {
		__atomic_add_fetch(&ftrace_graph_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	new->ret = *place;
	if (is_tail) {
		new->ret = shadow->ret;
		new->above = shadow->above;
	} else if (new->ret == ftrace_state.restorer) {
		new->above = interrupted_above(place, &steps);
	} else {
		new->above = live_above(ftrace_this.top, (uint64_t)place, &steps);
	}
	new->depth = depth_within(new->above);
	skipped = choose_tags(call, graphs, active);
	handlers = call->tags.handlers;
	if (is_tail)
		call->tags.handlers &= ~exit_into(shadow, &call->tags);
	others = entry_for(users, call);
	call->tags.handlers = handlers;
	if (!others && !call->tags.users)
		new->depth--;		/* calls inside get this call's depth */
	others |= plain_enter(users, call->func, slot, call->regs, shadow, is_tail);
	/* Follow a signal handler that a graph tracer traces, even if it is not recorded. */
	if (!others && !call->tags.users && !skipped && !(handlers && graphs) && !is_tail) {
		pass_over(place, new->above, steps);
		return 0;
	}
	set_shadow(shadow, call, others);
	set_top((uint64_t)place);
	if (is_tail)
		return 0;
	redirect_return(place, slot);
	return 1;
}

/* Returns true if this thread can record: it has a thread slot, and is not in a callback.  If it
 * has no slot, tries to get one. */
static bool can_record(void)
{
	if (!ulf_this_thread)
		ftrace_call_slowly(ftrace_attach, 0, 0, 0);
	return ulf_this_thread && !ftrace_this.is_in_callback;
}

uint64_t ftrace_graph_left(uint64_t *place, uint64_t value)
{
	const struct shadow *shadow = shadow_at(place);
	struct shadow_tags tags = shadow_tags(shadow);

	set_top(shadow->above);
	if (can_record())
		exit_for(value, shadow, &tags, 0);
	return shadow->ret;
}

/* ---- record for function tracers, and handle the entry of every call ---- */

static void write_function(const struct buffer *buffer, uint64_t ip,
			   uint64_t parent)
{
	struct record record = {
		.head = this_head() | ABI_EVENT_ID_FUNCTION,
		.function = { ip, parent },
	};
	uint64_t time;

	write_record(buffer, &record, RECORD_BYTES(function), &time);
}

/* Returns the list of threads @list of @buffer.  Acquire; mate: pids.c [buffer.pids] */
static const struct abi_pids *pids_of(const struct buffer *buffer, int list)
{
	return __atomic_load_n(&buffer->pids[list], __ATOMIC_ACQUIRE);
}

/* Returns true if @buffer does not record the thread @tid, because of its lists (set_ftrace_pid,
 * set_ftrace_notrace_pid). */
static bool is_ignored(const struct buffer *buffer, uint32_t tid)
{
	const struct abi_pids *only = pids_of(buffer, ABI_PIDS_FUNCTION);
	const struct abi_pids *not = pids_of(buffer, ABI_PIDS_FUNCTION_NOTRACE);

	return (only && !abi_pids_has(only, tid)) ||
	       (not && abi_pids_has(not, tid));
}

/* Returns @users without the buffers that do not record the thread @tid.  If no graph tracer is
 * left, removes FTRACE_GRAPH, too. */
static uint32_t without_ignoring(uint32_t users, uint32_t graphs, uint32_t tid)
{
	for (uint32_t left = users & FTRACE_FUNCTION_MASK; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		if (is_ignored(ftrace_state.buffers[i], tid))
			users &= ~(1u << i);
	}
	return users & graphs ? users : users & ~(1u << FTRACE_GRAPH);
}

/* Returns true if the stack at @place is possibly the deepest of this thread so far. */
static bool is_deepest(const uint64_t *place)
{
	const struct thread_stack *stack = thread_stack((const void *)ulf_this_thread);
	uint64_t max = __atomic_load_n(&ftrace_state.stack->max, __ATOMIC_RELAXED);
	uint64_t depth = stack->top - (uint64_t)place;

	return abi_stack_resets(max) != stack->resets ||
	       (depth > stack->depth && depth <= stack->limit);
}

static void record_call(const struct buffer *buffer,
			const struct function_call *call)
{
	if (buffer->function_options)
		ftrace_call_slowly(ftrace_record_call, (uint64_t)buffer,
				   (uint64_t)call, 0);
	else
		write_function(buffer, call->ip, call->parent);
}

static uint32_t follow_function(uint64_t *place, uint32_t users, const struct function_call *call,
				const struct fsite_slot *slot)
{
	struct entering entering = {
		.func = call->ip, .slot = slot, .regs = call->regs,
	};

	return enter_function(place, users, &entering);
}

uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *after,
		    const struct ftrace_regs *regs)
{
	const struct fsite_slot *slot =
		(const void *)(after - FSITE_SLOT_CALL);
	uint32_t graphs = graph_buffers(), users = slot->users & active_users();
	struct function_call call = { .ip = ip, .place = place, .regs = regs };

	if (!users || ftrace_is_own_call(*place) || !can_record())
		return 0;
	graphs |= graph_buffers();
	users = without_ignoring(users, graphs, thread_tid());
	call.parent = ftrace_is_body(*place) ? shadow_at(place)->ret : *place;
	for (uint32_t left = users & FTRACE_FUNCTION_MASK & ~graphs; left; left &= left - 1)
		record_call(ftrace_state.buffers[__builtin_ctz(left)], &call);
	if (users & FTRACE_OPS_MASK)
		ftrace_call_slowly(ftrace_call_ops, users, ip, call.parent);
	if (users & 1u << FTRACE_PROBES)
		ftrace_call_slowly(ftrace_run_probes, (uint64_t)&call, 0, 0);
	if (users & 1u << FTRACE_LIBC && !plain_hit(ip, call.parent, regs))
		users &= ~(1u << FTRACE_LIBC);
	if (users & 1u << FTRACE_STACK && is_deepest(place))
		ftrace_call_slowly(ftrace_check_stack, ip, (uint64_t)place, 0);
	return users & FTRACE_GRAPH_MASK ? follow_function(place, users, &call, slot) : 0;
}
