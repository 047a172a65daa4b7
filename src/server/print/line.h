/* SPDX-License-Identifier: MIT */
/*
 * Print records as lines of `trace`, in the format that the instance's options select.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_LINE_H
#define ULF_SERVER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/instance.h"
#include "server/part_numbers.h"
#include "server/rings/rings.h"

struct merge_record;
struct text;
struct tracer;

/* How the lines of an instance are printed.  This is the state of INSTANCE_PART_LINES. */
struct instance_lines {
	bool is_dumped;			/* true: print lines (except those of the graph
					 * tracer) as with the option latency-format; `ulf
					 * dump` sets this */
};

/* Return the state of INSTANCE_PART_LINES: how lines of @instance are printed. */
static inline struct instance_lines *instance_lines(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_LINES];
}

/* The position of a record among the records that are printed, with the data of neighbouring
 * records that its line needs. */
struct line_place {
	uint64_t number;		/* number of the record, which the option verbose
					 * prints */
	uint64_t next_time;		/* time of the next record; if that is unknown,
					 * the time of this record */
	bool is_start;			/* true: this is the first record of its CPU, so
					 * the line "buffer started" must be printed
					 * before it */
	bool is_in_snapshot;
	const struct merge_record *second;	/* next record of the same CPU; NULL if
						 * there is none, or if print_line() of
						 * the tracer does not need it */
	const struct tracer *tracer;	/* tracer whose print_line() prints the record;
					 * NULL if the record is printed in the usual way */
	void *state;			/* state that @tracer keeps for the record's CPU;
					 * NULL if @tracer keeps no state */
	bool is_left_out;		/* true: do not print this record, because the
					 * tracer hides it, or because it is the end of a
					 * leaf and was printed together with its start */
};

/* Fill in the source from which the lines of @instance get names and options.  The source
 * is valid until a setting changes. */
struct line_source;
void line_source_of(struct instance *instance, struct line_source *ret_source);
/*
 * Print @record as a line.  If records were lost before it, print the line `CPU:n
 * [LOST m EVENTS]` first.  If a name is missing because a file is still being parsed,
 * objects_has_missing() returns true afterwards.
 */
void line_print(const struct line_source *source, const struct merge_record *record,
		const struct line_place *place, struct text *out);
/* Print only the line `CPU:n [LOST m EVENTS]`, for @lost records of @cpu. */
void line_print_lost(uint32_t cpu, uint64_t lost, struct text *out);
/* Print the header of `trace` (RINGS_MAIN) or of `snapshot` (RINGS_SNAPSHOT). */
void line_print_header(struct instance *instance, enum rings which,
		       struct text *out);
/* The values in a header of `trace`, if the option latency-format is off. */
struct line_heads {
	const struct tracer *tracer;
	const char *tracer_name;
	uint64_t options;		/* enum option_bit */
	uint64_t entries, written;	/* number of records that are printed, and number
					 * of records that were written */
	long cpus;			/* number of CPUs */
};
/* Print the header of `trace` with the values in @heads. */
void line_print_heads(const struct line_heads *heads, struct text *out);
/* Print the first two lines of the header of `trace`: the name of the tracer, and a `#`. */
void line_print_title(const struct instance *instance, struct text *out);

#endif
