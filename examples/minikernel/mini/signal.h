/* SPDX-License-Identifier: MIT */
/* Signals between tasks of the mini kernel.  They have the numbers of real signals, but no
 * real signal is sent for them: real signals are the interrupts of the mini kernel. */
#ifndef MINI_SIGNAL_H
#define MINI_SIGNAL_H

#include <mini/spinlock.h>

struct task_struct;

#define MINI_NSIG	32

typedef void (*sighandler)(int sig);	/* a handler, which runs in the task when it
					 * returns to user mode */
#define MINI_SIG_DFL	((sighandler)0)
#define MINI_SIG_IGN	((sighandler)1)

struct k_sigaction {
	sighandler handler;
	unsigned long flags;
};

/* The sender of a signal: this struct, or one of the two markers below. */
struct kernel_siginfo {
	int signo;
	int error;
	int code;
};

#define SEND_SIG_NOINFO	((struct kernel_siginfo *)0)	/* a user, by kill() */
#define SEND_SIG_PRIV	((struct kernel_siginfo *)1)	/* the kernel */

/* the field result of signal_generate */
#define TRACE_SIGNAL_DELIVERED		0
#define TRACE_SIGNAL_IGNORED		1
#define TRACE_SIGNAL_ALREADY_PENDING	2

struct signal_struct {
	spinlock_t siglock;
	atomic_uint pending;	/* bit sig - 1 is 1 if signal sig is pending; writers
				 * hold siglock */
	struct kernel_siginfo info[MINI_NSIG];
	struct k_sigaction action[MINI_NSIG];
};

void signal_init(struct signal_struct *sig, const struct signal_struct *from);
void flush_signal_handlers(struct task_struct *p);
int send_signal(int sig, struct kernel_siginfo *info, struct task_struct *p);
int do_sigaction(int sig, sighandler handler);
bool signal_pending(struct task_struct *p);

/* Called at the end of every system call: delivers signals, and gives up the CPU if
 * another task must run. */
void exit_to_user_mode(void);

#endif
