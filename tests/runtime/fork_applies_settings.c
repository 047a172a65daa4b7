/* SPDX-License-Identifier: MIT */
/*
 * A child gets its slot after an event was switched.  At that time nobody knew of the child,
 * so it must apply the setting before fork() returns.
 *
 * no-sanitize: address its leak check waits for a thread that fork() froze
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define TIMES	20

static int fork_and_hit(int argc, char **argv)
{
	pid_t pid;

	(void)argc;
	(void)argv;
	self_say('r');
	self_hear();
	pid = fork();
	if (!pid) {
		trace_rt_hit(1, 1);
		self_say('d');
		_exit(0);
	}
	return waitpid(pid, NULL, 0) != pid;
}

static const struct self_role roles[] = {
	{ "fork_and_hit", fork_and_hit },
	{ NULL, NULL },
};

/* Returns the child of @pid, stopped at its first instruction.  @pid continues. */
static pid_t hold_child(pid_t pid)
{
	bool has_forked = false;
	pid_t child = 0;
	int status;

	while (!has_forked || !child) {
		pid_t who = waitpid(-1, &status, __WALL);

		CHECK(who > 0);
		CHECK(WIFSTOPPED(status));
		if (who != pid) {
			child = who;
			continue;
		}
		has_forked = true;
		CHECK_EQ(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	}
	return child;
}

static void switch_before_it_comes(bool is_on)
{
	struct self self = self_start("fork_and_hit", NULL);
	struct driver d;
	pid_t child;

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", !is_on), 0);
	if (ptrace(PTRACE_SEIZE, self.pid, 0, PTRACE_O_TRACEFORK)) {
		kill(self.pid, SIGKILL);
		self_wait(&self);
		skip("ptrace() is not allowed");
	}
	self_put(&self, 'f');
	child = hold_child(self.pid);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", is_on), 0);
	CHECK_EQ(ptrace(PTRACE_DETACH, child, 0, 0), 0);
	CHECK_EQ(self_get(&self), 'd');
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), is_on);
	CHECK_EQ(self_wait(&self), 0);
	driver_close(&d);
}

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	for (int i = 0; i < TIMES; i++) {
		switch_before_it_comes(false);
		switch_before_it_comes(true);
	}
	return 0;
}
