/* SPDX-License-Identifier: MIT */
/* The methods of tracers, which the server calls.  event/tracer.h lists the tracers. */
#ifndef ULF_SERVER_TRACER_H
#define ULF_SERVER_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/tracer.h"

struct instance;
struct line;
struct line_place;
struct merge_record;
struct text;

/* The methods of a tracer.  All are optional.  The methods run in the server's thread and
 * must not block. */
struct tracer {
	bool has_functions;		/* true: the tracer traces the functions that
					 * set_ftrace_filter selects, so the server counts
					 * it as a user of functions (abi/functions.h) */
	bool has_returns;		/* true: the tracer also traces the returns of
					 * functions, so the server sets the bit of its
					 * buffer in abi_functions.graphs */
	bool is_latency;		/* true: the tracer keeps the trace before the longest
					 * latency on the spare side (latency.h), which the file
					 * trace shows; its methods start and stop call
					 * latency_start() and latency_stop() */
	/*
	 * Method check: check that @instance can have the tracer @name.  If not,
	 * report the reason in error_log, for a write to @file.  Returns 0; -ERESTART
	 * if a parser is still at work, so that the caller must call again later; or
	 * another -errno.
	 */
	int (*check)(struct instance *instance, const char *file, const char *name);
	/*
	 * Method start: publish the data that processes need to record for the tracer.
	 * Called after abi_buffer.tracer was set; the caller notifies the processes.
	 * Returns 0 or -errno; after an error the caller restores abi_buffer.tracer.  A
	 * tracer without this method records nothing.
	 */
	int (*start)(struct instance *instance);
	/*
	 * Method stop: publish that the tracer is off.  Called after abi_buffer.tracer
	 * was set to a tracer with another method stop(), or with none.  Must not fail
	 * for lack of memory.
	 */
	int (*stop)(struct instance *instance);
	/* Method print_header: print the heads of the columns.  Without this method the
	 * usual heads are printed. */
	void (*print_header)(uint64_t options, struct text *out);
	/*
	 * Method print_line: print a record in the tracer's format. line->place
	 * describes the records before and after it.  Returns false, and prints
	 * nothing, if the record must be printed in the usual way.  Without this
	 * method all records are printed in the usual way.
	 */
	bool (*print_line)(const struct line *line, struct text *out);
	/* Number of bytes of state that print_line() needs for each CPU.  All bytes are
	 * 0 at first.  print_line() gets the state of the record's CPU in
	 * line_place.state. */
	size_t state_bytes;
	/* Method hides: return true if @options hide @record, so that it is not printed. */
	bool (*hides)(const struct merge_record *record, uint64_t options);
	/* Method note: update place->state, the tracer's state of the CPU, after @record
	 * was printed. */
	void (*note)(const struct merge_record *record, const struct line_place *place);
};

#define TRACER_METHODS(id, number, name, methods, help)	extern const struct tracer methods;
TRACERS(TRACER_METHODS)
#undef TRACER_METHODS

/* Return the number of the instance's tracer; TRACER_NOP if the value in shared memory
 * is invalid. */
uint32_t instance_tracer_number(const struct instance *instance);
/* Return the methods of the instance's tracer. */
const struct tracer *instance_tracer(const struct instance *instance);
/* Return the name of the instance's tracer, as the file current_tracer shows it. */
const char *instance_tracer_name(const struct instance *instance);

#endif
