/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer: how deep the stack of each thread has been, and the deepest
 * stack of the root.  A hit that is deeper than its thread has been (hit.c)
 * comes here:
 *
 *	is it the thread's own stack?
 *	take the lock, with signals blocked		[shmlock]
 *	write the thread's row
 *	if it is the deepest of all:
 *		fill the copy that is not shown		[stack.copy]
 *		max := its depth, that copy is shown	[stack.max]
 *	drop the lock
 *
 * A SIGKILL before max changes leaves the maximum and the stack as they were,
 * and a later one as they are now; a row that was being changed has no depth
 * then.  The lock of a dead thread is taken over.  Who does not get the lock in time
 * (its holder may have been stopped) goes on, and tries again when it is as
 * deep the next time.
 *
 * What is and what is not the stack of a thread: docs/design/stack_tracer.md.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "abi/stack.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/shmlock.h"
#include "runtime/function/ftrace.h"
#include "runtime/runtime.h"
#include "runtime/function/shadow.h"
#include "runtime/base/tsan.h"
#include "runtime/unwind/unwind.h"

#define CALL_BYTES	8		/* of the tracer's call, as the kernel has it */
#define LOCK_YIELDS	256u		/* longer than a stack takes to be written */
#define PRIVATE_YIELDS	SHMLOCK_ASK	/* until the holder is looked at, once */
#define NEVER		UINT32_MAX	/* no number of resets */
/* So far below the main thread's stack the kernel maps nothing else. */
#define MAIN_ROOM	(128ull << 20)
#define NEED_BYTES	8192u		/* of the stack, for what is done here */
#define REACH		(32ull << 20)	/* that a thread goes deeper at once */
#define ADDRESSES	(1ull << 47)

/* ---- the stack of a thread ---- */

static uint64_t main_top, main_pointer;	/* by stack_tracer_init() */

/* The name of the program is the last thing in the main thread's stack. */
void stack_tracer_init(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	if (name)
		main_top = ALIGN_UP((uint64_t)name + strlen(name), UNWIND_PAGE);
	if (arch_syscall0(SYS_gettid) == arch_syscall0(SYS_getpid))
		main_pointer = arch_thread_pointer();
}

/* A process that was forked by another thread has that one's stack. */
static bool is_main(uint32_t tid)
{
	return main_pointer ? arch_thread_pointer() == main_pointer :
	       tid == arch_syscall0(SYS_getpid);
}

static void find_stack(struct thread_slot *thread)
{
	bool is_of_main = is_main(thread->thread.tid);

	thread->stack_known = 0;
	thread->stack_room = is_of_main ? MAIN_ROOM : ADDRESSES;
	/* A handler that finds it finds the others. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->stack_top = is_of_main ? main_top :
		ALIGN_UP(arch_thread_pointer() + 1, UNWIND_PAGE);
}

/* What the main thread's may grow to. */
static uint64_t main_limit(void)
{
	struct rlimit limit;

	return arch_syscall4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) ?
	       RLIM_INFINITY : limit.rlim_cur;
}

void stack_tracer_forget(struct thread_slot *slot)
{
	slot->stack_top = 0;
	slot->stack_resets = NEVER;
}

/* ---- rows of threads; locked, but for their ends ---- */

static bool is_dead(const struct abi_stack_thread *row)
{
	return arch_syscall3(SYS_tgkill, row->pid, row->tid, 0) == -ESRCH;
}

/* The thread's own, else a free one, else one of a thread that has ended. */
static struct abi_stack_thread *find_row(struct abi_stack *stack, uint32_t tid)
{
	struct abi_stack_thread *ended = NULL;
	uint32_t first = abi_comm_first(tid);

	for (uint32_t i = 0; i < ABI_COMM_PROBES; i++) {
		struct abi_stack_thread *row =
			&stack->threads[(first + i) % ABI_STACK_THREADS];

		if (row->tid == tid || !row->tid)
			return row;
		if (!ended && is_dead(row))
			ended = row;
	}
	return ended;
}

