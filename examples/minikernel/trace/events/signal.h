/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>

/* Undefine two macros of the headers above while this file is read, because two fields have
 * their names. */
#pragma push_macro("errno")
#pragma push_macro("sa_handler")
#undef errno
#undef sa_handler

#undef TRACE_SYSTEM
#define TRACE_SYSTEM signal

#if !defined(_TRACE_SIGNAL_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SIGNAL_H

#include <string.h>

#include <linux/tracepoint.h>

#include <mini/sched.h>

#ifndef MINI_SI_USER
#define MINI_SI_USER	0
#define MINI_SI_KERNEL	0x80
#endif

/* Store the sender of a signal.  @info may be one of the two markers instead of a pointer. */
#define STORE_SIGINFO(info)						\
	do {								\
		if ((info) == SEND_SIG_NOINFO) {			\
			__entry->errno = 0;				\
			__entry->code = MINI_SI_USER;			\
		} else if ((info) == SEND_SIG_PRIV) {			\
			__entry->errno = 0;				\
			__entry->code = MINI_SI_KERNEL;			\
		} else {						\
			__entry->errno = (info)->error;			\
			__entry->code = (info)->code;			\
		}							\
	} while (0)

/* A signal is generated.  @result is one of TRACE_SIGNAL_*. */
TRACE_EVENT(signal_generate,

	TP_PROTO(int sig, struct kernel_siginfo *info, struct task_struct *task,
		 int group, int result),

	TP_ARGS(sig, info, task, group, result),

	TP_STRUCT__entry(
		__field(	int,	sig			)
		__field(	int,	errno			)
		__field(	int,	code			)
		__array(	char,	comm,	TASK_COMM_LEN	)
		__field(	pid_t,	pid			)
		__field(	int,	group			)
		__field(	int,	result			)
	),

	TP_fast_assign(
		__entry->sig = sig;
		STORE_SIGINFO(info);
		memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
		__entry->pid = task->pid;
		__entry->group = group;
		__entry->result = result;
	),

	TP_printk("sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d",
		  __entry->sig, __entry->errno, __entry->code,
		  __entry->comm, __entry->pid, __entry->group,
		  __entry->result)
);

TRACE_EVENT(signal_deliver,

	TP_PROTO(int sig, struct kernel_siginfo *info, struct k_sigaction *ka),

	TP_ARGS(sig, info, ka),

	TP_STRUCT__entry(
		__field(	int,		sig		)
		__field(	int,		errno		)
		__field(	int,		code		)
		__field(	unsigned long,	sa_handler	)
		__field(	unsigned long,	sa_flags	)
	),

	TP_fast_assign(
		__entry->sig = sig;
		STORE_SIGINFO(info);
		__entry->sa_handler = (unsigned long)ka->handler;
		__entry->sa_flags = ka->flags;
	),

	TP_printk("sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx",
		  __entry->sig, __entry->errno, __entry->code,
		  __entry->sa_handler, __entry->sa_flags)
);

#endif /* _TRACE_SIGNAL_H */

/* This line is outside of the guard, because the header is read again for every stage. */
#include <trace/define_trace.h>

#pragma pop_macro("sa_handler")
#pragma pop_macro("errno")
