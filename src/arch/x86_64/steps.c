/* SPDX-License-Identifier: MIT */
/*
 * Signals are blocked in a thread that may be single-stepped, by the trap flag: for a step
 * while SIGTRAP is blocked the kernel kills.
 *
 *	who takes the steps		what is done
 *	the program			the flag is off until signals are restored
 *	its handler for SIGTRAP sets	SIGTRAP stays as it is: such a handler runs with the
 *	the flag again each time	caller's lock held
 *	a debugger			the same.  Its steps are no signals of the program's;
 *					but a POPF that is stepped over makes the kernel
 *					take the flag for the program's, for ever
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "arch/arch.h"

#define TRAP_FLAG	0x100u
#define STATUS_BYTES	512		/* the line is among the first ones */

static bool is_flag_on(void)
{
	return __builtin_ia32_readeflags_u64() & TRAP_FLAG;
}

static bool is_debugged(void)
{
	static const char name[] = "\nTracerPid:\t";
	char status[STATUS_BYTES];
	long fd, bytes;

	fd = arch_syscall4(SYS_openat, AT_FDCWD, "/proc/thread-self/status",
			   O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bytes = arch_syscall3(SYS_read, fd, status, sizeof(status));
	arch_syscall1(SYS_close, fd);
	for (long i = 0; i + (long)sizeof(name) <= bytes; i++)
		if (!memcmp(status + i, name, sizeof(name) - 1))
			return status[i + (long)sizeof(name) - 1] != '0';
	return false;
}

/* False: it stays on. */
static bool put_flag_off(void)
{
	if (is_debugged())
		return false;
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
				       ~(uint64_t)TRAP_FLAG);
	return !is_flag_on();
}

void arch_signals_block(struct arch_signals *ret_saved)
{
	uint64_t all = ~0ull;

	ret_saved->is_stepped = false;
	if (is_flag_on()) {
		ret_saved->is_stepped = put_flag_off();
		if (!ret_saved->is_stepped)
			all &= ~(1ull << (SIGTRAP - 1));
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &ret_saved->mask, 8);
}

void arch_signals_restore(const struct arch_signals *saved)
{
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &saved->mask, NULL, 8);
	if (saved->is_stepped)
		__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() |
					       TRAP_FLAG);
}
