/* SPDX-License-Identifier: MIT */
/*
 * Let a stopped thread of another process make system calls.  Each line below is a step, and
 * what the thread does if a SIGKILL ends this process after it:
 *
 *	PTRACE_SEIZE, PTRACE_INTERRUPT	the thread continues, as after threads_stop()
 *	write the carrier		as before; bytes that nobody executes
 *	registers of the carrier	the thread makes the system call, and restores itself
 *	block all signals		the same: restoring includes the mask
 *	PTRACE_SYSCALL, twice		the same
 *	... further calls ...
 *	PTRACE_INTERRUPT, PTRACE_CONT	the same; the thread is stopped where the kernel delivers
 *					signals, as it was first
 *	its own mask			the same
 *	its own registers		the thread continues where it was
 *	PTRACE_DETACH
 *	zeroes over the carrier
 *
 * Single steps would be simpler, but the kernel leaves the trap flag set if the tracer dies,
 * and SIGTRAP would end the program.  PTRACE_O_TRACESYSGOOD is necessary: without it, the stop
 * at a system call would become a SIGTRAP if the tracer dies.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/posix_clock.h"
#include "base/testpoint.h"
#include "ptrace/hijack.h"
#include "ptrace/remote.h"

#define STOP_NS		2000000000ull	/* longest wait for a stop */
#define YIELDS		200u
#define SLEEP_NS	50000
#define MASK_BYTES	8
#define STATUS_CALL	(SIGTRAP | 0x80)	/* a stop at a system call */
#define STATUS_STOP	(SIGTRAP | PTRACE_EVENT_STOP << 8)

static void pause_shortly(uint32_t round)
{
	const struct timespec sleep = { 0, SLEEP_NS };

	if (round < YIELDS)
		sched_yield();
	else
		nanosleep(&sleep, NULL);
}

/* Wait until the thread @tid stops.  *@ret_status: the reason of the stop, as waitid()
 * reports it.  With WNOWAIT, a signal that the thread was about to get is not lost if this
 * process is killed (stop.c). */
static int wait_for_stop(pid_t tid, int *ret_status)
{
	uint64_t until_ns = clock_monotonic_ns() + STOP_NS;

	for (uint32_t round = 0;; round++) {
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t)tid, &info,
			   WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL))
			return -ESRCH;
		if (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
			waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL);
			return -ESRCH;
		}
		if (info.si_pid) {
			*ret_status = info.si_status;
			return 0;
		}
		if (clock_monotonic_ns() > until_ns)
			return -EBUSY;
		pause_shortly(round);
	}
}

/*
 * Let a thread continue that was stopped by another event than PTRACE_INTERRUPT of this
 * process, for example by a signal.
 */
static void release_thread(pid_t tid, int status)
{
	int signal = status >> 8 ? 0 : status & 0x7f;

	ptrace(PTRACE_DETACH, tid, NULL, (long)signal);
}

int hijack_start(pid_t pid, pid_t tid, struct hijack *ret_hijack)
{
	struct hijack hijack = { .pid = pid, .tid = tid, .since_ns = clock_monotonic_ns() };
	int status, r;

	if (ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD))
		return -errno;
	TESTPOINT("inject.seized");
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, 0))
		return -errno;
	TESTPOINT("inject.interrupted");
	r = wait_for_stop(tid, &status);
	if (r)
		return r;
	r = arch_tracee_read(tid, &hijack.tracee);
	if (!r && arch_tracee_keep_call(pid, tid, &hijack.tracee) < 0)
		r = -ESRCH;
	TESTPOINT("inject.stopped");
	if (!r && status != STATUS_STOP)
		r = -EAGAIN;
	if (!r && ptrace(PTRACE_GETSIGMASK, tid, (void *)MASK_BYTES, &hijack.mask))
		r = -errno;
	if (r)
		release_thread(tid, status);
	else
		*ret_hijack = hijack;
	return r;
}

int hijack_prepare(struct hijack *hijack, uint64_t address, uint64_t starter)
{
	uint8_t code[ARCH_CARRIER_MAX];
	size_t bytes = arch_carrier_make(&hijack->tracee, hijack->mask, starter, code);
	int r = remote_write(hijack->pid, address, code, bytes);

	if (!r)
		hijack->carrier = address;
	TESTPOINT("inject.carrier");
	return r;
}