/* Where it ends, as far as it is known here; the server knows the others. */
static uint64_t find_low(const struct thread_slot *thread)
{
	uint64_t limit;

	if (thread->stack_top != main_top)
		return thread->stack_room < ADDRESSES ?
		       thread->stack_top - thread->stack_known : 0;
	limit = main_limit();
	return limit < main_top ? (main_top - limit) & ~(UNWIND_PAGE - 1) : 0;
}

/* In this order, so that a row with a depth is whole. */
static void take_row(struct abi_stack_thread *row, const struct thread_slot *thread)
{
	__atomic_store_n(&row->deepest, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);		/* [stack.row] */
	row->pid = (uint32_t)arch_syscall0(SYS_getpid);
	row->top = thread->stack_top;
	__atomic_store_n(&row->low, find_low(thread), __ATOMIC_RELAXED);
	__atomic_store_n(&row->tid, thread->thread.tid, __ATOMIC_RELAXED);
}

/* @deepest: a depth and its resets */
static void write_row(struct abi_stack *stack, const struct thread_slot *thread,
		      uint64_t deepest)
{
	struct abi_stack_thread *row = find_row(stack, thread->thread.tid);

	if (!row)
		return;
	/* an id may be that of a thread that has ended */
	if (row->tid != thread->thread.tid || row->top != thread->stack_top ||
	    row->pid != (uint32_t)arch_syscall0(SYS_getpid))
		take_row(row, thread);
	if (abi_stack_resets(row->deepest) != abi_stack_resets(deepest) ||
	    row->deepest < deepest)
		__atomic_store_n(&row->deepest, deepest,
				 __ATOMIC_RELEASE);		/* [stack.row] */
}

/* It was found just now.  Nobody else writes the row of a thread that lives, but the
 * server does this. */
static void write_low(struct abi_stack *stack, const struct thread_slot *thread)
{
	struct abi_stack_thread *row = find_row(stack, thread->thread.tid);

	if (row && row->tid == thread->thread.tid && row->top == thread->stack_top)
		__atomic_store_n(&row->low, find_low(thread), __ATOMIC_RELAXED);
}

/*
 * Is that place on the thread's own stack, and is there enough of it left?  From
 * its top down to there all pages can be read, as below its end there is one that
 * cannot.  Each is asked for once, and what is far below all of them is not its own: one
 * mapping may have the stacks of many.
 */
static bool is_own(struct thread_slot *thread, uint64_t place)
{
	uint64_t depth = thread->stack_top - place, known = thread->stack_known;

	if (depth > thread->stack_room)
		return false;
	if (thread->stack_top == main_top)
		return depth + NEED_BYTES <= main_limit();
	if (depth > known + REACH)
		return false;
	for (; known < depth + NEED_BYTES; known += UNWIND_PAGE) {
		if (!arch_is_readable((const void *)(thread->stack_top - known -
						     UNWIND_PAGE))) {
			thread->stack_known = known;
			thread->stack_room = known < NEED_BYTES ? 0 :
					     known - NEED_BYTES;
			if (ftrace_state.stack)
				write_low(ftrace_state.stack, thread);
			return false;
		}
	}
	thread->stack_known = known;
	return true;
}

/* It has if both are on the thread's own stack. */
uint64_t ftrace_is_left(uint64_t below, uint64_t place, uint64_t c)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;

	(void)c;
	if (!thread->stack_top)
		find_stack(thread);
	return place < thread->stack_top && is_own(thread, below);
}

/* ---- the deepest stack; locked; both copies are private ---- */

/* The return address at @place; where there is a body's, what it was before.  A word
 * that is none may be anything. */
static __attribute__((no_sanitize_address)) uint64_t return_at(uint64_t place)
{
	uint64_t word = *(const volatile uint64_t *)place;
	const struct shadow *shadow = NULL;

	if (shadow_keys && ftrace_is_body(word))
		shadow = shadow_at((const uint64_t *)place);
	return shadow ? shadow->ret : word;
}

/*
 * Are the callers of frame @at still there, each where it was?  Then they are the
 * same: where a function has its return address follows from where its callee has.
 */
