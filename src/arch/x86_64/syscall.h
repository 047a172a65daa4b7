/* SPDX-License-Identifier: MIT */
/* System calls that leave errno alone: they return -errno. */
#ifndef ULF_ARCH_SYSCALL_H
#define ULF_ARCH_SYSCALL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

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

/* What a thread had before arch_signals_block() (steps.c). */
struct arch_signals {
	uint64_t mask;
	bool is_stepped;		/* by itself, and it can be kept from it */
};

/* All of this thread's; but one that is single-stepped is not killed by that. */
void arch_signals_block(struct arch_signals *ret_saved) __attribute__((visibility("hidden")));
void arch_signals_restore(const struct arch_signals *saved)
	__attribute__((visibility("hidden")));

/*
 * Of the program: can the page of @addr be read?  Any context.
 *
 * The kernel reads the 8 bytes that it is given for a signal mask before it sees
 * that it cannot do what it is told: the cheapest way to ask whether they are
 * there, in a handler, without a descriptor, in every sandbox.
 */
static inline bool arch_is_readable(const void *addr)
{
	uintptr_t word = (uintptr_t)addr & ~(uintptr_t)7;

	return word &&
	       arch_syscall4(SYS_rt_sigprocmask, -1, word, NULL, 8) != -EFAULT;
}

#endif
