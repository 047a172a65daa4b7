/* SPDX-License-Identifier: MIT */
/*
 * The options of a buffer, as in trace_options and options/.  Names and order are the
 * kernel's.  Options of the kernel that make no sense for a program are missing:
 * docs/OPTIONS.md.
 *
 * abi_buffer.options has a bit for each option, so a bit must never move.  A set bit
 * means that the option differs from its default: a new buffer has no bit set.  Depends
 * on libc alone: the runtime uses it, too.
 */
#ifndef EVENT_OPTION_H
#define EVENT_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"

/* X(enumerator, bit, name, default, help).  T() has the same parameters as X(), for
 * options whose file exists only in the top directory. */
#define OPTIONS(X, T)							\
	X(PRINT_PARENT, 0, "print-parent", 1,				\
	  "the caller after each function")				\
	X(SYM_OFFSET, 1, "sym-offset", 0, "function+0x12/0x80")		\
	X(SYM_ADDR, 2, "sym-addr", 0, "the address after each function")	\
	X(VERBOSE, 3, "verbose", 0,					\
	  "no column heads; more in each line of latency-format")	\
	X(RAW, 4, "raw", 0, "numbers instead of names")			\
	X(HEX, 5, "hex", 0, "hexadecimal numbers instead of names")	\
	X(BIN, 6, "bin", 0, "bytes instead of names")			\
	X(BLOCK, 7, "block", 0, "poll() always finds trace_pipe readable") \
	X(FIELDS, 8, "fields", 0,					\
	  "the fields of an event instead of its print format")			\
	T(PRINTK, 9, "trace_printk", 1, "trace_printk() records")	\
	X(ANNOTATE, 10, "annotate", 1,					\
	  "a line where the records of a CPU start after an overrun")		\
	X(SYM_USEROBJ, 12, "sym-userobj", 0,				\
	  "stacks: file[+0x12] instead of function")			\
	T(PRINTK_MSGONLY, 13, "printk-msg-only", 0,			\
	  "only the text of markers and of trace_printk()")			\
	X(CONTEXT_INFO, 14, "context-info", 1,				\
	  "task, CPU, time before each event")				\
	X(LATENCY_FMT, 15, "latency-format", 0,				\
	  "times since the buffer was emptied, long ones marked")	\
	T(RECORD_CMD, 16, "record-cmd", 1, "learn the names of threads")	\
	X(RECORD_TGID, 17, "record-tgid", 0, "a column for the process")	\
	X(OVERWRITE, 18, "overwrite", 1,				\
	  "a full buffer drops the oldest records; off: the newest")	\
	X(STOP_ON_FREE, 19, "disable_on_free", 0,			\
	  "free_buffer also stops recording")				\
	X(IRQ_INFO, 20, "irq-info", 1, "a column for the context's flags") \
	X(MARKERS, 21, "markers", 1, "trace_marker may be written to")	\
	X(EVENT_FORK, 22, "event-fork", 0,				\
	  "add the children of threads in set_event_pid to it")	\
	X(PAUSE_ON_TRACE, 24, "pause-on-trace", 0,			\
	  "nothing is recorded while trace is open")		\
	X(HASH_PTR, 25, "hash-ptr", 1, "%p shows a hash of the pointer")	\
	X(FUNCTION_FORK, 27, "function-fork", 0,			\
	  "add the children of threads in set_ftrace_pid to it")	\
	X(STACKTRACE, 29, "stacktrace", 0, "each event is followed by a stack") \
	/* options that only ulf has: */			\
	X(DEMANGLE, 31, "demangle", 0,					\
	  "names of C++ functions as they are written")

/* Options of a tracer: X(enum abi_tracer, enumerator, bit, name, default, help).
 * trace_options lists them while the buffer uses that tracer.  Their files always
 * exist. */
