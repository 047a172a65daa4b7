/* SPDX-License-Identifier: MIT */
/*
 * Stop and continue all threads of a process.  The steps:
 *
 *	list the threads; wait while one is in state D
 *	PTRACE_SEIZE all but the first thread
 *	PTRACE_INTERRUPT each, and wait: registers; keep its call from ending with EINTR
 *	do the same for threads that have started meanwhile
 *	do the same for the first thread, and then again for threads that it has started
 *	...
 *	PTRACE_DETACH each, with the signal that it was about to get; the first thread first
 *
 * When all listed threads are stopped, only threads that were not listed can start others.  So
 * all threads are stopped when a list has no new thread.
 *
 * The first thread is stopped last and released first for this reason: if it is traced, the
 * kernel does not drop signals to the process that the program ignores (SIGCHLD), because a
 * tracer may want to see them.  Such a signal would wake another thread, and end its
 * epoll_wait() with EINTR.  So as long as the first thread is traced, no other thread may be
 * in such a call.
 *
 * waitid() is called with WNOWAIT.  Otherwise waitid() would take away the signal that a
 * thread was about to get.  If this process were killed then, the kernel would let the thread
 * continue without the signal.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "base/testpoint.h"
#include "ptrace/stop.h"
#include "ptrace/stopped.h"

#define YIELDS		200u		/* this process waits for threads by checking them again
					 * and again: number of checks between which it only
					 * yields the CPU; after these it sleeps between two
					 * checks */
#define SLEEP_NS	50000
#define LOOKS		30u		/* maximum number of checks of a thread that was just
					 * asked to stop, before the next thread is asked */
#define REAP_NS		1000000000u	/* longest wait for the end of killed threads, ns */
#define EVENT(status)	((status) >> 8)	/* event of a ptrace stop, as waitid() reports it in
					 * the status; 0: a signal was about to be delivered */

static bool is_listed(const pid_t *tids, size_t nr, pid_t tid)
{
	for (size_t i = 0; i < nr; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

static bool is_known(const struct stopped *stopped, pid_t tid)
{
	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].tid == tid)
			return true;
	return false;
}

static int set_failure(struct stop_failure *ret_failure, int error, pid_t pid, pid_t tid)
{
	struct stop_failure failure = { .error = error, .tid = tid };

	if (tid) {
		failure.state = task_stat_read(pid, tid).state;
		failure.tracer = error == -EPERM ? task_tracer(pid, tid) : 0;
	}
	if (ret_failure)
		*ret_failure = failure;
	return error;
}

/* Pause between two checks of the threads.  @round: number of checks so far. */
static void pause_shortly(uint32_t round)
{
	const struct timespec sleep = { 0, SLEEP_NS };

	if (round < YIELDS)
		sched_yield();
	else
		nanosleep(&sleep, NULL);
}

/* ---- trace the threads ---- */

static struct stopped_thread *add_thread(struct stopped *stopped, pid_t tid)
{
	if (stopped->nr == stopped->max) {
		size_t max = stopped->max ? 2 * stopped->max : 64;
		struct stopped_thread *threads = realloc(stopped->threads, max * sizeof(*threads));

		if (!threads)
			return NULL;
		stopped->threads = threads;
		stopped->max = max;
	}
	memset(&stopped->threads[stopped->nr], 0, sizeof(*stopped->threads));
	stopped->threads[stopped->nr].tid = tid;
	return &stopped->threads[stopped->nr++];
}

/* Start to trace a thread.  Returns 1 if the thread is traced now, 0 if it works for the
 * kernel or has ended, or -errno. */
static int seize_thread(struct stopped *stopped, pid_t tid)
{
	struct stopped_thread *thread;

	if (ptrace(PTRACE_SEIZE, tid, NULL, 0)) {
		int error = -errno;
		struct task_stat stat = task_stat_read(stopped->pid, tid);

		/* EPERM may also mean that the thread has ended. */
		return stat.is_of_kernel || task_has_ended(stat) ? 0 : error;
	}
	thread = add_thread(stopped, tid);
	if (!thread)
		return -ENOMEM;
	thread->state = STOPPED_COMING;
	stopped->nr_coming++;
	return 1;
}

