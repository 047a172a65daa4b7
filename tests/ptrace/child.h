/* SPDX-License-Identifier: MIT */
/* A process that a test stops: a child with memory that the test shares with it. */
#ifndef ULF_TESTS_PTRACE_CHILD_H
#define ULF_TESTS_PTRACE_CHILD_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/testpoint.h"
#include "lib/check.h"
#include "ptrace/stop.h"
#include "ptrace/tasks.h"

/* TESTPOINTs of src/ptrace call this function. */
void (*testpoint_hook)(const char *name);

/* Map zeroed memory that children of fork() share. */
__attribute__((unused)) static void *map_shared(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

__attribute__((unused)) static void sleep_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

/* Start a process that runs @run(@arg), and that dies with the test. */
__attribute__((unused)) static pid_t target_start(void (*run)(void *arg), void *arg)
{
	pid_t parent = getpid(), pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	run(arg);
	_exit(0);
}

__attribute__((unused)) static void target_kill(pid_t pid)
{
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

/* Stop all threads of @pid.  A failure ends the test. */
__attribute__((unused)) static struct stopped *stop_or_fail(pid_t pid)
{
	/* On a busy machine a runnable thread may wait long for a CPU. */
	const struct stop_request request = { .timeout_ms = 60000 };
	struct stopped *stopped = NULL;
	struct stop_failure failure;
	struct text text;
	int r = threads_stop(pid, &request, &stopped, &failure);

	if (r) {
		text_init(&text, 1024);
		stop_failure_print(&failure, &text);
		fail("threads_stop: %s: %s", strerror(-r), text_str(&text));
	}
	return stopped;
}

/* Wait until *@word is at least @value. */
__attribute__((unused)) static void wait_for(const _Atomic uint64_t *word, uint64_t value)
{
	while (atomic_load(word) < value)
		sleep_ms(1);
}

/* Wait until the thread is in one of the states @states (/proc/PID/stat). */
__attribute__((unused)) static void wait_for_state(pid_t pid, pid_t tid, const char *states)
{
	while (!strchr(states, task_stat_read(pid, tid).state))
		sleep_ms(1);
}

#endif