/* Block all signals of the thread, so that no handler runs while it has the registers of the
 * carrier.  The thread must have these registers already: otherwise, if this process died,
 * the thread would run its own code with all signals blocked.  The carrier restores the
 * signal mask. */
static int block_signals(struct hijack *hijack)
{
	uint64_t all = ~0ull;

	if (hijack->is_masked)
		return 0;
	if (ptrace(PTRACE_SETSIGMASK, hijack->tid, (void *)MASK_BYTES, &all))
		return -errno;
	hijack->is_masked = true;
	return 0;
}

/*
 * Returns 0 if @status says that the thread has stopped for the reason @wanted.  Otherwise
 * stores in @hijack that the thread has stopped for another reason, and the signal if that was
 * the reason.
 */
static int check_status(struct hijack *hijack, int status, int wanted)
{
	if (status == wanted)
		return 0;
	hijack->is_interrupted = true;
	hijack->signal = status >> 8 ? 0 : status & 0x7f;
	return -EINTR;
}

/* Let the thread continue until it enters or leaves a system call. */
static int step_call(struct hijack *hijack)
{
	int status, r;

	if (ptrace(PTRACE_SYSCALL, hijack->tid, NULL, 0))
		return -errno;
	r = wait_for_stop(hijack->tid, &status);
	return r ? r : check_status(hijack, status, STATUS_CALL);
}

int hijack_call(struct hijack *hijack, long nr, const long args[6], long *ret)
{
	struct arch_tracee now;
	int r = arch_tracee_set_call(hijack->tid, &hijack->tracee, hijack->carrier, nr, args);

	if (r)
		return r;
	hijack->has_moved = true;
	TESTPOINT("inject.moved");
	r = block_signals(hijack);
	TESTPOINT("inject.blocked");
	if (!r)
		r = step_call(hijack);
	TESTPOINT("inject.entered");
	if (!r)
		r = step_call(hijack);
	TESTPOINT("inject.exited");
	if (!r)
		r = arch_tracee_read(hijack->tid, &now);
	if (!r)
		*ret = arch_tracee_result(&now);
	return r;
}

/* Bring the thread from a stop at a system call back to a stop where the kernel delivers
 * signals.  Only from such a stop does the kernel restart the system call that the first stop
 * interrupted. */
static int return_to_stop(struct hijack *hijack)
{
	int status, r;

	if (ptrace(PTRACE_INTERRUPT, hijack->tid, NULL, 0) ||
	    ptrace(PTRACE_CONT, hijack->tid, NULL, 0))
		return -errno;
	r = wait_for_stop(hijack->tid, &status);
	if (!r)
		r = check_status(hijack, status, STATUS_STOP);
	TESTPOINT("inject.returned");
	return r;
}

static int give_back(struct hijack *hijack)
{
	int r = return_to_stop(hijack);

	if (!r && ptrace(PTRACE_SETSIGMASK, hijack->tid, (void *)MASK_BYTES, &hijack->mask))
		r = -errno;
	TESTPOINT("inject.unblocked");
	if (!r)
		r = arch_tracee_write(hijack->tid, &hijack->tracee);
	if (!r)
		hijack->has_moved = false;
	TESTPOINT("inject.restored");
	return r;
}

/* If SIGSTOP prevents the registers from being restored, the thread keeps the registers of
 * the carrier.  The carrier then restores the thread's own registers. */
uint64_t hijack_end(struct hijack *hijack)
{

	if (hijack->has_moved && !hijack->is_interrupted)
		give_back(hijack);
	ptrace(PTRACE_DETACH, hijack->tid, NULL, (long)hijack->signal);
	TESTPOINT("inject.released");
	return clock_monotonic_ns() - hijack->since_ns;
}

void hijack_clean(struct hijack *hijack)
{
	static const uint8_t nothing[ARCH_CARRIER_MAX];

	if (hijack->carrier && !hijack->has_moved)
		remote_write(hijack->pid, hijack->carrier, nothing, sizeof(nothing));
	TESTPOINT("inject.cleaned");
}
