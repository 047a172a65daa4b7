/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace header again and again, each time with other meanings for the
 * words of the language (trace/stages/), until everything that an event needs
 * has been made.  Included by define_trace.h and define_custom_trace.h, which
 * have seen to it that the header can be read although its guard is defined.
 */
#include <ulf/record.h>

#define __ulf_str1(args...)	#args
#define __ulf_str(args...)	__ulf_str1(args)

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define __ULF_UNDEF_TRACE_INCLUDE_FILE
#endif

/* A path is one from here, include/trace. */
#ifndef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(system) <trace/events/system.h>
#define __ULF_UNDEF_TRACE_INCLUDE_PATH
#else
#define __TRACE_INCLUDE(system) __ulf_str(TRACE_INCLUDE_PATH/system.h)
#endif
#define __ulf_TRACE_INCLUDE(system) __TRACE_INCLUDE(system)
#define TRACE_INCLUDE(system) __ulf_TRACE_INCLUDE(system)

#define TRACE_SYSTEM_STRING __ulf_str(TRACE_SYSTEM)

/* Not every argument is a dynamic field, or a field at all. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Words that libc has as macros and the kernel does not: a field may be of
 * type bool, or called errno, and `format` has to say so. */
#pragma push_macro("bool")
#pragma push_macro("errno")
#pragma push_macro("false")
#pragma push_macro("true")
#undef errno
#ifdef bool			/* not where it is a word of the language */
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
#undef TRACE_SYSTEM_VAR		/* of this header; the next one has its own */
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

/* From here on the words declare again. */
#include <linux/tracepoint.h>
