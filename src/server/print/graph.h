/* SPDX-License-Identifier: MIT */
/*
 * Print the records of the function_graph tracer: calls look like nested blocks of C.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_GRAPH_H
#define ULF_SERVER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct line;
struct line_place;
struct merge_record;
struct text;

/* Maximum depth of calls up to which lines are indented.  For calls at this depth or
 * deeper, the end of a function is not compared with its start. */
#define GRAPH_DEPTH_MAX	256

/* State of one CPU that the graph tracer's printer keeps from line to line. */
struct graph_cpu {
	int32_t pid;			/* id of the thread that has made the CPU's last
					 * record; 0 if there was no record */
	int32_t depth;			/* call depth of the innermost function that is
					 * open; -1 if no function is open */
	uint64_t leaf;			/* function whose start and end were printed
					 * together as the last line; 0 if the last line
					 * was not such a line */
	uint64_t funcs[GRAPH_DEPTH_MAX];	/* functions that are open: funcs[i] is
						 * the function at call depth i */
};

/* Method tracer.print_header: print the heads of the columns. */
void graph_print_header(uint64_t options, struct text *out);
/*
 * Method tracer.print_line: print a record.  Events and markers are printed as comments.
 * Returns false and prints nothing for a stack and for a record of the function tracer,
 * because these are printed in the usual way.
 */
bool graph_print_line(const struct line *line, struct text *out);
/* Print a record of the graph tracer if the buffer has another tracer now, as in a
 * snapshot. */
void graph_print(const struct line *line, struct text *out);
/* Print a duration as microseconds, with as many digits after the decimal point as fit
 * into the column. */
void graph_print_us(uint64_t ns, struct text *out);
/* Return true if @record is a record of the graph tracer.  In this case set
 * *@ret_is_end: true for the end of a function, false for its start. */
bool graph_is_call(const struct merge_record *record, bool *ret_is_end);
/*
 * Return true if @record is the start of a function that calls no other function.  The end
 * of this function, place->second, is printed on the same line.
 */
bool graph_is_leaf(const struct merge_record *record, const struct line_place *place);
/* Method tracer.hides: return true if @options hide @record.  If the option
 * funcgraph-irqs is off, calls in signal handlers are hidden. */
bool graph_leaves_out(const struct merge_record *record, uint64_t options);
/* Method tracer.note: store in place->state those data of @record on which the next lines
 * depend.  Called after @record was printed, and before the next record is read. */
void graph_note(const struct merge_record *record, const struct line_place *place);

#endif
