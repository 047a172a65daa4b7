/* SPDX-License-Identifier: MIT */
/*
 * The last line of a trace header.  Where CREATE_TRACE_POINTS is defined it
 * reads the header again and again, each time with other meanings for the
 * words of the language (trace/stages/), until everything that an event
 * needs has been made.
 */
#ifdef CREATE_TRACE_POINTS

/* The header may include others that end in this file too. */
#undef CREATE_TRACE_POINTS

#define __ulf_str1(args...)	#args
#define __ulf_str(args...)	__ulf_str1(args)

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define __ULF_UNDEF_TRACE_INCLUDE_FILE
#endif

#ifndef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(system) <trace/events/system.h>
#define __ULF_UNDEF_TRACE_INCLUDE_PATH
#else
#define __TRACE_INCLUDE(system) __ulf_str(TRACE_INCLUDE_PATH/system.h)
#endif
#define __ulf_TRACE_INCLUDE(system) __TRACE_INCLUDE(system)
#define TRACE_INCLUDE(system) __ulf_TRACE_INCLUDE(system)

/* Let the header be read although its guard is defined. */
#define TRACE_HEADER_MULTI_READ

/* Not every argument is a dynamic field, or a field at all. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Words that libc has as macros and the kernel does not: a field may be of
 * type bool, or called errno, and `format` has to say so. */
#pragma push_macro("bool")
#pragma push_macro("errno")
#undef bool
#undef errno
#if !defined(__cplusplus) && \
	(!defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L)
typedef _Bool bool;
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

#include <trace/stages/event.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/stages/undef.h>

#pragma pop_macro("errno")
#pragma pop_macro("bool")
#pragma GCC diagnostic pop

#undef TRACE_HEADER_MULTI_READ
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

#define CREATE_TRACE_POINTS

#endif /* CREATE_TRACE_POINTS */