/* Wait until no thread is in state D (in a system call that nothing interrupts).  Called
 * before any thread is traced, because a thread in state D does not stop, and a traced thread
 * cannot be released before it has stopped. */
static int wait_for_calm(struct stopped *stopped, const struct stop_request *request,
			 uint64_t until_ns, struct stop_failure *ret_failure)
{
	int r = tasks_read(stopped->pid, &stopped->tasks);

	if (r)
		return set_failure(ret_failure, r, stopped->pid, 0);
	for (size_t i = 0; i < stopped->tasks.nr; i++) {
		pid_t tid = stopped->tasks.tids[i];

		if (is_listed(request->running, request->nr_running, tid))
			continue;
		for (uint32_t round = 0; task_stat_read(stopped->pid, tid).state == 'D'; round++) {
			if (clock_monotonic_ns() > until_ns)
				return set_failure(ret_failure, -EBUSY, stopped->pid, tid);
			pause_shortly(round);
		}
	}
	return 0;
}

/* ---- wait until the threads have stopped ---- */

static void set_gone(struct stopped *stopped, struct stopped_thread *thread)
{
	if (thread->state == STOPPED_COMING)
		stopped->nr_coming--;
	thread->state = STOPPED_GONE;
}

/* Reap a traced thread that has ended.  Returns false if the thread has not ended yet. */
static bool reap_thread(const struct stopped *stopped, pid_t tid)
{
	siginfo_t info = { 0 };

	if (tid == stopped->pid && stopped->is_own_child)
		return true;
	return waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL) || info.si_pid;
}

/* Store that the thread has stopped.  @status: the reason of the stop, as waitid() reports
 * it. */
static void hold_thread(struct stopped *stopped, struct stopped_thread *thread, int status)
{
	int r = arch_tracee_read(thread->tid, &thread->tracee);

	TESTPOINT("stop.stopped");
	if (r) {
		set_gone(stopped, thread);
		thread->state = STOPPED_KILLED;
		return;
	}
	if (arch_tracee_keep_call(stopped->pid, thread->tid, &thread->tracee) > 0)
		stopped->nr_kept_calls++;
	thread->signal = EVENT(status) ? 0 : status;
	thread->state = STOPPED_HELD;
	stopped->nr_coming--;
	TESTPOINT("stop.held");
}

/* Check once, without waiting, whether the thread has stopped or ended. */
static void check_thread(struct stopped *stopped, struct stopped_thread *thread)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)thread->tid, &info,
		   WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL)) {
		if (errno == ECHILD)
			set_gone(stopped, thread);
		return;
	}
	if (!info.si_pid)
		return;
	if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
		hold_thread(stopped, thread, info.si_status);
		return;
	}
	reap_thread(stopped, thread->tid);
	set_gone(stopped, thread);
}

/*
 * Ask a thread to stop.  A thread that sleeps, or runs on another CPU, stops at once.  So
 * this function waits a short time for that before the next thread is asked.  If this process
 * dies after a thread was asked and before its state is restored, the thread's system call
 * may return EINTR; this order keeps that time short.
 */
static void interrupt_thread(struct stopped *stopped, struct stopped_thread *thread)
{
	ptrace(PTRACE_INTERRUPT, thread->tid, NULL, 0);
	TESTPOINT("stop.interrupted");
	for (uint32_t i = 0; i < LOOKS && thread->state == STOPPED_COMING; i++)
		check_thread(stopped, thread);
}

/* Trace the threads of the process that are not traced yet, and ask them to stop.
 * @with_first: if false, the first thread of the process is left out.  *@ret_nr: number of
 * new threads that were found. */
