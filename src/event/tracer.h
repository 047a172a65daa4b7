/* SPDX-License-Identifier: MIT */
/*
 * The tracers, as in current_tracer: one row each.  The options of a tracer are the rows of
 * event/option.h that name it.  Depends on libc alone: the runtime uses it, too.
 */
#ifndef EVENT_TRACER_H
#define EVENT_TRACER_H

#include <stdint.h>

/*
 * X(enumerator, number, name, methods, help)
 *
 * number: the value of abi_buffer.tracer, so a number must never change, and never be used
 * for another tracer.  Numbers have no gaps.  methods: the struct tracer
 * (server/print/tracer.h) with the server's methods: check, start, stop, print
 *
 * available_tracers lists the last row first, as the kernel lists the newest tracer
 * first.
 */
#define TRACERS(X)							\
	X(NOP, 0, "nop", tracer_nop,					\
	  "only events and markers are recorded")			\
	X(FUNCTION, 1, "function", tracer_function,			\
	  "each call of a function is recorded, with the caller")	\
	X(GRAPH, 2, "function_graph", tracer_graph,			\
	  "calls and returns are recorded, and print as nested blocks")	\
	X(RUN_DELAY, 3, "run_delay", tracer_run_delay,			\
	  "keeps the trace before the longest wait of a thread for a CPU")

enum tracer_number {
#define TRACER_NUMBER(id, number, ...)	TRACER_##id = (number),
	TRACERS(TRACER_NUMBER)
#undef TRACER_NUMBER
};

/* The number of tracers. */
enum {
#define TRACER_ONE(...)	+1
	NR_TRACERS = TRACERS(TRACER_ONE),
#undef TRACER_ONE
};

struct tracer_row {
	const char *name;
	const char *help;		/* text in README */
};

/* The table of tracers, indexed by their numbers (enum tracer_number). */
extern const struct tracer_row tracer_table[NR_TRACERS];

/* Find a tracer by its name.  Returns the number of the tracer, or -EINVAL. */
int tracer_find(const char *name);

#endif
