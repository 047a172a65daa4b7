/* SPDX-License-Identifier: MIT */
/*
 * A child of vfork() hits events and traced functions, in the memory of its parent.  Its
 * records are in the right rings, and the parent continues as before, whatever the child
 * does.
 *
 * timeout: 60
 * no-sanitize: thread its vfork() is a fork()
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include <linux/ftrace.h>

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

/* ASan's vfork() remembers only one return address. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_NEST	false
#else
#define CAN_NEST	true
#endif

pid_t __vfork(void) __attribute__((returns_twice));

static struct driver d;

static int wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	while (waitpid(pid, &status, 0) < 0)
		CHECK(errno == EINTR);
	return status;
}

/* Do not use the CPU number of rseq or libc's getcpu(), which are wrong in such a child. */
static int this_cpu(void)
{
	unsigned int cpu;

	return syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
}

static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* ---- the place of records ---- */

/* Check the records with this @who: their number, that each has the CPU as its value, the
 * thread @pid, and rings of @kind. */
static void expect(int who, size_t nr, int pid, enum abi_ring_kind kind)
{
	struct trace trace;
	size_t seen = 0;

	trace_read(&d, &trace);
	CHECK_EQ(trace.lost, 0);
	for (size_t i = 0; i < trace.nr; i++) {
		const struct trace_record *r = &trace.records[i];

		CHECK_EQ(trace_number(&d, r, "who"), who);
		CHECK_EQ(trace_number(&d, r, "value"), r->cpu);
		CHECK_EQ(r->pid, pid);
		CHECK_EQ(r->kind, kind);
		seen++;
	}
	CHECK_EQ(seen, nr);
	trace_free(&trace);
}

/* Hit on one CPU, so that the number does not change between the two calls. */
static void hit_here(int who)
{
	move_to(this_cpu());
	trace_rt_hit(who, this_cpu());
}

static enum abi_ring_kind usual = ABI_RING_FAST;

static void expect_usual(int who)
{
	hit_here(who);
	expect(who, 1, gettid(), usual);
}

static void move_from(int home)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		move_to(cpu);
		if (this_cpu() == cpu && cpu != home)
			return;
	}
}

