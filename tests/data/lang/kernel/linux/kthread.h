/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's trace/events/sched.h takes from other headers: types, as
 * far as its events look at them, and the numbers of task states, which its
 * print texts show.
 */
#ifndef STUB_LINUX_KTHREAD_H
#define STUB_LINUX_KTHREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint64_t u64;

#define TASK_COMM_LEN		16
#define CONFIG_SCHEDSTATS	1

/* Words for perf's sake, nothing more in a record. */
#define __perf_task(task)	(task)
#define __perf_count(count)	(count)

#define TASK_RUNNING		0x00000000
#define TASK_INTERRUPTIBLE	0x00000001
#define TASK_UNINTERRUPTIBLE	0x00000002
#define __TASK_STOPPED		0x00000004
#define __TASK_TRACED		0x00000008
#define EXIT_DEAD		0x00000010
#define EXIT_ZOMBIE		0x00000020
#define TASK_PARKED		0x00000040
#define TASK_DEAD		0x00000080
#define TASK_REPORT							\
	(TASK_RUNNING | TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE |	\
	 __TASK_STOPPED | __TASK_TRACED | EXIT_DEAD | EXIT_ZOMBIE |	\
	 TASK_PARKED)
#define TASK_REPORT_IDLE	(TASK_REPORT + 1)
#define TASK_REPORT_MAX		(TASK_REPORT_IDLE << 1)

struct task_struct {
	char comm[TASK_COMM_LEN];
	pid_t pid, tgid;
	int prio, normal_prio, exit_state;
};

struct kthread_worker {
	struct task_struct *task;
};

struct kthread_work;
typedef void (*kthread_work_func_t)(struct kthread_work *work);
struct kthread_work {
	kthread_work_func_t func;
};

extern struct task_struct *current;

struct pid {
	int nr;
};

struct cfs_rq;
struct rq;
struct root_domain;
struct sched_entity;

#define min(a, b)		((a) < (b) ? (a) : (b))

static inline int pid_nr(struct pid *pid)
{
	return pid->nr;
}

static inline pid_t task_pid_nr(struct task_struct *task)
{
	return task->pid;
}

static inline pid_t task_tgid_nr(struct task_struct *task)
{
	return task->tgid;
}

static inline int task_cpu(struct task_struct *task)
{
	return task->prio & 1;
}

static inline int cpu_to_node(int cpu)
{
	return cpu / 2;
}

/* The highest bit of the reported states, counted from 1. */
static inline unsigned int __task_state_index(unsigned int state,
					      unsigned int exit_state)
{
	unsigned int reported = (state | exit_state) & TASK_REPORT;

	return reported ? 32 - __builtin_clz(reported) : 0;
}

#endif
