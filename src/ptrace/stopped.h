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
	STOPPED_COMING,			/* traced, but not stopped yet */
	STOPPED_HELD,
	STOPPED_KILLED,			/* SIGKILL has ended the stop; the end of the thread is not
					 * reaped yet */
	STOPPED_GONE,			/* ended, or never traced */
};

struct stopped_thread {
	pid_t tid;
	enum stopped_state state;
	int signal;			/* signal that the thread was about to get when it
					 * stopped; 0: none */
	struct arch_tracee tracee;	/* registers of a held thread */
};

struct stopped {
	pid_t pid;
	bool is_own_child;		/* true: the caller has started the process, and so must
					 * reap it itself */
	struct stopped_thread *threads;
	size_t nr;
	size_t max;			/* number of entries allocated */
	size_t nr_coming;
	size_t nr_kept_calls;		/* calls that start again because of
					 * arch_tracee_keep_call() */
	uint64_t since_ns;		/* time of CLOCK_MONOTONIC at which the first
					 * thread was asked to stop */
	struct task_list tasks;
};

#endif
