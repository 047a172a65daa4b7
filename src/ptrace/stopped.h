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
	STOPPED_COMING,			/* the thread is traced, but has not stopped yet */
	STOPPED_HELD,
	STOPPED_KILLED,			/* SIGKILL has ended the stop, and the thread has not
					 * been reaped yet */
	STOPPED_GONE,			/* ended, or never traced */
};

struct stopped_thread {
	pid_t tid;
	enum stopped_state state;
	int signal;			/* signal that the thread was about to get when it
					 * stopped; 0: none */
	struct arch_tracee tracee;	/* registers of the thread while it is stopped */
};

struct stopped {
	pid_t pid;
	bool is_own_child;		/* true: the process is a child of this one, which must
					 * reap its killed threads and then the process itself */
	struct stopped_thread *threads;
	size_t nr;
	size_t max;			/* number of entries allocated */
	size_t nr_coming;
	size_t nr_kept_calls;		/* number of system calls that start again because of
					 * arch_tracee_keep_call() */
	uint64_t since_ns;		/* time of CLOCK_MONOTONIC at which the first
					 * thread was asked to stop */
	struct task_list tasks;
};

#endif
