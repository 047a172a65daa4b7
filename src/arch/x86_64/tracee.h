/* SPDX-License-Identifier: MIT */
/* Registers of a thread that ptrace(2) has stopped, and registers that the kernel has saved
 * on a stack. */
#ifndef ULF_ARCH_TRACEE_H
#define ULF_ARCH_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARCH_TRACEE_WORDS	27u	/* size of struct user_regs_struct in words */

/* Registers in the form of struct user_regs_struct of <sys/user.h>.  Only tracee.c includes
 * that header, because it defines `struct user'. */
struct arch_tracee {
	uint64_t regs[ARCH_TRACEE_WORDS];
};

#define ARCH_TRACEE_IPS		2u	/* number of values of arch_tracee_ips() */
#define ARCH_RED_ZONE_BYTES	128u	/* size of the red zone: number of bytes below
					 * the stack pointer that a function may use
					 * without moving it */
#define ARCH_CONTEXT_WORDS	4u	/* number of words that arch_context_sp()
					 * examines */

/* Read the registers of the stopped thread @tid.  Returns 0 or -errno. */
int arch_tracee_read(pid_t tid, struct arch_tracee *ret_tracee);
/*
 * Store the addresses at which the thread may continue: the instruction pointer, and in a
 * system call also the address of the call's instruction, because the kernel may restart
 * the call.  Without a system call both are equal.
 */
void arch_tracee_ips(const struct arch_tracee *tracee, uint64_t ret_ips[ARCH_TRACEE_IPS]);

/* Returns the stack pointer of the thread. */
uint64_t arch_tracee_sp(const struct arch_tracee *tracee);

/* Returns the address of the thread's control block in libc; 0 if the thread has none. */
uint64_t arch_tracee_control_block(const struct arch_tracee *tracee);

/*
 * Keep the system call of a stopped thread from ending with EINTR because of the stop.
 *
 * The kernel itself restarts most system calls after a stop.  Others (epoll_wait,
 * semtimedop, sigtimedwait, recv with SO_RCVTIMEO) end with EINTR, although no handler of
 * a signal has run.  For such a call, this function stores the result with which the
 * kernel restarts a call unless it delivers a signal to a handler.  So the call returns
 * EINTR if and only if a handler runs.
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

/* ---- let a stopped thread make system calls; see starter.S and docs/design/attach.md ---- */

/* A carrier: code in which a stopped thread makes a system call.  If the tracer dies, the
 * carrier restores the thread's registers. */
#define ARCH_CARRIER_MAX	320u	/* maximum number of bytes of a carrier */

/*
 * arch_carrier_make - make the carrier for a stopped thread
 * @tracee: the registers with which the thread must continue.
 * @mask: the signal mask with which the thread must continue.
 * @starter: address at which a new thread starts that the carrier's clone() has
 * made.
 * Returns the number of bytes.
 */
size_t arch_carrier_make(const struct arch_tracee *tracee, uint64_t mask, uint64_t starter,
			 uint8_t ret_code[ARCH_CARRIER_MAX]);
/*
 * Returns the offset in the carrier of a word that is 0 or the address of a byte.  If it is an
 * address, a carrier first waits, for a limited time, until this byte is 0, and then restores a
 * thread's registers.
 */
size_t arch_carrier_wait_offset(void);
/* Returns the offset in the carrier of the word with the address at which a new
 * thread starts. */
size_t arch_carrier_starter_offset(void);
/* Returns true if @code begins with the code of a carrier. */
bool arch_is_carrier(const uint8_t *code, size_t bytes);

/* Let the stopped thread make the system call @nr in the carrier at @carrier when it
 * continues.  @tracee: the thread's own registers.  Returns 0 or -errno. */
int arch_tracee_set_call(pid_t tid, const struct arch_tracee *tracee, uint64_t carrier, long nr,
			 const long args[6]);
/* Set the registers of the thread to @tracee.  Returns 0 or -errno. */
int arch_tracee_write(pid_t tid, const struct arch_tracee *tracee);
/* Returns the result of a system call from the registers of the thread. */
long arch_tracee_result(const struct arch_tracee *tracee);
/* Returns the number of the system call in which the thread was stopped, or -1 if it was
 * in none. */
long arch_tracee_call(const struct arch_tracee *tracee);
/* Returns true if the thread executes 64-bit code. */
bool arch_tracee_is_64bit(const struct arch_tracee *tracee);
/* Returns the thread pointer of the thread. */
uint64_t arch_tracee_tp(const struct arch_tracee *tracee);

/* Arguments of clone(). */
void arch_clone_args(unsigned long flags, uint64_t stack, uint64_t parent_tid, uint64_t child_tid,
		     uint64_t tp, long ret_args[6]);

/* Returns the code of the starter and the loader, which is one block of *@ret_bytes bytes.
 * *@ret_loader: offset in it of the loader's first instruction. */
const void *arch_starter_code(size_t *ret_bytes, size_t *ret_loader);

/*
 * The words at the thread pointer of a thread of glibc.  arch_tcb_fill() makes those of a
 * new thread from those of another thread.
 * @address: the new thread's thread pointer; @dtv: address of its dtv[0].
 */
#define ARCH_TCB_WORDS		7u
#define ARCH_TCB_DTV		1u	/* index of the word of the TCB that points to dtv[0] */
void arch_tcb_fill(const uint64_t other[ARCH_TCB_WORDS], uint64_t address, uint64_t dtv,
		   uint64_t ret_tcb[ARCH_TCB_WORDS]);
/* Returns true if @words, which are at the thread pointer @tp, are those of a thread of glibc. */
bool arch_tcb_is_at(const uint64_t words[ARCH_TCB_WORDS], uint64_t tp);

#endif