#define TRACER_OPTIONS(X)						\
	X(ABI_TRACER_FUNCTION, FUNC_STACK, 41, "func_stack_trace", 0,	\
	  "each function is followed by a stack")			\
	X(ABI_TRACER_FUNCTION, FUNC_NO_REPEATS, 42, "func-no-repeats", 0, \
	  "the same call again and again is recorded once, and counted")	\
	X(ABI_TRACER_FUNCTION, FUNC_ARGS, 45, "func-args", 0,		\
	  "what a function was called with")				\
	X(ABI_TRACER_GRAPH, GRAPH_OVERRUN, 32, "funcgraph-overrun", 0,	\
	  "a line for the calls that were not followed")		\
	X(ABI_TRACER_GRAPH, GRAPH_CPU, 33, "funcgraph-cpu", 1,		\
	  "a column for the CPU")					\
	X(ABI_TRACER_GRAPH, GRAPH_OVERHEAD, 34, "funcgraph-overhead", 1, \
	  "a mark before long durations")				\
	X(ABI_TRACER_GRAPH, GRAPH_PROC, 35, "funcgraph-proc", 0,		\
	  "a column for the thread")					\
	X(ABI_TRACER_GRAPH, GRAPH_DURATION, 36, "funcgraph-duration", 1,	\
	  "a column for how long a function took")			\
	X(ABI_TRACER_GRAPH, GRAPH_ABSTIME, 37, "funcgraph-abstime", 0,	\
	  "a column for the time")					\
	X(ABI_TRACER_GRAPH, GRAPH_IRQS, 46, "funcgraph-irqs", 1,		\
	  "what signal handlers call, too")				\
	X(ABI_TRACER_GRAPH, GRAPH_TAIL, 38, "funcgraph-tail", 0,		\
	  "the function's name behind each closing brace")		\
	X(ABI_TRACER_GRAPH, GRAPH_RETVAL, 39, "funcgraph-retval", 0,	\
	  "what a function returned")					\
	X(ABI_TRACER_GRAPH, GRAPH_RETVAL_HEX, 40, "funcgraph-retval-hex", 0, \
	  "that in hexadecimal, errors too")				\
	X(ABI_TRACER_GRAPH, GRAPH_RETADDR, 43, "funcgraph-retaddr", 0,	\
	  "where a function was called from")				\
	X(ABI_TRACER_GRAPH, GRAPH_ARGS, 44, "funcgraph-args", 0,		\
	  "what a function was called with")				\
	X(ABI_TRACER_GRAPH, SLEEP_TIME, 48, "sleep-time", 1,		\
	  "durations have the time in it that the thread did not run")	\
	X(ABI_TRACER_GRAPH, GRAPH_TIME, 49, "graph-time", 1,		\
	  "the profiler's have that of the functions called in it")

/* The bits of abi_buffer.options. */
enum option_bit {
#define OPTION_BIT(id, bit, name, on, help)	OPTION_##id = 1ull << (bit),
#define TRACER_BIT(tracer, id, bit, ...)	OPTION_##id = 1ull << (bit),
	OPTIONS(OPTION_BIT, OPTION_BIT)
	TRACER_OPTIONS(TRACER_BIT)
#undef TRACER_BIT
#undef OPTION_BIT
};

/* The options that are on by default. */
enum {
#define DEFAULT(id, bit, name, on, help)	((on) ? OPTION_##id : 0) |
#define TRACER_DEFAULT(tracer, ...)		DEFAULT(__VA_ARGS__)
	OPTION_DEFAULTS = OPTIONS(DEFAULT, DEFAULT) TRACER_OPTIONS(TRACER_DEFAULT) 0
#undef TRACER_DEFAULT
#undef DEFAULT
};

/* Options that the program itself applies, so the server must notify it of a change at
 * once: options of the tracers that record functions, and of events. */
#define OPTION_FUNCTION \
	(OPTION_FUNC_STACK | OPTION_FUNC_NO_REPEATS | OPTION_FUNC_ARGS)
#define OPTION_GRAPH \
	(OPTION_GRAPH_RETADDR | OPTION_GRAPH_ARGS | OPTION_GRAPH_IRQS | OPTION_SLEEP_TIME)
#define OPTION_PROGRAM \
	(OPTION_STACKTRACE | OPTION_FUNCTION | OPTION_GRAPH | OPTION_GRAPH_TIME)

/* A row of the table of options. */
struct option_row {
	const char *name;
	uint64_t bit;			/* the option's bit (enum option_bit) */
	uint32_t tracer;		/* tracer that has the option (enum abi_tracer);
					 * ABI_TRACER_NOP: the option belongs to every
					 * buffer, with any tracer */
};

extern const struct option_row option_table[];
extern const size_t option_table_rows;

/* Returns the row of an option, or NULL if there is no such option. */
const struct option_row *option_find(const char *name);

#endif
