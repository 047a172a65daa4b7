/* SPDX-License-Identifier: MIT */
/* Signals between tasks: the sender generates a signal, and the task gets it when it
 * returns to user mode. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include <mini/sched.h>

#include "trace/events/signal.h"

#define sig_bit(sig)	(1u << ((sig) - 1))
#define SIG_DFL_IGNORED	(sig_bit(SIGCHLD) | sig_bit(SIGWINCH) | sig_bit(SIGURG))

void signal_init(struct signal_struct *sig, const struct signal_struct *from)
{
	spin_lock_init(&sig->siglock);
	atomic_init(&sig->pending, 0);
	memcpy(sig->action, from->action, sizeof(sig->action));
}

/* Remove all signal handlers: a new program starts without the handlers of the old one. */
void flush_signal_handlers(struct task_struct *p)
{
	bool flags;
	int i;

	spin_lock_irqsave(&p->signal.siglock, flags);
	for (i = 0; i < MINI_NSIG; i++)
		if (p->signal.action[i].handler != MINI_SIG_IGN)
			p->signal.action[i].handler = MINI_SIG_DFL;
	spin_unlock_irqrestore(&p->signal.siglock, flags);
}

bool signal_pending(struct task_struct *p)
{
	return atomic_load(&p->signal.pending) != 0;
}

static bool sig_ignored(const struct signal_struct *signal, int sig)
{
	sighandler handler = signal->action[sig - 1].handler;

	return handler == MINI_SIG_IGN ||
	       (handler == MINI_SIG_DFL && (sig_bit(sig) & SIG_DFL_IGNORED));
}

static void fill_siginfo(struct kernel_siginfo *to, int sig, struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO)
		*to = (struct kernel_siginfo){ .signo = sig, .code = SI_USER };
	else if (info == SEND_SIG_PRIV)
		*to = (struct kernel_siginfo){ .signo = sig, .code = SI_KERNEL };
	else
		*to = *info;
}

int send_signal(int sig, struct kernel_siginfo *info, struct task_struct *p)
{
	struct signal_struct *signal = &p->signal;
	int result = TRACE_SIGNAL_DELIVERED;
	bool flags;

	if (sig < 1 || sig > MINI_NSIG)
		return -EINVAL;
	spin_lock_irqsave(&signal->siglock, flags);
	if (sig_ignored(signal, sig)) {
		result = TRACE_SIGNAL_IGNORED;
	} else if (atomic_load(&signal->pending) & sig_bit(sig)) {
		result = TRACE_SIGNAL_ALREADY_PENDING;
	} else {
		fill_siginfo(&signal->info[sig - 1], sig, info);
		atomic_fetch_or(&signal->pending, sig_bit(sig));
	}
	trace_signal_generate(sig, info, p, 1, result);
	if (result == TRACE_SIGNAL_DELIVERED)
		try_to_wake_up(p, TASK_INTERRUPTIBLE);
	spin_unlock_irqrestore(&signal->siglock, flags);
	return 0;
}

int do_sigaction(int sig, sighandler handler)
{
	struct signal_struct *signal = &current->signal;
	bool flags;

	if (sig < 1 || sig > MINI_NSIG || sig == SIGKILL || sig == SIGSTOP)
		return -EINVAL;
	spin_lock_irqsave(&signal->siglock, flags);
	signal->action[sig - 1].handler = handler;
	spin_unlock_irqrestore(&signal->siglock, flags);
	return 0;
}

/* Take the lowest pending signal of this task.  Returns its number, or 0. */
static int dequeue_signal(struct kernel_siginfo *ret_info, struct k_sigaction *ret_action)
{
	struct signal_struct *signal = &current->signal;
	unsigned int pending;
	int sig = 0;
	bool flags;

	spin_lock_irqsave(&signal->siglock, flags);
	pending = atomic_load(&signal->pending);
	if (pending) {
		sig = __builtin_ctz(pending) + 1;
		atomic_fetch_and(&signal->pending, ~sig_bit(sig));
		*ret_info = signal->info[sig - 1];
		*ret_action = signal->action[sig - 1];
	}
	spin_unlock_irqrestore(&signal->siglock, flags);
	return sig;
}

static void do_signal(void)
{
	struct kernel_siginfo info;
	struct k_sigaction action;
	int sig = dequeue_signal(&info, &action);

	if (!sig)
		return;
	trace_signal_deliver(sig, &info, &action);
	if (action.handler == MINI_SIG_DFL && !(sig_bit(sig) & SIG_DFL_IGNORED))
		do_exit(sig);
	if (action.handler != MINI_SIG_DFL && action.handler != MINI_SIG_IGN)
		action.handler(sig);
}

void exit_to_user_mode(void)
{
	while (need_resched() || signal_pending(current)) {
		if (need_resched())
			schedule();
		do_signal();
	}
}
