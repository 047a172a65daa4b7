/* SPDX-License-Identifier: MIT */
/* System calls that return -errno and do not change errno. */
#ifndef ULF_ARCH_SYSCALL_H
#define ULF_ARCH_SYSCALL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "arch/x86_64/page.h"

/* The architecture of a system call, for seccomp filters; needs <linux/audit.h>. */
#define ARCH_AUDIT	AUDIT_ARCH_X86_64

static inline long arch_syscall6(long nr, long a, long b, long c, long d,
				 long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define arch_syscall4(nr, a, b, c, d) \
	arch_syscall6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define arch_syscall3(nr, a, b, c)	arch_syscall4(nr, a, b, c, 0)
#define arch_syscall2(nr, a, b)		arch_syscall4(nr, a, b, 0, 0)
#define arch_syscall1(nr, a)		arch_syscall4(nr, a, 0, 0, 0)
#define arch_syscall0(nr)		arch_syscall4(nr, 0, 0, 0, 0)

/* Returns true if @ret, the result of a system call that returns an address, is -errno. */
static inline bool arch_is_error(long ret)
{
	return ret < 0 && ret > -4096;
}

/*
 * Copy @bytes bytes, at most ARCH_PAGE_BYTES, from @address of this process.  A system
 * call makes the copy, so an invalid address is an error, not a SIGSEGV.  The copy is
 * split at the boundary of memory pages: if the second memory page is not mapped, the
 * bytes before it are still copied.
 * @tid: id of this thread.
 * Returns the number of bytes that were copied.
 */
static inline size_t arch_read_memory(uint32_t tid, uint64_t address, void *to, size_t bytes)
{
	size_t first = ARCH_PAGE_BYTES - address % ARCH_PAGE_BYTES;
	struct iovec local = { to, bytes }, remote[2];
	long n;

	if (first > bytes)
		first = bytes;
	remote[0] = (struct iovec){ (void *)address, first };
	remote[1] = (struct iovec){ (void *)(address + first), bytes - first };
	n = arch_syscall6(SYS_process_vm_readv, tid, (long)&local, 1, (long)remote, 2, 0);
	return n < 0 ? 0 : (size_t)n;
}

/* The state of a thread before arch_signals_block() has changed it (steps.c). */
struct arch_signals {
	uint64_t mask;			/* signal mask */
	bool is_stepped;		/* true: arch_signals_block() has cleared the trap flag */
};

/*
 * arch_signals_block() blocks all signals of this thread.  If the thread is
 * single-stepped, the kernel does not kill it: see steps.c.  arch_signals_restore()
 * restores the signals and the trap flag as they were before.
 */
void arch_signals_block(struct arch_signals *ret_saved) __attribute__((visibility("hidden")));
void arch_signals_restore(const struct arch_signals *saved)
	__attribute__((visibility("hidden")));

/*
 * Returns true if the memory page of @addr can be read.  Any thread and any signal
 * handler may call this.
 *
 * The test calls rt_sigprocmask() with an invalid operation and with @addr as the
 * signal mask.  The kernel reads the 8 bytes of the mask before it checks the
 * operation.  So the error number says whether these bytes could be read.  This is
 * the cheapest way to test memory in a signal handler: it needs no descriptor and
 * works in every sandbox.
 */
static inline bool arch_is_readable(const void *addr)
{
	uintptr_t word = (uintptr_t)addr & ~(uintptr_t)7;

	return word &&
	       arch_syscall4(SYS_rt_sigprocmask, -1, word, NULL, 8) != -EFAULT;
}

#endif
