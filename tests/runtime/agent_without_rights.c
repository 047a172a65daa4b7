/* SPDX-License-Identifier: MIT */
/*
 * The agent of root's program has no rights.  A worker that has become `nobody' has no power
 * over the agent either: the agent shares the program's memory, and a signal that kills the
 * agent kills the program.
 *
 * user: root only a program of root has an agent with another user
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include "abi/control.h"
#include "lib/check.h"
#include "lib/driver.h"

#define NOBODY	65534

static char secret = 's';

static uint32_t agent_of(pid_t pid)
{
	struct driver driver;
	const struct abi_process *slots;
	uint32_t agent;

	CHECK(!driver_open(&driver, pid));
	slots = (const void *)(driver.mem + ABI_PROCESSES_OFF);
	agent = slots[0].agent;
	driver_close(&driver);
	return agent;
}

static void attack(pid_t pid, uint32_t agent)
{
	char copy = 0;
	struct iovec to = { &copy, 1 }, from = { &secret, 1 };

	CHECK(!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY));
	CHECK(!setresuid(NOBODY, NOBODY, NOBODY));
	CHECK_EQ(process_vm_readv((pid_t)agent, &to, 1, &from, 1, 0), -1);
	CHECK_EQ(errno, EPERM);
	CHECK_EQ(ptrace(PTRACE_ATTACH, (pid_t)agent, NULL, NULL), -1);
	CHECK_EQ(errno, EPERM);
	CHECK_EQ(syscall(SYS_tgkill, pid, agent, 0), -1);
	CHECK_EQ(errno, EPERM);
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t pid;
	int status;

	/* If the agent had a capability, the worker could not reach it in any case. */
	if (argc == 1) {
		CHECK(!prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0));
		execv("/proc/self/exe", (char *[]){ argv[0], "again", NULL });
		fail("exec");
	}
	trace_rt_hit(0, 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		attack(getppid(), agent_of(getppid()));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return 0;
}
