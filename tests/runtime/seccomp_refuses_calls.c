/* SPDX-License-Identifier: MIT */
/*
 * Programs with a seccomp filter that refuses libulf's system calls with an errno work as
 * before.  None hangs, and no agent uses a CPU because it cannot wait.
 *
 * no-sanitize: address its run-time makes these calls, too
 * no-sanitize: thread its run-time makes these calls, too
 */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include <linux/ftrace.h>

#define SECONDS		5		/* limit for things that take no time */
#define IDLE_US		400000
#define BUSY_US		40000		/* limit of CPU time in IDLE_US */

#define TIMES		10
#define THREADS		4
#define HITS		20000

static struct driver d;
static char path[PATH_MAX];

/* Refuse the system call @nr.  @is_for_all: in all threads. */
static void refuse(uint32_t nr, bool is_for_all)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			 is_for_all ? SECCOMP_FILTER_FLAG_TSYNC : 0, &program), 0);
}

/* Returns the CPU time of a child that calls run() and then ends. */
static long cpu_us(void (*run)(void))
{
	struct rusage usage;
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		alarm(SECONDS);
		run();
		_exit(0);
	}
	CHECK_EQ(wait4(pid, &status, 0, &usage), pid);
	CHECK_EQ(status, 0);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static void be_idle(void)
{
	usleep(IDLE_US);
}

/* The filter is installed before the fork. */
static void fork_idle(void)
{
	refuse(SYS_futex, false);
	CHECK(cpu_us(be_idle) < BUSY_US);
}

/* Another process wakes the agent of this process. */
static void be_woken(void)
{
	if (!fork()) {
		usleep(IDLE_US / 4);
		__atomic_add_fetch(&d.control->generation, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &d.control->generation, FUTEX_WAKE, INT_MAX);
		_exit(0);
	}
	refuse(SYS_futex, true);
	be_idle();
}

static void callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)ops;
	(void)regs;
}

__attribute__((noinline, patchable_function_entry(5))) static int called(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void load_and_unload(void)
{
	struct ftrace_ops ops = { .func = callback };
	void *library;

	CHECK_EQ(ftrace_set_filter_ip(&ops, (unsigned long)called, 0, 0), 0);
	CHECK_EQ(register_ftrace_function(&ops), 0);
	refuse(SYS_gettid, true);
	for (int i = 0; i < 10; i++) {
		CHECK_EQ(called(i), i);
		library = dlopen(path, RTLD_NOW);
		CHECK(library);
		CHECK_EQ(dlclose(library), 0);
	}
}

static int nr_called;

static void count(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)ops;
	(void)regs;
	nr_called++;
}

/* The agent's descriptor of /proc/self/mem has a number that is a file of the program's
 * here. */
static void switch_on(void)
{
	struct ftrace_ops ops = { .func = count };
	int file = memfd_create("file", 0);
	struct stat st;

	usleep(IDLE_US);		/* time for the agent */
	CHECK(file >= 0);
	CHECK_EQ(dup2(file, 0), 0);
	CHECK_EQ(ftrace_set_filter_ip(&ops, (unsigned long)called, 0, 0), 0);
	CHECK_EQ(register_ftrace_function(&ops), 0);
	CHECK_EQ(called(1), 1);
	CHECK_EQ(nr_called, 1);
	CHECK_EQ(fstat(file, &st), 0);
	CHECK_EQ(st.st_size, 0);
}

static void fork_and_switch(void)
{
	refuse(SYS_gettid, false);
	cpu_us(switch_on);
}

/* Hit without rseq, so that records go to the slow rings. */
static void *hit(void *arg)
{
	if (arch_rseq_init())
		arch_rseq_leave();
	for (int i = 0; i < HITS; i++)
		trace_rt_hit(1, i);
	return arg;
}

static void hit_at_once(void)
{
	pthread_t threads[THREADS];

	refuse(SYS_gettid, true);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hit, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void write_in_turn(void)
{
	uint64_t before = driver_nr_records(&d);

	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	for (int i = 0; i < TIMES; i++)
		cpu_us(hit_at_once);
	CHECK_EQ(driver_nr_records(&d) - before, TIMES * THREADS * HITS);
}

int main(void)
{
	char exe[PATH_MAX] = "";

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/runtime-mod_events.so", dirname(exe));
	trace_open(&d, getpid());
	cpu_us(fork_idle);
	CHECK(cpu_us(be_woken) < BUSY_US);
	cpu_us(load_and_unload);
	cpu_us(fork_and_switch);
	write_in_turn();
	driver_close(&d);
	return 0;
}
