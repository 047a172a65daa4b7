/* SPDX-License-Identifier: MIT */
/* The sandbox of a parser: resource limits and a seccomp filter. */
#include "arch/arch.h"
#include "symbols/parse_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/bits.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define HAS_SANITIZER	1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER	0
#endif

#define DESCRIPTORS	16u

bool parse_sandbox_is_whole(void)
{
	return !HAS_SANITIZER;
}

/* ---- the seccomp filter, which lists the allowed system calls ---- */

/* System calls that the seccomp filter allows with any arguments. */
static const int allowed[] = {
	/* system calls on open descriptors: those of the files to read, of the result and of
	 * the channel */
	SYS_read, SYS_pread64, SYS_write, SYS_lseek, SYS_close, SYS_fstat,
	SYS_sendto, SYS_recvfrom, SYS_recvmsg,
	/* memory */
	SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise,
	/* system calls about the state of the process itself */
	SYS_futex, SYS_clock_gettime, SYS_getpid, SYS_gettid, SYS_getrandom,
	SYS_sysinfo, SYS_sched_yield, SYS_rt_sigreturn, SYS_restart_syscall,
	SYS_exit, SYS_exit_group,
};

/* System calls that fail with EACCES instead of killing the process.  Libraries may try these
 * calls, and can continue after the failure. */
static const int refused[] = {
	SYS_open, SYS_openat, SYS_access, SYS_faccessat, SYS_readlink, SYS_readlinkat,
	SYS_stat, SYS_lstat, SYS_ioctl, SYS_sched_getaffinity,
};

#define LOAD(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
				 offsetof(struct seccomp_data, field))
#define RETURN(value)	BPF_STMT(BPF_RET | BPF_K, value)
/*
 * BPF: if the system call is @nr, continue with the next instruction; else skip @others
 * instructions.
 */
#define IF_CALL(nr, others)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, others)

#define FAIL		(SECCOMP_RET_ERRNO | EACCES)

/*
 * The checks of system calls that are allowed only with some arguments.  The check of
 * mmap() has 4 instructions, which are skipped for other system calls:
 *
 *	if nr != mmap: skip 4
 *	load args[2]
 *	if args[2] & PROT_EXEC: kill
 *	allow
 */
static const struct sock_filter checks[] = {
	IF_CALL(SYS_mmap, 4),
	LOAD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4 /* PROT_EXEC */, 0, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),

	IF_CALL(SYS_mprotect, 4),
	LOAD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4 /* PROT_EXEC */, 0, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),

	/*
	 * Allow newfstatat() with AT_EMPTY_PATH, which libc's fstat() uses.  With a path the
	 * call could at most reveal the attributes of a file, not its contents.
	 */
	IF_CALL(SYS_newfstatat, 4),
	LOAD(args[3]),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AT_EMPTY_PATH, 1, 0),
	RETURN(FAIL),
	RETURN(SECCOMP_RET_ALLOW),

	/* Allow the commands F_DUPFD to F_GETFL of fcntl(), because libelf uses F_GETFL
	 * to check whether a descriptor is open. */
	IF_CALL(SYS_fcntl, 4),
	LOAD(args[1]),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, F_GETFL, 0, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),
};

/* Refuse the system calls of x32 and i386, because there the same numbers stand for other
 * system calls. */
static const struct sock_filter start[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
};

#define FILTER_ROOM	(ARRAY_SIZE(start) + 2 * ARRAY_SIZE(allowed) + \
			 2 * ARRAY_SIZE(refused) + ARRAY_SIZE(checks) + 1)

static int install_seccomp_filter(void)
{
	struct sock_filter code[FILTER_ROOM];
	struct sock_fprog program = { .filter = code };
	unsigned short nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(start); i++)
		code[nr++] = start[i];
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		code[nr++] = (struct sock_filter)IF_CALL((uint32_t)allowed[i], 1);
		code[nr++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		code[nr++] = (struct sock_filter)IF_CALL((uint32_t)refused[i], 1);
		code[nr++] = (struct sock_filter)RETURN(FAIL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		code[nr++] = checks[i];
	code[nr++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
	program.len = nr;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* ---- limits ---- */

static int lower_rlimit(int what, uint64_t soft, uint64_t hard)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)what, &limit))
		return -errno;
	limit.rlim_max = min_u64(limit.rlim_max, hard);
	limit.rlim_cur = min_u64(limit.rlim_max, soft);
	return setrlimit((__rlimit_resource_t)what, &limit) ? -errno : 0;
}

/* Returns the total size of the mappings of this process in bytes.  The size may be large: a
 * zygote that was started late has all mappings that the server had at that moment. */
static uint64_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (file && fscanf(file, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int lower_all_rlimits(const struct parse_limits *limits)
{
	uint64_t memory = mapped_bytes() + limits->memory_bytes;
	const struct {
		int what;
		uint64_t soft, hard;
	} rows[] = {
		{ RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1ull },
		{ RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes },
		{ RLIMIT_CORE, 0, 0 },
		{ RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS },
		{ RLIMIT_NPROC, 0, 0 },
		{ RLIMIT_MEMLOCK, 0, 0 },
		{ RLIMIT_AS, memory, memory },
	};
	int r = 0;

	/*
	 * Omit RLIMIT_AS, the last row, in a build with a sanitizer, because the sanitizer's
	 * shadow memory exceeds the limit.
	 */
	for (size_t i = 0; !r && i < ARRAY_SIZE(rows) - HAS_SANITIZER; i++)
		r = lower_rlimit(rows[i].what, rows[i].soft, rows[i].hard);
	return r;
}

int parse_sandbox_enter(const struct parse_limits *limits)
{
	struct itimerval timer = { .it_value.tv_sec = limits->wall_seconds };
	int r = lower_all_rlimits(limits);

	if (r)
		return r;
	/* SIGALRM kills the process after the time limit.  The seccomp filter keeps the
	 * parser from changing the timer. */
	if (setitimer(ITIMER_REAL, &timer, NULL) ||
	    prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return HAS_SANITIZER ? 0 : install_seccomp_filter();
}