static bool are_there(const struct abi_stack_copy *old, uint32_t at, uint64_t top,
		      uint64_t depth)
{
	for (; at < old->nr; at++) {
		const struct abi_stack_frame *frame = &old->frames[at];

		if (frame->depth > depth || frame->depth % sizeof(uint64_t) ||
		    frame->depth < sizeof(uint64_t) ||
		    return_at(top - frame->depth) != frame->ip)
			return false;
	}
	return true;
}

/* Where the stack of @old has this frame, and all that is above it is as it was;
 * else its end. */
static uint32_t find_common(const struct abi_stack_copy *old,
			    const struct abi_stack_frame *frame, uint64_t top)
{
	uint32_t at = 1;		/* the first one is where it was called */

	while (at < old->nr && old->frames[at].depth > frame->depth)
		at++;
	if (at < old->nr && old->frames[at].depth == frame->depth &&
	    old->frames[at].ip == frame->ip &&
	    are_there(old, at, top, frame->depth))
		return at;
	return old->nr;
}

/* From frame @at of @old on; unless that ends too early, because there was no room
 * for more. */
static bool take_rest(struct abi_stack_copy *new, const struct abi_stack_copy *old,
		      uint32_t at)
{
	uint32_t nr = min_u32(old->nr - at, ABI_STACK_FRAMES - new->nr);

	if (!nr || (old->nr == ABI_STACK_FRAMES && new->nr + nr < ABI_STACK_FRAMES))
		return false;
	memcpy(&new->frames[new->nr], &old->frames[at], nr * sizeof(*new->frames));
	new->nr += nr;
	return true;
}

/*
 * Fill @new with the stack from @place on.  A stack that grows a call at a time is
 * unwound again and again: as soon as it is known to go on as the last one, which
 * is @old (NULL: it was another thread's), that is taken.
 */
static void fill(struct abi_stack_copy *new, const struct abi_stack_copy *old,
		 uint64_t place, uint64_t top)
{
	struct unwind unwind;
	uint64_t function;

	unwind_start(&unwind);
	while (new->nr < ABI_STACK_FRAMES && stack_step(&unwind, &function)) {
		uint64_t sp = unwind.regs[ARCH_UNWIND_SP];
		struct abi_stack_frame frame = {
			unwind_pc(&unwind), top - sp + sizeof(uint64_t),
		};

		if (sp <= place || ftrace_is_body(frame.ip))
			continue;		/* ours */
		if (sp > top)
			break;
		if (old && take_rest(new, old, find_common(old, &frame, top)))
			break;
		new->frames[new->nr++] = frame;
	}
}

/*
 * The stack is put together in private memory: what is in the root may change at any
 * time, by a process that wants us to read or write where it likes.  So is the last one,
 * whose callers are looked for on the stack.  One thread at a time; another one goes on
 * without, as if it had not got the root's lock.
 */
static struct {
	uint32_t lock;			/* shmlock.h: a child of vfork() may die with it */
	uint32_t last;			/* which of the stacks is that of the last maximum */
	uint32_t yields;		/* that the root's lock is waited for: fewer if it
					 * is never given back */
	struct abi_stack_copy stacks[2];
} private = { .yields = LOCK_YIELDS };

static const struct abi_stack_copy *make_copy(const struct thread_slot *thread,
					      uint64_t ip, uint64_t place)
{
	const struct abi_stack_copy *old = &private.stacks[private.last];
	struct abi_stack_copy *new = &private.stacks[!private.last];

	new->tid = thread->thread.tid;
	new->frames[0] = (struct abi_stack_frame) {
		ip + FSITE_BYTES, thread->stack_top - place + CALL_BYTES,
	};
	new->nr = 1;
	fill(new, old->tid == new->tid ? old : NULL, place, thread->stack_top);
	private.last = !private.last;
	return new;
}

