/* SPDX-License-Identifier: MIT */
/*
 * Some functions that no compiler has prepared (FMOVED_STILL, fmoved.c), and some probes
 * (USITE_STILL, usite.c), can be switched only while no other thread runs: the jump replaces
 * several instructions, and its bytes are not written by one store.  At the start of the program
 * there is only one thread.  Later the server stops the other threads:
 *
 *	this thread				the server's stopper (daemon/stopper.c)
 *	stop_given = 0
 *	stop_wanted = its thread id  [stop.ask]
 *	futex()			------>	stops all threads but this one
 *					looks which ranges of code they may still execute
 *					stop.inside, then stop.tid, in private memory
 *				<------	stop_given = the thread id
 *	switches the sites that are not in use
 *	stop.tid = 0  [stop.end]
 *	stop_wanted = 0		------>	lets them continue
 *				<------	stop_given = 0
 *
 * Every process of the root can write stop_wanted and stop_given, so these words only wake the
 * other side, and nothing else depends on their values.  The answer is in private memory
 * (abi/stop.h), which only a process that may trace this one can write.  If the stopper is
 * killed meanwhile, the kernel lets the threads continue: docs/design/moving.md says what that
 * means.
 *
 * A thread that runs a signal handler will continue where the signal has interrupted it.  This
 * address is in the signal frame on the stack.  So every word of a stack that could be an
 * address inside of a site keeps this site from being switched on.
 */
#include "runtime/function/still.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "abi/control.h"
#include "abi/stop.h"
#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/base/maps.h"
#include "runtime/base/memory.h"
#include "runtime/base/process.h"

#define WAIT_SECONDS	3		/* longest wait for the stopper, s */
#define TURNS		3		/* maximum number of attempts if sites are in
					 * use or threads do not stop */
#define TURN_NS		1000000
#define LEFT_MAX	64u		/* no stops are requested any more after this
					 * many stops that got no answer, because each
					 * of them keeps a block allocated */

/* ---- this thread's own stack ---- */

static long agent_tid;			/* thread id of the agent; only the agent stores it */

void still_agent(bool has_own_table)
{
	(void)has_own_table;
	__atomic_store_n(&agent_tid, arch_syscall0(SYS_gettid), __ATOMIC_RELAXED);
}

/* Returns true if a signal handler may be on this thread's stack.  The agent has blocked all
 * signals since it was started, so it was never interrupted.  Its stack has addresses of sites
 * that it has switched before, which must not keep these sites from being switched. */
static bool may_be_in_handler(void)
{
	long tid = arch_syscall0(SYS_gettid);

	return tid <= 0 || tid != __atomic_load_n(&agent_tid, __ATOMIC_RELAXED);
}

/* A range of this thread's stack that is in use: the addresses from @start to
 * before @end. */
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

/* Note every word of this thread's stack as a possible instruction pointer. */
static void note_own_stack(const struct still_sites *sites)
{
	struct used_stack stack = { .start = (uint64_t)__builtin_frame_address(0), .end = 0 };

	maps_walk(see_stack, &stack);
	for (uint64_t at = stack.start; at < stack.end; at += sizeof(uint64_t))
		sites->note(*(const uint64_t *)at);
}

static void note_inside(const struct still_sites *sites, const struct abi_stop_range *ranges,
			const uint64_t *inside, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (inside[i / 64] >> i % 64 & 1)
			sites->note(ranges[i].start);
}

/* ---- stop the other threads ---- */

/* Set *@ret_until to WAIT_SECONDS from now. */
static void start_wait(struct timespec *ret_until)
{
	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, ret_until);
	ret_until->tv_sec += WAIT_SECONDS;
}

/* Wait while abi_process.stop_given is @given.  Returns false when the time @until has come.
 * @stop: the block in which the stopper stores its answer. */
static bool wait_while(uint32_t given, const struct timespec *until,
		       const struct abi_stop *stop)
{
	long r = arch_syscall6(SYS_futex, (long)&process_slot->stop_given, FUTEX_WAIT_BITSET,
			       given, (long)until, (long)stop, FUTEX_BITSET_MATCH_ANY);

	return !r || r == -EAGAIN || r == -EINTR;
}

/* Ask the server to stop the other threads, and wait until its answer is in @stop. */
static int ask_for_stop(uint32_t tid, struct abi_stop *stop)
{
	struct timespec until;
	uint32_t given;

	start_wait(&until);
	__atomic_store_n(&process_slot->stop_given, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&process_slot->stop_wanted, tid, __ATOMIC_RELEASE); /* [stop.ask] */
	TESTPOINT("still.ask");
	/* Wake the server.  It waits for a change of `applied', and then also checks
	 * stop_wanted. */
	arch_syscall3(SYS_futex, &process_slot->applied, FUTEX_WAKE, INT_MAX);
	do
		given = __atomic_load_n(&process_slot->stop_given, __ATOMIC_RELAXED);
	while ((!given || given == ABI_STOP_COMING) && wait_while(given, &until, stop));
	/* acquire: stop.inside was stored before; mate: stopper.c [stop.given] */
	if (__atomic_load_n(&stop->tid, __ATOMIC_ACQUIRE) == tid)
		return 0;
	return arch_is_error((int)given) ? (int)given : -ETIMEDOUT;
}

