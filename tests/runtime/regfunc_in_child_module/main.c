/* SPDX-License-Identifier: MIT */
/*
 * A program has no TRACE_EVENT_FN.  A child of it loads a module that has one.  Then the
 * child gets the thread that calls the event's functions, and they are called.
 *
 * no-sanitize: thread it allows no threads in a child of a process with threads
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static struct driver d;
static int to_child[2], from_child[2];

/* The child reports the number of calls on request. */
static void child(void)
{
	char exe[PATH_MAX] = "", path[PATH_MAX];
	void *handle;
	int *nr_calls;
	char c;

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/runtime-regfunc_in_child_module-mod_call.so",
		 dirname(exe));
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		fail("%s", dlerror());
	nr_calls = dlsym(handle, "nr_calls");
	close(to_child[1]);
	while (read(to_child[0], &c, 1) == 1)
		CHECK_EQ(write(from_child[1], nr_calls, sizeof(*nr_calls)),
			 sizeof(*nr_calls));
	_exit(0);
}

static int ask_child(void)
{
	int nr_calls;

	CHECK_EQ(write(to_child[1], "?", 1), 1);
	CHECK_EQ(read(from_child[0], &nr_calls, sizeof(nr_calls)), sizeof(nr_calls));
	return nr_calls;
}

int main(void)
{
	int status;
	pid_t pid;

	trace_open(&d, getpid());
	CHECK_EQ(pipe(to_child), 0);
	CHECK_EQ(pipe(from_child), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		child();
	CHECK_EQ(ask_child(), 0);
	CHECK_EQ(driver_enable(&d, "cm", "cm_hit", true), 0);
	CHECK_EQ(ask_child(), 1);
	CHECK_EQ(driver_enable(&d, "cm", "cm_hit", false), 0);
	CHECK_EQ(ask_child(), 2);
	close(to_child[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	driver_close(&d);
	return 0;
}
