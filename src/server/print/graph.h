/* SPDX-License-Identifier: MIT */
/*
 * Print the records of the function_graph tracer, like nested blocks of a C program.
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

/* Limit of the depth.  Functions at a greater depth are not indented further, and their ends
 * are not compared with their starts. */
#define GRAPH_DEPTH_MAX	256

/* State that the printer keeps for one CPU from line to line. */
struct graph_cpu {
	int32_t pid;			/* thread of the last record; 0: none */
	int32_t depth;			/* depth of the innermost open function; -1: none */
	uint64_t leaf;			/* function whose start and end were printed as the
					 * last line; 0: none */
	uint64_t funcs[GRAPH_DEPTH_MAX];	/* open functions, by depth */
};

/* tracer.print_header: print the heads of the columns. */
void graph_print_header(uint64_t options, struct text *out);
/*
 * tracer.print_line: print a record; an event or a marker is printed as a comment.  Returns
 * false and prints nothing for a stack and for a record of the function tracer.
 */
bool graph_print_line(const struct line *line, struct text *out);
/* Print a record of the graph tracer in a buffer that has another tracer now. */
void graph_print(const struct line *line, struct text *out);
/* Print a duration: microseconds, and as many digits of the nanoseconds as fit into the
 * column. */
void graph_print_us(uint64_t ns, struct text *out);
/* Return true if @record is of the graph tracer.  *@ret_is_end: true for the end of a
 * function, false for its start. */
bool graph_is_call(const struct merge_record *record, bool *ret_is_end);
/*
 * Return true if @record is the start of a function that calls no other function.  Its end,
 * place->second, is printed on the same line.
 */
bool graph_is_leaf(const struct merge_record *record, const struct line_place *place);
/* tracer.hides: return true if the options hide @record: a call in a signal handler, without
 * funcgraph-irqs. */
bool graph_leaves_out(const struct merge_record *record, uint64_t options);
/* tracer.note: update place->state after @record was printed, before the next record is read. */
void graph_note(const struct merge_record *record, const struct line_place *place);

#endif
