/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "arch/arch.h"

#define ERESTARTNOHAND	514		/* a result of system calls that only the kernel sees: start
					 * the call again, unless a handler of a signal runs */
#define CALL_BYTES	2		/* size of the instruction of a system call */

#define CS_USER		0x33u		/* code segment of 64-bit programs */
/* Bits of the flags register: bit 1 is always set, and these bits never are. */
#define FLAGS_SET	0x2u
#define FLAGS_CLEAR	(~0x3fffd7ull)

#define REG(tracee, name)	((tracee)->regs[offsetof(struct user_regs_struct, name) / 8])

static_assert(sizeof(struct arch_tracee) == sizeof(struct user_regs_struct), "the same registers");

int arch_tracee_read(pid_t tid, struct arch_tracee *ret_tracee)
{
	return ptrace(PTRACE_GETREGS, tid, NULL, ret_tracee->regs) ? -errno : 0;
}

/* Returns true if the thread is at the end of a system call. */
static bool is_in_call(const struct arch_tracee *tracee)
{
	return (int64_t)REG(tracee, orig_rax) >= 0;
}

void arch_tracee_ips(const struct arch_tracee *tracee, uint64_t ret_ips[ARCH_TRACEE_IPS])
{
	ret_ips[0] = REG(tracee, rip);
	ret_ips[1] = REG(tracee, rip) - (is_in_call(tracee) ? CALL_BYTES : 0);
}

uint64_t arch_tracee_sp(const struct arch_tracee *tracee)
{
	return REG(tracee, rsp);
}

/* Returns true if the instruction before the instruction pointer is a system call of
 * 64-bit programs. */
static bool is_after_syscall(pid_t pid, const struct arch_tracee *tracee)
{
	static const uint8_t instruction[CALL_BYTES] = { 0x0f, 0x05 };
	uint8_t code[CALL_BYTES];
	struct iovec local = { code, sizeof(code) };
	struct iovec remote = { (void *)(uintptr_t)(REG(tracee, rip) - CALL_BYTES), sizeof(code) };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == CALL_BYTES &&
	       !memcmp(code, instruction, sizeof(code));
}

/* close() is the only call that must not be made a second time: it has closed the
 * descriptor even if it returns EINTR. */
int arch_tracee_keep_call(pid_t pid, pid_t tid, struct arch_tracee *tracee)
{
	const uint64_t again = (uint64_t)-ERESTARTNOHAND;

	if (!is_in_call(tracee) || (int64_t)REG(tracee, rax) != -EINTR ||
	    REG(tracee, orig_rax) == SYS_close || !is_after_syscall(pid, tracee))
		return 0;
	if (ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), again))
		return -errno;
	REG(tracee, rax) = again;
	return 1;
}

bool arch_context_sp(const uint64_t words[ARCH_CONTEXT_WORDS], uint64_t *ret_sp)
{
	if ((words[3] & 0xffff) != CS_USER || !(words[2] & FLAGS_SET) || words[2] & FLAGS_CLEAR)
		return false;
	*ret_sp = words[0];
	return true;
}
