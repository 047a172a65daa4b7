/* SPDX-License-Identifier: MIT */
/* Let a thread of a program make system calls, by a carrier (arch/arch.h). */
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
	struct arch_tracee tracee;	/* its own registers */
	uint64_t mask;			/* its own signal mask */
	uint64_t carrier;		/* address of the carrier; 0: none was written */
	uint64_t since_ns;		/* time of CLOCK_MONOTONIC at which the thread was asked
					 * to stop */
	bool is_masked;			/* true: the thread's signals are blocked */
	bool has_moved;			/* true: the thread has the registers of the carrier */
	bool is_interrupted;		/* true: the thread has stopped for another reason than a
					 * request of this process, so the carrier must restore
					 * its registers */
	int signal;			/* signal that the kernel was about to deliver at that
					 * stop; 0: none */
};

/*
 * hijack_start - stop the thread @tid of @pid
 *
 * Returns 0; or an error after which the thread runs:
 *	-EAGAIN	it was about to get a signal, or SIGSTOP has stopped it: try again
 *	-EBUSY	it does not stop in time
 *	-ESRCH	it has ended
 *	-EPERM	this process may not trace it
 */
int hijack_start(pid_t pid, pid_t tid, struct hijack *ret_hijack);

/* Write the carrier to @address.  The thread does not use it before hijack_call().  @starter:
 * address for threads that clone() makes.  Returns 0 or -errno. */
int hijack_prepare(struct hijack *hijack, uint64_t address, uint64_t starter);

/*
 * hijack_call - let the thread make the system call @nr
 * @ret: result of the system call
 * Returns 0 or -errno. -EINTR: something else has stopped the thread, such as SIGSTOP.  Then
 * it is not known whether the call was made; if not, the thread makes it after its release.
 */
int hijack_call(struct hijack *hijack, long nr, const long args[6], long *ret);

/* Restore the thread's registers and signal mask, and let it continue.  Returns how long it
 * was stopped, in ns. */
uint64_t hijack_end(struct hijack *hijack);
/* Overwrite the carrier by zeroes, unless the thread executes it to restore its own
 * registers.  Called after hijack_end(), and after the new thread that was made by the carrier
 * has left it. */
void hijack_clean(struct hijack *hijack);

#endif
