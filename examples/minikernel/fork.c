/* SPDX-License-Identifier: MIT */
/* The life of a task: creation, exit, and wait by its parent. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mini/fs.h>
#include <mini/sched.h>
#include <mini/slab.h>

#include "trace/events/sched.h"

#define TASK_STACK_BYTES	(256 * 1024)

static spinlock_t tasklist_lock = SPIN_LOCK_INIT;
static LIST_HEAD(tasks);			/* the list of all tasks, protected by
						 * tasklist_lock */
static struct wait_queue_head kthread_exited;
static struct kmem_cache *task_struct_cachep;

struct task_struct *init_process;

int fork_init(void)
{
	init_waitqueue_head(&kthread_exited);
	task_struct_cachep = kmem_cache_create("task_struct", sizeof(struct task_struct));
	return task_struct_cachep ? 0 : -ENOMEM;
}

static void *task_entry(void *arg)
{
	struct task_struct *p = arg;

	current = p;
	p->pid = gettid();
	pthread_setname_np(pthread_self(), p->thread_name);
	sem_post(&p->started);
	if (p->flags & PF_IDLE) {
		schedule_tail();
		p->fn(p->arg);
		return NULL;
	}
	schedule_tail();
	do_exit(p->fn(p->arg));
}

/* Create a task without its thread. */
static struct task_struct *dup_task_struct(const char *comm)
{
	struct task_struct *p = kmem_cache_alloc(task_struct_cachep, GFP_KERNEL | __GFP_ZERO);

	if (!p)
		return NULL;
	atomic_init(&p->__state, TASK_NEW);
	copy_comm(p->comm, comm);
	p->cpus_allowed = (1u << nr_cpus) - 1;
	p->irqs_disabled = true;
	p->cpu = current->cpu;
	p->pinned_cpu = -1;
	INIT_LIST_HEAD(&p->run_node);
	INIT_LIST_HEAD(&p->tasks);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
	init_waitqueue_head(&p->wait_chldexit);
	signal_init(&p->signal, &current->signal);
	sem_init(&p->baton, 0, 0);
	sem_init(&p->started, 0, 0);
	set_user_nice(p, 0);
	return p;
}

static void free_task(struct task_struct *p)
{
	sem_destroy(&p->baton);
	sem_destroy(&p->started);
	kmem_cache_free(task_struct_cachep, p);
}

/* Start the task's thread.  A thread inherits the blocked signals of its creator, so
 * interrupts must be off. */
static int start_thread(struct task_struct *p)
{
	pthread_attr_t attr;
	bool flags;
	int r;

	r = pthread_attr_init(&attr);
	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, TASK_STACK_BYTES);
	flags = local_irq_save();
	r = pthread_create(&p->thread, &attr, task_entry, p);
	local_irq_restore(flags);
	pthread_attr_destroy(&attr);
	if (r)
		return -r;
	while (sem_wait(&p->started) && errno == EINTR)
		;
	return 0;
}

static struct task_struct *copy_process(int (*fn)(void *arg), void *arg, const char *comm,
					const char *thread_name)
{
	struct task_struct *p = dup_task_struct(comm);

	if (!p)
		return NULL;
	copy_comm(p->thread_name, thread_name);
	p->fn = fn;
	p->arg = arg;
	return p;
}

static void link_task(struct task_struct *p, struct task_struct *parent)
{
	bool flags;

	spin_lock_irqsave(&tasklist_lock, flags);
	p->parent = parent;
	list_add_tail(&p->tasks, &tasks);
	if (parent)
		list_add_tail(&p->sibling, &parent->children);
	spin_unlock_irqrestore(&tasklist_lock, flags);
}

struct task_struct *kernel_clone(int (*fn)(void *arg), void *arg, const char *thread_name,
				 pid_t *ret_pid)
{
	struct task_struct *p = copy_process(fn, arg, current->comm, thread_name);

	if (!p)
		return NULL;
	p->cwd = current->cwd;
	p->files = files_alloc();
	if (!p->files)
		goto free;
	if (start_thread(p) < 0)
		goto free_files;
	link_task(p, current->flags & PF_KTHREAD ? NULL : current);
	trace_sched_process_fork(current, p);
	if (ret_pid)
		*ret_pid = p->pid;
	wake_up_new_task(p);
	return p;

free_files:
	exit_files(p->files);
free:
	free_task(p);
	return NULL;
}

struct task_struct *kthread_run(int (*fn)(void *arg), void *arg, int cpu,
				const char *name_fmt, ...)
{
	char name[TASK_COMM_LEN];
	struct task_struct *p;
	va_list ap;

	va_start(ap, name_fmt);
	vsnprintf(name, sizeof(name), name_fmt, ap);
	va_end(ap);
	p = copy_process(fn, arg, name, name);
	if (!p)
		return NULL;
	p->flags |= PF_KTHREAD;
	p->cpus_allowed = 1u << cpu;
	if (start_thread(p) < 0) {
		free_task(p);
		return NULL;
	}
	link_task(p, NULL);
	trace_sched_process_fork(current, p);
	wake_up_new_task(p);
	return p;
}

/* Create the idle task of @cpu.  It is on no run queue: the scheduler gives it the CPU
 * when no other task wants it. */
struct task_struct *fork_idle(int cpu, int (*fn)(void *arg))
{
	char comm[TASK_COMM_LEN] = "swapper/0";
	struct task_struct *p;

