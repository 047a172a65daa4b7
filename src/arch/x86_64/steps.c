/* SPDX-License-Identifier: MIT */
/*
 * Blocks signals in a thread that may be single-stepped by the trap flag.  If SIGTRAP is
 * blocked at a step, the kernel kills the process.
 *
 *	the steps are made by		action
 *	the program			the flag is cleared until signals are restored
 *	the program's SIGTRAP handler,	SIGTRAP is not blocked: the handler runs with the
 *	which sets the flag each time	caller's lock held
 *	a debugger			SIGTRAP is not blocked.  A debugger's steps are
 *					normally no signals of the program.  But after it
 *					has stepped over a POPF, the kernel takes the flag
 *					for one that the program has set, for ever
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "arch/arch.h"

#define TRAP_FLAG	0x100u
#define STATUS_BYTES	512		/* number of bytes of /proc/thread-self/status
					 * that are read: enough for the line
					 * TracerPid */

/* Read and write the CPU's flags (steps.S). */
uint64_t arch_flags(void) __attribute__((visibility("hidden")));
void arch_set_flags(uint64_t flags) __attribute__((visibility("hidden")));

static bool is_trap_flag_on(void)
{
	return arch_flags() & TRAP_FLAG;
}

static bool is_thread_debugged(void)
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

/* Clear the trap flag.  Returns false if a debugger steps the thread, or if the flag is
 * still set afterwards. */
static bool clear_trap_flag(void)
{
	if (is_thread_debugged())
		return false;
	arch_set_flags(arch_flags() & ~(uint64_t)TRAP_FLAG);
	return !is_trap_flag_on();
}

void arch_signals_block(struct arch_signals *ret_saved)
{
	uint64_t all = ~0ull;

	ret_saved->is_stepped = false;
	if (is_trap_flag_on()) {
		ret_saved->is_stepped = clear_trap_flag();
		if (!ret_saved->is_stepped)
			all &= ~(1ull << (SIGTRAP - 1));
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &ret_saved->mask, 8);
}

void arch_signals_restore(const struct arch_signals *saved)
{
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &saved->mask, NULL, 8);
	if (saved->is_stepped)
		arch_set_flags(arch_flags() | TRAP_FLAG);
}
