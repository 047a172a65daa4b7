/* SPDX-License-Identifier: MIT */
/* Let a stopped thread of a program make system calls.  The thread executes a carrier for
 * this (arch/arch.h). */
#ifndef ULF_PTRACE_HIJACK_H
#define ULF_PTRACE_HIJACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/arch.h"

/* A thread that is stopped, and makes system calls for another process. */
struct hijack {
	pid_t pid;
	pid_t tid;
	struct arch_tracee tracee;	/* the thread's own registers, with which it ran code of
					 * the program */
	uint64_t mask;			/* the thread's own signal mask, with which it ran code
					 * of the program */
	uint64_t carrier;		/* address of the carrier in the program; 0: no
					 * carrier was written */
	uint64_t since_ns;		/* time of CLOCK_MONOTONIC at which the thread was asked
					 * to stop */
	bool is_masked;			/* true: this process has blocked the thread's signals */
	bool has_moved;			/* true: the thread has the registers for the carrier,
					 * not its own registers */
	bool is_interrupted;		/* true: the thread has stopped for another reason
					 * than a request of this process, so the carrier must
					 * restore the thread's registers */
	int signal;			/* signal that the kernel was about to deliver to the
					 * interrupted thread; 0: none */
};

/*
 * hijack_start - stop the thread @tid of @pid
 *
 * Returns 0; or one of these errors, after which the thread continues:
 *	-EAGAIN	the thread was about to get a signal, or SIGSTOP has stopped it: try again
 *	-EBUSY	the thread does not stop in time
 *	-ESRCH	the thread has ended
 *	-EPERM	this process has no right to trace the thread
 */
int hijack_start(pid_t pid, pid_t tid, struct hijack *ret_hijack);

/* Write the carrier to @address.  The thread does not execute the carrier before
 * hijack_call().  @starter: address at which a thread that clone() makes continues.  Returns
 * 0 or -errno. */
int hijack_prepare(struct hijack *hijack, uint64_t address, uint64_t starter);

/*
 * hijack_call - let the thread make the system call @nr
 * @ret: result of the system call
 * Returns 0 or -errno. -EINTR: something else has stopped the thread, such as SIGSTOP.  Then
 * it is not known whether the thread has made the system call.  If not, it makes the call
 * after its release.
 */
int hijack_call(struct hijack *hijack, long nr, const long args[6], long *ret);

/* Restore the thread's registers and signal mask, and let it continue.  Returns how long it
 * was stopped, in ns. */
uint64_t hijack_end(struct hijack *hijack);
/* Overwrite the carrier by zeroes, unless the thread executes it to restore its own
 * registers.  Called after hijack_end(), and after a new thread that the carrier has made has
 * left the carrier. */
void hijack_clean(struct hijack *hijack);

#endif
