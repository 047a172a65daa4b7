/* SPDX-License-Identifier: MIT */
/*
 * ulf top: show a live histogram of one event.
 *
 *	cmd_top.c	the command line, and the loop
 *	top_trigger.c	the histogram in the root: set, read, clear, remove
 *	top_table.c	figures of each key; differences between two reads
 *	top_rows.c	the rows of a view, sorted; quantiles
 *	top_print.c	rows as lines of text
 *
 * The command sets one trigger, hist:name=ulf_top_PID_NS:keys=..., and reads it once per
 * interval.  If quantiles of a field are wanted, the field itself is the last field of the key,
 * with .log2=4: 16 buckets for each power of 2.  So one table in the root has the distribution
 * for each of the other keys, and all views are computed from it:
 *
 *	keys=op,ns.log2=4:vals=hitcount,ns
 *
 *	{ op: get, ns: ~ 960-1023 } hitcount: 3  ns: 2900	-> a sample
 *	{ op: get, ns: ~ 1024-1087 } hitcount: 1  ns: 1030	-> a sample of the same group
 */
#ifndef ULF_CLI_TOP_H
#define ULF_CLI_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cli/conn.h"
#include "cli/event_path.h"
#include "cli/hist_text.h"

#define TOP_QUANTILES	4u		/* p50, p90, p99, p99.9 */

/* ---- top_trigger.c ---- */

/* A histogram in the root. */
struct top_trigger {
	struct conn *conn;
	const struct event_path *event;
	char *name;			/* ulf_top_PID_NS */
	char *text;			/* text of the trigger: hist:name=...:keys=...,
					 * without the filter */
	const char *filter;		/* filter of the trigger, which the user has given;
					 * NULL: none */
	bool has_range;			/* true: the last field of the key has buckets */
	bool is_range_only;		/* true: the field with buckets is the only field of
					 * the key */
	bool has_value;			/* true: the histogram has the sum of a field as its
					 * first value */
	bool has_means;			/* true: the sum is that of the field with buckets, so
					 * that the mean of each bucket is known */
	char *range_label;		/* name of the field with buckets */
	bool is_set;
};

/*
 * top_trigger_set - set the trigger of the histogram
 * @key: KEY of the command line; @value: VALUE, or NULL
 * @size: number of entries of the table; 0: the default
 *
 * Removes histograms that were left by processes of `ulf top` that were killed.  Prints
 * errors.  The caller must call top_trigger_remove(), also after an error.
 */
int top_trigger_set(struct top_trigger *trigger, const char *key, const char *value,
		    unsigned int size);
/*
 * Read and parse the histogram.  @ret_text: the text to which @ret_hist refers.  The caller
 * must free @ret_text and @ret_hist.  Returns the histogram of @trigger, a part of @ret_hist;
 * or NULL after printing an error.
 */
const struct hist_block *top_trigger_read(struct top_trigger *trigger, struct text *ret_text,
					  struct hist_text *ret_hist);
/* Set all figures of the histogram to zero.  Prints errors. */
int top_trigger_clear(struct top_trigger *trigger);
/* Remove the trigger of the histogram, and free @trigger's memory.  Prints errors, unless the
 * root is gone. */
void top_trigger_remove(struct top_trigger *trigger);

/* ---- top_table.c ---- */

/* An entry of the histogram at the time of one read. */
struct top_sample {
	char *label;			/* text of the key's fields, without the last field if
					 * that has buckets */
	uint64_t low, high;		/* @low, @high: bounds of the bucket, plus
					 * top_table.bias, so that low <= high; both 0 without
					 * buckets */
	uint64_t hits, sum;
	uint64_t new_hits, new_sum;	/* number of hits, and sum of the first value, since
					 * the previous read */
};

/* All entries of the histogram at one read, sorted by label and bucket. */
struct top_table {
	struct top_sample *samples;
	uint32_t nr;
	uint64_t hits, new_hits, dropped;
	double seconds;			/* seconds since the previous read */
	uint64_t bias;			/* number that is added to all bounds of buckets: 1 <<
					 * 63 if the field with buckets is signed, so that
					 * bounds can be compared as unsigned numbers; else 0 */
	bool is_signed;			/* true: sums are signed */
	bool has_means;			/* true: sums are those of the field with buckets, so
					 * that means are known */
};

/*
 * Make the table for one read of the histogram.
 * @before: table of the previous read
 * Returns 0 or -ENOMEM.  The caller must call top_table_done().
 */
int top_table_make(const struct top_trigger *trigger, const struct hist_block *block,
		   const struct top_table *before, double seconds, struct top_table *ret_table);
void top_table_done(struct top_table *table);

/* ---- top_rows.c ---- */

enum top_column {
	TOP_KEY, TOP_RATE, TOP_HITS, TOP_SHARE, TOP_SUM, TOP_AVG,
	TOP_P50, TOP_P90, TOP_P99, TOP_P999,
	TOP_COLUMNS,
};

/* A column of the table, as users see it. */
struct top_column_row {
	const char *title;
	const char *name;		/* argument of --sort */
	char key;			/* the key that the user presses to sort by the
					 * column; 0: none */
	unsigned int width;
};
extern const struct top_column_row top_columns[TOP_COLUMNS];

enum top_view_kind {
	TOP_TABLE,			/* a row for each key */
	TOP_LOG2,			/* the view shows the distribution, with a row for
					 * each power of 2 */
	TOP_LINEAR,			/* the view shows the distribution, with rows of equal
					 * size */
};

/* The choices of the user. */
struct top_view {
	enum top_view_kind kind;
	enum top_column sort;
	bool is_reversed;
	bool is_interval;		/* true: the view shows figures of the last interval;
					 * false: figures since the start */
	uint32_t max_rows;		/* maximum number of rows in the view TOP_LINEAR */
};

struct top_row {
	char *label;
	double rate;			/* number of hits of the row per second, in the last
					 * interval */
	uint64_t hits, sum;
	double share;			/* percentage of all hits */
	uint64_t quantiles[TOP_QUANTILES];	/* the quantiles of the row, each plus
						 * top_rows.bias */
};

struct top_rows {
	struct top_row *rows;
	uint32_t nr;
	struct top_row all;		/* figures of all rows together; it has no label */
	uint64_t bias;			/* top_table.bias */
	bool is_signed;
};

/* Compute the rows of a view from a table.  Returns 0 or -ENOMEM.  The caller must call
 * top_rows_done(). */
int top_rows_make(const struct top_table *table, const struct top_view *view,
		  struct top_rows *ret_rows);
void top_rows_done(struct top_rows *rows);

/* ---- top_print.c ---- */

/* Where and in which form rows are printed. */
struct top_layout {
	const struct top_trigger *trigger;
	const struct top_view *view;
	const char *key_title;		/* title of the first column */
	uint32_t width;			/* width of the terminal; width of lines if stdout is
					 * no terminal */
	bool is_terminal;
	uint32_t max_rows;		/* maximum number of rows that are printed; 0: all
					 * rows are printed */
};

/* Append the number @number - @bias; @bias is 0 or 1 << 63. */
void top_put_biased(uint64_t number, uint64_t bias, struct text *out);
/* Append the line with the sums over all rows, and the quantiles of all hits. */
void top_put_summary(const struct top_layout *layout, const struct top_table *table,
		     const struct top_rows *rows, struct text *out);
/* Append a line with the titles of the columns. */
void top_put_titles(const struct top_layout *layout, const struct top_rows *rows,
		    struct text *out);
/* Append each row as a line. */
void top_put_rows(const struct top_layout *layout, const struct top_rows *rows, struct text *out);

#endif
