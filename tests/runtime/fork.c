/* SPDX-License-Identifier: MIT */
/*
 * fork(): children record, and each process, also the parent, can be switched from outside.
 *
 * timeout: 60
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static struct driver d;

static void wait_for(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* ---- a child that obeys: h: hit, anything else: end ---- */

struct child {
	pid_t pid;
	int to, from;
};

static void obey(int in, int out, int who)
{
	char c;

	while (read(in, &c, 1) == 1 && c == 'h') {
		trace_rt_hit(who, 0);
		CHECK_EQ(write(out, "d", 1), 1);
	}
	_exit(0);
}

static struct child child_start(int who)
{
	int to[2], from[2];
	struct child child;

	CHECK_EQ(pipe(to), 0);
	CHECK_EQ(pipe(from), 0);
	child.pid = fork();
	CHECK(child.pid >= 0);
	if (!child.pid) {
		close(to[1]);
		obey(to[0], from[1], who);
	}
	close(to[0]);
	close(from[1]);
	child.to = to[1];
	child.from = from[0];
	return child;
}

static void child_hit(const struct child *child)
{
	char c;

	CHECK_EQ(write(child->to, "h", 1), 1);
	CHECK_EQ(read(child->from, &c, 1), 1);
}

static void child_end(struct child *child)
{
	CHECK_EQ(write(child->to, "e", 1), 1);
	close(child->to);
	close(child->from);
	wait_for(child->pid);
}

static void expect(const struct child *children, int nr, size_t each)
{
	struct trace trace;

	trace_rt_hit(0, 0);
	for (int i = 0; i < nr; i++)
		child_hit(&children[i]);
	trace_read(&d, &trace);
	CHECK_EQ(trace_count(&d, &trace, "rt", "rt_hit", getpid()), each);
	for (int i = 0; i < nr; i++)
		CHECK_EQ(trace_count(&d, &trace, "rt", "rt_hit",
				     children[i].pid), each);
	CHECK_EQ(trace.nr, (size_t)(nr + 1) * each);
	trace_free(&trace);
}

#define CHILDREN 4

static void test_switching(void)
{
	struct child children[CHILDREN];
	const struct abi_process *own = trace_process(&d, getpid());

	children[0] = child_start(1);
	expect(children, 1, 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	expect(children, 1, 1);
	for (int i = 1; i < CHILDREN; i++)	/* forked while the event is on */
		children[i] = child_start(i + 1);
	for (int i = 0; i < CHILDREN; i++) {
		const struct abi_process *slot =
			trace_wait_agent(&d, children[i].pid);

		CHECK(!memcmp(slot->modules, own->modules,
			      sizeof(own->modules)));
	}
	expect(children, CHILDREN, 1);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", false), 0);
	expect(children, CHILDREN, 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	child_end(&children[CHILDREN - 1]);
	expect(children, CHILDREN - 1, 1);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", false), 0);
	expect(children, CHILDREN - 1, 0);
	for (int i = 0; i < CHILDREN - 1; i++)
		child_end(&children[i]);
}

/* ---- a fork while settings change ---- */

static void *switch_it(void *arg)
{
	CHECK_EQ(driver_enable(&d, "rt", "rt_other", arg != NULL), 0);
	return NULL;
}

/* The child applies the newest settings, whichever generation it was forked with. */
static void follow(bool on)
{
	struct abi_process *slot = trace_wait_agent(&d, getpid());
	uint32_t generation = d.control->generation;

	for (int i = 0; i < 10000; i++) {
		if (__atomic_load_n(&slot->applied, __ATOMIC_ACQUIRE) ==
		    generation)
			break;
		usleep(1000);
	}
	CHECK_EQ(slot->applied, generation);
	CHECK_EQ(trace_rt_other_enabled(), on);
	_exit(0);
}

static void test_fork_while_switching(void)
{
	for (int i = 0; i < 200; i++) {
		bool on = i % 2 == 0;
		pthread_t thread;
		int go[2];
		pid_t pid;
		char c;

		CHECK_EQ(pipe(go), 0);
		CHECK_EQ(pthread_create(&thread, NULL, switch_it,
					on ? &d : NULL), 0);
		if (i % 4)
			usleep((unsigned int)(i * 7 % 200));
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			/* until the setting is written */
			close(go[1]);
			CHECK_EQ(read(go[0], &c, 1), 0);
			follow(on);
		}
		CHECK_EQ(pthread_join(thread, NULL), 0);
		close(go[0]);
		close(go[1]);
		wait_for(pid);
	}
}

/* ---- a fork while other threads are inside probes ---- */

static bool is_over;

static void linger(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	for (int i = 0; i < 200; i++)
		__asm__ volatile("pause");
}

static void *hammer(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		trace_rt_hit(0, 0);
	return arg;
}

static void test_fork_among_threads(void)
{
	pthread_t threads[3];

	CHECK_EQ(register_trace_rt_hit(linger, NULL), 0);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hammer, NULL), 0);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			/* The threads of the parent do not count as inside the child's
			 * probes. */
			CHECK_EQ(unregister_trace_rt_hit(linger, NULL), 0);
			tracepoint_synchronize_unregister();
			trace_rt_hit(0, 0);
			_exit(0);
		}
		wait_for(pid);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK_EQ(unregister_trace_rt_hit(linger, NULL), 0);
}

