/* SPDX-License-Identifier: MIT */
/* Records as lines of `trace`, in the way that the buffer's options say. */
#ifndef ULF_SERVER_LINE_H
#define ULF_SERVER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/rings/rings.h"

struct graph_cpu;
struct merge_record;
struct text;

/* Where a record stands among those that are printed. */
struct line_place {
	uint64_t number;
	uint64_t next_time;		/* of the one after it, else its own */
	bool is_start;			/* say that its CPU's records begin here */
	bool is_in_snapshot;
	const struct merge_record *second;	/* what the same CPU recorded next;
						 * NULL: nothing, or not asked for */
	struct graph_cpu *graph;	/* NULL: not asked for */
	bool is_left_out;		/* graph_leaves_out(), or the end of a
					 * graph_is_leaf() */
};

/* With the `CPU:n [LOST m EVENTS]` line if some were lost before it. */
void line_print(struct instance *instance, const struct merge_record *record,
		const struct line_place *place, struct text *out);
/* Only the LOST line, for @lost records of @cpu. */
void line_print_lost(uint32_t cpu, uint64_t lost, struct text *out);
/* The header of `trace`, or of `snapshot`. */
void line_print_header(struct instance *instance, enum rings which,
		       struct text *out);
/* How any header begins. */
void line_print_title(const struct instance *instance, struct text *out);

#endif
