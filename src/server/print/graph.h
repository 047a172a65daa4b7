/* SPDX-License-Identifier: MIT */
/* What the function_graph tracer recorded, as a program would be written. */
#ifndef ULF_SERVER_GRAPH_H
#define ULF_SERVER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct line;
struct line_place;
struct merge_record;
struct text;

/* Deeper functions are indented no further, and their ends not compared. */
#define GRAPH_DEPTH_MAX	256

/* What of a CPU was printed so far. */
struct graph_cpu {
	int32_t pid;			/* of the last record; 0: none */
	int32_t depth;			/* of the innermost open function; -1: none */
	uint64_t leaf;			/* the function whose end was printed with
					 * its start just now; 0: none */
	uint64_t funcs[GRAPH_DEPTH_MAX];	/* that are open */
};

/* The columns' heads. */
void graph_print_header(uint64_t options, struct text *out);
/* False, and nothing printed: a stack, a record of the function tracer. */
bool graph_print_line(const struct line *line, struct text *out);
/* A record of the graph by itself. */
void graph_print(const struct line *line, struct text *out);
/* A duration: microseconds, and as much of the nanoseconds as there is room for. */
void graph_print_us(uint64_t ns, struct text *out);
/* Is it a record of the graph: the start of a function, or its end? */
bool graph_is_call(const struct merge_record *record, bool *ret_is_end);
/* Is it a function that calls none, so that its end is no line of its own? */
bool graph_is_leaf(const struct merge_record *record, const struct line_place *place);
/* Is it a call that the options do not want to be seen? */
bool graph_leaves_out(const struct merge_record *record, uint64_t options);
/* It was printed: the next one of its CPU may be read. */
void graph_note(const struct merge_record *record, const struct line_place *place);

#endif