/* ---- the cost of a child ---- */

struct cost {
	long faults;			/* number of pages that the child has touched */
	long mappings;
};

static struct cost cost_of_self(void)
{
	struct cost cost = { 0 };
	struct rusage usage;
	FILE *maps;
	int c;

	getrusage(RUSAGE_SELF, &usage);
	cost.faults = usage.ru_minflt;
	maps = fopen("/proc/self/maps", "r");
	CHECK(maps != NULL);
	while ((c = getc(maps)) != EOF)
		cost.mappings += c == '\n';
	fclose(maps);
	return cost;
}

/* Returns the cost of a child, or of a child's child, and so on. */
static struct cost cost_of_child(int generation)
{
	struct cost cost = { 0 };
	int fds[2];
	pid_t pid;

	CHECK_EQ(pipe(fds), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		cost = generation > 1 ? cost_of_child(generation - 1) : cost_of_self();
		CHECK_EQ(write(fds[1], &cost, sizeof(cost)), sizeof(cost));
		_exit(0);
	}
	CHECK_EQ(read(fds[0], &cost, sizeof(cost)), sizeof(cost));
	close(fds[0]);
	close(fds[1]);
	wait_for(pid);
	return cost;
}

/* The agent of each generation uses the memory that the agent of the previous generation
 * used. */
static void test_generations(void)
{
	CHECK_EQ(cost_of_child(6).mappings, cost_of_child(2).mappings);
}

/* ---- more children than the root has slots ---- */

static void test_many(void)
{
	struct cost first = cost_of_child(1), last;
	struct child child;

	for (uint32_t i = 0; i < ABI_PROCESSES + 20; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid)
			_exit(0);
		wait_for(pid);
	}
	/* A new child does not search the slots of dead ones. */
	last = cost_of_child(1);
	CHECK(last.faults < first.faults + 10);
	CHECK_EQ(d.control->processes_off, ABI_PROCESSES_OFF);
	CHECK(trace_process(&d, getpid()));
	child = child_start(1);
	trace_wait_agent(&d, child.pid);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	expect(&child, 1, 1);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", false), 0);
	expect(&child, 1, 0);
	child_end(&child);
}

/* ---- the contents of a process slot ---- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	CHECK_EQ(clock_gettime(CLOCK_BOOTTIME, &ts), 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void read_comm(pid_t pid, uint32_t tid, char *comm, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/comm", pid, tid);
	file = fopen(path, "re");
	CHECK(file && fgets(comm, size, file));
	fclose(file);
}

/* A thread sets its own name when it starts to run. */
static void test_slot(void)
{
	uint64_t before = now_ns();
	struct child child = child_start(1);
	const struct abi_process *slot;
	char comm[32] = "";

	child_hit(&child);
	slot = trace_process(&d, child.pid);
	CHECK(slot && slot->claimed_ns > before && slot->claimed_ns < now_ns());
	for (int i = 0; strcmp(comm, "ulf-agent\n") && i < 10000; i++) {
		read_comm(child.pid, slot->agent, comm, sizeof(comm));
		usleep(1000);
	}
	CHECK_STR(comm, "ulf-agent\n");
	child_end(&child);
}

/* ---- vfork() and posix_spawn(): the root gets no process ---- */

static void test_vfork(void)
{
	char *argv[] = { "true", NULL }, *env[] = { NULL };
	pid_t pid;

	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	trace_rt_hit(0, 1);
	pid = vfork();
	if (!pid) {
		execve("/bin/true", argv, env);
		_exit(1);
	}
	trace_rt_hit(0, 2);
	wait_for(pid);
	CHECK_EQ(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, env), 0);
	trace_rt_hit(0, 3);
	wait_for(pid);
	CHECK(!trace_process(&d, pid));
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 3);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", false), 0);
	trace_rt_hit(0, 4);
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 0);
}

int main(void)
{
	trace_open(&d, getpid());
	test_switching();
	test_fork_while_switching();
	test_fork_among_threads();
	test_vfork();
	test_generations();
	test_slot();
	test_many();
	driver_close(&d);
	return 0;
}
