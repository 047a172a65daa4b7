/* SPDX-License-Identifier: MIT */
/* A tracepoint of a module that is loaded and unloaded. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM far

#if !defined(FAR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FAR_TRACE_H

#include <linux/tracepoint.h>

DECLARE_TRACE(far_hit, TP_PROTO(int value), TP_ARGS(value));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE far_trace
#include <trace/define_trace.h>