/* End the stop, and wait until the stopper has released all threads.  Without this wait, the
 * next stop would find threads that are still traced. */
static void end_stop(uint32_t tid, struct abi_stop *stop)
{
	struct timespec until;

	TESTPOINT("still.end");
	start_wait(&until);
	/* The stopper trusts only stop->tid, which is in private memory: another
	 * process of the root may clear @stop_wanted while this process still patches. */
	__atomic_store_n(&stop->tid, 0, __ATOMIC_RELEASE);	/* [stop.end] */
	__atomic_store_n(&process_slot->stop_wanted, 0, __ATOMIC_RELEASE);
	arch_syscall3(SYS_futex, &process_slot->stop_wanted, FUTEX_WAKE, INT_MAX);
	while (__atomic_load_n(&process_slot->stop_given, __ATOMIC_RELAXED) == tid &&
	       wait_while(tid, &until, NULL))
		;
}

/* ---- switch the sites ---- */

/* Switch the sites.  The other threads are stopped, or there are no others. */
static int flip_all(const struct still_sites *sites, uint32_t *ret_used)
{
	int ret, r;

	patch_begin();
	ret = sites->flip(ret_used);
	r = patch_step();
	patch_end();
	return r ? r : ret;
}

/* Switch sites while the server stops the other threads.  @stop: a block, followed by space
 * for @nr ranges and for their bitmap. */
static int flip_stopped(const struct still_sites *sites, struct abi_stop *stop, uint64_t nr,
			uint32_t *ret_used, bool *ret_is_answered)
{
	struct abi_stop_range *ranges = (struct abi_stop_range *)(stop + 1);
	uint64_t *inside = (uint64_t *)(ranges + nr);
	uint32_t tid = (uint32_t)arch_syscall0(SYS_gettid);
	int r;

	*stop = (struct abi_stop){
		.magic = ABI_STOP_MAGIC, .ranges = (uint64_t)ranges, .nr = nr,
		.inside = (uint64_t)inside,
	};
	sites->list(ranges);
	r = ask_for_stop(tid, stop);
	*ret_is_answered = !r;
	if (!r) {
		note_inside(sites, ranges, inside, nr);
		r = flip_all(sites, ret_used);
	} else {
		/* Clear the magic number of the block, so that a stopper that comes late does
		 * not stop threads for it. */
		__atomic_store_n(&stop->magic, 0, __ATOMIC_RELAXED);
	}
	end_stop(tid, stop);
	return r;
}

static int stop_and_flip(const struct still_sites *sites, uint32_t *ret_used)
{
	static uint32_t nr_left;	/* number of blocks that had to stay allocated; lock held */
	uint64_t nr = sites->list(NULL);
	struct abi_stop *stop;
	bool is_answered;
	int r;

	if (!process_slot || nr_left == LEFT_MAX)
		return -EAGAIN;
	if (nr > ABI_STOP_RANGES_MAX)
		return -E2BIG;
	stop = memory_alloc(sizeof(*stop) + nr * sizeof(struct abi_stop_range) +
			    (nr / 64 + 1) * sizeof(uint64_t));
	if (!stop)
		return -ENOMEM;
	r = flip_stopped(sites, stop, nr, ret_used, &is_answered);
	/* The stopper writes stop->tid last.  Without this answer, the stopper may still
	 * write to the block at any time, so the block must not be freed. */
	if (is_answered)
		memory_free(stop);
	else
		nr_left++;
	return r;
}

/* The link count of the directory /proc/self/task is the number of threads plus 2. */
bool still_is_alone(void)
{
	struct stat st;

	return !arch_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) &&
	       st.st_nlink == 3;
}

int still_flip(const struct still_sites *sites)
{
	struct timespec pause = { 0, TURN_NS };
	int r = 0;

	for (uint32_t turn = 0; turn < TURNS && sites->need(); turn++) {
		uint32_t nr_used = 0;

		if (turn)
			arch_syscall2(SYS_nanosleep, &pause, NULL);
		if (may_be_in_handler())
			note_own_stack(sites);
		r = still_is_alone() ? flip_all(sites, &nr_used) :
				 stop_and_flip(sites, &nr_used);
		/* Try again after EBUSY: a thread got no CPU time, or waits in the kernel,
		 * and so did not stop in time. */
		if (r != -EBUSY && (r || !nr_used))
			break;
	}
	return r;
}
