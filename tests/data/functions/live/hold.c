/* SPDX-License-Identifier: MIT */
/*
 * Hold a thread at an instruction, as a debugger does.  Nobody else can trace it meanwhile.
 *
 *	hold TID ADDRESS	prints `held', and lets the thread continue when the input ends
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX 100000

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	pid_t tid = argc > 2 ? atoi(argv[1]) : 0;
	unsigned long addr = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	struct user_regs_struct regs = { .rip = 0 };
	int steps = 0, status;
	char byte;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return fail("PTRACE_SEIZE");
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid)
		return fail("PTRACE_INTERRUPT");
	while (!ptrace(PTRACE_GETREGS, tid, NULL, &regs) && regs.rip != addr && steps++ < STEPS_MAX)
		if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) ||
		    waitpid(tid, &status, __WALL) != tid)
			return fail("PTRACE_SINGLESTEP");
	puts(regs.rip == addr ? "held" : "never there");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	/* If this process ended without that, the thread would get the SIGTRAP of the last step. */
	return ptrace(PTRACE_DETACH, tid, NULL, NULL) ? fail("PTRACE_DETACH") : 0;
}
