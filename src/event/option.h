/* SPDX-License-Identifier: MIT */
/*
 * The options of a buffer, as in trace_options and options/.  Names and order are the
 * kernel's.  Options of the kernel that make no sense for a program are missing;
 * docs/OPTIONS.md lists them.
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

#include "event/tracer.h"

/* Values of the column "who" of OPTIONS.  They say which programs act on the option, and
 * which directories contain its file. */
enum option_who {
	OPT_SERVER	= 0,		/* only the server acts on the option */
	OPT_SHARED	= 0,		/* processes read the option's bit, or a word that the
					 * server derives from the bit, each time they use the
					 * option: no process is notified of a change */
	OPT_PROGRAM	= 1,		/* processes apply the option: the server notifies them
					 * of a change at once */
	OPT_TRACER	= 2 | OPT_PROGRAM,	/* the tracer that has the option applies it
						 * when it records a function */
	OPT_FUNCTIONS	= 8 | OPT_PROGRAM,	/* the option decides which functions are
						 * traced; the server publishes these
						 * functions */
	OPT_EVENTS	= 16 | OPT_PROGRAM,	/* the option decides which events exist; the
						 * server publishes these events */
	OPT_TOP		= 4,		/* the option's file exists only in the directory of
					 * the top instance */
};

/*
 * X(enumerator, bit, name, default, tracer, who, help)
 *
 * tracer: NOP, or the tracer that has the option.  trace_options lists the options of a
 * tracer only while the buffer uses that tracer.  Their files in options/ always exist.
 * who: enum option_who
 */
#define OPTIONS(X)							\
	X(PRINT_PARENT, 0, "print-parent", 1, NOP, OPT_SERVER,		\
	  "the caller after each function")				\
	X(SYM_OFFSET, 1, "sym-offset", 0, NOP, OPT_SERVER,		\
	  "function+0x12/0x80")						\
	X(SYM_ADDR, 2, "sym-addr", 0, NOP, OPT_SERVER,			\
	  "the address after each function")				\
	X(VERBOSE, 3, "verbose", 0, NOP, OPT_SERVER,			\
	  "no column heads; more in each line of latency-format")	\
	X(RAW, 4, "raw", 0, NOP, OPT_SERVER,				\
	  "numbers instead of names")					\
	X(HEX, 5, "hex", 0, NOP, OPT_SERVER,				\
	  "hexadecimal numbers instead of names")			\
	X(BIN, 6, "bin", 0, NOP, OPT_SERVER,				\
	  "bytes instead of names")					\
	X(BLOCK, 7, "block", 0, NOP, OPT_SERVER,			\
	  "poll() always finds trace_pipe readable")			\
	X(FIELDS, 8, "fields", 0, NOP, OPT_SERVER,			\
	  "the fields of an event instead of its print format")		\
	X(PRINTK, 9, "trace_printk", 1, NOP, OPT_TOP | OPT_SHARED,	\
	  "trace_printk() records")					\
	X(ANNOTATE, 10, "annotate", 1, NOP, OPT_SERVER,			\
	  "a line where the records of a CPU start after an overrun")	\
	X(SYM_USEROBJ, 12, "sym-userobj", 0, NOP, OPT_SERVER,		\
	  "stacks: file[+0x12] instead of function")			\
	X(PRINTK_MSGONLY, 13, "printk-msg-only", 0, NOP, OPT_TOP | OPT_SERVER, \
	  "only the text of markers and of trace_printk()")		\
	X(CONTEXT_INFO, 14, "context-info", 1, NOP, OPT_SERVER,		\
	  "task, CPU, time before each event")				\
	X(LATENCY_FMT, 15, "latency-format", 0, NOP, OPT_SERVER,	\
	  "times since the buffer was emptied, long ones marked")	\
	X(RECORD_CMD, 16, "record-cmd", 1, NOP, OPT_TOP | OPT_SHARED,	\
	  "learn the names of threads")					\
	X(RECORD_TGID, 17, "record-tgid", 0, NOP, OPT_SERVER,		\
	  "a column for the process")					\
	X(OVERWRITE, 18, "overwrite", 1, NOP, OPT_SHARED,		\
	  "a full buffer drops the oldest records; off: the newest")	\
	X(STOP_ON_FREE, 19, "disable_on_free", 0, NOP, OPT_SERVER,	\
	  "free_buffer also stops recording")				\
	X(IRQ_INFO, 20, "irq-info", 1, NOP, OPT_SERVER,			\
	  "a column for the context's flags")				\
	X(MARKERS, 21, "markers", 1, NOP, OPT_SERVER,			\
	  "trace_marker may be written to")				\
	X(EVENT_FORK, 22, "event-fork", 0, NOP, OPT_SHARED,		\
	  "add the children of threads in set_event_pid to it")		\
	X(PAUSE_ON_TRACE, 24, "pause-on-trace", 0, NOP, OPT_SERVER,	\
	  "nothing is recorded while trace is open")			\
	X(HASH_PTR, 25, "hash-ptr", 1, NOP, OPT_SERVER,			\
	  "%p shows a hash of the pointer")				\
	X(FUNCTION_FORK, 27, "function-fork", 0, NOP, OPT_SHARED,	\
	  "add the children of threads in set_ftrace_pid to it")	\
	X(STACKTRACE, 29, "stacktrace", 0, NOP, OPT_PROGRAM,		\
	  "each event is followed by a stack")				\
	/* options that only ulf has: */				\
	X(ALL_OBJECTS, 51, "all-objects", 0, NOP, OPT_FUNCTIONS,	\
	  "tracers without a filter take functions of all libraries")	\
	X(USDT, 52, "usdt", 0, NOP, OPT_EVENTS,			\
	  "probes that programs and libraries carry (USDT) are events")	\
	X(DEMANGLE, 31, "demangle", 0, NOP, OPT_SERVER,			\
	  "names of C++ functions as they are written")			\
	/* options of tracers: */					\
	X(FUNC_STACK, 41, "func_stack_trace", 0, FUNCTION, OPT_TRACER,	\
	  "each function is followed by a stack")			\
	X(FUNC_NO_REPEATS, 42, "func-no-repeats", 0, FUNCTION, OPT_TRACER, \
	  "the same call again and again is recorded once, and counted") \
	X(FUNC_ARGS, 45, "func-args", 0, FUNCTION, OPT_TRACER,		\
	  "what a function was called with")				\
	X(GRAPH_OVERRUN, 32, "funcgraph-overrun", 0, GRAPH, OPT_SERVER,	\
	  "a line for the calls that were not followed")		\
	X(GRAPH_CPU, 33, "funcgraph-cpu", 1, GRAPH, OPT_SERVER,		\
	  "a column for the CPU")					\
	X(GRAPH_OVERHEAD, 34, "funcgraph-overhead", 1, GRAPH, OPT_SERVER, \
	  "a mark before long durations")				\
	X(GRAPH_PROC, 35, "funcgraph-proc", 0, GRAPH, OPT_SERVER,	\
	  "a column for the thread")					\
	X(GRAPH_DURATION, 36, "funcgraph-duration", 1, GRAPH, OPT_SERVER, \
	  "a column for how long a function took")			\
	X(GRAPH_ABSTIME, 37, "funcgraph-abstime", 0, GRAPH, OPT_SERVER,	\
	  "a column for the time")					\
	X(GRAPH_IRQS, 46, "funcgraph-irqs", 1, GRAPH, OPT_TRACER,	\
	  "what signal handlers call, too")				\
	X(GRAPH_TAIL, 38, "funcgraph-tail", 0, GRAPH, OPT_SERVER,	\
	  "the function's name after each closing brace")		\
	X(GRAPH_RETVAL, 39, "funcgraph-retval", 0, GRAPH, OPT_SERVER,	\
	  "what a function returned")					\
	X(GRAPH_RETVAL_HEX, 40, "funcgraph-retval-hex", 0, GRAPH, OPT_SERVER, \
	  "that in hexadecimal, errors too")				\
	X(GRAPH_RETADDR, 43, "funcgraph-retaddr", 0, GRAPH, OPT_TRACER,	\
	  "where a function was called from")				\
	X(GRAPH_ARGS, 44, "funcgraph-args", 0, GRAPH, OPT_TRACER,	\
	  "what a function was called with")				\
	X(SLEEP_TIME, 48, "sleep-time", 1, GRAPH, OPT_TRACER,		\
	  "durations have the time in it that the thread did not run")	\
	X(GRAPH_TIME, 49, "graph-time", 1, GRAPH, OPT_PROGRAM,		\
	  "the profiler's have that of the functions called in it")

