/* SPDX-License-Identifier: MIT */
/*
 * The life of a root: start, exit, kill, daemons, exec, and programs without a root.
 *
 * no-sanitize: address its leak check waits for a thread that fork() froze
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

/* ---- the programs ---- */

/* h: hit; anything else: end. */
static int quiet(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	self_say('r');
	while (self_hear() == 'h') {
		trace_rt_hit(1, 1);
		self_say('d');
	}
	return 0;
}

static void *exit_here(void *arg)
{
	exit(*(int *)arg);
}

static int exit_in_thread(int argc, char **argv)
{
	pthread_t thread;
	int status = 5;

	quiet(argc, argv);
	pthread_create(&thread, NULL, exit_here, &status);
	pthread_join(thread, NULL);
	return 1;
}

/* A daemon made in the usual way: two forks, and both parents call exit(). */
static int daemonize(int argc, char **argv)
{
	pid_t pid = fork();

	if (pid)
		exit(pid < 0);
	setsid();
	pid = fork();
	if (pid)
		exit(pid < 0);
	if (chdir("/"))
		exit(1);
	return quiet(argc, argv);
}

/* The first parent waits for the second one. */
static int daemonize_and_wait(int argc, char **argv)
{
	int status;
	pid_t pid;

	quiet(argc, argv);
	pid = fork();
	if (pid) {
		waitpid(pid, &status, 0);
		exit(status);
	}
	setsid();
	if (fork())
		_exit(0);
	return quiet(argc, argv);
}

static int exec_again(int argc, char **argv)
{
	char *again[] = { "self", "quiet", NULL };

	quiet(argc, argv);
	execv("/proc/self/exe", again);
	return 1;
}

static int nr_probes;

static void probe(void *data, int who, long value)
{
	(void)data;
	nr_probes += who == 1 && value == 1;
}

/* Without a root, the program's own probes work. */
static int own_probe(int argc, char **argv)
{
	CHECK_EQ(register_trace_rt_hit(probe, NULL), 0);
	quiet(argc, argv);
	CHECK_EQ(nr_probes, 1);
	CHECK_EQ(unregister_trace_rt_hit(probe, NULL), 0);
	tracepoint_synchronize_unregister();
	return 0;
}

static const struct self_role roles[] = {
	{ "quiet", quiet },
	{ "exit_in_thread", exit_in_thread },
	{ "daemonize", daemonize },
	{ "daemonize_and_wait", daemonize_and_wait },
	{ "exec_again", exec_again },
	{ "own_probe", own_probe },
	{ NULL, NULL },
};

/* ---- the tests ---- */

static void hit(const struct self *self)
{
	self_put(self, 'h');
	CHECK_EQ(self_get(self), 'd');
}

static void test_unused(const char *role, int status)
{
	struct self self = self_start(role, NULL);

	CHECK_EQ(self_get(&self), 'r');
	hit(&self);
	CHECK_EQ(self_count_roots(self.pid), 1);
	CHECK_EQ(self_wait(&self), status);
	CHECK_EQ(self_count_roots(self.pid), 0);
}

/* The records and their formats outlive the program. */
static void test_used(int how)
{
	struct self self = self_start("quiet", NULL);
	const struct abi_process *slot;
	struct trace trace;
	struct driver d;
	int row;

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	hit(&self);
	if (how)
		kill(self.pid, how);
	CHECK_EQ(self_wait(&self), how ? 128 + how : 0);
	CHECK_EQ(self_count_roots(self.pid), 1);
	driver_close(&d);
	CHECK_EQ(driver_open(&d, self.pid), 0);
	trace_read(&d, &trace);
	CHECK_EQ(trace_count(&d, &trace, "rt", "rt_hit", self.pid), 1);
	trace_free(&trace);
	slot = trace_process(&d, self.pid);
	row = driver_find_event(&d, "rt", "rt_hit");
	CHECK(row >= 0);
	row = (int)((struct abi_event *)(d.mem + d.control->events_off))
		[row].module;
	CHECK(slot->modules[row / 64] >> (row % 64) & 1);
	driver_close(&d);
}

