// SPDX-License-Identifier: MIT
// Children of every kind, made in the middle of calls, and exec().
#include <cstring>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "habits.h"

extern char **environ;

static int status_of(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

NOINLINE static int adds(int x)
{
	return x ? adds(x - 1) + 1 : 0;
}

// The child returns from the functions that the parent has called.
NOINLINE static pid_t forks(int depth)
{
	return depth ? forks(depth - 1) : fork();
}

NOINLINE static pid_t vforks(const char *program)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(program, program, (char *)NULL);
		_exit(adds(7));
	}
	return pid;
}

NOINLINE static void becomes(const char *program, int depth)
{
	if (depth)
		becomes(program, depth - 1);
	execl(program, program, (char *)NULL);
	_exit(1);
}

static void *becomes_in_thread(void *)
{
	becomes("/bin/true", 3);
	return NULL;
}

static void *forks_in_thread(void *)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = forks(i);

		if (!pid)
			_exit(adds(i));
		CHECK(status_of(pid) == i);
	}
	return NULL;
}

void starts_processes(void)
{
	char program[] = "/bin/true", *argv[] = { program, NULL };
	pthread_t threads[3];
	pid_t pid;

	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], NULL, forks_in_thread, NULL));
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (int i = 0; i < 10; i++) {
		CHECK(status_of(vforks("/bin/true")) == 0);
		CHECK(status_of(vforks("/nosuch")) == 7);
	}
	CHECK(!posix_spawn(&pid, program, NULL, NULL, argv, environ));
	CHECK(status_of(pid) == 0);
	CHECK(std::system("exit 3") == 3 << 8);
#ifndef __SANITIZE_THREAD__	// children of several threads: no new threads
	pid = fork();
	if (!pid) {
		pthread_create(&threads[0], NULL, becomes_in_thread, NULL);
		for (volatile int sum = 0; ; )
			sum = adds(5);
	}
	CHECK(status_of(pid) == 0);
#endif
}
