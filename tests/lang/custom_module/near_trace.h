/* SPDX-License-Identifier: MIT */
/* A tracepoint of the program. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM near

#if !defined(NEAR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NEAR_TRACE_H

#include <linux/tracepoint.h>

DECLARE_TRACE(near_hit, TP_PROTO(int (*get)(void)), TP_ARGS(get));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE near_trace
#include <trace/define_trace.h>