/* Orphans become children of this process: the two parents end first, then the daemon. */
static void test_daemon(bool record)
{
	struct self self = self_start("daemonize", NULL);
	struct driver d;
	int status;

	for (int i = 0; i < 2; i++) {
		CHECK(waitpid(-1, &status, 0) > 0);
		CHECK_EQ(status, 0);
	}
	CHECK_EQ(self_get(&self), 'r');
	CHECK_EQ(self_count_roots(self.pid), 1);
	CHECK_EQ(driver_open(&d, self.pid), 0);
	if (record) {
		CHECK_EQ(driver_rings(&d, &trace_config), 0);
		CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	}
	hit(&self);
	self_put(&self, 'e');
	CHECK(waitpid(-1, &status, 0) > 0);
	CHECK_EQ(status, 0);
	if (record)
		CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 1);
	CHECK_EQ(self_count_roots(self.pid), record);
	driver_close(&d);
	close(self.to);
	close(self.from);
}

/* Let all processes run except the second child, until the traced process @pid has ended;
 * then let the second child run, too. */
static void hold_daemon(pid_t pid)
{
	pid_t ended = 0, child = 0, daemon = 0;
	int status;

	while (ended != pid || !daemon) {
		pid_t who = waitpid(-1, &status, 0);

		CHECK(who > 0);
		if (!WIFSTOPPED(status)) {
			CHECK_EQ(status, 0);
			ended = who;
			continue;
		}
		if (who != pid && !child)
			child = who;
		if (who != pid && who != child)
			daemon = who;
		else
			ptrace(PTRACE_CONT, who, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
	CHECK_EQ(self_count_roots(pid), 1);
	CHECK_EQ(ptrace(PTRACE_DETACH, daemon, 0, 0), 0);
}

/* The daemon claims its slot after all other processes have ended. */
static void test_late_daemon(void)
{
	struct self self = self_start("daemonize_and_wait", NULL);
	int status;

	CHECK_EQ(self_get(&self), 'r');
	if (ptrace(PTRACE_SEIZE, self.pid, 0, PTRACE_O_TRACEFORK)) {
		puts("left out: a daemon that is late: ptrace() is not allowed");
		CHECK_EQ(kill(self.pid, SIGKILL), 0);
		CHECK_EQ(self_wait(&self), 128 + SIGKILL);
		return;
	}
	self_put(&self, 'f');
	hold_daemon(self.pid);
	CHECK_EQ(self_get(&self), 'r');
	hit(&self);
	self_put(&self, 'e');
	CHECK(waitpid(-1, &status, 0) > 0);
	CHECK_EQ(status, 0);
	CHECK_EQ(self_count_roots(self.pid), 0);
	close(self.to);
	close(self.from);
}

static void test_exec(void)
{
	struct self self = self_start("exec_again", NULL);
	struct driver before, after;

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&before, self.pid);
	CHECK_EQ(driver_enable(&before, "rt", "rt_hit", true), 0);
	hit(&self);
	self_put(&self, 'x');
	CHECK_EQ(self_get(&self), 'r');		/* the process has executed another program */
	hit(&self);
	CHECK_EQ(self_count_roots(self.pid), 2);
	CHECK_EQ(trace_drain(&before, "rt", "rt_hit"), 1);
	trace_open(&after, self.pid);
	CHECK(after.control->started_ns > before.control->started_ns);
	hit(&self);
	CHECK_EQ(driver_enable(&after, "rt", "rt_hit", true), 0);
	hit(&self);
	CHECK_EQ(trace_drain(&after, "rt", "rt_hit"), 1);
	CHECK_EQ(trace_drain(&before, "rt", "rt_hit"), 0);
	CHECK_EQ(self_wait(&self), 0);
	CHECK_EQ(self_count_roots(self.pid), 2);
	driver_close(&before);
	driver_close(&after);
}

static void test_disable(const char *value, bool is_disabled)
{
	struct self self;

	setenv("ULF_DISABLE", value, 1);
	self = self_start("own_probe", NULL);
	unsetenv("ULF_DISABLE");
	CHECK_EQ(self_get(&self), 'r');
	CHECK_EQ(self_count_roots(self.pid), !is_disabled);
	CHECK_EQ(self_count_threads(self.pid), is_disabled ? 1 : 2);
	hit(&self);
	CHECK_EQ(self_wait(&self), 0);
}

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	test_unused("quiet", 0);
	test_unused("exit_in_thread", 5);
	test_used(0);
	test_used(SIGKILL);
	test_used(SIGABRT);
	for (int i = 0; i < 30; i++)
		test_daemon(false);
	test_daemon(true);
	test_late_daemon();
	test_exec();
	test_disable("1", true);
	test_disable("yes", true);
	test_disable("0", false);
	test_disable("", false);
	return 0;
}
