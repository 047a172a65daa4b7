/* SPDX-License-Identifier: MIT */
/* The threads of a process, and their states as in /proc. */
#ifndef ULF_PTRACE_TASKS_H
#define ULF_PTRACE_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TASK_NONE	'-'		/* value of task_stat.state for a thread that does not
					 * exist */

struct task_stat {
	char state;			/* state of the thread as in /proc/PID/stat: R, S, D,
					 * T, t, Z ...; or TASK_NONE */
	pid_t parent;			/* process id of the parent of the thread's process */
	bool is_of_kernel;		/* true: the thread works for io_uring and never runs
					 * code of the program */
};

struct task_list {
	pid_t *tids;
	size_t nr;
	size_t max;			/* number of thread ids for which memory is allocated */
};

/*
 * tasks_read - read the ids of all threads of the process @pid
 *
 * Threads that start or end meanwhile may be missing.  Returns 0, -ESRCH (no such process),
 * -ENOMEM or another -errno.  The caller must call tasks_done(); before the first call all
 * members of @ret_list must be 0, and a later call replaces the list.
 */
int tasks_read(pid_t pid, struct task_list *ret_list);
void tasks_done(struct task_list *list);

/* Read the state of the thread @tid of the process @pid from /proc. */
struct task_stat task_stat_read(pid_t pid, pid_t tid);
/* Returns true if the thread has ended, even if it has not been reaped yet. */
bool task_has_ended(struct task_stat stat);
/* Returns the process that traces the thread @tid of @pid, or 0. */
pid_t task_tracer(pid_t pid, pid_t tid);

#endif