static int seize_new(struct stopped *stopped, const struct stop_request *request,
		     bool with_first, size_t *ret_nr, struct stop_failure *ret_failure)
{
	size_t before = stopped->nr;
	int r = tasks_read(stopped->pid, &stopped->tasks);

	if (r)
		return set_failure(ret_failure, r, stopped->pid, 0);
	for (size_t i = 0; i < stopped->tasks.nr; i++) {
		pid_t tid = stopped->tasks.tids[i];

		if (is_known(stopped, tid) || (tid == stopped->pid && !with_first) ||
		    is_listed(request->running, request->nr_running, tid))
			continue;
		r = seize_thread(stopped, tid);
		if (r < 0)
			return set_failure(ret_failure, r, stopped->pid, tid);
	}
	TESTPOINT("stop.seized");
	if (!stopped->since_ns)
		stopped->since_ns = clock_monotonic_ns();
	for (size_t i = before; i < stopped->nr; i++)
		interrupt_thread(stopped, &stopped->threads[i]);
	*ret_nr = stopped->nr - before;
	return 0;
}

static void check_threads(struct stopped *stopped)
{
	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].state == STOPPED_COMING)
			check_thread(stopped, &stopped->threads[i]);
}

/* Return a thread that was asked to stop and has not stopped yet.  The caller knows that
 * there is such a thread. */
static pid_t first_coming(const struct stopped *stopped)
{
	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].state == STOPPED_COMING)
			return stopped->threads[i].tid;
	return 0;
}

/* Drop threads that have ended.  The kernel reports the end of a process's first thread only
 * after all others have ended, so threads_stop() would wait for it without this check. */
static void drop_ended(struct stopped *stopped)
{
	for (size_t i = 0; i < stopped->nr; i++) {
		struct stopped_thread *thread = &stopped->threads[i];

		if (thread->state == STOPPED_COMING &&
		    task_has_ended(task_stat_read(stopped->pid, thread->tid)))
			set_gone(stopped, thread);
	}
}

static int wait_for_stops(struct stopped *stopped, uint64_t until_ns,
			  struct stop_failure *ret_failure)
{
	for (uint32_t round = 0; stopped->nr_coming; round++) {
		check_threads(stopped);
		if (!stopped->nr_coming)
			break;
		if (round % YIELDS == YIELDS - 1)
			drop_ended(stopped);
		if (clock_monotonic_ns() > until_ns)
			return set_failure(ret_failure, -EBUSY, stopped->pid,
					   first_coming(stopped));
		pause_shortly(round);
	}
	return 0;
}

/* ---- continue ---- */

static void release_thread(struct stopped *stopped, struct stopped_thread *thread)
{
	if (thread->state != STOPPED_HELD)
		return;
	if (ptrace(PTRACE_DETACH, thread->tid, NULL, (long)thread->signal))
		thread->state = STOPPED_KILLED;
	else
		set_gone(stopped, thread);
	TESTPOINT("stop.released");
}

/* Reap the threads that were killed while they were stopped.  Until they are reaped, the
 * kernel does not report the end of their process to its parent.  Returns false if some
 * threads have not ended yet. */
static bool reap_killed(struct stopped *stopped)
{
	bool has_more = false;

	for (size_t i = 0; i < stopped->nr; i++) {
		struct stopped_thread *thread = &stopped->threads[i];

		if (thread->state != STOPPED_KILLED)
			continue;
		if (reap_thread(stopped, thread->tid))
			thread->state = STOPPED_GONE;
		else
			has_more = true;
	}
	return !has_more;
}

static void release_held(struct stopped *stopped)
{
	uint64_t until_ns = clock_monotonic_ns() + REAP_NS;

	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].tid == stopped->pid)
			release_thread(stopped, &stopped->threads[i]);
	for (size_t i = 0; i < stopped->nr; i++)
		release_thread(stopped, &stopped->threads[i]);
	for (uint32_t round = 0; !reap_killed(stopped) && clock_monotonic_ns() < until_ns; round++)
		pause_shortly(round);
}

static void stopped_free(struct stopped *stopped)
{
	tasks_done(&stopped->tasks);
	free(stopped->threads);
	free(stopped);
}