	comm[8] = (char)('0' + cpu);
	p = copy_process(fn, NULL, comm, comm);
	if (!p)
		return NULL;
	p->flags |= PF_KTHREAD | PF_IDLE;
	p->cpus_allowed = 1u << cpu;
	p->cpu = cpu;
	if (start_thread(p) < 0) {
		free_task(p);
		return NULL;
	}
	return p;
}

bool kthread_should_stop(void)
{
	return atomic_load(&current->should_stop);
}

static bool has_exited(struct task_struct *p)
{
	bool flags, exited;

	spin_lock_irqsave(&tasklist_lock, flags);
	exited = p->exit_state != 0;
	spin_unlock_irqrestore(&tasklist_lock, flags);
	return exited;
}

int kthread_stop(struct task_struct *p)
{
	int code;

	atomic_store(&p->should_stop, true);
	wake_up_process(p);
	wait_event(&kthread_exited, has_exited(p));
	code = p->exit_code;
	release_task(p);
	return code;
}

/* Give the children of @p to init.  tasklist_lock is held. */
static void forget_children(struct task_struct *p)
{
	struct task_struct *child, *tmp;

	list_for_each_entry_safe(child, tmp, &p->children, sibling) {
		list_del_init(&child->sibling);
		child->parent = init_process;
		list_add_tail(&child->sibling, &init_process->children);
		if (child->exit_state)
			wake_up(&init_process->wait_chldexit);
	}
}

/* Notify the parent.  From now on the parent may reap the task, once the thread of the task
 * has ended. */
static void exit_notify(struct task_struct *p)
{
	bool flags;

	spin_lock_irqsave(&tasklist_lock, flags);
	if (p != init_process)
		forget_children(p);
	p->exit_state = EXIT_ZOMBIE;
	if (p->parent) {
		send_signal(SIGCHLD, SEND_SIG_PRIV, p->parent);
		wake_up(&p->parent->wait_chldexit);
	} else if (p->flags & PF_KTHREAD) {
		wake_up(&kthread_exited);
	}
	spin_unlock_irqrestore(&tasklist_lock, flags);
}

void do_exit(int code)
{
	struct task_struct *p = current;

	trace_sched_process_exit(p);
	exit_files(p->files);
	p->files = NULL;
	p->exit_code = code;
	exit_notify(p);
	do_task_dead();
}

/* Wait for the thread of @p to end and free the task.  The thread needs no virtual CPU for
 * its last steps, so this wait cannot keep the thread from ending. */
void release_task(struct task_struct *p)
{
	bool flags;

	pthread_join(p->thread, NULL);
	spin_lock_irqsave(&tasklist_lock, flags);
	list_del_init(&p->tasks);
	spin_unlock_irqrestore(&tasklist_lock, flags);
	free_task(p);
}

/* Find a child that has ended.  Returns 1 and the child, 0 if no child has ended, or
 * -ECHILD if there is no child. */
static int find_zombie(pid_t pid, struct task_struct **ret_task)
{
	struct task_struct *child;
	int found = -ECHILD;
	bool flags;

	spin_lock_irqsave(&tasklist_lock, flags);
	list_for_each_entry(child, &current->children, sibling) {
		if (pid > 0 && child->pid != pid)
			continue;
		found = 0;
		if (child->exit_state != EXIT_ZOMBIE)
			continue;
		child->exit_state = EXIT_DEAD;
		list_del_init(&child->sibling);
		*ret_task = child;
		found = 1;
		break;
	}
	spin_unlock_irqrestore(&tasklist_lock, flags);
	return found;
}

/* Wait for a child to end.  @pid 0 or less: any child.  Returns the pid of the child,
 * -ECHILD or -EINTR. */
pid_t kernel_wait4(pid_t pid, int *ret_status)
{
	struct task_struct *child = NULL;
	int found = 0, r;

	trace_sched_process_wait(pid > 0 ? pid : 0);
	r = wait_event_interruptible(&current->wait_chldexit,
				     (found = find_zombie(pid, &child)) != 0);
	if (r < 0)
		return r;
	if (found < 0)
		return found;
	pid = child->pid;
	*ret_status = child->exit_code;
	release_task(child);
	return pid;
}

/* Send a signal to a task.  @pid -1: to every user task except init. */
int kernel_kill(pid_t pid, int sig)
{
	struct task_struct *p;
	int r = -ESRCH;
	bool flags;

	spin_lock_irqsave(&tasklist_lock, flags);
	list_for_each_entry(p, &tasks, tasks) {
		if (p->flags & PF_KTHREAD || p->exit_state)
			continue;
		if (pid == -1 ? p != init_process : p->pid == pid)
			r = send_signal(sig, SEND_SIG_NOINFO, p);
	}
	spin_unlock_irqrestore(&tasklist_lock, flags);
	return r;
}

pid_t find_task_by_comm(const char *comm)
{
	struct task_struct *p;
	pid_t pid = -ESRCH;
	bool flags;

	spin_lock_irqsave(&tasklist_lock, flags);
	list_for_each_entry(p, &tasks, tasks) {
		spin_lock(&p->signal.siglock);
		if (!strcmp(p->comm, comm))
			pid = p->pid;
		spin_unlock(&p->signal.siglock);
		if (pid > 0)
			break;
	}
	spin_unlock_irqrestore(&tasklist_lock, flags);
	return pid;
}