static void write_copy(struct abi_stack_copy *to, const struct abi_stack_copy *from)
{
	uint32_t sequence = __atomic_load_n(&to->sequence, __ATOMIC_RELAXED) | 1;

	__atomic_store_n(&to->sequence, sequence, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);		/* [stack.copy] */
	TESTPOINT("stack.begun");
	to->tid = from->tid;
	to->nr = from->nr;
	memcpy(to->frames, from->frames, from->nr * sizeof(from->frames[0]));
	__atomic_store_n(&to->sequence, sequence + 1,
			 __ATOMIC_RELEASE);			/* [stack.copy] */
	TESTPOINT("stack.filled");
}

/* False: the server has reset it meanwhile. */
static bool write_max(struct abi_stack *stack, const struct thread_slot *thread,
		      uint64_t ip, uint64_t place, uint64_t depth)
{
	uint64_t max = __atomic_load_n(&stack->max, __ATOMIC_ACQUIRE);
	uint32_t copy = abi_stack_copy(max);
	uint64_t new = max - abi_stack_depth(max) + depth;

	write_row(stack, thread, new & ~ABI_STACK_COPY);
	TESTPOINT("stack.row");
	if (depth <= abi_stack_depth(max))
		return true;
	write_copy(&stack->copies[!copy], make_copy(thread, ip, place));
	return __atomic_compare_exchange_n(&stack->max, &max, new ^ ABI_STACK_COPY,
					   false, __ATOMIC_RELEASE, /* [stack.max] */
					   __ATOMIC_RELAXED);
}

/* Signals are blocked, and no other thread of this process is here. */
static bool write_locked(struct abi_stack *stack, const struct thread_slot *thread,
			 uint64_t ip, uint64_t place, uint64_t depth)
{
	bool is_written;

	if (shmlock_take_for(&stack->lock, thread->thread.tid, private.yields)) {
		/* not so few that a dead holder is never looked at */
		private.yields = private.yields / 2 > SHMLOCK_ASK ? private.yields / 2 :
								     SHMLOCK_ASK;
		return false;
	}
	private.yields = min_u32(private.yields + 1, LOCK_YIELDS);
	tsan_acquire(&stack->lock);
	TESTPOINT("stack.locked");
	is_written = write_max(stack, thread, ip, place, depth);
	TESTPOINT("stack.written");
	tsan_release(&stack->lock);
	shmlock_drop(&stack->lock);
	return is_written;
}

void stack_tracer_after_fork(void)
{
	private.lock = 0;		/* another thread's, which is not here */
	private.stacks[private.last].tid = 0;
}

uint64_t ftrace_check_stack(uint64_t ip, uint64_t place, uint64_t c)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;
	struct abi_stack *stack = ftrace_state.stack;
	uint32_t resets = abi_stack_resets(__atomic_load_n(&stack->max,
							   __ATOMIC_RELAXED));
	struct arch_signals old;
	uint64_t depth;
	bool is_written;

	(void)c;
	if (!thread->stack_top)
		find_stack(thread);
	if (thread->stack_resets != resets)
		thread->stack_depth = 0;
	thread->stack_resets = resets;
	depth = thread->stack_top - place;
	if (depth <= thread->stack_depth || !is_own(thread, place))
		return 0;
	arch_signals_block(&old);
	is_written = !shmlock_take_for(&private.lock, thread->thread.tid, PRIVATE_YIELDS);
	if (is_written) {
		tsan_acquire(&private.lock);
		is_written = write_locked(stack, thread, ip, place, depth + CALL_BYTES);
		tsan_release(&private.lock);
		shmlock_drop(&private.lock);
	}
	if (is_written)
		thread->stack_depth = depth;
	arch_signals_restore(&old);
	return 0;
}

/* ---- the server's wish ---- */

int stack_tracer_follow(void)
{
	uint64_t off = __atomic_load_n(&root_control->stack, __ATOMIC_ACQUIRE);
	struct abi_stack *stack = root_at(off);
	int r;

	if (ftrace_state.stack)
		return 0;
	if (!off || off % 4096 || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(*stack));
	if (r)
		return r;
	if (stack->magic != ABI_STACK_MAGIC)
		return -EINVAL;
	ftrace_state.stack = stack;
	return 0;
}
