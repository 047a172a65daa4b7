/* SPDX-License-Identifier: MIT */
/* The events raw_syscalls:sys_enter and raw_syscalls:sys_exit, with the kernel's formats. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raw_syscalls
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH runtime/function
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE raw_syscalls

#if !defined(ULF_RUNTIME_RAW_SYSCALLS_H) || defined(TRACE_HEADER_MULTI_READ)
#define ULF_RUNTIME_RAW_SYSCALLS_H

#include <linux/tracepoint.h>

TRACE_EVENT(sys_enter,
	TP_PROTO(const unsigned long *args, long id),
	TP_ARGS(args, id),
	TP_STRUCT__entry(
		__field(long, id)
		__array(unsigned long, args, 6)
	),
	TP_fast_assign(
		__entry->id = id;
		memcpy(__entry->args, args, sizeof(__entry->args));
	),
	TP_printk("NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", __entry->id,
		  __entry->args[0], __entry->args[1], __entry->args[2],
		  __entry->args[3], __entry->args[4], __entry->args[5])
);

TRACE_EVENT(sys_exit,
	TP_PROTO(long id, long ret),
	TP_ARGS(id, ret),
	TP_STRUCT__entry(
		__field(long, id)
		__field(long, ret)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->ret = ret;
	),
	TP_printk("NR %ld = %ld", __entry->id, __entry->ret)
);

#endif
#include <trace/define_trace.h>
