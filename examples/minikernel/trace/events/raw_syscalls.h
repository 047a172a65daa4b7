/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raw_syscalls

#if !defined(_TRACE_RAW_SYSCALLS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RAW_SYSCALLS_H

#include <linux/tracepoint.h>

#include <mini/syscalls.h>

/* A system call begins.  @id is its number on the real machine. */
TRACE_EVENT(sys_enter,

	TP_PROTO(long id, const unsigned long args[NR_SYSCALL_ARGS]),

	TP_ARGS(id, args),

	TP_STRUCT__entry(
		__field(	long,		id		)
		__array(	unsigned long,	args,	6	)
	),

	TP_fast_assign(
		__entry->id = id;
		memcpy(__entry->args, args, sizeof(__entry->args));
	),

	TP_printk("NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)",
		  __entry->id,
		  __entry->args[0], __entry->args[1], __entry->args[2],
		  __entry->args[3], __entry->args[4], __entry->args[5])
);

TRACE_EVENT(sys_exit,

	TP_PROTO(long id, long ret),

	TP_ARGS(id, ret),

	TP_STRUCT__entry(
		__field(	long,	id	)
		__field(	long,	ret	)
	),

	TP_fast_assign(
		__entry->id = id;
		__entry->ret = ret;
	),

	TP_printk("NR %ld = %ld",
		  __entry->id, __entry->ret)
);

#endif /* _TRACE_RAW_SYSCALLS_H */

/* This line is outside of the guard, because the header is read again for every stage. */
#include <trace/define_trace.h>
