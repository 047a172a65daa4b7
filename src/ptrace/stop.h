/* SPDX-License-Identifier: MIT */
/*
 * Stop the threads of another process for a short time, look where they are, and let them
 * continue.  The program must not notice: docs/design/attach.md, "The stop".
 *
 *	threads_stop(pid, &request, &stopped, &failure)
 *	threads_inside(stopped, ranges, nr, inside)
 *	... change the code in the ranges that are not in use ...
 *	threads_continue(stopped)
 *
 * All calls for one process must come from the same thread, because only the thread that has
 * stopped another one may look at it.  If the caller dies, the kernel lets all threads
 * continue.  No function here may be called by a signal handler.
 *
 * The caller should be a process of its own with an alarm(2): if a thread of @pid calls
 * exec() at the same moment, PTRACE_SEIZE can wait for ever.
 */
#ifndef ULF_PTRACE_STOP_H
#define ULF_PTRACE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

#define STOP_TIMEOUT_MS		1000u

struct stopped;

struct stop_request {
	const pid_t *running;		/* threads that threads_stop() leaves running, such as
					 * libulf's agent */
	size_t nr_running;
	uint32_t timeout_ms;		/* longest time to wait for a thread that does not
					 * stop, ms; 0 stands for STOP_TIMEOUT_MS */
};

/* The reason why threads_stop() has failed. */
struct stop_failure {
	int error;			/* -errno */
	pid_t tid;			/* id of the thread that could not be stopped; 0: the
					 * failure is not about one thread */
	char state;			/* state of the thread that could not be stopped, as
					 * in /proc/PID/stat */
	pid_t tracer;			/* process that already traces the thread that could
					 * not be stopped; 0: none */
};

/* Code that the caller will change: the addresses from @start to before @end. */
struct code_range {
	uint64_t start;
	uint64_t end;
};

/*
 * threads_stop - stop all threads of the process @pid
 * @request: may be NULL.
 * @ret_stopped: set on success only; the caller must call threads_continue().
 * @ret_failure: set on failure only; may be NULL.
 *
 * Threads that start meanwhile are stopped, too.  Threads that only work for the kernel
 * (io_uring) and threads that have ended are left out.  A program that SIGSTOP has stopped
 * stays stopped afterwards.  Signals that arrive meanwhile are delivered afterwards.
 *
 * Returns 0, or:
 *	-ESRCH	the process has ended
 *	-EPERM	the caller has no right to trace a thread, or another process traces it
 *	-EBUSY	a thread does not stop in time: it is in state D (it waits for a disk, or for
 *		its vfork() child), or gets no CPU.  All other threads continue.  If this thread
 *		does not stop within another timeout, it stays traced: when it stops, it
 *		continues only after the caller has exited.  So the caller must exit then.
 *	-ENOMEM
 */
int threads_stop(pid_t pid, const struct stop_request *request, struct stopped **ret_stopped,
		 struct stop_failure *ret_failure);

/* Let all threads continue, and free @stopped, which may be NULL. */
void threads_continue(struct stopped *stopped);

/*
 * threads_nr - return how many threads are stopped
 * threads_nr_kept_calls - return how many system calls of the stopped threads are restarted;
 * without that, these calls would return EINTR because of the stop
 * threads_stopped_ns - return how long the first thread has been stopped so far
 */
size_t threads_nr(const struct stopped *stopped);
size_t threads_nr_kept_calls(const struct stopped *stopped);
uint64_t threads_stopped_ns(const struct stopped *stopped);

/*
 * threads_inside - find the ranges that a thread may still execute
 * @ranges: @nr ranges in ascending order, which do not overlap.
 * @inside: bitmap of @nr bits, in words; the function sets the bits of the ranges that are in
 *	use, and clears no bit.
 *
 * A range is in use if the instruction pointer of a stopped thread is in it, or if a word of
 * the used part of a thread's stack is an address in it: such a word may be the instruction
 * pointer that the kernel has saved for a signal handler, or a return address.  Signal
 * stacks, and the stacks that handlers on them have interrupted, are included.  So the result
 * contains every range that is in use, and possibly others.
 *
 * Threads that threads_stop() has left running are not looked at.  Returns the number of
 * bits that were set, or -errno.
 */
int threads_inside(const struct stopped *stopped, const struct code_range *ranges, size_t nr,
		   uint64_t *inside);

/* Returns true if a signal handler may be running on the stack of @pid whose stack pointer is
 * @sp, or if that is not known.  The thread of this stack must be stopped. */
bool stack_has_frame(pid_t pid, uint64_t sp);

/* Append the reason for a failure as a sentence without a full stop, such as "thread 12 does
 * not stop: it is in state D". */
void stop_failure_print(const struct stop_failure *failure, struct text *out);

#endif
