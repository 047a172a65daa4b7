/* SPDX-License-Identifier: MIT */
/* Registers of a thread that ptrace(2) has stopped, and registers that the kernel has saved
 * on a stack. */
#ifndef ULF_ARCH_TRACEE_H
#define ULF_ARCH_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ARCH_TRACEE_WORDS	27u	/* size of struct user_regs_struct in words */

/* The registers, as <sys/user.h> describes them.  Only tracee.c includes that header: it
 * defines `struct user'. */
struct arch_tracee {
	uint64_t regs[ARCH_TRACEE_WORDS];
};

#define ARCH_TRACEE_IPS		2u	/* number of values of arch_tracee_ips() */
#define ARCH_RED_ZONE_BYTES	128u	/* bytes below the stack pointer that code may use */
#define ARCH_CONTEXT_WORDS	4u	/* number of words that arch_context_sp() looks at */

/* Read the registers of the stopped thread @tid.  Returns 0 or -errno. */
int arch_tracee_read(pid_t tid, struct arch_tracee *ret_tracee);
/*
 * Store the addresses at which the thread may continue: the instruction pointer, and in a
 * system call also the address of the call's instruction, because the kernel may start the
 * call again.  Without a system call both are equal.
 */
void arch_tracee_ips(const struct arch_tracee *tracee, uint64_t ret_ips[ARCH_TRACEE_IPS]);

/* Returns the stack pointer. */
uint64_t arch_tracee_sp(const struct arch_tracee *tracee);

/*
 * Keep the system call of a stopped thread from ending with EINTR because of the stop.
 *
 * The kernel itself starts most system calls again after a stop.  Others (epoll_wait,
 * semtimedop, sigtimedwait, recv with SO_RCVTIMEO) end with EINTR, although no handler of
 * a signal has run.  For these the function stores the result with which the kernel starts
 * a call again unless it delivers a signal to a handler.  So the call returns EINTR if and
 * only if a handler runs.
 *
 * @pid, @tid: the process and the thread, which must be in a stop that PTRACE_INTERRUPT or
 *	a signal has caused.  @tracee: its registers, which the function changes, too.
 * Returns 1 if the call starts again because of this function, 0 if nothing had to be done,
 * or -errno.
 */
int arch_tracee_keep_call(pid_t pid, pid_t tid, struct arch_tracee *tracee);

/*
 * Returns true if @words may be the last words of the registers in a signal frame
 * (sigcontext): stack pointer, instruction pointer, flags, segments.  *@ret_sp is the saved
 * stack pointer.
 */
bool arch_context_sp(const uint64_t words[ARCH_CONTEXT_WORDS], uint64_t *ret_sp);

#endif
