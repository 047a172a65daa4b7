/* SPDX-License-Identifier: MIT */
/* Every macro that makes an event, or that makes none. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kinds

#if !defined(KINDS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KINDS_TRACE_H

#include <linux/tracepoint.h>

#ifndef KINDS_FUNCTIONS
#define KINDS_FUNCTIONS
#ifdef __cplusplus
extern "C" {
#endif
int kinds_reg(void);
void kinds_unreg(void);
#ifdef __cplusplus
}
#endif
#endif

/* All events have these fields. */
#define KINDS_STRUCT	TP_STRUCT__entry(__field(int, value))
#define KINDS_ASSIGN	TP_fast_assign(__entry->value = value;)
#define KINDS_PRINT	TP_printk("value=%d", __entry->value)

TRACE_EVENT(kind_plain, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);
TRACE_EVENT_FLAGS(kind_plain, TRACE_EVENT_FL_CAP_ANY)
TRACE_EVENT_PERF_PERM(kind_plain, is_sampling_event(p_event) ? -EPERM : 0)
TRACE_EVENT_CONDITION(kind_condition, TP_PROTO(int value), TP_ARGS(value),
	TP_CONDITION(value & 1), KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);
TRACE_EVENT_FN(kind_fn, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT, kinds_reg, kinds_unreg);
TRACE_EVENT_FN_COND(kind_fn_cond, TP_PROTO(int value), TP_ARGS(value),
	TP_CONDITION(value & 1), KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT,
	kinds_reg, kinds_unreg);
TRACE_EVENT_SYSCALL(kind_syscall, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT, kinds_reg, kinds_unreg);
TRACE_EVENT_NOP(kind_nop, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);

DECLARE_EVENT_CLASS(kind_class, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);
DEFINE_EVENT(kind_class, kind_of_class, TP_PROTO(int value), TP_ARGS(value));
DEFINE_EVENT_PRINT(kind_class, kind_print, TP_PROTO(int value), TP_ARGS(value),
	TP_printk("another %d", __entry->value));
DEFINE_EVENT_FN(kind_class, kind_of_class_fn, TP_PROTO(int value),
	TP_ARGS(value), kinds_reg, kinds_unreg);
DEFINE_EVENT_CONDITION(kind_class, kind_of_class_cond, TP_PROTO(int value),
	TP_ARGS(value), TP_CONDITION(value & 1));
DEFINE_EVENT_WRITABLE(kind_class, kind_writable, TP_PROTO(int value),
	TP_ARGS(value), sizeof(int));
DECLARE_EVENT_CLASS_NOP(kind_class_nop, TP_PROTO(int value), TP_ARGS(value),
	KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);
DEFINE_EVENT_NOP(kind_class_nop, kind_of_class_nop, TP_PROTO(int value),
	TP_ARGS(value));
DECLARE_EVENT_NOP(kind_nothing, TP_PROTO(int value), TP_ARGS(value));

DECLARE_EVENT_SYSCALL_CLASS(kind_syscall_class, TP_PROTO(int value),
	TP_ARGS(value), KINDS_STRUCT, KINDS_ASSIGN, KINDS_PRINT);
DEFINE_EVENT(kind_syscall_class, kind_of_syscall_class, TP_PROTO(int value),
	TP_ARGS(value));

/* Tracepoints without events. */
DECLARE_TRACE(kind_bare, TP_PROTO(int *value, int by), TP_ARGS(value, by));
DECLARE_TRACE_CONDITION(kind_bare_cond, TP_PROTO(int *value, int by),
	TP_ARGS(value, by), TP_CONDITION(by & 1));
DECLARE_TRACE_WRITABLE(kind_bare_writable, TP_PROTO(int *value, int by),
	TP_ARGS(value, by), sizeof(int));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE kinds_trace
#include <trace/define_trace.h>
