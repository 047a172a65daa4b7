/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "arch/arch.h"

/* Results of interrupted system calls inside of the kernel, which mean that the kernel
 * must restart the call: always, or unless it runs a signal handler. */
#define ERESTARTSYS		512
#define ERESTARTNOINTR		513
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516	/* the kernel must restart the call by
					 * restart_syscall() */
#define CALL_BYTES	2		/* size of the instruction syscall, bytes */

#define CS_USER		0x33u		/* value of the cs register in 64-bit programs */
#define SS_USER		0x2bu		/* value of the ss register in 64-bit programs */
/* Bits of the flags register that are always set (bit 1), and bits that are never set. */
#define FLAGS_SET	0x2u
#define FLAGS_CLEAR	(~0x3fffd7ull)

#define REG(tracee, name)	((tracee)->regs[offsetof(struct user_regs_struct, name) / 8])

static_assert(sizeof(struct arch_tracee) == sizeof(struct user_regs_struct), "the same registers");

int arch_tracee_read(pid_t tid, struct arch_tracee *ret_tracee)
{
	return ptrace(PTRACE_GETREGS, tid, NULL, ret_tracee->regs) ? -errno : 0;
}

/* Returns true if the thread has stopped at the end of a system call. */
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

uint64_t arch_tracee_control_block(const struct arch_tracee *tracee)
{
	return REG(tracee, fs_base);
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

/* close() is the only call that must not be made a second time, because it has
 * closed the descriptor even if it returns EINTR. */
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

/* The segment registers are in one word, with ss in its highest 16 bits. */
bool arch_context_sp(const uint64_t words[ARCH_CONTEXT_WORDS], uint64_t *ret_sp)
{
	if ((words[3] & 0xffff) != CS_USER || words[3] >> 48 != SS_USER ||
	    !(words[2] & FLAGS_SET) || words[2] & FLAGS_CLEAR)
		return false;
	*ret_sp = words[0];
	return true;
}

/* ---- carriers ---- */

/* Data of the carrier, at arch_carrier_data in starter.S. */
struct carrier_data {
	uint64_t wait;
	uint64_t mask;
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rip;
	uint64_t starter;
};

extern const uint8_t arch_carrier[], arch_carrier_data[], arch_carrier_end[];
extern const uint8_t arch_starter[], arch_loader[], arch_starter_end[];

/* Returns the number of bytes between two labels of starter.S. */
static size_t bytes_between(const uint8_t *start, const uint8_t *end)
{
	return (uintptr_t)end - (uintptr_t)start;
}

static size_t data_offset(void)
{
	return bytes_between(arch_carrier, arch_carrier_data);
}

/* Set in @data the registers with which a thread continues if the carrier has restored them.
 * If the thread was in a system call, do what the kernel does to restart the call. */
static void set_restart(const struct arch_tracee *tracee, struct carrier_data *data)
{
	int64_t result = (int64_t)REG(tracee, rax);

	if (!is_in_call(tracee))
		return;
	switch (-result) {
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
		data->rax = REG(tracee, orig_rax);
		break;
	case ERESTART_RESTARTBLOCK:
		data->rax = SYS_restart_syscall;
		break;
	default:
		return;
	}
	data->rip -= CALL_BYTES;
}

size_t arch_carrier_make(const struct arch_tracee *tracee, uint64_t mask, uint64_t starter,
			 uint8_t ret_code[ARCH_CARRIER_MAX])
{
	struct carrier_data data = {
		.mask = mask,
		.rax = REG(tracee, rax), .rcx = REG(tracee, rcx), .rdx = REG(tracee, rdx),
		.rsi = REG(tracee, rsi), .rdi = REG(tracee, rdi), .r8 = REG(tracee, r8),
		.r9 = REG(tracee, r9), .r10 = REG(tracee, r10), .r11 = REG(tracee, r11),
		.rip = REG(tracee, rip), .starter = starter,
	};

	set_restart(tracee, &data);
	memcpy(ret_code, arch_carrier, data_offset());
	memcpy(ret_code + data_offset(), &data, sizeof(data));
	return data_offset() + sizeof(data);
}

size_t arch_carrier_wait_offset(void)
{
	return data_offset() + offsetof(struct carrier_data, wait);
}

size_t arch_carrier_starter_offset(void)
{
	return data_offset() + offsetof(struct carrier_data, starter);
}

bool arch_is_carrier(const uint8_t *code, size_t bytes)
{
	return bytes >= data_offset() && !memcmp(code, arch_carrier, data_offset());
}

/*
 * Only registers for the system call are changed, and neither the flags nor the stack
 * pointer.
 */
int arch_tracee_set_call(pid_t tid, const struct arch_tracee *tracee, uint64_t carrier, long nr,
			 const long args[6])
{
	struct arch_tracee call = *tracee;

	REG(&call, rip) = carrier;
	REG(&call, rax) = (uint64_t)nr;
	REG(&call, orig_rax) = (uint64_t)-1;
	REG(&call, rdi) = (uint64_t)args[0];
	REG(&call, rsi) = (uint64_t)args[1];
	REG(&call, rdx) = (uint64_t)args[2];
	REG(&call, r10) = (uint64_t)args[3];
	REG(&call, r8) = (uint64_t)args[4];
	REG(&call, r9) = (uint64_t)args[5];
	return arch_tracee_write(tid, &call);
}

int arch_tracee_write(pid_t tid, const struct arch_tracee *tracee)
{
	return ptrace(PTRACE_SETREGS, tid, NULL, tracee->regs) ? -errno : 0;
}

long arch_tracee_result(const struct arch_tracee *tracee)
{
	return (long)REG(tracee, rax);
}

long arch_tracee_call(const struct arch_tracee *tracee)
{
	return is_in_call(tracee) ? (long)REG(tracee, orig_rax) : -1;
}

bool arch_tracee_is_64bit(const struct arch_tracee *tracee)
{
	return REG(tracee, cs) == CS_USER;
}

uint64_t arch_tracee_tp(const struct arch_tracee *tracee)
{
	return REG(tracee, fs_base);
}

void arch_clone_args(unsigned long flags, uint64_t stack, uint64_t parent_tid, uint64_t child_tid,
		     uint64_t tp, long ret_args[6])
{
	const long args[6] = { (long)flags, (long)stack, (long)parent_tid, (long)child_tid,
			       (long)tp, 0 };

	memcpy(ret_args, args, sizeof(args));
}

const void *arch_starter_code(size_t *ret_bytes, size_t *ret_loader)
{
	*ret_bytes = bytes_between(arch_starter, arch_starter_end);
	*ret_loader = bytes_between(arch_starter, arch_loader);
	return arch_starter;
}

/* Fill in the control block of a thread of glibc: the words self, dtv, self, "there
 * are several threads", unused, stack guard, pointer guard.  Both guards are equal in
 * all threads. */
void arch_tcb_fill(const uint64_t other[ARCH_TCB_WORDS], uint64_t address, uint64_t dtv,
		   uint64_t ret_tcb[ARCH_TCB_WORDS])
{
	memset(ret_tcb, 0, ARCH_TCB_WORDS * sizeof(*ret_tcb));
	ret_tcb[0] = address;
	ret_tcb[ARCH_TCB_DTV] = dtv;
	ret_tcb[2] = address;
	ret_tcb[3] = 1;
	ret_tcb[5] = other[5];
	ret_tcb[6] = other[6];
}

bool arch_tcb_is_at(const uint64_t words[ARCH_TCB_WORDS], uint64_t tp)
{
	return words[0] == tp && words[2] == tp && words[ARCH_TCB_DTV];
}
