/* SPDX-License-Identifier: MIT */
/*
 * ftrace_dump(): run `ulf dump` on the root of this program, which prints the trace to
 * stderr.  Called by the program, or when the program dies of a signal
 * (ULF_DUMP_ON_CRASH).
 *
 *	this thread		a child that shares its memory		ulf dump
 *	clone(VM, VFORK) ----->	clone(VM, VFORK) ----------------------> execve
 *	 .			waits, with a limit			prints
 *	 .			  <------------------------------------- ends
 *	reaps the child  <-----	ends
 *
 * Signal handlers may call this code.  It takes no lock, allocates nothing and calls no
 * function of libc that is unsafe in a handler.
 *
 * The program must not notice that it has a child.  An ordinary wait() of the program
 * does not report a child that sends no signal when it ends.  But execve() makes every
 * child send SIGCHLD when it ends.  So a grandchild calls execve(), not the child.
 */
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/digits.h"
#include "base/paths.h"
#include "event/boot.h"
#include "runtime/base/memory.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/dump.h"
#include <ulf/tracing.h>

#define STACK_BYTES	8192
#define CRASH_BYTES	65536		/* size of the alternate signal stack on which
					 * the handler of deadly signals runs, bytes */
#define WAIT_MS		30000		/* time after which a running `ulf dump` is
					 * killed, ms */
#define STEP_MS		2		/* time between two checks whether a dump has
					 * ended, ms */
#define ALL_CPUS	(~0u)

static const char sorry[] =
	"ulf: ftrace_dump() has not found the program `ulf`: put it into the PATH, or "
	"its path into ULF_EXE\n";

/* Where the program `ulf` may be found: the values of ULF_EXE and PATH when this
 * program started. */
static const char *exe_word, *path_word;

/* Arguments and stacks of the running dump.  Only one dump runs at a time. */
static struct dump {
	uint32_t is_running;		/* is 1 while a dump runs; try_start() sets it,
					 * stop_recording() clears it */
	char cpu[8 + DIGITS_MAX];	/* the option --cpu=... of `ulf dump` */
	char env[PATH_MAX + 8];		/* the environment of `ulf dump`: ULF_DIR=... */
	const char *name;		/* name of the root */
	char file[PATH_MAX];		/* the path of `ulf` that try_path() tries */
	char stacks[2][STACK_BYTES] __attribute__((aligned(16)));	/* stacks of the child
									 * and the grandchild */
} dump;

static void sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	arch_syscall2(SYS_nanosleep, &time, NULL);
}

/* Set the default action of the signal @sig. */
static void forget_handler(int sig)
{
	/* The kernel's struct sigaction for the default action: handler, flags,
	 * restorer and mask, all 0. */
	static const uint64_t by_default[4];

	arch_syscall4(SYS_rt_sigaction, sig, by_default, NULL, sizeof(uint64_t));
}

/* ---- code that runs in the grandchild, which becomes `ulf dump` ---- */

static void try_exec(const char *path)
{
	const char *argv[] = { "ulf", "dump", dump.cpu, dump.name, NULL };
	const char *envp[] = { dump.env, NULL };

	arch_syscall3(SYS_execve, path, argv, envp);
}

/* Try to execute `ulf` in each directory of the PATH. */
static void try_path(const char *path)
{
	static const char name[] = "/ulf";

	while (*path) {
		size_t len = strcspn(path, ":");

		if (*path == '/' && len + sizeof(name) <= sizeof(dump.file)) {
			memcpy(dump.file, path, len);
			memcpy(dump.file + len, name, sizeof(name));
			try_exec(dump.file);
		}
		path += len;
		path += *path == ':';
	}
}

static void run_dump(void)
{
	const uint64_t none = 0;

	for (int sig = 1; sig < NSIG; sig++)
		forget_handler(sig);
	/* Print nothing if stderr is closed: stdout cannot be used instead, because it
	 * belongs to the program. */
	if (arch_syscall3(SYS_dup3, 2, 1, 0) < 0)
		arch_syscall1(SYS_exit_group, 0);
	arch_syscall3(SYS_close_range, 3, ~0u, 0);
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	if (exe_word)
		try_exec(exe_word);
	if (path_word)
		try_path(path_word);
	try_exec(ULF_BINDIR "/ulf");
	arch_syscall3(SYS_write, 2, sorry, sizeof(sorry) - 1);
	arch_syscall1(SYS_exit_group, 127);
}

/* ---- code that runs in the child, which waits for the grandchild ---- */

static long clone_on(int stack, unsigned long flags, void (*fn)(void))
{
	return arch_clone_thread(CLONE_VM | CLONE_VFORK | flags,
				 dump.stacks[stack] + STACK_BYTES, NULL, fn);
}

/* Start the grandchild, and wait for its end.  clone(VFORK) returns after the grandchild
 * has called execve().  All signals are blocked. */
static void wait_for_dump(void)
{
	long pid = clone_on(1, SIGCHLD, run_dump);
	long waited = 0, r;

	while (pid > 0) {
		r = arch_syscall4(SYS_wait4, pid, NULL, WNOHANG, NULL);
		if (r && r != -EINTR)
			break;
		if (waited == WAIT_MS)
			arch_syscall2(SYS_kill, pid, SIGKILL);
		sleep_ms(STEP_MS);
		waited += STEP_MS;
	}
	arch_syscall1(SYS_exit_group, 0);
}

