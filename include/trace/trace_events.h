/* SPDX-License-Identifier: MIT */
/*
 * Include a trace header once for each stage in trace/stages/.  Each stage defines the
 * macros of the header in another way, and so each stage defines another part of the
 * events.  define_trace.h and define_custom_trace.h include this file.  They define
 * TRACE_HEADER_MULTI_READ, so that the include guard of the trace header does not skip
 * it.
 */
#include <ulf/record.h>

#define __ulf_str1(args...)	#args
#define __ulf_str(args...)	__ulf_str1(args)

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define __ULF_UNDEF_TRACE_INCLUDE_FILE
#endif

/* <lttng/tracepoint-event.h> defines __ULF_TRACE_HEADER: the file name that a provider
 * header gives for itself.  TRACE_INCLUDE_PATH is relative to the directory of this
 * file, include/trace. */
#ifdef __ULF_TRACE_HEADER
#define __TRACE_INCLUDE(system) __ULF_TRACE_HEADER
#elif !defined(TRACE_INCLUDE_PATH)
#define __TRACE_INCLUDE(system) <trace/events/system.h>
#define __ULF_UNDEF_TRACE_INCLUDE_PATH
#else
#define __TRACE_INCLUDE(system) __ulf_str(TRACE_INCLUDE_PATH/system.h)
#endif
#define __ulf_TRACE_INCLUDE(system) __TRACE_INCLUDE(system)
#define TRACE_INCLUDE(system) __ulf_TRACE_INCLUDE(system)

#define TRACE_SYSTEM_STRING __ulf_str(TRACE_SYSTEM)

/* Do not warn if a function of a stage does not use all arguments of the event. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Undefine names that are macros in libc, but not in the kernel.  A field may have the
 * type bool or the name errno, and `format` must show these words. */
#pragma push_macro("bool")
#pragma push_macro("errno")
#pragma push_macro("false")
#pragma push_macro("true")
#undef errno
#ifdef bool			/* if bool is a keyword and no macro, nothing must be
				 * undefined */
#undef bool
#ifndef __cplusplus
typedef _Bool bool;
#endif
#endif

#include <trace/stages/define.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/struct.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/offsets.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/fields.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/measure.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/record.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/print.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef false
#undef true
#include <trace/stages/event.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/undef.h>

#pragma pop_macro("true")
#pragma pop_macro("false")
#pragma pop_macro("errno")
#pragma pop_macro("bool")
#pragma GCC diagnostic pop

#undef TRACE_SYSTEM_STRING
#undef TRACE_SYSTEM_VAR		/* so that the next trace header can define
				 * TRACE_SYSTEM_VAR anew */
#undef TRACE_INCLUDE
#undef __ulf_TRACE_INCLUDE
#undef __TRACE_INCLUDE
#undef __ulf_str
#undef __ulf_str1

#ifdef __ULF_UNDEF_TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_FILE
#undef __ULF_UNDEF_TRACE_INCLUDE_FILE
#endif
#ifdef __ULF_UNDEF_TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_PATH
#undef __ULF_UNDEF_TRACE_INCLUDE_PATH
#endif

/* Let the macros of a trace header declare tracepoints again, instead of defining them. */
#include <linux/tracepoint.h>