void threads_continue(struct stopped *stopped)
{
	if (!stopped)
		return;
	TESTPOINT("stop.continue");
	release_held(stopped);
	stopped_free(stopped);
}

/* Give up the stop: release all threads.  A thread that has not stopped cannot be released,
 * so this function first waits @timeout_ns for it. */
static void give_up(struct stopped *stopped, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + timeout_ns;

	release_held(stopped);
	wait_for_stops(stopped, until_ns, NULL);
	release_held(stopped);
	stopped_free(stopped);
}

/* Stop all threads that are not stopped yet.  Repeat this until no new thread is found. */
static int stop_new(struct stopped *stopped, const struct stop_request *request, bool with_first,
		    uint64_t until_ns, struct stop_failure *ret_failure)
{
	size_t nr_new = 0;
	int r;

	do {
		r = seize_new(stopped, request, with_first, &nr_new, ret_failure);
		if (!r)
			r = wait_for_stops(stopped, until_ns, ret_failure);
	} while (!r && nr_new);
	return r;
}

static int stop_all(struct stopped *stopped, const struct stop_request *request,
		    uint64_t timeout_ns, struct stop_failure *ret_failure)
{
	uint64_t until_ns = clock_monotonic_ns() + timeout_ns;
	int r = wait_for_calm(stopped, request, until_ns, ret_failure);

	if (r)
		return r;
	r = stop_new(stopped, request, false, until_ns, ret_failure);
	if (!r)
		r = stop_new(stopped, request, true, until_ns, ret_failure);
	for (size_t i = 0; !r && i < stopped->nr; i++)
		if (stopped->threads[i].state == STOPPED_HELD)
			return 0;
	return r ? r : set_failure(ret_failure, -ESRCH, stopped->pid, 0);
}

int threads_stop(pid_t pid, const struct stop_request *request, struct stopped **ret_stopped,
		 struct stop_failure *ret_failure)
{
	static const struct stop_request nothing_special;
	struct stopped *stopped = calloc(1, sizeof(*stopped));
	uint64_t timeout_ns;
	int r;

	if (!stopped)
		return set_failure(ret_failure, -ENOMEM, pid, 0);
	if (!request)
		request = &nothing_special;
	timeout_ns = (request->timeout_ms ? request->timeout_ms : STOP_TIMEOUT_MS) * 1000000ull;
	stopped->pid = pid;
	stopped->is_own_child = task_stat_read(pid, pid).parent == getpid();
	r = stop_all(stopped, request, timeout_ns, ret_failure);
	if (r) {
		give_up(stopped, timeout_ns);
		return r;
	}
	*ret_stopped = stopped;
	return 0;
}

size_t threads_nr(const struct stopped *stopped)
{
	size_t nr = 0;

	for (size_t i = 0; i < stopped->nr; i++)
		nr += stopped->threads[i].state == STOPPED_HELD;
	return nr;
}

size_t threads_nr_kept_calls(const struct stopped *stopped)
{
	return stopped->nr_kept_calls;
}

uint64_t threads_stopped_ns(const struct stopped *stopped)
{
	return clock_monotonic_ns() - stopped->since_ns;
}

void stop_failure_print(const struct stop_failure *failure, struct text *out)
{
	if (failure->tracer)
		text_printf(out, "process %d traces thread %d already", failure->tracer,
			    failure->tid);
	else if (failure->error == -ESRCH)
		text_puts(out, "the process has ended");
	else if (failure->error == -EBUSY && failure->state == 'D')
		text_printf(out, "thread %d does not stop: it waits in the kernel (state D), for a "
				 "disk or for its vfork() child", failure->tid);
	else if (failure->error == -EBUSY)
		text_printf(out, "thread %d does not stop in time (state %c)", failure->tid,
			    failure->state);
	else if (failure->tid)
		text_printf(out, "thread %d: %s", failure->tid, strerror(-failure->error));
	else
		text_puts(out, strerror(-failure->error));
}
