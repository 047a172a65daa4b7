/* SPDX-License-Identifier: MIT */
/*
 * What runs at the entry of a traced function, and when it returns: with
 * general registers only (the others are the program's), in any context.
 * What is common is done in ftrace.S already; here is all of it, from the start.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "abi/pids.h"
#include "abi/stack.h"
#include "arch/arch.h"
#include "event/option.h"
#include "runtime/ftrace.h"
#include "runtime/profile.h"
#include "runtime/runtime.h"
#include "runtime/shadow.h"
#include <linux/ftrace.h>

struct ftrace_state ftrace_state = {
	.function = &ftrace_no_case, .graph_set = &buffer_no_rings,
	.restorer = ARCH_NO_RESTORER,
};
uint32_t ftrace_graph_lost;
__thread struct ftrace_thread ftrace_this = { .top = SHADOW_NONE | SHADOW_SLOWLY };

static_assert(offsetof(struct ftrace_state, function) == STATE_FUNCTION, "asm");
static_assert(offsetof(struct ftrace_state, graph_set) == STATE_GRAPH_SET, "asm");
static_assert(offsetof(struct ftrace_state, restorer) == STATE_RESTORER, "asm");
static_assert(1u << FTRACE_GRAPH == FTRACE_GRAPH_BIT &&
	      FTRACE_GRAPH == SHADOW_USERS && GRAPH_BODIES_BYTES <= 1u << SHADOW_USERS,
	      "asm: a body's offset and the users are one word");
static_assert(offsetof(struct ftrace_case, set) == CASE_SET, "asm");
static_assert(offsetof(struct ftrace_case, users) == CASE_USERS, "asm");
static_assert(offsetof(struct ftrace_thread, head) == THIS_HEAD, "asm");
static_assert(offsetof(struct ftrace_thread, entry_head) == THIS_ENTRY_HEAD, "asm");
static_assert(offsetof(struct ftrace_thread, exit_head) == THIS_EXIT_HEAD, "asm");
static_assert(offsetof(struct ftrace_thread, top) == THIS_TOP, "asm");
static_assert(offsetof(struct ftrace_thread, depth) == THIS_DEPTH, "asm");
static_assert(offsetof(struct ftrace_thread, page) == THIS_PAGE, "asm");
static_assert(offsetof(struct buffer, set) == BUFFER_SET, "asm");
static_assert(offsetof(struct fsite_slot, body.word) == SLOT_WORD, "asm");
static_assert(offsetof(struct fsite_slot, body.back) == SLOT_BACK, "asm");
static_assert(offsetof(struct fsite_slot, site) == SLOT_SITE, "asm");
static_assert(sizeof(struct fsite_slot) == 64, "a cache line");
static_assert(offsetof(struct fsite_slot, users) == SLOT_USERS, "asm");
static_assert(offsetof(struct ftrace_regs, rax) == REGS_RAX, "asm");
static_assert(sizeof(struct ftrace_regs) + 8 == ENTRY_FRAME, "asm");

void (*ftrace_entry_of(const struct fsite_slot *slot))(void)
{
	uint32_t users = slot->users;

	if (users == 1u << FTRACE_GRAPH && slot->body.at)
		return ftrace_entry_graph;
	if (users & FTRACE_FUNCTION_MASK && !(users & (users - 1)))
		return ftrace_entry_function;
	return ftrace_entry;
}

/* ---- records, as the kernel's ---- */

#define RECORD_BYTES(last) \
	(offsetof(struct record, last) + sizeof(((struct record *)0)->last) - \
	 offsetof(struct record, head))

