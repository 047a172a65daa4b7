/* SPDX-License-Identifier: MIT */
/*
 * A site of a function that no compiler has prepared can be switched only while no other thread
 * runs: its jump replaces several instructions, and its bytes are not written by one store
 * (fmoved.c).  At the start of the program there is only one thread.  Later the
 * server stops the others (abi_process.stop_wanted):
 *
 *	this thread				the server's stopper
 *	stop.wanted = its thread id  [stop.ask]
 *					------>	stops all threads but this one
 *					<------	stop.given = the thread id	[stop.given]
 *	looks at each of them: it is stopped, and is not inside of a site
 *	switches the sites
 *	stop.wanted = 0  [stop.end]	------>	lets them continue
 *
 * Every process of the root can write these words.  So this thread believes nothing: it asks
 * the kernel whether each thread is stopped, and where.  If the stopper is killed meanwhile,
 * the kernel lets the threads continue.  docs/design/moving.md says what that means.
 *
 * A thread that is interrupted by a signal continues where it was.  The address is in the frame
 * of the handler, on the stack.  So every word of a stack that could be an address inside of a
 * site keeps this site from being switched on.
 */
#include "runtime/function/still.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/base/maps.h"
#include "runtime/base/process.h"
#include "runtime/function/object.h"
#include "runtime/function/still_threads.h"

#define WAIT_SECONDS	2		/* longest wait for the stopper */
#define TURNS		3		/* how often sites in use are tried before they are left */
#define TURN_NS		1000000

/* ---- note where threads are ---- */

/* A stack that is in use, from @start on. */
struct used_stack {
	uint64_t start, end;
};

static bool see_stack(const struct maps_line *line, void *arg)
{
	struct used_stack *stack = arg;

	if (stack->start < line->start || stack->start >= line->end)
		return false;
	stack->end = line->end;
	return true;
}

static void note_word(uint64_t word)
{
	for (struct object *o = object_first(); o; o = o->next)
		fsites_note_use(&o->sites, word);
}

/* Note every word of the stack from @sp on as a possible instruction pointer. */
static void note_stack(uint64_t sp)
{
	struct used_stack stack = { .start = sp & ~7ull, .end = 0 };

	maps_walk(see_stack, &stack);
	for (uint64_t at = stack.start; at < stack.end; at += sizeof(uint64_t))
		note_word(*(const uint64_t *)at);
}

static void note_thread(uint64_t ip, uint64_t sp)
{
	note_word(ip);
	note_stack(sp);
}

/* ---- stop the other threads ---- */

static uint32_t *wanted_word(void)
{
	return &process_slot->stop_wanted;
}

/* Wait until stop_given is not @given.  Returns false if the time @until has come. */
static bool wait_for_answer(uint32_t given, const struct timespec *until)
{
	long r = arch_syscall6(SYS_futex, (long)&process_slot->stop_given, FUTEX_WAIT_BITSET,
			       given, (long)until, 0, FUTEX_BITSET_MATCH_ANY);

	return !r || r == -EAGAIN || r == -EINTR;
}

/* Ask the server to stop the other threads, and wait until it says so. */
static int ask_for_stop(uint32_t tid)
{
	struct timespec until;
	uint32_t given;

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &until);
	until.tv_sec += WAIT_SECONDS;

	__atomic_store_n(&process_slot->stop_given, 0, __ATOMIC_RELAXED);
	__atomic_store_n(wanted_word(), tid, __ATOMIC_RELEASE);	/* [stop.ask] */
	TESTPOINT("still.ask");
	/* The server waits for `applied', and looks at all words when it is woken. */
	arch_syscall3(SYS_futex, &process_slot->applied, FUTEX_WAKE, INT_MAX);
	do {
		/* acquire: the threads were stopped before; mate: stopper.c [stop.given] */
		given = __atomic_load_n(&process_slot->stop_given, __ATOMIC_ACQUIRE);
	} while ((!given || given == ABI_STOP_COMING) && wait_for_answer(given, &until));
	if (given == tid)
		return 0;
	return arch_is_error((int)given) ? (int)given : -ETIMEDOUT;
}

static void end_stop(void)
{
	TESTPOINT("still.end");
	__atomic_store_n(wanted_word(), 0, __ATOMIC_RELEASE);	/* [stop.end] */
	arch_syscall3(SYS_futex, wanted_word(), FUTEX_WAKE, INT_MAX);
}

/* ---- switch the sites ---- */

/* Switch sites.  The other threads are stopped, or there are none. */
static int flip_all(bool (*may_flip)(const struct object *object), uint32_t *ret_used)
{
	int ret = 0, r;

	patch_begin();
	for (struct object *o = object_first(); o; o = o->next) {
		r = may_flip(o) ? fsites_flip(&o->sites, ret_used) : 0;
		if (r && !ret)
			ret = r;
	}
	r = patch_step();
	patch_end();
	return r ? r : ret;
}

static bool needs_flip(bool (*may_flip)(const struct object *object), bool *ret_is_on)
{
	bool is_needed = false;

	for (struct object *o = object_first(); o; o = o->next)
		is_needed |= may_flip(o) && fsites_need_flip(&o->sites, ret_is_on);
	return is_needed;
}

/* Switch sites while the server stops the other threads.  @is_on: some sites are switched on. */
static int flip_stopped(bool (*may_flip)(const struct object *object), bool is_on,
			uint32_t *ret_used)
{
	int r;

	if (!process_slot)
		return -EAGAIN;
	r = ask_for_stop((uint32_t)arch_syscall0(SYS_gettid));
	if (!r)
		r = still_threads_see(is_on ? note_thread : NULL);
	if (!r)
		r = flip_all(may_flip, ret_used);
	end_stop();
	return r;
}

int still_flip(bool (*may_flip)(const struct object *object))
{
	struct timespec pause = { 0, TURN_NS };
	bool is_on = false;
	int r = 0;

	for (uint32_t turn = 0; turn < TURNS && needs_flip(may_flip, &is_on); turn++) {
		uint32_t nr_used = 0;

		if (turn)
			arch_syscall2(SYS_nanosleep, &pause, NULL);
		note_stack((uint64_t)__builtin_frame_address(0));
		r = still_threads_are_none() ? flip_all(may_flip, &nr_used) :
					       flip_stopped(may_flip, is_on, &nr_used);
		if (r || !nr_used)
			break;
	}
	return r;
}
