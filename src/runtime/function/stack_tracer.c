/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer: how deep the stack of each thread has been, and the deepest stack of
 * the root.  hit.c calls ftrace_check_stack() if a call is deeper than its thread has been
 * before:
 *
 *	check that @place is on the thread's own stack
 *	block signals, take the lock			[shmlock]
 *	write the thread's row				[stack.row]
 *	if it is the deepest stack of all:
 *		fill the copy that is not shown		[stack.copy]
 *		store its depth in max, which also
 *		selects that copy			[stack.max]
 *	release the lock, restore signals
 *
 * A SIGKILL before max is stored leaves the old maximum and the old stack; a SIGKILL
 * after this leaves the new ones.  If a thread is killed while it writes its row, the
 * row has depth 0.  Another thread takes over the lock of a dead one.  A thread that
 * does not get the lock in time (its holder may be stopped) continues without
 * recording, and tries again at its next call that is as deep.
 *
 * docs/design/stack_tracer.md defines which memory is the stack of a thread.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "abi/control.h"
#include "abi/stack_tracer.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/shmlock.h"
#include "runtime/base/lock.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/base/tsan.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"
#include "runtime/function/thread_stack.h"
#include "runtime/unwind/unwind.h"
#include <ulf/event.h>

#define CALL_BYTES	8		/* number of bytes that is added to depths for
					 * the call of the tracer, as in the kernel */
#define LOCK_YIELDS	256u		/* maximum number of yields while a thread
					 * waits for abi_stack.lock; longer than a
					 * holder needs to write a stack */
#define PRIVATE_YIELDS	SHMLOCK_ASK	/* maximum number of yields while a thread
					 * waits for private.lock; enough to check
					 * once whether its holder is dead */
#define NEVER		UINT32_MAX	/* value of thread_stack.resets for "no reset
					 * seen", which abi_stack_resets() never
					 * returns */
/* number of bytes below the top of the main thread's stack in which the kernel maps nothing
 * else */
#define MAIN_LIMIT	(128ull << 20)
#define NEED_BYTES	8192u		/* number of bytes of stack that the functions
					 * of this file need */
#define REACH		(32ull << 20)	/* maximum number of bytes by which a stack
					 * can grow from one check to the next */
#define ADDRESSES	(1ull << 47)	/* size of user space, which stands for a stack
					 * without a known limit */

/* ---- find the stack of a thread ---- */

/* Top of the main thread's stack, and its thread pointer; set by stack_tracer_init(). */
static uint64_t main_top, main_pointer;

/* Find the top of the main thread's stack: the path of the program is the last string on
 * this stack. */
void stack_tracer_init(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	if (name)
		main_top = ALIGN_UP((uint64_t)name + strlen(name), UNWIND_PAGE);
	if (arch_syscall0(SYS_gettid) == arch_syscall0(SYS_getpid))
		main_pointer = arch_thread_pointer();
}

/* Returns true if the current thread is on the stack of the main thread.  In a child of
 * fork(), the only thread has the tid of a main thread, but possibly the stack of
 * another thread. */
static bool is_main(uint32_t tid)
{
	return main_pointer ? arch_thread_pointer() == main_pointer :
	       tid == arch_syscall0(SYS_getpid);
}

/* Fill in the struct thread_stack of @thread, the current thread. */
static void find_stack(struct thread_slot *thread)
{
	bool is_of_main = is_main(thread->thread.tid);

	thread_stack(thread)->known = 0;
	thread_stack(thread)->limit = is_of_main ? MAIN_LIMIT : ADDRESSES;
	/* Store @top last, because a signal handler that finds it set may use the
	 * other members. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_stack(thread)->top = is_of_main ? main_top :
		ALIGN_UP(arch_thread_pointer() + 1, UNWIND_PAGE);
}

/* Returns the maximum size of the main thread's stack in bytes (RLIMIT_STACK). */
static uint64_t main_limit(void)
{
	struct rlimit limit;

	return arch_syscall4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) ?
	       RLIM_INFINITY : limit.rlim_cur;
}

void stack_tracer_forget(struct thread_slot *slot)
{
	thread_stack(slot)->top = 0;
	thread_stack(slot)->resets = NEVER;
}

/* ---- write rows of threads, under abi_stack.lock except for abi_stack_thread.low ---- */

static bool is_dead(const struct abi_stack_thread *row)
{
	return arch_syscall3(SYS_tgkill, row->pid, row->tid, 0) == -ESRCH;
}

/* Returns the row of thread @tid, else a free row, else the row of a thread that has
 * ended.  Returns NULL if there is none of these. */
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

/* Returns the lowest address of the thread's stack, or 0 if this process does not know
 * it.  In this case the server finds the address. */
static uint64_t find_low(const struct thread_slot *thread)
{
	uint64_t limit;

	if (thread_stack(thread)->top != main_top)
		return thread_stack(thread)->limit < ADDRESSES ?
		       thread_stack(thread)->top - thread_stack(thread)->known : 0;
	limit = main_limit();
	return limit < main_top ? (main_top - limit) & ~(UNWIND_PAGE - 1) : 0;
}