/* The bits of abi_buffer.options. */
enum option_bit {
#define OPTION_BIT(id, bit, ...)	OPTION_##id = 1ull << (bit),
	OPTIONS(OPTION_BIT)
#undef OPTION_BIT
};

/* OPTION_DEFAULTS: the options that are on by default.  OPTION_PROGRAM: the options that
 * processes apply.  When one of them changes, the server must notify the processes at once.
 * OPTION_FUNCTIONS: the options that decide which functions are traced.  OPTION_EVENTS: the
 * options that decide which events exist. */
enum {
#define DEFAULT(id, bit, name, on, ...)	((on) ? OPTION_##id : 0) |
	OPTION_DEFAULTS = OPTIONS(DEFAULT) 0,
#undef DEFAULT
#define PROGRAM(id, bit, name, on, tracer, who, help) \
	((who) & OPT_PROGRAM ? OPTION_##id : 0) |
	OPTION_PROGRAM = OPTIONS(PROGRAM) 0,
#undef PROGRAM
#define FUNCTIONS(id, bit, name, on, tracer, who, help) \
	(((who) & OPT_FUNCTIONS) == OPT_FUNCTIONS ? OPTION_##id : 0) |
	OPTION_FUNCTIONS = OPTIONS(FUNCTIONS) 0,
#undef FUNCTIONS
#define EVENTS(id, bit, name, on, tracer, who, help) \
	(((who) & OPT_EVENTS) == OPT_EVENTS ? OPTION_##id : 0) |
	OPTION_EVENTS = OPTIONS(EVENTS) 0,
#undef EVENTS
};

/* Returns the bits of the options that a tracer applies when it records a function.  @number:
 * the number of the tracer. */
static inline uint64_t option_tracer_bits(uint32_t number)
{
	uint64_t bits = 0;

#define TRACER(id, bit, name, on, tracer, who, help) \
	if (((who) & OPT_TRACER) == OPT_TRACER && number == TRACER_##tracer) \
		bits |= OPTION_##id;
	OPTIONS(TRACER)
#undef TRACER
	return bits;
}

/* A row of the table of options. */
struct option_row {
	const char *name;
	uint64_t bit;			/* the option's bit (enum option_bit) */
	uint32_t tracer;		/* tracer that has the option (enum tracer_number);
					 * TRACER_NOP: the option belongs to every buffer,
					 * with any tracer */
};

extern const struct option_row option_table[];
extern const size_t option_table_rows;

/* Returns the row of the option @name, or NULL if there is no such option. */
const struct option_row *option_find(const char *name);

#endif
