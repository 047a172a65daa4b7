/* SPDX-License-Identifier: MIT */
/*
 * The system calls that have events of their own.  In the kernel no trace header has these
 * events.  A field there has 8 bytes, whatever its type is; so these fields are unsigned long.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM syscalls

#if !defined(_TRACE_SYSCALLS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SYSCALLS_H

#include <linux/tracepoint.h>

#include <mini/syscalls.h>

TRACE_EVENT(sys_enter_open,

	TP_PROTO(int nr, const char *filename, unsigned int flags),

	TP_ARGS(nr, filename, flags),

	TP_STRUCT__entry(
		__field(	int,		__syscall_nr	)
		__field(	const char *,	filename	)
		__field(	unsigned long,	flags		)
		__field(	unsigned long,	mode		)
	),

	TP_fast_assign(
		__entry->__syscall_nr = nr;
		__entry->filename = filename;
		__entry->flags = flags;
		__entry->mode = 0;
	),

	TP_printk("filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx",
		  ((unsigned long)(__entry->filename)),
		  ((unsigned long)(__entry->flags)),
		  ((unsigned long)(__entry->mode)))
);

/* @dfd: the directory in which a relative path begins. */
TRACE_EVENT(sys_enter_openat,

	TP_PROTO(int nr, int dfd, const char *filename, unsigned int flags),

	TP_ARGS(nr, dfd, filename, flags),

	TP_STRUCT__entry(
		__field(	int,		__syscall_nr	)
		__field(	unsigned long,	dfd		)
		__field(	const char *,	filename	)
		__field(	unsigned long,	flags		)
		__field(	unsigned long,	mode		)
	),

	TP_fast_assign(
		__entry->__syscall_nr = nr;
		__entry->dfd = (unsigned long)dfd;
		__entry->filename = filename;
		__entry->flags = flags;
		__entry->mode = 0;
	),

	TP_printk("dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx",
		  ((unsigned long)(__entry->dfd)),
		  ((unsigned long)(__entry->filename)),
		  ((unsigned long)(__entry->flags)),
		  ((unsigned long)(__entry->mode)))
);

TRACE_EVENT(sys_enter_chdir,

	TP_PROTO(int nr, const char *filename),

	TP_ARGS(nr, filename),

	TP_STRUCT__entry(
		__field(	int,		__syscall_nr	)
		__field(	const char *,	filename	)
	),

	TP_fast_assign(
		__entry->__syscall_nr = nr;
		__entry->filename = filename;
	),

	TP_printk("filename: 0x%08lx",
		  ((unsigned long)(__entry->filename)))
);

DECLARE_EVENT_CLASS(sys_exit_template,

	TP_PROTO(int nr, long ret),

	TP_ARGS(nr, ret),

	TP_STRUCT__entry(
		__field(	int,	__syscall_nr	)
		__field(	long,	ret		)
	),

	TP_fast_assign(
		__entry->__syscall_nr = nr;
		__entry->ret = ret;
	),

	TP_printk("0x%lx", __entry->ret)
);

DEFINE_EVENT(sys_exit_template, sys_exit_open,
	     TP_PROTO(int nr, long ret),
	     TP_ARGS(nr, ret));

DEFINE_EVENT(sys_exit_template, sys_exit_openat,
	     TP_PROTO(int nr, long ret),
	     TP_ARGS(nr, ret));

DEFINE_EVENT(sys_exit_template, sys_exit_chdir,
	     TP_PROTO(int nr, long ret),
	     TP_ARGS(nr, ret));

#endif /* _TRACE_SYSCALLS_H */

/* This line is outside of the guard, because the header is read again for every stage. */
#include <trace/define_trace.h>
