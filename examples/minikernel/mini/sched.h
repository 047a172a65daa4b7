/* SPDX-License-Identifier: MIT */
/*
 * Tasks and the scheduler.
 *
 * A task is a thread.  It may run only while it holds the baton of a virtual
 * CPU: schedule() hands the baton to the next task of that CPU's run queue and
 * waits until it comes back.  So at most nr_cpus tasks run at a time, and every
 * sched_switch is a real switch from one thread to another.
 */
#ifndef MINI_SCHED_H
#define MINI_SCHED_H

#include <pthread.h>
#include <semaphore.h>

#include <mini/list.h>
#include <mini/signal.h>
#include <mini/spinlock.h>

#define TASK_COMM_LEN		16

/* values of task->__state; they are numbers, not an enum, because print formats show them */
#define TASK_RUNNING		0x00000000
#define TASK_INTERRUPTIBLE	0x00000001
#define TASK_UNINTERRUPTIBLE	0x00000002
#define __TASK_STOPPED		0x00000004
#define __TASK_TRACED		0x00000008
#define EXIT_DEAD		0x00000010
#define EXIT_ZOMBIE		0x00000020
#define TASK_PARKED		0x00000040
#define TASK_DEAD		0x00000080
#define TASK_NOLOAD		0x00000400
#define TASK_NEW		0x00000800
#define TASK_NORMAL		(TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)
#define TASK_IDLE		(TASK_UNINTERRUPTIBLE | TASK_NOLOAD)

/* The states that are reported, and two more states that exist only in reports. */
#define TASK_REPORT							\
	(TASK_RUNNING | TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE |	\
	 __TASK_STOPPED | __TASK_TRACED | EXIT_DEAD | EXIT_ZOMBIE |	\
	 TASK_PARKED)
#define TASK_REPORT_IDLE	(TASK_REPORT + 1)
#define TASK_REPORT_I		0x00000080	/* TASK_REPORT_IDLE as a plain number */
#define TASK_REPORT_MAX		(TASK_REPORT_IDLE << 1)

#define NICE_TO_PRIO(nice)	((nice) + 120)

struct task_struct;
struct dentry;
struct files_struct;

struct wait_queue_head {
	spinlock_t lock;
	struct list_head head;
};

struct task_struct {
	atomic_uint __state;	/* the task itself writes it, and the waker under sched_lock */
	int exit_state;		/* tasklist_lock */
	int exit_code;
	pid_t pid;		/* the thread's id */
	char comm[TASK_COMM_LEN];
	int prio;
	u32 flags;		/* PF_* */
	u32 cpus_allowed;	/* bit a virtual CPU */

	/* the task itself and interrupts in it write these members */
	unsigned int preempt_count;
	volatile bool irqs_disabled;

	/* the members below are protected by sched_lock */
	int cpu;
	int pinned_cpu;		/* real CPU to which the thread was last pinned; -1: none */
	bool on_rq;		/* true: the task is runnable, so it is queued or running */
	struct list_head run_node;
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 vruntime;
	u32 weight;
	atomic_bool need_resched;

	/* the members below are protected by tasklist_lock */
	struct task_struct *parent;
	struct list_head tasks, children, sibling;
	struct wait_queue_head wait_chldexit;

	struct signal_struct signal;
	struct files_struct *files;
	struct dentry *cwd;	/* the task itself: directory in which paths begin; NULL: / */

	pthread_t thread;
	char thread_name[TASK_COMM_LEN];
	sem_t baton;
	sem_t started;		/* the thread knows its pid */
	int (*fn)(void *arg);
	void *arg;
	atomic_bool should_stop;	/* kthread_stop() */
};

#define PF_KTHREAD	0x1
#define PF_IDLE		0x2

extern __thread struct task_struct *current_task;
#define current		current_task

#define get_current_state()	atomic_load(&current->__state)
#define set_current_state(s)	atomic_store(&current->__state, (s))

/* core.c */
int sched_init(void);
int sched_start_cpus(void);	/* starts the idle tasks on their CPUs */
void sched_done(void);		/* waits for the idle tasks to end, after the last other
				 * task has ended */
void schedule(void);
void cond_resched(void);
bool need_resched(void);
bool wake_up_process(struct task_struct *p);
bool try_to_wake_up(struct task_struct *p, unsigned int state);
void wake_up_new_task(struct task_struct *p);
void schedule_tail(void);	/* first call of a new task */
void do_task_dead(void) __attribute__((noreturn));
void scheduler_tick(void);	/* from the tick, interrupts off */
void set_task_comm(struct task_struct *p, const char *comm);
void copy_comm(char to[TASK_COMM_LEN], const char *from);	/* cut, padded with zeroes */
void sched_halt(void);		/* makes the idle tasks end */
u64 nr_context_switches(void);

/* Returns the state of the task that leaves the CPU, as sched_switch reports it. */
long task_report_state(bool preempt, unsigned int state, const struct task_struct *p);

/* fair.c */
void set_user_nice(struct task_struct *p, int nice);

/* fork.c */
extern struct task_struct *init_process;	/* set by init at its start */
int fork_init(void);
/*
 * Create a child of the running task that calls @fn(@arg) and exits with its result.
 * @thread_name: name of the thread.  A trace knows a thread by its name at its first
 *	event, so the thread has this name from the start.  The task gets it when it
 *	execs.
 *
 * The child may be freed when this returns, unless no other task can reap it.
 */
struct task_struct *kernel_clone(int (*fn)(void *arg), void *arg, const char *thread_name,
				 pid_t *ret_pid);
/* Start a kernel thread on @cpu.  If the name is too long it is cut. */
struct task_struct *kthread_run(int (*fn)(void *arg), void *arg, int cpu,
				const char *name_fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct task_struct *fork_idle(int cpu, int (*fn)(void *arg));
int kthread_stop(struct task_struct *p);
bool kthread_should_stop(void);
void do_exit(int code) __attribute__((noreturn));
pid_t kernel_wait4(pid_t pid, int *ret_status);
int kernel_kill(pid_t pid, int sig);
pid_t find_task_by_comm(const char *comm);
void release_task(struct task_struct *p);	/* called when the thread has ended or is
						 * about to end */

/* wait.c */
struct wait_queue_entry {
	struct task_struct *task;
	struct list_head node;
};

void init_waitqueue_head(struct wait_queue_head *wq);
void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *entry,
		     unsigned int state);
void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *entry);
void wake_up(struct wait_queue_head *wq);

/* Sleep until @cond is true.  Returns 0; or -EINTR if a signal came and @state is
 * interruptible. */
#define __wait_event(wq, cond, state)					\
({									\
	struct wait_queue_entry __wait = { 0 };				\
	int __ret = 0;							\
	for (;;) {							\
		prepare_to_wait(wq, &__wait, state);			\
		if (cond)						\
			break;						\
		if (((state) & TASK_INTERRUPTIBLE) && signal_pending(current)) { \
			__ret = -EINTR;					\
			break;						\
		}							\
		schedule();						\
	}								\
	finish_wait(wq, &__wait);					\
	__ret;								\
})

#define wait_event(wq, cond)	(void)__wait_event(wq, cond, TASK_UNINTERRUPTIBLE)
#define wait_event_interruptible(wq, cond) \
	__wait_event(wq, cond, TASK_INTERRUPTIBLE)

#endif
