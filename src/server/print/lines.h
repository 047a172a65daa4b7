/* SPDX-License-Identifier: MIT */
/*
 * Print the records of a stream (struct merge) as lines, one after the other:
 *
 *	while (lines_print(&lines, &text) > 0 && there is space in the text)
 *		lines_advance(&lines);
 *
 * A stream of another kind has a struct lines_stream:
 *
 *	while (there is a record, in lines.record)
 *		lines_put(&lines, &stream, &text), lines_pass(&lines);
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_LINES_H
#define ULF_SERVER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "server/print/line.h"
#include "server/print/line_source.h"
#include "server/rings/merge.h"

struct lines {
	struct instance *instance;
	struct merge *merge;
	bool is_pipe;			/* true: the lines are for trace_pipe.  A line in
					 * trace_pipe is printed before the next record
					 * exists, so it does not show the delay until the
					 * next record */
	bool is_snapshot;
	bool is_overrun;		/* true: records were overrun, so the oldest
					 * records of the CPUs possibly have very
					 * different times */
	uint64_t cpus[ABI_CPUS / 64];	/* bitmap of the CPUs of which at least one record
					 * was printed in this output */
	uint64_t leaves[ABI_CPUS / 64];	/* bitmap of the CPUs whose last printed record
					 * was the start of a leaf (graph_is_leaf()) */
	struct merge_record record, second;	/* the current record, and the record
						 * after it if that is needed */
	struct line_place place;	/* position of the current record, with the data
					 * of its neighbours that its line needs */
	const struct tracer *tracer;	/* tracer that keeps @states; NULL if there is no
					 * such tracer */
	void *states;			/* array with the state of @tracer for each CPU,
					 * root->nr_cpus * tracer.state_bytes; NULL if it
					 * is not allocated */
};

/*
 * Free the memory of @lines, but not lines->merge.  There is no function to initialise
 * @lines: the caller sets lines->instance and lines->merge, and all other members to 0.  Then
 * printing begins with the first record of the stream.
 */
void lines_done(struct lines *lines);

/*
 * Print the next record.  Returns 1; 0 if there is no record now; -ENOMEM; or -ERESTART if
 * a file with names for the record is still being parsed.  After -ERESTART nothing was
 * printed, and the caller must try again later.
 */
int lines_print(struct lines *lines, struct text *out);
/* Go to the next record.  Call this function after lines_print() has returned 1.
 * Otherwise the next lines_print() prints the same record again. */
void lines_advance(struct lines *lines);

/* A stream of records that is not a struct merge, for example one that is read from a
 * file. */
struct lines_stream {
	struct line_source source;
	const struct tracer *tracer;	/* methods of the tracer that has made the records
					 * of the stream */
	/*
	 * Method second: get the record that follows the current one on CPU @cpu, or on
	 * any CPU if @cpu is CPU_ALL.  Returns 1 on success; 0 if there is none, or if it
	 * is not known.
	 */
	int (*second)(void *ctx, int cpu, struct merge_record *ret_record);
	void *ctx;			/* argument of @second */
};

/*
 * Print lines->record.  Its CPU must be below source.nr_cpus and ABI_CPUS.  lines->instance
 * and lines->merge are not used.  Returns 1 or -ENOMEM.
 */
int lines_put(struct lines *lines, const struct lines_stream *stream, struct text *out);
/* Note that lines->record was printed.  Must be called before the next record is stored
 * in lines->record. */
void lines_pass(struct lines *lines);

#endif
