/* SPDX-License-Identifier: MIT */
/*
 * A child that is the first process of a new pid namespace calls child_work(), and so does
 * the second process there.  The parent of both is outside of the namespace.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int nr;

__attribute__((noinline)) void child_work(void)
{
	nr++;
}

static int is_bad(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) != pid || status;
}

/* The namespace exists as long as its first process lives. */
int main(void)
{
	pid_t first, second;
	int to[2];
	char c;

	getchar();
	if (unshare(CLONE_NEWPID) || pipe2(to, O_CLOEXEC))
		return 2;
	first = fork();
	if (!first) {
		close(to[1]);
		for (int i = 0; i < 100; i++)
			child_work();
		_exit((int)read(to[0], &c, 1));
	}
	second = fork();
	for (int i = 0; !second && i < 100; i++)
		child_work();
	if (!second)
		_exit(0);
	if (is_bad(second))
		return 3;
	close(to[1]);
	return is_bad(first);
}
