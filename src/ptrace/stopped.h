/* SPDX-License-Identifier: MIT */
/* The state of a stop: the stopped threads of a process. */
#ifndef ULF_PTRACE_STOPPED_H
#define ULF_PTRACE_STOPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/arch.h"
#include "ptrace/tasks.h"

enum stopped_state {
	STOPPED_COMING,			/* the thread was asked to stop, and has not stopped
					 * yet */
	STOPPED_HELD,
	STOPPED_KILLED,			/* SIGKILL has ended the thread while it was stopped;
					 * it has not been reaped yet */
	STOPPED_GONE,			/* ended, or never traced */
};

struct stopped_thread {
	pid_t tid;
	enum stopped_state state;
	int signal;			/* signal that the thread was about to get when it
					 * stopped; 0: none */
	struct arch_tracee tracee;	/* the thread's registers, valid while the thread is
					 * stopped */
};

struct stopped {
	pid_t pid;
	bool is_own_child;		/* true: the stopped process is a child of this
					 * process, which must reap the killed threads and
					 * then the child */
	struct stopped_thread *threads;
	size_t nr;
	size_t max;			/* number of threads for which memory is allocated */
	size_t nr_coming;
	size_t nr_kept_calls;		/* number of system calls of the stopped threads that
					 * are restarted, by arch_tracee_keep_call() */
	uint64_t since_ns;		/* time of CLOCK_MONOTONIC at which the first thread
					 * of the process was asked to stop */
	struct task_list tasks;
};

#endif
