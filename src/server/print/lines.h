/* SPDX-License-Identifier: MIT */
/*
 * The records of a merge as lines, one after the other.
 *
 *	while (lines_print(&lines, &text) > 0 && there is room)
 *		lines_advance(&lines);
 */
#ifndef ULF_SERVER_LINES_H
#define ULF_SERVER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "server/print/line.h"
#include "server/rings/merge.h"

struct lines {
	struct instance *instance;
	struct merge *merge;
	bool is_pipe;			/* its lines do not look ahead in time */
	bool is_snapshot;
	bool is_overrun;		/* some were lost before: its CPUs' records
					 * start at different times */
	uint64_t cpus[ABI_CPUS / 64];	/* that were seen */
	uint64_t leaves[ABI_CPUS / 64];	/* whose last one was a graph_is_leaf() */
	struct merge_record record, second;
	struct line_place place;	/* of the last one; .number of the next */
	struct graph_cpu *graph;	/* [root->nr_cpus]; NULL: none yet */
};

/* With all but the first two as zeroes it is at the merge's start. */
void lines_done(struct lines *lines);

/* The next one.  1; 0: there is none (yet); -ENOMEM; -ERESTART: a file that has names
 * for it is still being parsed, and nothing was written. */
int lines_print(struct lines *lines, struct text *out);
/* Past it.  Before that it can be printed again. */
void lines_advance(struct lines *lines);

#endif
