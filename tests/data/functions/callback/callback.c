/* SPDX-License-Identifier: MIT */
/* A callback forks.  Both processes call after_fork() after it has returned. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ftrace.h>

static volatile int nr;
static pid_t child;

__attribute__((noinline)) void forks(void)
{
	nr++;
}

__attribute__((noinline)) void after_fork(void)
{
	nr--;
}

static void on_call(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *regs)
{
	child = fork();
}

static struct ftrace_ops ops = { .func = on_call };

int main(void)
{
	getchar();
	if (ftrace_set_filter_ip(&ops, (unsigned long)forks, 0, 1) ||
	    register_ftrace_function(&ops))
		return 1;
	forks();
	for (int i = 0; i < 10; i++)
		after_fork();
	return child && waitpid(child, NULL, 0) != child;
}