struct record {
	uint64_t headroom;		/* RING_HEADROOM of it */
	uint64_t head;			/* struct trace_entry */
	union {
		struct {
			uint64_t ip, parent_ip;
		} function;
		struct {
			uint64_t func;
			uint32_t depth, marks;		/* ABI_GRAPH_... */
			uint64_t more[1 + FTRACE_ARGS];	/* what options add */
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

/* A full page is left, if the words still say so (switch.c).  -ENOBUFS: recording is
 * off, or the record is refused, and counted. */
static int make_room(const struct buffer *buffer, uint32_t bytes)
{
	int r = -EINVAL;

	if (ulf_probe_enter()) {
		struct ring_set *set = buffer_set(buffer);

		if (set->small_max)
			r = buffer_aim(buffer, set) ? ring_cross(set, bytes, 0) :
			    -ENOBUFS;
		ulf_probe_exit();
	}
	return r;
}

static bool leave_page(const struct ring_set *set, uint32_t cpu,
		       const struct abi_ring *ring, uint32_t bytes, uint64_t now_ns)
{
	const struct ring_view *view = ring_set_fast(set, cpu);

	return view && view->ring == ring && !ring_leave(view, cpu, bytes, now_ns) &&
	       ring_has_room(ring, bytes);
}

/* The same, of the ring that ftrace.S has found: if it is not what C finds, or there
 * is still no room, trying again might never end.  If there is no ring it is not to try
 * the next time. */
uint32_t ftrace_graph_room(uint32_t bytes, uint64_t now_ns, struct abi_ring *ring)
{
	const struct buffer *buffer = ftrace_state.graph_buffer;
	uint32_t cpu = arch_rseq_cpu();
	bool has_room = false;

	if (ring == &ring_none) {
		ftrace_this.top |= SHADOW_SLOWLY;
	} else if (ulf_probe_enter()) {
		struct ring_set *set = buffer_set(buffer);

		has_room = set->small_max && cpu < set->nr_cpus &&
			   set->fast[cpu] == ring && ring_is_recording(ring) &&
			   buffer_aim(buffer, set) &&
			   leave_page(set, cpu, ring, bytes, now_ns);
		ulf_probe_exit();
	}
	return has_room;
}

/* *@time: the record's.  False: there is none, and there was to be none. */
static bool write_record(const struct buffer *buffer, struct record *record,
			 size_t bytes, uint64_t *time)
{
	struct ftrace_write write = { buffer, &record->head, bytes, time };
	uint32_t size = (uint32_t)bytes;
	int r = -EINVAL;

	/* The time is one in ns, whatever the ring's clock. */
	if (!__atomic_load_n(&buffer->has_ticks, __ATOMIC_RELAXED)) {
		if (arch_words_append(buffer, &record->head, size, time))
			return true;
		r = make_room(buffer, size);
	}
	if (r == -ENOBUFS)
		return false;
	if (r || !arch_words_append(buffer, &record->head, size, time))
		ftrace_call_slowly(ftrace_write_slowly, (uint64_t)&write, 0, 0);
	return true;
}

static uint64_t func_of(const struct shadow *shadow)
{
	const struct graph_body *body =
		(const void *)(ftrace_bodies + shadow->body);

	return body->site;
}

static uint32_t active_users(void)
{
	return __atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);
}

/* ---- the innermost followed call ---- */

#define MARK_HANDLER	(1u << FTRACE_HANDLER)
#define MARK_IN_HANDLER	(1u << FTRACE_IN_HANDLER)

static uint32_t depth_within(uint64_t top)
{
	const struct shadow *shadow = shadow_of(top);

	return shadow ? shadow->depth + 1 : 0;
}

/* Users, and the marks that calls inside of it have from it. */
static uint32_t users_within(uint64_t top)
{
	const struct shadow *shadow = shadow_of(top);

	return shadow ? shadow_users(shadow) : 0;
}

static uint64_t this_head(void)
{
	return (uint64_t)thread_tid() << 32;
}

/* That of a followed call's records. */
static uint64_t call_head(const struct shadow *shadow)
{
	bool is_inside = shadow_users(shadow) & MARK_IN_HANDLER;

	return this_head() | (is_inside ? ABI_FLAG_HANDLER << 16 : 0);
}

static uint32_t call_marks(const struct shadow *shadow)
{
	return shadow_users(shadow) & MARK_HANDLER ? ABI_GRAPH_HANDLER : 0;
}

/* May ftrace.S write records of this thread? */
static bool is_recorded(void)
{
	return ftrace_this.head && arch_rseq_cpu() < ABI_CPUS &&
	       __atomic_load_n(&ftrace_state.graph_set, __ATOMIC_RELAXED) !=
	       &buffer_no_rings;
}

/* @place, and whether ftrace.S can go on from there. */
static uint64_t as_top(uint64_t place)
{
	const struct shadow *shadow = shadow_of(place);
	bool is_simple = is_recorded() &&
			 (!shadow || (shadow_is_home(place & ~SHADOW_SLOWLY) &&
				      shadow_users(shadow) == 1u << FTRACE_GRAPH));

	place &= ~SHADOW_SLOWLY;
	return is_simple ? place : place | SHADOW_SLOWLY;
}

/* The top goes first: a handler that comes then leaves the depth as that says. */
static void set_top(uint64_t place)
{
	ftrace_this.top = as_top(place);
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

/* The top goes first here, too: what depends on the thread's tid is made of it. */
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

static bool is_on_signal_stack(uint64_t place)
{
	return place - ftrace_this.signal_stack < ftrace_this.signal_bytes;
}

/* Is the call at @top one of a handler's there?  The stack may have another use by now,
 * or be a part of this one; a call that set_graph_function names may have no mark. */
static bool is_of_handler(uint64_t top)
{
	return is_on_signal_stack(top) &&
	       users_within(top) & (MARK_IN_HANDLER | 1u << FTRACE_START);
}

/* From @top on: those that are below @place were left by some other way than a return;
 * and those of a handler that had a stack of its own, if this is another one.
 * @steps: how many that were so far */
static uint64_t live_above(uint64_t top, uint64_t place, uint32_t *steps)
{
	bool is_outside = !is_on_signal_stack(place);
	uint32_t downs = 0;

	top &= ~SHADOW_SLOWLY;
	/* @place may be anything: a stack pointer that was interrupted. */
	while (top != SHADOW_NONE &&
	       (top <= place || (is_outside && is_of_handler(top)))) {
		top = shadow_around(top, &downs);
		++*steps;
	}
	return as_top(top);
}

/* The same of a handler's: wherever its stack is, what was interrupted is around it.  A
 * call of which the return address is off the stack for an instruction, on its way to
 * or from the body, is one of these. */
static uint64_t interrupted_above(const uint64_t *place, uint32_t *steps)
{
	const stack_t *stack = arch_signal_stack(place);
	uint64_t sp = arch_signal_sp(place) - 2 * sizeof(*place);

	/* Without what was left on the stack that was the one so far. */
	uint64_t top = live_above(ftrace_this.top, sp, steps);

	/* By SS_AUTODISARM a handler has none, and is still there. */
	if (stack->ss_size || !is_on_signal_stack(sp)) {
		ftrace_this.signal_stack = (uint64_t)stack->ss_sp;
		ftrace_this.signal_bytes = stack->ss_size;
	}
	return live_above(top, sp, steps);
}

/* ---- the graph ---- */

/* When it was called.  By the option sleep-time: as if it had run ever since. */
static uint64_t calltime_of(const struct shadow *shadow)
{
	uint64_t ran_ns;

	if (!(shadow_users(shadow) & 1u << FTRACE_CPU_TIME))
		return shadow->time_ns;
	ran_ns = ftrace_cpu_ns() - shadow->time_ns;
	return ftrace_hit_ns() - ran_ns;
}

static bool is_long_enough(uint64_t calltime)
{
	return !ftrace_state.thresh_ns ||
	       ftrace_hit_ns() - calltime >= ftrace_state.thresh_ns;
}

/* @marks: ABI_GRAPH_TAIL, or 0 */
static void exit_for(uint64_t value, const struct shadow *shadow, uint32_t marks)
{
	uint32_t users = shadow_users(shadow) & active_users();
	struct record record = {
		.head = call_head(shadow) | ABI_EVENT_ID_GRAPH_EXIT,
		.exit.ret = {
			.func = func_of(shadow), .retval = value,
			.depth = (int)shadow->depth,
			.overrun = __atomic_load_n(&ftrace_graph_lost,
						   __ATOMIC_RELAXED),
			.calltime = calltime_of(shadow),
		},
		.exit.marks = call_marks(shadow) | marks,
	};
	struct ftrace_graph_ret *ret = &record.exit.ret;
	size_t bytes = record.exit.marks ? RECORD_BYTES(exit.marks) :
		       RECORD_BYTES(exit.ret);

	if (users & 1u << FTRACE_PROFILE)
		profile_leave(shadow);
	if (users & 1u << FTRACE_GRAPH && is_long_enough(ret->calltime))
		write_record(ftrace_state.graph_buffer, &record, bytes,
			     (uint64_t *)&ret->rettime);
	if (users & 1u << FTRACE_GRAPH_OPS)
		ftrace_call_slowly(ftrace_call_graph_exit, (uint64_t)ret, 0, 0);
}

static bool write_entry(uint64_t func, struct shadow *shadow,
			const struct ftrace_regs *regs)
{
	const struct buffer *buffer = ftrace_state.graph_buffer;
	uint64_t options = buffer->function_options;
	size_t bytes = RECORD_BYTES(entry.depth);
	struct record record;
	uint64_t *more = record.entry.more;

	record.head = call_head(shadow);
	record.entry.func = func;
	record.entry.depth = shadow->depth;
	record.entry.marks = call_marks(shadow);
	if (record.entry.marks)
		bytes = RECORD_BYTES(entry.marks);
	if (options & OPTION_GRAPH_RETADDR) {
		record.head |= ABI_EVENT_ID_GRAPH_RETADDR;
		*more++ = shadow->ret;
	} else {
		record.head |= ABI_EVENT_ID_GRAPH_ENTRY;
	}
	if (options & OPTION_GRAPH_ARGS) {
		memcpy(more, regs->args, sizeof(regs->args));
		more += FTRACE_ARGS;
	}
	if (more > record.entry.more)
		bytes = (size_t)((char *)more - (char *)&record.head);
	return write_record(buffer, &record, bytes, &shadow->time_ns);
}

/* Returns which graph tracers of @users follow it, with its time. */
static uint32_t entry_for(uint32_t users, uint64_t func, struct shadow *shadow,
			  const struct ftrace_regs *regs)
{
	if (users & 1u << FTRACE_GRAPH_OPS) {
		shadow->time_ns = ftrace_call_slowly(ftrace_call_graph_entry, func,
						     shadow->depth, 0);
		if (!shadow->time_ns)
			users &= ~(1u << FTRACE_GRAPH_OPS);
	}
	if (users & 1u << FTRACE_GRAPH && ftrace_state.thresh_ns)
		shadow->time_ns = ftrace_hit_ns();
	else if (users & 1u << FTRACE_GRAPH && !write_entry(func, shadow, regs))
		users &= ~(1u << FTRACE_GRAPH);
	users &= FTRACE_DEPTH_MASK;
	if (users & 1u << FTRACE_GRAPH &&
	    ftrace_state.graph_buffer->function_options & OPTION_SLEEP_TIME) {
		shadow->time_ns = ftrace_cpu_ns();
		users |= 1u << FTRACE_CPU_TIME;
	}
	return users;
}

/* Is it what set_graph_function names, or inside of that?  Calls that were followed
 * before there was such a list, or by others, do not count. */
static uint32_t start_mark(uint32_t users, const struct fsite_slot *slot,
			   uint64_t above)
{
	bool is_named = users & 1u << FTRACE_GRAPH && slot->users & 1u << FTRACE_START;

	if (!ftrace_state.has_starts)
		return 0;
	return is_named ? 1u << FTRACE_START : users_within(above) & 1u << FTRACE_START;
}

/* Does the graph tracer follow it? */
static uint32_t graph_users(uint32_t users, uint32_t start, uint32_t depth)
{
	bool is_wanted = depth < ftrace_state.graph_depth &&
			 (start || !ftrace_state.has_starts);

	return is_wanted ? users : users & ~(1u << FTRACE_GRAPH);
}

/* Is it inside of a signal's handler, or one itself?  That returns to libc's restorer. */
static uint32_t handler_marks(const struct shadow *shadow)
{
	return shadow->ret == ftrace_state.restorer ? MARK_HANDLER | MARK_IN_HANDLER :
	       users_within(shadow->above) & MARK_IN_HANDLER;
}

/* Without the option funcgraph-irqs the graph tracer leaves out what has marks; but, as
 * in the kernel, not what set_graph_function names, unless something that it names was
 * interrupted: that counts as outside. */
static uint32_t handler_users(uint32_t users, const struct fsite_slot *slot,
			      uint64_t above, uint32_t *marks)
{
	if (!*marks || !(users & 1u << FTRACE_GRAPH) ||
	    !(ftrace_state.graph_buffer->function_options & OPTION_GRAPH_IRQS))
		return users;
	if (!ftrace_state.has_starts || !(slot->users & 1u << FTRACE_START) ||
	    users_within(above) & 1u << FTRACE_START)
		return users & ~(1u << FTRACE_GRAPH);
	*marks = 0;
	return users;
}

/* The return address becomes the body's. */
static void take_place(uint64_t *place, const struct fsite_slot *slot)
{
	/* A handler that unwinds from here on finds the shadow. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = (uint64_t)slot->body.back;
}

/* The call of @shadow ends, and @new, of @users, has its place.  If both are recorded,
 * and a handler's, then that goes on: it neither ends nor begins here. */
static void exit_into(struct shadow *shadow, struct shadow *new, uint32_t users)
{
	const uint32_t both = MARK_HANDLER | 1u << FTRACE_GRAPH;

	users = (users & 1u << FTRACE_GRAPH) | shadow_users(new);
	if ((users & shadow_users(shadow) & both) == both) {
		shadow->users &= (uint8_t)~(MARK_HANDLER >> SHADOW_USERS);
		new->users &= (uint8_t)~(MARK_HANDLER >> SHADOW_USERS);
	}
	exit_for(0, shadow, ABI_GRAPH_TAIL);
}

/*
 * A call at @place that is not followed.  Followed ones below it were left if this is the
 * same stack, and what is called from here on is not inside of them.  If it is another
 * one, a handler's or a coroutine's, they go on later; but a long way past them is not
 * to be gone at each call, so then they are forgotten until one of them returns.
 * @steps: how many were passed
 */
static void pass_over(const uint64_t *place, uint64_t above, uint32_t steps)
{
	uint64_t top = ftrace_this.top & ~SHADOW_SLOWLY;

	if (steps > SHADOW_FAR ||
	    (top <= (uint64_t)place &&
	     ftrace_call_slowly(ftrace_is_left, top, (uint64_t)place, 0)))
		set_top(above);
}

/*
 * The return address may be a body's already: the function before has called this
 * one as its last act and left, so its exit is now, and this one's return is to
 * where that would have returned, by way of that body: the CPU knows it.
 */
static uint32_t enter(uint64_t func, uint64_t *place, const struct fsite_slot *slot,
		      uint32_t users, const struct ftrace_regs *regs)
{
	struct shadow *shadow = slot->body.at ? shadow_at(place) : NULL;
	struct shadow new = { .ret = *place, .body = slot->body.word };
	bool is_tail = ftrace_is_body(*place);
	bool is_quiet, is_skipped, is_handler, is_followed;
	uint32_t seen, marks, start, steps = 0;

	if (!shadow) {
		__atomic_add_fetch(&ftrace_graph_lost, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (is_tail) {
		new.ret = shadow->ret;
		new.above = shadow->above;
	} else if (new.ret == ftrace_state.restorer) {
		new.above = interrupted_above(place, &steps);
	} else {
		new.above = live_above(ftrace_this.top, (uint64_t)place, &steps);
	}
	new.depth = depth_within(new.above);
	is_quiet = users_within(new.above) & 1u << FTRACE_SKIP;
	marks = handler_marks(&new);
	is_handler = marks & MARK_HANDLER && users & 1u << FTRACE_GRAPH;
	start = start_mark(users, slot, new.above);
	users = graph_users(users, start, new.depth);
	users = handler_users(users, slot, new.above, &marks);
	new.users = marks >> SHADOW_USERS;
	/* Its return is waited for, so that it is known what is inside of it. */
	is_skipped = !is_quiet && slot->users & 1u << FTRACE_SKIP &&
		     users & 1u << FTRACE_GRAPH;
	if (is_quiet || is_skipped)
		users &= ~(1u << FTRACE_GRAPH);
	if (is_tail)
		exit_into(shadow, &new, users);
	seen = entry_for(users, func, &new, regs);
	if (!seen)
		new.depth--;
	if (users & 1u << FTRACE_PROFILE && profile_enter(slot, shadow))
		seen |= 1u << FTRACE_PROFILE;
	is_followed = seen || is_skipped || is_handler;
	if (is_quiet || is_skipped)
		seen |= 1u << FTRACE_SKIP;
	if (!is_followed && !is_tail) {
		pass_over(place, new.above, steps);
		return 0;
	}
	new.users = (seen | marks | start) >> SHADOW_USERS;
	*shadow = new;
	set_top((uint64_t)place);
	if (is_tail)
		return 0;
	take_place(place, slot);
	return 1;
}

/* Is this a thread that we know, and in no callback? */
static bool can_record(void)
{
	if (!ulf_this_thread)
		ftrace_call_slowly(ftrace_attach, 0, 0, 0);
	return ulf_this_thread && !ftrace_this.is_in_callback;
}

uint64_t ftrace_graph_left(uint64_t *place, uint64_t value)
{
	const struct shadow *shadow = shadow_at(place);

	set_top(shadow->above);
	if (can_record())
		exit_for(value, shadow, 0);
	return shadow->ret;
}

/* ---- functions ---- */

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
static bool is_deepest(const uint64_t *place)
{
	const struct thread_slot *thread = (const void *)ulf_this_thread;
	uint64_t max = __atomic_load_n(&ftrace_state.stack->max, __ATOMIC_RELAXED);
	uint64_t depth = thread->stack_top - (uint64_t)place;

	return abi_stack_resets(max) != thread->stack_resets ||
	       (depth > thread->stack_depth && depth <= thread->stack_room);
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

uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *behind,
		    const struct ftrace_regs *regs)
{
	const struct fsite_slot *slot =
		(const void *)(behind - FSITE_SLOT_CALL);
	uint32_t users = slot->users & active_users();
	struct function_call call = { .ip = ip, .place = place, .regs = regs };

	if (!users || !can_record())
		return 0;
	users = without_ignoring(users, thread_tid());
	call.parent = ftrace_is_body(*place) ? shadow_at(place)->ret : *place;
	for (uint32_t left = users & FTRACE_FUNCTION_MASK; left; left &= left - 1)
		record_call(ftrace_state.buffers[__builtin_ctz(left)], &call);
	if (users & FTRACE_OPS_MASK)
		ftrace_call_slowly(ftrace_call_ops, users, ip, call.parent);
	if (users & 1u << FTRACE_PROBES)
		ftrace_call_slowly(ftrace_run_probes, (uint64_t)&call, 0, 0);
	if (users & 1u << FTRACE_STACK && is_deepest(place))
		ftrace_call_slowly(ftrace_check_stack, ip, (uint64_t)place, 0);
	return users & FTRACE_GRAPH_MASK ? enter(ip, place, slot, users, regs) : 0;
}
