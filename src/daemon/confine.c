/* SPDX-License-Identifier: MIT */
/*
 * Give up rights of the server; see confine.h.  docs/design/trust.md describes the rights
 * that remain.
 *
 * Landlock is not used, because it would not let the server read /proc/PID/maps of
 * traced programs: a process under Landlock can inspect only processes that are under
 * it, too.
 */
#include "arch/arch.h"
#include "daemon/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "server/core/perf_clock.h"

/* ---- functions that drop capabilities ---- */

/*
 * Capabilities that a server with user id 0 keeps.  The server needs SYS_PTRACE to
 * inspect programs of user id 0 and their worker processes (/proc/PID/maps, stat, exe):
 * the programs have all capabilities, and the workers may run as other users.  The server
 * needs DAC_READ_SEARCH to read the files that these processes execute.  Servers of other
 * users keep no capability.
 */
static const uint64_t kept_of_root =
	1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYS_PTRACE;

static int drop_bounding(uint64_t kept)
{
	int cap;

	for (cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		if (!(kept >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return -errno;	/* prctl() fails if the kernel does not allow this
					 * process to drop capabilities of the bounding set */
	}
	return 0;
}

/* Drop all capabilities.  A process with user id 0 keeps those in @kept. */
static int drop_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	uint64_t has;

	if (geteuid() != 0)
		kept = 0;
	drop_bounding(kept);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	has = data[0].permitted | (uint64_t)data[1].permitted << 32;
	kept &= has;
	for (int i = 0; i < 2; i++) {
		data[i].permitted = data[i].effective = (uint32_t)(kept >> 32 * i);
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/* ---- functions that forbid system calls ---- */

#define NEW_NAMESPACES	(CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | \
			 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER	true
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER	true
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER	false
#endif

enum condition {
	ALWAYS,
	UNLESS_EQUAL,			/* refuse the system call if the argument is not
					 * equal to the value */
	IF_EQUAL,			/* refuse the system call if the argument is equal
					 * to the value */
	IF_ANY_BIT,			/* refuse the system call if one of the bits of
					 * the value is set in the argument */
};

/*
 * The system calls that the server must not make.  All others are allowed. execve() is
 * allowed because the server may execute this program again to run a parser, and
 * perf_event_open() because the perf clock needs it. ptrace() is allowed only in a build
 * with a sanitizer, which stops its own threads with ptrace().
 */
static const struct rule {
	uint32_t nr;
	uint16_t error;
	uint8_t condition, arg;
	uint32_t value;			/* value with which the lower 32 bits of the
					 * argument are compared */
} rules[] = {
	/* The following calls access other processes.  These first TRACE_RULES rows are left
	 * out for a process that is allowed to trace. */
	{ SYS_ptrace, EPERM, ALWAYS, 0, 0 },
	{ SYS_process_vm_writev, EPERM, ALWAYS, 0, 0 },
	{ SYS_process_madvise, EPERM, ALWAYS, 0, 0 },
	{ SYS_pidfd_getfd, EPERM, ALWAYS, 0, 0 },
	{ SYS_kcmp, EPERM, ALWAYS, 0, 0 },
	{ SYS_userfaultfd, EPERM, ALWAYS, 0, 0 },
	/* socket() may make only unix sockets, so no network sockets */
	{ SYS_socket, EPERM, UNLESS_EQUAL, 0, AF_UNIX },
	/* The next calls insert input into a terminal.  These calls are refused because a
	 * foreground server has the terminal from which it was started. */
	{ SYS_ioctl, EPERM, IF_EQUAL, 1, TIOCSTI },
	{ SYS_ioctl, EPERM, IF_EQUAL, 1, TIOCLINUX },
	/*
	 * The next calls change mounts and namespaces. clone3() is always refused,
	 * because its flags are in memory, which a filter cannot read; libc works without
	 * clone3().
	 */
	{ SYS_clone, EPERM, IF_ANY_BIT, 0, NEW_NAMESPACES },
	{ SYS_clone3, ENOSYS, ALWAYS, 0, 0 },
	{ SYS_unshare, EPERM, ALWAYS, 0, 0 },
	{ SYS_setns, EPERM, ALWAYS, 0, 0 },
	{ SYS_mount, EPERM, ALWAYS, 0, 0 },
	{ SYS_umount2, EPERM, ALWAYS, 0, 0 },
	{ SYS_move_mount, EPERM, ALWAYS, 0, 0 },
	{ SYS_open_tree, EPERM, ALWAYS, 0, 0 },
	{ SYS_fsopen, EPERM, ALWAYS, 0, 0 },
	{ SYS_fsconfig, EPERM, ALWAYS, 0, 0 },
	{ SYS_fsmount, EPERM, ALWAYS, 0, 0 },
	{ SYS_fspick, EPERM, ALWAYS, 0, 0 },
	{ SYS_mount_setattr, EPERM, ALWAYS, 0, 0 },
	{ SYS_pivot_root, EPERM, ALWAYS, 0, 0 },
	{ SYS_chroot, EPERM, ALWAYS, 0, 0 },
	{ SYS_open_by_handle_at, EPERM, ALWAYS, 0, 0 },
	/* The next calls are interfaces of the kernel that the server does not need. */
	{ SYS_bpf, EPERM, ALWAYS, 0, 0 },
	{ SYS_io_uring_setup, EPERM, ALWAYS, 0, 0 },
	{ SYS_add_key, EPERM, ALWAYS, 0, 0 },
	{ SYS_request_key, EPERM, ALWAYS, 0, 0 },
	{ SYS_keyctl, EPERM, ALWAYS, 0, 0 },
	{ SYS_init_module, EPERM, ALWAYS, 0, 0 },
	{ SYS_finit_module, EPERM, ALWAYS, 0, 0 },
	{ SYS_delete_module, EPERM, ALWAYS, 0, 0 },
	{ SYS_kexec_load, EPERM, ALWAYS, 0, 0 },
	{ SYS_kexec_file_load, EPERM, ALWAYS, 0, 0 },
	{ SYS_syslog, EPERM, ALWAYS, 0, 0 },
	{ SYS_fanotify_init, EPERM, ALWAYS, 0, 0 },
	{ SYS_modify_ldt, EPERM, ALWAYS, 0, 0 },
	{ SYS_ioperm, EPERM, ALWAYS, 0, 0 },
	{ SYS_iopl, EPERM, ALWAYS, 0, 0 },
	/* The next calls change the whole machine. */
	{ SYS_reboot, EPERM, ALWAYS, 0, 0 },
	{ SYS_swapon, EPERM, ALWAYS, 0, 0 },
	{ SYS_swapoff, EPERM, ALWAYS, 0, 0 },
	{ SYS_acct, EPERM, ALWAYS, 0, 0 },
	{ SYS_quotactl, EPERM, ALWAYS, 0, 0 },
	{ SYS_settimeofday, EPERM, ALWAYS, 0, 0 },
	{ SYS_clock_settime, EPERM, ALWAYS, 0, 0 },
	{ SYS_adjtimex, EPERM, ALWAYS, 0, 0 },
	{ SYS_clock_adjtime, EPERM, ALWAYS, 0, 0 },
	{ SYS_sethostname, EPERM, ALWAYS, 0, 0 },
	{ SYS_setdomainname, EPERM, ALWAYS, 0, 0 },
};

#define TRACE_RULES	2u
#define X32_BIT		0x40000000u	/* bit that is set in the numbers of the system
					 * calls of the x32 ABI */
#define HEAD_LENGTH	6u
#define RULE_LENGTH	5u		/* maximum number of BPF instructions that one
					 * rule needs */

struct program {
	struct sock_filter code[HEAD_LENGTH + 1 + RULE_LENGTH * ARRAY_SIZE(rules)];
	unsigned short len;
};

static void add_insn(struct program *program, uint16_t code, uint32_t k, uint8_t if_true,
		     uint8_t if_false)
{
	program->code[program->len++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void add_load(struct program *program, size_t offset)
{
	add_insn(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_refuse(struct program *program, uint16_t error)
{
	add_insn(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
}

/*
 * Append the BPF code of one rule.  Before and after this code, the accumulator
 * contains the number of the system call.  For example { SYS_socket, EPERM,
 * UNLESS_EQUAL, 0, AF_UNIX } becomes the code below.  jeq has two numbers: how many
 * instructions to skip if the values are equal, and how many if they are not.
 *
 *		jeq	SYS_socket, 0, 4
 *		ld	args[0]
 *		jeq	AF_UNIX, 1, 0
 *		ret	ERRNO(EPERM)
 *		ld	nr
 */
static void add_rule(struct program *program, const struct rule *rule)
{
	const size_t arg = offsetof(struct seccomp_data, args) + rule->arg * sizeof(uint64_t);

	add_insn(program, BPF_JMP | BPF_JEQ | BPF_K, rule->nr, 0, rule->condition ? 4 : 1);
	if (rule->condition) {
		add_load(program, arg);
		add_insn(program, BPF_JMP | BPF_K |
			 (rule->condition == IF_ANY_BIT ? BPF_JSET : BPF_JEQ), rule->value,
			 rule->condition == UNLESS_EQUAL, rule->condition != UNLESS_EQUAL);
	}
	add_refuse(program, rule->error);
	if (rule->condition)
		add_load(program, offsetof(struct seccomp_data, nr));
}

/* Make the BPF program of the filter.  @may_trace: true to leave out the first
 * TRACE_RULES rules. */
static void make_program(struct program *program, bool may_trace)
{
	program->len = 0;
	add_load(program, offsetof(struct seccomp_data, arch));
	add_insn(program, BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0);
	add_refuse(program, EPERM);
	add_load(program, offsetof(struct seccomp_data, nr));
	add_insn(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	add_refuse(program, EPERM);
	for (size_t i = may_trace ? TRACE_RULES : 0; i < ARRAY_SIZE(rules); i++)
		add_rule(program, &rules[i]);
	add_insn(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static int filter_calls(bool may_trace)
{
	struct program program;
	struct sock_fprog fprog;

	make_program(&program, may_trace);
	fprog = (struct sock_fprog){ .len = program.len, .filter = program.code };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog, 0, 0) < 0 ? -errno : 0;
}

/* ---- functions that give up all rights ---- */

static int forbid_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* Give up the rights of this process.  Returns 0, or the error of the first step that the
 * kernel refused. */
static int give_up_rights(uint64_t kept, bool may_trace)
{
	int r = drop_capabilities(kept), r2 = forbid_privileges(), r3 = filter_calls(may_trace);

	return r ? r : r2 ? r2 : r3;
}

int server_confine(void)
{

	/* Open the perf clock now, while a server with user id 0 still has the right to
	 * do so. */
	if (geteuid() == 0)
		perf_clock_is_there();
	return give_up_rights(kept_of_root, HAS_SANITIZER);
}

int stopper_confine(void)
{
	return give_up_rights(kept_of_root, true);
}