/* Make @row the row of @thread.  Clear `deepest` first and let the caller store it
 * last, so that every row that has a depth is complete. */
static void take_row(struct abi_stack_thread *row, const struct thread_slot *thread)
{
	__atomic_store_n(&row->deepest, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);		/* [stack.row] */
	row->pid = (uint32_t)arch_syscall0(SYS_getpid);
	row->top = thread_stack(thread)->top;
	__atomic_store_n(&row->low, find_low(thread), __ATOMIC_RELAXED);
	__atomic_store_n(&row->tid, thread->thread.tid, __ATOMIC_RELAXED);
}

/* Write @deepest, a depth with its number of resets, to the thread's row. */
static void write_row(struct abi_stack *stack, const struct thread_slot *thread,
		      uint64_t deepest)
{
	struct abi_stack_thread *row = find_row(stack, thread->thread.tid);

	if (!row)
		return;
	/* Compare the stack, too, because a row with this thread id may belong to a
	 * thread that has ended. */
	if (row->tid != thread->thread.tid || row->top != thread_stack(thread)->top ||
	    row->pid != (uint32_t)arch_syscall0(SYS_getpid))
		take_row(row, thread);
	if (abi_stack_resets(row->deepest) != abi_stack_resets(deepest) ||
	    row->deepest < deepest)
		__atomic_store_n(&row->deepest, deepest,
				 __ATOMIC_RELEASE);		/* [stack.row] */
}

/* Store the lowest address of the thread's stack, which was found just now, in the
 * thread's row.  No lock is needed: while a thread is alive, only the thread itself
 * writes its row.  Only the member `low` may also be written by the server. */
static void write_low(struct abi_stack *stack, const struct thread_slot *thread)
{
	struct abi_stack_thread *row = find_row(stack, thread->thread.tid);

	if (row && row->tid == thread->thread.tid && row->top == thread_stack(thread)->top)
		__atomic_store_n(&row->low, find_low(thread), __ATOMIC_RELAXED);
}

/*
 * Returns true if @place is on the thread's own stack, with NEED_BYTES left below it.
 *
 * If the thread is not the main thread, all memory pages from the top of the stack down
 * to @place must be readable: below the end of every stack there is a page that is not
 * readable.  Each page is checked once (thread_stack.known).  An address more than REACH below
 * the checked pages does not count as an address on the thread's own stack, because one
 * mapping may contain the stacks of many threads.
 */
static bool is_on_stack(struct thread_slot *thread, uint64_t place)
{
	uint64_t depth = thread_stack(thread)->top - place, known = thread_stack(thread)->known;

	if (depth > thread_stack(thread)->limit)
		return false;
	if (thread_stack(thread)->top == main_top)
		return depth + NEED_BYTES <= main_limit();
	if (depth > known + REACH)
		return false;
	for (; known < depth + NEED_BYTES; known += UNWIND_PAGE) {
		if (!arch_is_readable((const void *)(thread_stack(thread)->top - known -
						     UNWIND_PAGE))) {
			thread_stack(thread)->known = known;
			thread_stack(thread)->limit = known < NEED_BYTES ? 0 :
					     known - NEED_BYTES;
			if (ftrace_state.stack)
				write_low(ftrace_state.stack, thread);
			return false;
		}
	}
	thread_stack(thread)->known = known;
	return true;
}

/* Returns 1 if the call at @below has ended.  It has ended if both @below and @place
 * are on the thread's own stack, because @below is the lower address. */
uint64_t ftrace_is_left(uint64_t below, uint64_t place, uint64_t c)
{
	struct thread_slot *thread = (struct thread_slot *)ulf_this_thread;

	(void)c;
	if (!thread_stack(thread)->top)
		find_stack(thread);
	return place < thread_stack(thread)->top && is_on_stack(thread, below);
}

/* ---- make private copies of the deepest stack, under private.lock ---- */

/* Returns the return address that is stored at @place.  If the graph tracer has
 * replaced it, returns the original address.  The word at @place is possibly no return
 * address, so AddressSanitizer must not check the load. */
static __attribute__((no_sanitize_address)) uint64_t return_at(uint64_t place)
{
	uint64_t word = *(const volatile uint64_t *)place;
	const struct shadow *shadow = NULL;

	if (shadow_keys && ftrace_is_body(word))
		shadow = shadow_at((const uint64_t *)place);
	return shadow ? shadow->ret : word;
}

/*
 * Returns true if all return addresses of @old, from frame number @at on, are still
 * at their places on the stack.  Then these frames are unchanged, because the
 * position of each return address depends on all frames below it.
 * @depth: depth of frame @at
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

/* If all frames from @frame on are unchanged since @old was made, returns the index of
 * @frame in @old.  Otherwise returns old->nr. */
