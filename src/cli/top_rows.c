/* SPDX-License-Identifier: MIT */
/* ulf top: compute the rows of a view; see top.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top.h"

#define LABEL_BYTES	64u

const struct top_column_row top_columns[TOP_COLUMNS] = {
	[TOP_KEY]	= { "",		"key",	'k', 0 },
	[TOP_RATE]	= { "HITS/S",	"rate",	'r', 9 },
	[TOP_HITS]	= { "HITS",	"hits",	'h', 10 },
	[TOP_SHARE]	= { "%",	"share", 0, 6 },
	[TOP_SUM]	= { "SUM",	"sum",	's', 11 },
	[TOP_AVG]	= { "AVG",	"avg",	'a', 9 },
	[TOP_P50]	= { "P50",	"p50",	'5', 9 },
	[TOP_P90]	= { "P90",	"p90",	'9', 9 },
	[TOP_P99]	= { "P99",	"p99",	'p', 9 },
	[TOP_P999]	= { "P99.9",	"p99.9", 'x', 9 },
};

/* ---- quantiles ---- */

static uint64_t hits_of(const struct top_sample *sample, bool is_interval)
{
	return is_interval ? sample->new_hits : sample->hits;
}

static int compare_buckets(const void *a, const void *b)
{
	const struct top_sample *x = *(const struct top_sample *const *)a;
	const struct top_sample *y = *(const struct top_sample *const *)b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Returns the value at the fraction @part (0 to 1) of a bucket.  If the sum of the bucket's
 * values is known, returns their mean instead.  Otherwise it is assumed that the values are
 * spread evenly. */
static uint64_t value_in_bucket(const struct top_table *table, const struct top_sample *sample,
				bool is_interval, double part)
{
	uint64_t hits = hits_of(sample, is_interval);
	uint64_t sum = is_interval ? sample->new_sum : sample->sum;

	if (table->has_means && hits)
		return sum / hits + table->bias;
	return sample->low + (uint64_t)(part * (double)(sample->high - sample->low));
}

/*
 * Compute the quantiles of samples that are sorted by their buckets.
 *
 * Example: the buckets 8-15 and 16-23 have 3 hits and 1 hit.  The median is at rank 2 of 4,
 * which is 2/3 of the way from 8 to 15, so it is 12.
 */
static void count_quantiles(const struct top_table *table, struct top_sample *const *samples,
			    uint32_t nr, bool is_interval, struct top_row *row)
{
	static const double parts[TOP_QUANTILES] = { 0.5, 0.9, 0.99, 0.999 };
	uint64_t below = 0;		/* number of hits in the buckets before number @at */
	uint32_t at = 0;

	for (uint32_t i = 0; i < TOP_QUANTILES && row->hits; i++) {
		double rank = parts[i] * (double)row->hits;
		uint64_t hits;

		while (at + 1 < nr &&
		       (double)(below + hits_of(samples[at], is_interval)) < rank)
			below += hits_of(samples[at++], is_interval);
		hits = hits_of(samples[at], is_interval);
		row->quantiles[i] = value_in_bucket(table, samples[at], is_interval, hits ?
						    (rank - (double)below) / (double)hits : 0);
	}
}

/* ---- rows ---- */

static struct top_row *add_row(struct top_rows *rows, char *label)
{
	struct top_row *row = &rows->rows[rows->nr];

	if (!label)
		return NULL;
	*row = (struct top_row){ .label = label };
	rows->nr++;
	return row;
}

static void add_sample(struct top_row *row, const struct top_table *table,
		       const struct top_sample *sample, bool is_interval)
{
	row->hits += hits_of(sample, is_interval);
	row->sum += is_interval ? sample->new_sum : sample->sum;
	if (table->seconds > 0)
		row->rate += (double)sample->new_hits / table->seconds;
}

/* Make a row for each label.  @sorted: the samples, in the order of the table. */
static int make_groups(const struct top_table *table, const struct top_view *view,
		       struct top_sample **sorted, struct top_rows *rows)
{
	for (uint32_t i = 0, end; i < table->nr; i = end) {
		struct top_row *row = add_row(rows, strdup(table->samples[i].label));

		if (!row)
			return -ENOMEM;
		for (end = i; end < table->nr && !strcmp(table->samples[end].label, row->label);
		     end++)
			add_sample(row, table, &table->samples[end], view->is_interval);
		count_quantiles(table, sorted + i, end - i, view->is_interval, row);
	}
	return 0;
}

/* Returns the label of a row as "LOW-HIGH", or "LOW..HIGH" for negative numbers; the caller
 * must free it.  Returns NULL if there is no memory. */
static char *range_label(const struct top_table *table, uint64_t low, uint64_t high)
{
	struct text text;
	char *label;

	text_init(&text, LABEL_BYTES);
	top_put_biased(low, table->bias, &text);
	text_puts(&text, low < table->bias ? ".." : "-");
	top_put_biased(high, table->bias, &text);
	label = strdup(text_str(&text));
	text_done(&text);
	return label;
}

/* Returns the exponent of the largest power of 2 that is at most @value. */
static unsigned int log2_of(uint64_t value)
{
	return value ? 63 - (unsigned int)__builtin_clzll(value) : 0;
}

/* Make a row for each power of 2, from that of the first to that of the last sample.
 * @sorted: the samples, sorted by their buckets. */
static int make_log2(const struct top_table *table, const struct top_view *view,
		     struct top_sample **sorted, struct top_rows *rows)
{
	uint32_t i = 0;

	for (unsigned int log = log2_of(sorted[0]->low);
	     log <= log2_of(sorted[table->nr - 1]->low); log++) {
		uint64_t low = log ? 1ull << log : 0, high = (2ull << log) - 1;
		struct top_row *row = add_row(rows, range_label(table, low, high));

		if (!row)
			return -ENOMEM;
		for (; i < table->nr && sorted[i]->low <= high; i++)
			add_sample(row, table, sorted[i], view->is_interval);
	}
	return 0;
}

/* Returns the smallest number of the sequence 1, 2, 5, 10, 20, 50 ... that is at least
 * @least. */
static uint64_t round_up(uint64_t least)
{
	uint64_t step = 1;

	while (step < UINT64_MAX / 20) {
		if (step >= least)
			return step;
		if (2 * step >= least)
			return 2 * step;
		if (5 * step >= least)
			return 5 * step;
		step *= 10;
	}
	return least;
}

/* The rows of the linear view, which have equal size. */
struct scale {
	uint64_t first, width;		/* @first: lower bound of the first row; @width: size
					 * of a row */
	uint32_t nr;			/* number of rows */
};

/* Returns the upper bound of row @nr. */
static uint64_t row_high(const struct scale *scale, uint64_t nr)
{
	uint64_t low = scale->first + nr * scale->width;

	return low > UINT64_MAX - (scale->width - 1) ? UINT64_MAX : low + (scale->width - 1);
}

/* Add the share @part (0 to 1) of a sample's figures to a row. */
static void add_part(struct top_row *row, const struct top_table *table,
		     const struct top_sample *sample, bool is_interval, double part, uint64_t hits)
{
	row->hits += hits;
	row->sum += (uint64_t)(part * (double)(is_interval ? sample->new_sum : sample->sum));
	if (table->seconds > 0)
		row->rate += part * (double)sample->new_hits / table->seconds;
}

/* Divide the figures of a sample among the rows that its bucket overlaps, in proportion to
 * the overlap.  The last row also gets the part above all rows. */
static void spread_sample(struct top_row *rows, const struct scale *scale,
			  const struct top_table *table, const struct top_sample *sample,
			  bool is_interval)
{
	double span = (double)(sample->high - sample->low) + 1, left_part = 1;
	uint64_t last = scale->nr - 1, left = hits_of(sample, is_interval), all = left;
	uint64_t from = (sample->low - scale->first) / scale->width;
	uint64_t to = (sample->high - scale->first) / scale->width;

	from = from < last ? from : last;
	to = to < last ? to : last;
	for (uint64_t i = from; i <= to; i++) {
		uint64_t low = scale->first + i * scale->width;
		uint64_t start = low > sample->low ? low : sample->low;
		double part = i == to ? left_part :
					((double)(row_high(scale, i) - start) + 1) / span;
		uint64_t hits = i == to ? left : (uint64_t)(part * (double)all + 0.5);

		hits = hits < left ? hits : left;
		add_part(&rows[i], table, sample, is_interval, part, hits);
		left -= hits;
		left_part -= part;
	}
}

/* Returns the largest multiple of @width that is at most @number.  @bias was added to
 * @number, and is added to the result. */
static uint64_t round_down(uint64_t number, uint64_t bias, uint64_t width)
{
	uint64_t above;

	if (number >= bias)
		return number - (number - bias) % width;
	above = (width - (bias - number) % width) % width;
	return number > above ? number - above : 0;
}

/* Returns the smallest multiple of @bucket that is at least @width. */
static uint64_t whole_buckets(uint64_t width, uint64_t bucket)
{
	uint64_t nr = width / bucket + !!(width % bucket), product;

	return __builtin_mul_overflow(nr, bucket, &product) ? UINT64_MAX : product;
}

/*
 * Choose the size of the rows of the linear view.  It is a round number for which the rows
 * reach up to the quantile 99.9, so that a few larger values do not make all rows large.
 * Buckets of .buckets=N are not divided between rows.
 */
static struct scale choose_scale(const struct top_table *table, const struct top_view *view,
				 struct top_sample **sorted, uint64_t quantile)
{
	const struct top_sample *lowest = sorted[0], *highest = sorted[table->nr - 1];
	uint64_t first = lowest->low, last = highest->high, rows;
	uint64_t top = quantile > first && quantile < last ? quantile : last;
	uint64_t bucket = highest->high - highest->low + 1;
	uint32_t max = view->max_rows ? view->max_rows : 20;
	struct scale scale = { .width = round_up((top - first) / max + 1) };

	if (lowest->high - lowest->low + 1 == bucket && bucket > 1)
		scale.width = whole_buckets(scale.width, bucket);
	scale.first = round_down(first, table->bias, scale.width);
	rows = (last - scale.first) / scale.width + 1;
	scale.nr = rows && rows < max ? (uint32_t)rows : max;
	return scale;
}

static int make_linear(const struct top_table *table, const struct top_view *view,
		       struct top_sample **sorted, struct top_rows *rows)
{
	struct scale scale = choose_scale(table, view, sorted,
					  rows->all.quantiles[TOP_QUANTILES - 1]);
	uint64_t last = sorted[table->nr - 1]->high;

	for (uint32_t i = 0; i < scale.nr; i++) {
		uint64_t low = scale.first + i * scale.width, high = row_high(&scale, i);

		if (i + 1 == scale.nr && last > high)
			high = last;
		if (!add_row(rows, range_label(table, low, high)))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < table->nr; i++)
		spread_sample(rows->rows, &scale, table, sorted[i], view->is_interval);
	return 0;
}

/* ---- sort ---- */

static double row_average(const struct top_row *row, bool is_signed)
{
	double sum = is_signed ? (double)(int64_t)row->sum : (double)row->sum;

	return row->hits ? sum / (double)row->hits : 0;
}

static double row_figure(const struct top_row *row, enum top_column column, bool is_signed)
{
	switch (column) {
	case TOP_RATE:
		return row->rate;
	case TOP_SUM:
		return is_signed ? (double)(int64_t)row->sum : (double)row->sum;
	case TOP_AVG:
		return row_average(row, is_signed);
	case TOP_P50:
	case TOP_P90:
	case TOP_P99:
	case TOP_P999:
		return (double)row->quantiles[column - TOP_P50];
	default:
		return (double)row->hits;
	}
}

struct order {
	enum top_column column;
	bool is_reversed, is_signed;
};

/* Compare two labels: as numbers if both are numbers, else as text. */
static int compare_labels(const char *a, const char *b)
{
	char *end_a, *end_b;
	long long x = strtoll(a, &end_a, 10), y = strtoll(b, &end_b, 10);

	if (end_a != a && end_b != b && x != y)
		return x < y ? -1 : 1;
	return strcmp(a, b);
}

/* Compare two rows for sorting: the row with the greater figure comes first; rows with equal
 * figures are in the order of their labels. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct top_row *x = a, *y = b;
	const struct order *order = arg;
	double v = row_figure(x, order->column, order->is_signed);
	double w = row_figure(y, order->column, order->is_signed);
	int ret = order->column == TOP_KEY ? 0 : (v < w) - (v > w);

	if (!ret)
		ret = compare_labels(x->label, y->label);
	return order->is_reversed ? -ret : ret;
}

/* ---- all ---- */

static void count_all(const struct top_table *table, const struct top_view *view,
		      struct top_sample **by_bucket, struct top_rows *rows)
{
	for (uint32_t i = 0; i < table->nr; i++)
		add_sample(&rows->all, table, &table->samples[i], view->is_interval);
	rows->all.share = 100;
	count_quantiles(table, by_bucket, table->nr, view->is_interval, &rows->all);
}

static void sort_and_share(const struct top_view *view, struct top_rows *rows)
{
	struct order order = { view->sort, view->is_reversed, rows->is_signed };

	for (uint32_t i = 0; i < rows->nr; i++) {
		struct top_row *row = &rows->rows[i];

		row->share = rows->all.hits ? 100 * (double)row->hits / (double)rows->all.hits : 0;
	}
	if (view->kind == TOP_TABLE)
		qsort_r(rows->rows, rows->nr, sizeof(*rows->rows), compare_rows, &order);
}

int top_rows_make(const struct top_table *table, const struct top_view *view,
		  struct top_rows *ret_rows)
{
	struct top_sample **by_label = calloc(table->nr + 1, sizeof(*by_label));
	struct top_sample **by_bucket = calloc(table->nr + 1, sizeof(*by_bucket));
	struct top_rows rows = { .bias = table->bias, .is_signed = table->is_signed };
	uint32_t space = table->nr + view->max_rows + 64;
	int ret = -ENOMEM;

	rows.rows = calloc(space, sizeof(*rows.rows));
	if (by_label && by_bucket && rows.rows) {
		for (uint32_t i = 0; i < table->nr; i++)
			by_label[i] = by_bucket[i] = &table->samples[i];
		qsort(by_bucket, table->nr, sizeof(*by_bucket), compare_buckets);
		count_all(table, view, by_bucket, &rows);
		ret = 0;
		if (view->kind == TOP_TABLE)
			ret = make_groups(table, view, by_label, &rows);
		else if (table->nr && view->kind == TOP_LOG2 && !table->bias)
			ret = make_log2(table, view, by_bucket, &rows);
		else if (table->nr)
			ret = make_linear(table, view, by_bucket, &rows);
		sort_and_share(view, &rows);
	}
	free(by_label);
	free(by_bucket);
	if (ret < 0)
		top_rows_done(&rows);
	else
		*ret_rows = rows;
	return ret;
}

void top_rows_done(struct top_rows *rows)
{
	for (uint32_t i = 0; i < rows->nr; i++)
		free(rows->rows[i].label);
	free(rows->rows);
	*rows = (struct top_rows){ .rows = NULL };
}