/* ---- code that runs in the thread that called ftrace_dump() or crashed ---- */

/* Fill in the option --cpu.  @cpu: a CPU number, or ALL_CPUS. */
static void fill_cpu(unsigned int cpu)
{
	char digits[DIGITS_MAX + 1] = "";

	strcpy(dump.cpu, "--cpu=");
	strcat(dump.cpu, cpu == ALL_CPUS ? "all" :
	       digits_put(digits + DIGITS_MAX, cpu));
}

/* Fill in the directory and the name of the root.  @path: the path
 * DIR/roots/NAME. */
static void fill_root(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t dir_len = (size_t)(name - path) - strlen("/roots");

	dump.name = name + 1;
	strcpy(dump.env, "ULF_DIR=");
	memcpy(dump.env + strlen(dump.env), path, dir_len);
	dump.env[strlen("ULF_DIR=") + dir_len] = '\0';
}

static void fork_dump(unsigned int cpu)
{
	uint64_t all = ~0ull, old;
	long pid;

	fill_root(root_directory());
	fill_cpu(cpu);
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	pid = clone_on(0, 0, wait_for_dump);
	if (pid > 0)
		arch_syscall4(SYS_wait4, pid, NULL, __WALL, NULL);
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
}

static bool try_start(void)
{
	return !__atomic_exchange_n(&dump.is_running, 1, __ATOMIC_ACQUIRE);	/* [dump.run] */
}

static void stop_recording(void)
{
	__atomic_store_n(&dump.is_running, 0, __ATOMIC_RELEASE);	/* [dump.run] */
}

/* Forget a dump that was running when the parent called fork(), because the thread
 * that ran the dump does not exist in this child. */
void dump_after_fork(uint32_t old_tid)
{
	(void)old_tid;
	if (dump.is_running)
		stop_recording();
}

void ftrace_dump(enum ftrace_dump_mode mode)
{
	if (mode == DUMP_NONE || !root_control || process_has_left() || !try_start())
		return;
	tracing_off();
	fork_dump(mode == DUMP_ORIG ? thread_cpu() : ALL_CPUS);
	stop_recording();
}

/* ---- code for a program that dies of a signal ---- */

static const int deadly[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
};

/* Send the signal again, with its siginfo, after setting its default action.  The signal is
 * delivered when the handler that calls this returns, and ends the program. */
static void die_of(int sig, siginfo_t *info)
{
	forget_handler(sig);
	arch_syscall4(SYS_rt_tgsigqueueinfo, arch_syscall0(SYS_getpid),
		      arch_syscall0(SYS_gettid), sig, info);
}

static enum ftrace_dump_mode crash_mode;	/* what to dump after a crash; written by
						 * dump_init() */

/* Handle a deadly signal.  If another thread is already running a dump, wait for the
 * end of that dump.  If that thread is also dying of a signal, its signal ends the
 * whole process, with this thread. */
static void dump_after_crash(int sig, siginfo_t *info, void *context)
{
	(void)context;
	for (int waited = 0; waited < 2 * WAIT_MS && !try_start(); waited += STEP_MS)
		sleep_ms(STEP_MS);
	tracing_off();
	fork_dump(crash_mode == DUMP_ORIG ? thread_cpu() : ALL_CPUS);
	die_of(sig, info);
}

/* Set an alternate signal stack if there is none, because the program may die of a stack
 * overflow. */
static void set_signal_stack(void)
{
	stack_t stack;
	long mem;

	if (sigaltstack(NULL, &stack) || !(stack.ss_flags & SS_DISABLE))
		return;
	mem = arch_syscall6(SYS_mmap, 0, CRASH_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (arch_is_error(mem))
		return;
	stack = (stack_t){ .ss_sp = (void *)mem, .ss_size = CRASH_BYTES };
	sigaltstack(&stack, NULL);
}

static enum ftrace_dump_mode get_crash_mode(void)
{
	const char *variable = getenv("ULF_DUMP_ON_CRASH");
	struct boot_word word;

	if (root_control && boot_find(root_boot(), BOOT_DUMP, &word))
		return boot_token_is(&word.value, "orig_cpu") ? DUMP_ORIG : DUMP_ALL;
	return variable && *variable && strcmp(variable, "0") ? DUMP_ALL : DUMP_NONE;
}

/* Returns a copy of @value, a string of the environment.  Programs that change their
 * title overwrite the environment, so the string itself is possibly not kept. */
static const char *copy_setting(const char *value)
{
	size_t bytes = value ? strlen(value) + 1 : 0;
	char *copy = value ? memory_alloc(bytes) : NULL;

	return copy ? memcpy(copy, value, bytes) : NULL;
}

void dump_init(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK }, old;

	exe_word = copy_setting(getenv("ULF_EXE"));
	path_word = copy_setting(getenv("PATH"));
	crash_mode = get_crash_mode();
	if (crash_mode == DUMP_NONE)
		return;
	set_signal_stack();
	action.sa_sigaction = dump_after_crash;
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		if (!sigaction(deadly[i], NULL, &old) &&
		    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
	}
}