static uint32_t find_common(const struct abi_stack_copy *old,
			    const struct abi_stack_frame *frame, uint64_t top)
{
	uint32_t at = 1;		/* frame 0 is the traced function, not a return
					 * address */

	while (at < old->nr && old->frames[at].depth > frame->depth)
		at++;
	if (at < old->nr && old->frames[at].depth == frame->depth &&
	    old->frames[at].ip == frame->ip &&
	    are_there(old, at, top, frame->depth))
		return at;
	return old->nr;
}

/* Append the frames of @old from @at on to @new.  Returns false if @old cannot provide
 * the rest of the stack: it has no frame @at; or it was truncated to ABI_STACK_FRAMES
 * frames, and @new has space for more. */
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
 * Append the frames above @place to @new.  A stack that grows call by call is unwound
 * again at each call.  To save time, unwind only until the rest of the stack is equal to
 * the rest of @old, and copy this rest from @old.
 * @old: the previous deepest stack; NULL if that was the stack of another thread
 */
static void fill_copy(struct abi_stack_copy *new, const struct abi_stack_copy *old,
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
			continue;		/* skip a frame of libulf */
		if (sp > top)
			break;
		if (old && take_rest(new, old, find_common(old, &frame, top)))
			break;
		new->frames[new->nr++] = frame;
	}
}

/*
 * Copies of the deepest stack in private memory, to which a stack is copied first.
 * The previous deepest stack, with which it is compared, is private, too: another
 * process could change a copy in the root's memory at any time, and so make this
 * process read or write at any address.
 *
 * One thread at a time uses this struct.  A thread that finds the struct in use
 * continues without recording, as if it had not got abi_stack.lock.
 */
static struct {
	uint32_t lock;			/* a lock of shmlock.h, because a child of
					 * vfork() may die while it holds the lock */
	uint32_t last;			/* index in @stacks of the deepest stack that
					 * was copied last */
	uint32_t yields;		/* maximum number of yields while a thread
					 * waits for abi_stack.lock; halved each time
					 * a thread did not get the lock */
	struct abi_stack_copy stacks[2];
} private = { .yields = LOCK_YIELDS };

/* Copy the call stack of @thread to private memory, and return the copy.  The first
 * frame is the function at @ip.  @place: address at which its return address is
 * stored. */
static const struct abi_stack_copy *make_copy(const struct thread_slot *thread,
					      uint64_t ip, uint64_t place)
{
	const struct abi_stack_copy *old = &private.stacks[private.last];
	struct abi_stack_copy *new = &private.stacks[!private.last];

	new->tid = thread->thread.tid;
	new->frames[0] = (struct abi_stack_frame){
		ip + FSITE_BYTES, thread_stack(thread)->top - place + CALL_BYTES,
	};
	new->nr = 1;
	fill_copy(new, old->tid == new->tid ? old : NULL, place, thread_stack(thread)->top);
	private.last = !private.last;
	return new;
}

/* Copy the stack @from to @to, in the root's memory.  Meanwhile to->sequence is odd, so
 * that readers ignore @to. */
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

/* Write the thread's row and, if its stack is the deepest of the root, a copy of the
 * stack and abi_stack.max.  Returns false if the server has reset the maximum
 * meanwhile. */
static bool write_max(struct abi_stack *stack, const struct thread_slot *thread,
		      uint64_t ip, uint64_t place, uint64_t depth)
{
	uint64_t max = __atomic_load_n(&stack->max, __ATOMIC_ACQUIRE);	/* [stack.max] */
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

/* Call write_max() under abi_stack.lock.  Signals are blocked, and the caller holds
 * private.lock.  Returns false if abi_stack.lock was not available, or if write_max()
 * returns false. */
static bool write_locked(struct abi_stack *stack, const struct thread_slot *thread,
			 uint64_t ip, uint64_t place, uint64_t depth)
{
	bool is_written;

	if (shmlock_take_for(&stack->lock, thread->thread.tid, private.yields)) {
		/* Yield at least SHMLOCK_ASK times, because with fewer yields this
		 * thread would never notice that the holder is dead. */
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
	private.lock = 0;		/* release the lock, because its holder may be
					 * a thread that does not exist in the child */
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
	if (!thread_stack(thread)->top)
		find_stack(thread);
	if (thread_stack(thread)->resets != resets)
		thread_stack(thread)->depth = 0;
	thread_stack(thread)->resets = resets;
	depth = thread_stack(thread)->top - place;
	if (depth <= thread_stack(thread)->depth || !is_on_stack(thread, place))
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
		thread_stack(thread)->depth = depth;
	arch_signals_restore(&old);
	return 0;
}

/* ---- find the stack tracer's block, which the server has made ---- */

int stack_tracer_apply(void)
{
	/* acquire: the block is complete; mate: block_publish() [block.word] */
	uint64_t off = __atomic_load_n(&root_control->stack, __ATOMIC_ACQUIRE);
	struct abi_stack *stack = root_at(off);
	int r;

	if (ftrace_state.stack)
		return 0;
	if (!off || off % ABI_ALIGN || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(*stack));
	if (r)
		return r;
	if (stack->magic != ABI_STACK_MAGIC)
		return -EINVAL;
	ftrace_state.stack = stack;
	return 0;
}
