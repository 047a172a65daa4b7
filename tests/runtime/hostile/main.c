/* SPDX-License-Identifier: MIT */
/*
 * A worker without rights attacks its parent through the root's memory.
 *
 *	this test	starts the victim, switches everything on, and goes on switching
 *	victim		a program that is traced; forks the worker, then hits events, calls
 *			functions, forks, loads libraries
 *	worker		stores hostile values in the root's memory, has them applied, and
 *			mostly puts back what was there
 *
 * Whatever the worker stores, the victim must neither die nor hang, and its private
 * memory must stay as it was.  ULF_SEED repeats the worker's choices.
 *
 * timeout: 300
 * user: both the worker of a program of root becomes nobody
 * no-sanitize: address a hostile trace is no place to look for the allocator's lists
 * no-sanitize: thread it knows nothing of memory that another process writes
 */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"
#include "lib/check.h"
#include "lib/command.h"

static const struct setting {
	const char *file, *text;
} settings[] = {
	{ "events/enable", "1" },
	{ "events/hostile/hostile_number/filter", "number != 7" },
	{ "events/hostile/hostile_pointer/filter", "text != \\\"none\\\"" },
	{ "events/hostile/hostile_text/trigger", "stacktrace:5 if number == 3" },
	{ "events/hostile/hostile_text/trigger",
	  "enable_event:hostile:hostile_number:9" },
	{ "snapshot", "1" },
	{ "stack_tracer_enabled", "1" },
	{ "function_profile_enabled", "1" },
	{ "set_ftrace_filter", "hostile_leaf:traceon:3" },
	{ "set_ftrace_filter", "hostile_*" },
	{ "current_tracer", "function_graph" },
	{ "options/event-fork", "1" },
};

/* What is switched while the worker is at it.  Errors are answers, too. */
static const struct setting changes[] = {
	{ "current_tracer", "function" },
	{ "events/hostile/hostile_number/filter", "number > 3" },
	{ "buffer_size_kb", "64" },
	{ "current_tracer", "function_graph" },
	{ "events/hostile/hostile_text/filter", "text ~ \\\"*a*\\\"" },
	{ "buffer_size_kb", "1024" },
	{ "current_tracer", "nop" },
	{ "tracing_on", "1" },
	{ "events/enable", "1" },
	{ "trace_clock", "counter" },
	{ "set_event_pid", "1" },
	{ "trace_clock", "local" },
	{ "set_event_pid", "" },
};

static void put(pid_t pid, const struct setting *setting)
{
	command("timeout 20 ulf echo \"%s\" runtime-hostile.%d/%s >/dev/null 2>&1",
		setting->text, pid, setting->file);
}

/* By its path: that is what its root is called after. */
static void start_victim(int from)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tests/runtime-hostile", command_env("ULF_BUILD"));
	if (dup2(from, 0) >= 0)
		execl(path, path, "victim", NULL);
	_exit(1);
}

static void wait_for_root(pid_t pid)
{
	for (int tries = 0;
	     command("ulf ls | grep -q '^runtime-hostile.%d .*alive'", pid); tries++) {
		CHECK(tries < 500);
		usleep(20000);
	}
}

static bool has_ended(pid_t pid, int *ret_status)
{
	return waitpid(pid, ret_status, WNOHANG) == pid;
}

static void judge(int status)
{
	if (WIFSIGNALED(status))
		fail("the victim died: %s", strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		fail("the victim ended with %d", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	int pipes[2], status;
	uint32_t i = 0;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "victim"))
		return victim();
	CHECK(!pipe(pipes));
	command_ok("ulf ls >/dev/null");
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		start_victim(pipes[0]);
	close(pipes[0]);
	wait_for_root(pid);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		put(pid, &settings[i]);
	CHECK_EQ(write(pipes[1], "g", 1), 1);	/* the worker may begin */
	for (i = 0; !has_ended(pid, &status); i++)
		put(pid, &changes[i % (sizeof(changes) / sizeof(changes[0]))]);
	judge(status);
	/* The server has seen it all, and is there. */
	command_ok("timeout 20 ulf ls >/dev/null");
	printf("score: settings changed %u times\n", i);
	return 0;
}
