/* SPDX-License-Identifier: MIT */
/*
 * A worker without rights attacks its parent through the root's memory.
 *
 *	this test	starts the victim, switches everything on, and changes settings
 *	victim		a traced program: forks the worker, then hits events, calls
 *			functions, forks, loads libraries
 *	worker		stores hostile values in the root's memory, has them applied, and
 *			restores most of them
 *
 * Whatever the worker stores, the victim must neither die nor hang, and its private memory
 * must not change.  ULF_SEED repeats the worker's choices.
 *
 * timeout: 300
 * user: both the worker of a program of root becomes nobody
 * no-sanitize: address the sanitizer looks for its allocator's lists in hostile memory
 * no-sanitize: thread it knows nothing of memory that another process writes
 */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
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
	{ "synthetic_events", "hostile_synth long number; char text[]" },
	{ "events/hostile/hostile_number/trigger",
	  "hist:keys=number:vals=hitcount,number:v=number:size=128" },
	{ "events/hostile/hostile_number/trigger",
	  "hist:keys=common_pid.execname,number.log2:m=number:onmax(\\$m).save(number)" },
	{ "events/hostile/hostile_text/trigger",
	  "hist:keys=number,text:vals=number" },
	{ "events/hostile/hostile_text/trigger",
	  "hist:keys=number:d=number-\\$v:onmatch(hostile.hostile_number)"
	  ".hostile_synth(\\$d,text)" },
	{ "events/hostile/hostile_pointer/trigger", "hist:keys=text,common_stacktrace" },
	{ "events/synthetic/hostile_synth/trigger", "hist:keys=text,number.buckets=7" },
	{ "events/hostile/hostile_text/trigger",
	  "disable_hist:hostile:hostile_number if number == 5" },
	{ "events/hostile/hostile_pointer/trigger", "enable_hist:hostile:hostile_number" },
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

/* Settings that change during the attack.  A write may fail. */
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
	{ "events/hostile/hostile_number/trigger",
	  "hist:keys=number:vals=hitcount,number:v=number:size=128:clear" },
	{ "events/hostile/hostile_text/trigger", "hist:keys=number,text:vals=number:pause" },
	{ "events/hostile/hostile_text/trigger", "hist:keys=number,text:vals=number:clear" },
	{ "events/hostile/hostile_text/trigger", "hist:keys=number,text:vals=number:cont" },
};

/* Files that are read while the worker is at it. */
static const char *const files[] = {
	"events/hostile/hostile_number/hist", "events/hostile/hostile_text/hist",
	"events/hostile/hostile_pointer/hist", "events/synthetic/hostile_synth/hist",
	"events/hostile/hostile_number/hist_debug",
};

static void put(pid_t pid, const struct setting *setting)
{
	bool is_list = strstr(setting->file, "trigger") || strstr(setting->file, "synth");

	command("timeout 20 ulf echo %s \"%s\" runtime-hostile.%d/%s >/dev/null 2>&1",
		is_list ? "-a" : "", setting->text, pid, setting->file);
}

static void change(pid_t pid, uint32_t i)
{
	const char *file = files[i % (sizeof(files) / sizeof(files[0]))];

	put(pid, &changes[i % (sizeof(changes) / sizeof(changes[0]))]);
	if (command("timeout 20 ulf cat runtime-hostile.%d/%s >/dev/null 2>&1", pid, file) == 124)
		fail("the server hangs: %s", file);
}

/* The settings have been accepted: there are histograms. */
static void check_histograms(pid_t pid)
{
	for (uint32_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		command_ok("ulf cat runtime-hostile.%d/%s | grep -q 'trigger info'", pid,
			   files[i]);
}

/* Start the victim by its path, from which its root gets its name. */
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
	check_histograms(pid);
	CHECK_EQ(write(pipes[1], "g", 1), 1);	/* the worker may begin */
	for (i = 0; !has_ended(pid, &status); i++)
		change(pid, i);
	judge(status);
	/* The server has read all hostile values, and must still work. */
	command_ok("timeout 20 ulf ls >/dev/null");
	printf("score: settings changed %u times\n", i);
	return 0;
}