static void expect_in_child(bool has_bars)
{
	int home, parent = gettid();
	pid_t pid;

	hit_here(1);
	expect(1, 1, parent, usual);
	home = this_cpu();
	pid = has_bars ? __vfork() : vfork();
	if (!pid) {
		move_from(home);
		for (int i = 0; i < 1000; i++)
			trace_rt_hit(2, this_cpu());
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
	expect(2, 1000, parent, ABI_RING_SLOW);
}

static void test_rings(bool has_bars)
{
	expect_in_child(has_bars);
	expect_usual(3);
}

/* Hit once in a child. */
static __attribute__((noinline)) void hit_in_child(int who)
{
	pid_t pid = vfork();

	if (!pid) {
		hit_here(who);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
}

/* Hit in a child's child, and after that in its parent. */
static void test_nested(void)
{
	int parent = gettid();
	pid_t pid = vfork();

	if (!pid) {
		hit_here(4);
		hit_in_child(4);
		hit_here(4);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
	expect(4, 3, parent, ABI_RING_SLOW);
	expect_usual(5);
}

static void on_signal(int signal)
{
	(void)signal;
	hit_in_child(6);
}

static void test_handler(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	int parent = gettid();

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	expect(6, 1, parent, ABI_RING_SLOW);
	expect_usual(7);
}

static void test_handler_of_child(void)
{
	int parent = gettid();
	pid_t pid = vfork();

	if (!pid) {
		raise(SIGUSR1);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
	expect(6, 1, parent, ABI_RING_SLOW);
	expect_usual(7);
}

static void expect_name(const char *name)
{
	const struct abi_comm *comms = (const void *)(d.mem + d.control->comms_off);

	for (uint32_t i = 0; i < ABI_COMMS; i++)
		if (comms[i].tid == (uint32_t)gettid()) {
			CHECK_STR(comms[i].comm, name);
			return;
		}
	fail("no name");
}

/* A thread whose first hit is in its child: the thread's own hits have its own id, and its
 * name at that time. */
static void *first_hit(void *arg)
{
	int parent = gettid();

	prctl(PR_SET_NAME, "named early");
	for (int i = 0; i < 3; i++) {
		hit_in_child(8);
		expect(8, 1, parent, ABI_RING_SLOW);
	}
	expect_name("named early");
	prctl(PR_SET_NAME, "named late");
	expect_usual(9);
	expect_name("named late");
	return arg;
}

static void test_first(void)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, first_hit, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* ---- the state after a child ---- */

static volatile pid_t victim;

static void die_in_probe(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	if (getpid() == victim)
		kill(victim, SIGKILL);
}

/* synchronize does not wait for a probe in which a dead child was. */
static void test_death_in_probe(void)
{
	pid_t pid;

	expect_usual(10);
	CHECK_EQ(register_trace_rt_other(die_in_probe, NULL), 0);
	pid = vfork();
	if (!pid) {
		victim = getpid();
		trace_rt_other(0, 0);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), SIGKILL);
	alarm(20);
	CHECK_EQ(unregister_trace_rt_other(die_in_probe, NULL), 0);
	tracepoint_synchronize_unregister();
	alarm(0);
	expect_usual(10);
}

static volatile int nr_entries, last_depth;

static int on_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	(void)ops;
	if (getpid() == victim && ent->depth == 4)
		kill(victim, SIGKILL);
	nr_entries++;
	last_depth = ent->depth;
	return 1;
}

static void on_return(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	(void)ret;
	(void)ops;
}

static struct fgraph_ops gops = { .entryfunc = on_entry, .retfunc = on_return };

TRACED int dive(int depth)
{
	int below = depth ? dive(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

/* The return address of this call is deeper on the stack than the calls of the child. */
TRACED long far(long a, long b, long c, long d, long e, long f, long g, long h, long i,
		long j, long k, long l)
{
	__asm__ volatile("" : "+r"(a));
	return a + b + c + d + e + f + g + h + i + j + k + l;
}

TRACED int outermost(void)
{
	pid_t pid = vfork();

	if (!pid) {
		victim = getpid();
		_exit(dive(9));
	}
	CHECK_EQ(wait_for(pid), SIGKILL);
	nr_entries = 0;
	CHECK_EQ(far(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 78);
	CHECK_EQ(nr_entries, 1);
	CHECK_EQ(last_depth, 1);
	CHECK_EQ(dive(2), 3);
	CHECK_EQ(nr_entries, 4);
	CHECK_EQ(last_depth, 3);
	return 8;
}

/* The child dies in a callback, deep in traced calls.  Afterwards the parent is still traced,
 * and is not inside a callback. */
static void test_death_in_callback(void)
{
	CHECK_EQ(register_ftrace_graph(&gops), 0);
	CHECK_EQ(outermost(), 8);
	nr_entries = 0;
	CHECK_EQ(dive(0), 1);
	CHECK_EQ(nr_entries, 1);
	CHECK_EQ(last_depth, 0);
	unregister_ftrace_graph(&gops);
}

/* ---- errors ---- */

/* Let a seccomp filter give @answer to the system call @nr. */
static void refuse(uint32_t nr, uint32_t answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* vfork() returns the error that libc's returns, and the process still records. */
static void test_error(void)
{
	pid_t pid = fork();

	if (!pid) {
		refuse(SYS_vfork, SECCOMP_RET_ERRNO | EAGAIN);
		errno = 0;
		pid = vfork();
		if (!pid)
			_exit(1);
		CHECK(pid == -1 && errno == EAGAIN);
		expect_usual(11);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
}

/* The parent cannot register its rseq area again.  The child's records are in the right rings
 * nevertheless, and so are the parent's once the thread has moved to another CPU. */
static void test_refused(void)
{
	pid_t pid = fork();

	if (!pid) {
		refuse(SYS_rseq, SECCOMP_RET_ERRNO | EPERM);
		expect_in_child(false);
		move_from(this_cpu());
		expect_usual(3);
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
}

/* Run the tests in a program without rseq, which uses slow rings. */
static void test_without_rseq(void)
{
	pid_t pid = vfork();

	if (!pid) {
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		execl("/proc/self/exe", "vfork", "slow", NULL);
		_exit(127);
	}
	unsetenv("GLIBC_TUNABLES");
	CHECK_EQ(wait_for(pid), 0);
}

/* If nothing can be traced, vfork() is a single system call. */
static void test_disabled(void)
{
	pid_t pid = vfork();

	if (!pid) {
		setenv("ULF_DISABLE", "1", 1);
		execl("/proc/self/exe", "vfork", "disabled", NULL);
		_exit(127);
	}
	unsetenv("ULF_DISABLE");
	CHECK_EQ(wait_for(pid), 0);
}

static void be_disabled(void)
{
	refuse(SYS_rseq, SECCOMP_RET_KILL_PROCESS);
	refuse(SYS_gettid, SECCOMP_RET_KILL_PROCESS);
	if (!vfork())
		_exit(0);
	_exit(0);			/* _exit(), because a sanitizer does more in exit() */
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "disabled"))
		be_disabled();
	trace_open(&d, getpid());
	if (!d.control->has_rseq)
		usual = ABI_RING_SLOW;
	CHECK(usual == ABI_RING_FAST || argc > 1);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	test_first();
	test_rings(false);
	test_rings(true);
	test_handler();
	if (CAN_NEST) {
		test_nested();
		test_handler_of_child();
	}
	test_death_in_probe();
	test_death_in_callback();
	test_error();
	test_refused();
	driver_close(&d);
	if (argc == 1) {
		test_without_rseq();
		test_disabled();
	}
	return 0;
}
