/* SPDX-License-Identifier: MIT */
/*
 * The agent thread and the program do not disturb each other: signals, rights, descriptors,
 * the end of the main thread, and libc's knowledge of threads.
 *
 * user: both some programs have rights of root
 * no-sanitize: address there the agent is a thread of libc's
 * no-sanitize: thread there the agent is a thread of libc's
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

/* ---- the programs ---- */

static void serve(void)
{
	self_say('r');
	while (self_hear() == 'h') {
		trace_rt_hit(1, 1);
		self_say('d');
	}
}

static int obey(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	CHECK(__libc_single_threaded);
	serve();
	CHECK(__libc_single_threaded);
	return 0;
}

static void *outlive(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	serve();
	return NULL;
}

/* The process ends when its last thread ends; the agent does not count as one. */
static int leave_main(int argc, char **argv)
{
	static pthread_t self, other;

	(void)argv;
	self = pthread_self();
	if (argc)
		pthread_create(&other, NULL, outlive, &self);
	pthread_exit(NULL);
}

static volatile int nr_handled;

static void fork_in_handler(int sig)
{
	int status = -1;
	pid_t pid = fork();

	(void)sig;
	if (!pid) {
		trace_rt_hit(2, 2);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) == pid && !status)
		nr_handled++;
}

static int handle(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	signal(SIGUSR1, fork_in_handler);
	self_say('r');
	while (self_hear() == 'h') {
		raise(SIGUSR1);
		self_say('d');
	}
	return nr_handled == 3 ? 0 : 1;
}

static const struct self_role roles[] = {
	{ "obey", obey },
	{ "leave_main", leave_main },
	{ "handle", handle },
	{ NULL, NULL },
};

/* ---- the tests ---- */

/* Get a line of the agent's /proc/PID/task/TID/status. */
static void agent_status(pid_t pid, const char *key, char *value, size_t size)
{
	char *text = command_output(
		"cd /proc/%d/task && for t in *; do [ $t = %d ] || "
		"sed -n '/^Name:[[:space:]]*ulf-agent$/,$ "
		"s/^%s:[[:space:]]*//p' $t/status; done", pid, pid, key);

	text[strcspn(text, "\n")] = '\0';
	if (!*text)
		fail("process %d has no agent, or it has no %s", pid, key);
	snprintf(value, size, "%s", text);
	free(text);
}

static unsigned long agent_bits(pid_t pid, const char *key)
{
	char value[256];

	agent_status(pid, key, value, sizeof(value));
	return strtoul(value, NULL, 16);
}

#define MAY_LOCK	(1ul << CAP_IPC_LOCK)

static void hit(const struct self *self)
{
	self_put(self, 'h');
	CHECK_EQ(self_get(self), 'd');
}

static void test_status(void)
{
	struct self self = self_start("obey", NULL);
	unsigned long blocked;
	struct driver d;
	char uids[256];

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);	/* so that the agent has finished its first work */
	CHECK_EQ(self_count_threads(self.pid), 2);
	blocked = agent_bits(self.pid, "SigBlk");
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		if (sig != SIGKILL && sig != SIGSTOP)
			CHECK(blocked >> (sig - 1) & 1);
	}
	CHECK_EQ(agent_bits(self.pid, "CapEff") & ~MAY_LOCK, 0);
	CHECK_EQ(agent_bits(self.pid, "CapPrm") & ~MAY_LOCK, 0);
	agent_status(self.pid, "Uid", uids, sizeof(uids));
	CHECK(strtoul(uids, NULL, 10) != 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	hit(&self);
	CHECK_EQ(self_wait(&self), 0);
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 1);
	driver_close(&d);
}

/* The program belongs to a user with two of root's capabilities.  The agent has only the one
 * for locking memory. */
static void test_capabilities(void)
{
	char *text;

	if (geteuid() || !command_is_reachable()) {
		puts("left out: another user with some of root's rights, as we "
		     "are not root or he cannot reach this directory");
		return;
	}
	text = command_output(
		"dir=$TMPDIR/user; mkdir -m 700 $dir && chown 65534 $dir && "
		"export ULF_DIR=$dir && chmod 711 $TMPDIR && "
		"mkfifo -m 666 $dir/in $dir/out && "
		"{ setpriv --reuid=65534 --regid=65534 --clear-groups "
		"--inh-caps=+net_raw,+ipc_lock --ambient-caps=+net_raw,+ipc_lock "
		"/proc/%d/exe obey 3<$dir/in 4>$dir/out & } && "
		"exec 5>$dir/in 6<$dir/out && dd bs=1 count=1 <&6 2>/dev/null "
		">&2 && for t in /proc/$!/task/*; do sed -n "
		"'s/^Name:[[:space:]]*//p; s/^CapEff:[[:space:]]*0*//p' "
		"$t/status; done && exec 5>&- && wait $!", getpid());
	/* the program keeps both capabilities: net_raw is bit 13, ipc_lock is bit 14 */
	CHECK_STR(text, "exe\n6000\nulf-agent\n4000\n");
	free(text);
}

/* A process with root's saved user id can become root again, so it counts as root: its agent
 * has another user. */
static void test_saved_user(void)
{
	char uids[256];
	int status;
	pid_t pid;

	if (geteuid()) {
		puts("left out: a saved user, as we are not root");
		return;
	}
	pid = fork();
	if (!pid) {
		CHECK_EQ(setresuid(1000, 1000, 0), 0);
		pid = fork();
		if (!pid) {
			agent_status(getpid(), "Uid", uids, sizeof(uids));
			for (char *at = uids; at; at = strchr(at + 1, '\t'))
				CHECK(strtoul(at, NULL, 10) != 0);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		_exit(status != 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void test_leave_main(void)
{
	struct self self = self_start("leave_main", NULL);

	CHECK_EQ(self_wait(&self), 0);
	self = self_start("leave_main", "thread");
	CHECK_EQ(self_get(&self), 'r');
	CHECK_EQ(self_wait(&self), 0);
}

static void test_fork_in_handler(void)
{
	struct self self = self_start("handle", NULL);
	struct driver d;

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	for (int i = 0; i < 3; i++)
		hit(&self);
	CHECK_EQ(self_wait(&self), 0);
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 3);
	driver_close(&d);
}

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	test_status();
	test_capabilities();
	test_saved_user();
	test_leave_main();
	test_fork_in_handler();
	return 0;
}
