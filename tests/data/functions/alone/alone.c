/* SPDX-License-Identifier: MIT */
/*
 * A child that is the first process of a new pid namespace calls child_work().
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int nr;

__attribute__((noinline)) void child_work(void)
{
	nr++;
}

int main(void)
{
	int status;
	pid_t pid;

	getchar();
	if (unshare(CLONE_NEWPID))
		return 2;
	pid = fork();
	for (int i = 0; !pid && i < 100; i++)
		child_work();
	if (!pid)
		_exit(0);
	return waitpid(pid, &status, 0) != pid || status;
}
