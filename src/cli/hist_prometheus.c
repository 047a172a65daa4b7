/* SPDX-License-Identifier: MIT */
/*
 * Print histograms in the text format of Prometheus; see hist_export.h.
 *
 *	# HELP ulf_kv_op_ns Distribution of ns of kv:op.
 *	# TYPE ulf_kv_op_ns histogram
 *	ulf_kv_op_ns_bucket{root="kvd.4711",hist="keys=op,ns.log2",op="get",le="1023"} 7
 *	ulf_kv_op_ns_bucket{root="kvd.4711",hist="keys=op,ns.log2",op="get",le="+Inf"} 7
 *	ulf_kv_op_ns_count{root="kvd.4711",hist="keys=op,ns.log2",op="get"} 7
 *
 * All lines of one metric must stand together, and several histograms may have the same
 * metric.  So the outer loop goes over metrics, and the inner loop over histograms.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hist_export.h"

/* ---- metrics ---- */

enum metric_kind {
	METRIC_HITS,			/* hits of each key */
	METRIC_VALUE,			/* sum of a value */
	METRIC_BUCKETS,			/* metric that shows the distribution of a field of
					 * the key */
	METRIC_DROPPED,
};

/* A metric of a histogram. */
struct metric {
	enum metric_kind kind;
	const struct hist_field *field;	/* for METRIC_VALUE and METRIC_BUCKETS: the field that
					 * the metric shows */
	uint32_t nr;			/* index of @field in the values or keys of the
					 * histogram */
};

struct exporter {
	const struct hist_text *hist;
	const struct hist_origin *origin;
	struct text *out;
	int error;
};

/* Return the index in the key of the last field that has buckets; -1 if no field has buckets. */
static int find_bucket(const struct hist_block *block)
{
	for (int i = (int)block->nr_keys - 1; i >= 0; i--) {
		if (block->keys[i].form == FIELD_LOG2 || block->keys[i].form == FIELD_BUCKETS)
			return block->is_nohitcount ? -1 : i;
	}
	return -1;
}

/* Get metric @nr of a histogram.  Returns false if the histogram has fewer metrics. */
static bool get_metric(const struct hist_block *block, uint32_t nr, struct metric *ret_metric)
{
	int bucket = find_bucket(block);

	*ret_metric = (struct metric){ .kind = METRIC_HITS };
	if (!block->is_nohitcount) {
		if (nr == 0 && bucket >= 0)
			*ret_metric = (struct metric){ METRIC_BUCKETS, &block->keys[bucket],
						       (uint32_t)bucket };
		if (nr == 0)
			return true;
		nr--;
	}
	for (uint32_t i = 0; i < block->nr_vals; i++) {
		if (block->vals[i].form == FIELD_PERCENT || block->vals[i].form == FIELD_GRAPH)
			continue;
		if (!nr--) {
			*ret_metric = (struct metric){ METRIC_VALUE, &block->vals[i], i };
			return true;
		}
	}
	ret_metric->kind = METRIC_DROPPED;
	return nr == 0;
}

static bool is_same_metric(const struct metric *a, const struct metric *b)
{
	if (a->kind != b->kind)
		return false;
	return !a->field || (a->field->label.len == b->field->label.len &&
			     !memcmp(a->field->label.at, b->field->label.at, a->field->label.len));
}

/* Find the metric of the histogram @block that has the name of @metric. */
static bool find_metric(const struct hist_block *block, const struct metric *metric,
			struct metric *ret_metric)
{
	for (uint32_t i = 0; get_metric(block, i, ret_metric); i++) {
		if (is_same_metric(metric, ret_metric))
			return true;
	}
	return false;
}

/* ---- names and labels of metrics ---- */

static int compare_spans(struct span a, struct span b)
{
	int ret = memcmp(a.len ? a.at : "", b.len ? b.at : "", a.len < b.len ? a.len : b.len);

	return ret ? ret : (a.len > b.len) - (a.len < b.len);
}

/* Append the name of a metric or label.  Characters other than letters and digits become _. */
static void put_name(struct span name, struct text *out)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		bool is_valid = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9');

		text_putc(out, is_valid ? c : '_');
	}
}

static void put_event(const struct exporter *exporter)
{
	const char *event = exporter->origin->event;

	text_puts(exporter->out, "ulf_");
	if (event) {
		put_name((struct span){ event, strlen(event) }, exporter->out);
		text_putc(exporter->out, '_');
	}
}

static void put_metric_name(const struct exporter *exporter, const struct metric *metric)
{
	put_event(exporter);
	if (metric->field)
		put_name(metric->field->label, exporter->out);
	switch (metric->kind) {
	case METRIC_HITS:
		text_puts(exporter->out, "hits_total");
		return;
	case METRIC_VALUE:
		text_puts(exporter->out, "_total");
		return;
	case METRIC_DROPPED:
		text_puts(exporter->out, "dropped_total");
		return;
	case METRIC_BUCKETS:
		return;
	}
}

static bool put_label_char(char c, struct text *out)
{
	if (c != '"' && c != '\\' && c != '\n')
		return false;
	text_putc(out, '\\');
	text_putc(out, c == '\n' ? 'n' : c);
	return true;
}

static void put_label_text(struct span value, struct text *out)
{
	text_putc(out, '"');
	hist_put_utf8(value, put_label_char, out);
	text_putc(out, '"');
}

/* Append the name of a key's field as the name of a label, with @suffix.  If another label
 * already has this name, the number of the field is appended. */
static void put_key_name(const struct hist_block *block, uint32_t nr, const char *suffix,
			 struct text *out)
{
	const struct hist_field *field = &block->keys[nr];
	static const char *const taken[] = { "root", "hist", "le" };
	bool is_taken = !field->label.len || strchr("0123456789", field->label.at[0]);

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		is_taken |= span_is(field->label, taken[i]);
	for (uint32_t i = 0; i < nr; i++)
		is_taken |= block->keys[i].label.len == field->label.len &&
			    !memcmp(block->keys[i].label.at, field->label.at, field->label.len);
	if (is_taken || span_starts(field->label, "__"))
		text_printf(out, "key%u_", nr + 1);
	put_name(field->label, out);
	text_puts(out, suffix);
	text_putc(out, '=');
}

/* Append a stack as one line, with ; between the functions. */
static void put_stack_label(struct span stack, struct text *out)
{
	struct span frame;
	bool is_first = true;

	text_putc(out, '"');
	for (; hist_next_frame(&stack, &frame); is_first = false) {
		if (!is_first)
			text_putc(out, ';');
		hist_put_utf8(frame, put_label_char, out);
	}
	text_putc(out, '"');
}

static void put_key_label(const struct hist_block *block, uint32_t nr,
			  const struct hist_value *value, struct text *out)
{
	const struct hist_field *field = &block->keys[nr];

	text_putc(out, ',');
	put_key_name(block, nr, "", out);
	if (field->form == FIELD_STACK) {
		put_stack_label(value->text, out);
	} else if (value->kind == VALUE_TEXT) {
		put_label_text(value->text, out);
	} else if (value->kind == VALUE_RANGE) {
		text_printf(out, "\"%" PRIu64 "-%" PRIu64 "\"", value->low, value->high);
	} else {
		text_putc(out, '"');
		if (field->form == FIELD_HEX || field->form == FIELD_SYM)
			text_printf(out, "0x%" PRIx64, value->low);
		else
			hist_put_number(field, value->low, out);
		text_putc(out, '"');
	}
	if (value->kind == VALUE_NUMBER && value->text.at) {
		text_putc(out, ',');
		put_key_name(block, nr, "_name", out);
		put_label_text(value->text, out);
	}
}

/* Return the part of the trigger that stands for the histogram in a label: "name=N" if there
 * is a name, else "keys=...". */
static struct span short_name(const struct hist_block *block)
{
	struct span part, rest = span_after(block->trigger, strlen("hist:"));

	do
		part = span_cut(&rest, ':');
	while (rest.len && !span_starts(part, "name=") && !span_starts(part, "keys="));
	return part;
}

/* Append the label by which the histograms of an event can be distinguished.  The label is
 * the short name and the filter; or the whole trigger, if another histogram has the same name
 * and filter. */
static void put_hist_label(const struct exporter *exporter, const struct hist_block *block)
{
	struct span name = short_name(block);

	for (uint32_t i = 0; i < exporter->hist->nr; i++) {
		const struct hist_block *other = &exporter->hist->blocks[i];

		if (other != block && !compare_spans(short_name(block), short_name(other)) &&
		    !compare_spans(block->filter, other->filter))
			name = span_after(block->trigger, strlen("hist:"));
	}
	text_puts(exporter->out, "hist=\"");
	hist_put_utf8(name, put_label_char, exporter->out);
	if (block->filter.at) {
		text_puts(exporter->out, " if ");
		hist_put_utf8(block->filter, put_label_char, exporter->out);
	}
	text_putc(exporter->out, '"');
}

/* Append the labels of @entry without the closing bracket; if @entry is NULL, only the labels
 * of the histogram.  @without: index of the key's field that gets no label; -1: each field
 * gets a label. */
static void put_labels(const struct exporter *exporter, const struct hist_block *block,
		       const struct hist_entry *entry, int without)
{
	struct text *out = exporter->out;
	const char *root = exporter->origin->root;

	text_putc(out, '{');
	if (root) {
		text_puts(out, "root=");
		put_label_text((struct span){ root, strlen(root) }, out);
		text_putc(out, ',');
	}
	put_hist_label(exporter, block);
	for (uint32_t i = 0; entry && i < block->nr_keys; i++) {
		if ((int)i != without)
			put_key_label(block, i, &entry->keys[i], out);
	}
}

/* ---- samples ---- */

/* Append a line with a counter for each entry. */
static void put_counters(const struct exporter *exporter, const struct hist_block *block,
			 const struct metric *metric)
{
	for (uint32_t i = 0; i < block->nr_entries; i++) {
		const struct hist_entry *entry = &block->entries[i];

		put_metric_name(exporter, metric);
		put_labels(exporter, block, entry, -1);
		text_puts(exporter->out, "} ");
		if (metric->kind == METRIC_VALUE)
			hist_put_number(metric->field, entry->vals[metric->nr], exporter->out);
		else
			text_printf(exporter->out, "%" PRIu64, entry->hits);
		text_putc(exporter->out, '\n');
	}
}

/* Compare the keys of two entries, except for the field @bucket. */
static int compare_groups(const struct hist_entry *a, const struct hist_entry *b, uint32_t bucket)
{
	for (uint32_t i = 0; i < HIST_TEXT_KEYS; i++) {
		const struct hist_value *v = &a->keys[i], *w = &b->keys[i];
		int ret;

		if (i == bucket)
			continue;
		if (v->low != w->low || v->high != w->high)
			return v->low < w->low || (v->low == w->low && v->high < w->high) ? -1 : 1;
		ret = compare_spans(v->text, w->text);
		if (ret)
			return ret;
	}
	return 0;
}

/* For compare_buckets(): the field of the key by whose buckets entries are compared. */
struct bucket_order {
	uint32_t nr;
	bool is_signed;
};

static uint64_t upper_bound(const struct hist_entry *entry, const struct bucket_order *order)
{
	return entry->keys[order->nr].high;
}

/* Compare two upper bounds, which are numbers of 64 bits, for sorting. */
static int compare_bounds(const void *a, const void *b, void *arg)
{
	const struct bucket_order *order = arg;
	uint64_t flip = order->is_signed ? 1ull << 63 : 0;
	uint64_t v = *(const uint64_t *)a ^ flip, w = *(const uint64_t *)b ^ flip;

	return (v > w) - (v < w);
}

static int compare_buckets(const void *a, const void *b, void *arg)
{
	const struct hist_entry *x = *(const struct hist_entry *const *)a;
	const struct hist_entry *y = *(const struct hist_entry *const *)b;
	struct bucket_order *order = arg;
	uint64_t v = upper_bound(x, order), w = upper_bound(y, order);
	int ret = compare_groups(x, y, order->nr);

	return ret ? ret : compare_bounds(&v, &w, order);
}

#define LOG2_BOUNDS	64u		/* maximum number of bounds that are powers of two */
#define LINES_MAX	(1u << 18)	/* maximum number of lines that are printed if each
					 * group prints all bounds */

/*
 * The upper bounds of all buckets of a histogram, sorted.  Each group prints all bounds,
 * because a query that adds up groups needs the same buckets in each.  If that would take too
 * many lines, each group prints only the bounds of its own buckets.
 */
struct bounds {
	struct bucket_order order;
	uint64_t *at;
	uint32_t nr;
	bool is_own;			/* true: each group prints only the buckets in which it
					 * has hits */
};

/* Return true if @field has the modifier .log2, not .log2=N, so that the upper bounds are
 * powers of two. */
static bool is_plain_log2(const struct hist_field *field, const struct bounds *bounds)
{
	for (uint32_t i = 0; i < bounds->nr; i++) {
		if (bounds->at[i] & (bounds->at[i] - 1))
			return false;
	}
	return field->form == FIELD_LOG2;
}

/* Add all powers of two below the greatest bound.  Otherwise a later export could have a new
 * bound between these. */
static void add_powers(struct bounds *bounds)
{
	uint64_t max = 0;

	for (uint32_t i = 0; i < bounds->nr; i++)
		max = bounds->at[i] > max ? bounds->at[i] : max;
	for (uint32_t i = 0; i < LOG2_BOUNDS && 1ull << i < max; i++)
		bounds->at[bounds->nr++] = 1ull << i;
}

static void sort_bounds(struct bounds *bounds)
{
	uint32_t nr = 0;

	qsort_r(bounds->at, bounds->nr, sizeof(*bounds->at), compare_bounds, &bounds->order);
	for (uint32_t i = 0; i < bounds->nr; i++) {
		if (!nr || bounds->at[nr - 1] != bounds->at[i])
			bounds->at[nr++] = bounds->at[i];
	}
	bounds->nr = nr;
}

/* Make the list of bounds for @metric; the caller frees ret_bounds->at.  Returns 0 or
 * -ENOMEM. */
static int make_bounds(const struct hist_block *block, const struct metric *metric,
		       struct bounds *ret_bounds)
{
	struct bounds bounds = {
		.order = { metric->nr, metric->field->is_signed &&
				       metric->field->form == FIELD_BUCKETS },
		.at = calloc((size_t)block->nr_entries + LOG2_BOUNDS, sizeof(*bounds.at)),
		.nr = block->nr_entries,
	};

	if (!bounds.at)
		return -ENOMEM;
	for (uint32_t i = 0; i < block->nr_entries; i++)
		bounds.at[i] = upper_bound(&block->entries[i], &bounds.order);
	if (is_plain_log2(metric->field, &bounds))
		add_powers(&bounds);
	sort_bounds(&bounds);
	*ret_bounds = bounds;
	return 0;
}

/* Return the index of the value that is the sum of the field with buckets; -1 if there is no
 * such value. */
static int find_sum(const struct hist_block *block, const struct metric *metric)
{
	for (uint32_t i = 0; i < block->nr_vals; i++) {
		const struct hist_field *field = &block->vals[i];

		if ((field->form == FIELD_PLAIN || field->form == FIELD_HEX) &&
		    !compare_spans(field->label, metric->field->label))
			return (int)i;
	}
	return -1;
}

/* Append the start of a line, up to its labels.  @suffix: text after the metric's name. */
static void put_sample(const struct exporter *exporter, const struct hist_block *block,
		       const struct metric *metric, const struct hist_entry *entry,
		       const char *suffix)
{
	put_metric_name(exporter, metric);
	text_puts(exporter->out, suffix);
	put_labels(exporter, block, entry, (int)metric->nr);
}

/* Append a line for each upper bound.  As Prometheus requires, a line shows the number of
 * hits in all buckets up to its bound.
 * @entries: @nr entries whose keys are equal except for the bucket, in the order of the buckets. */
static void put_bucket_lines(const struct exporter *exporter, const struct hist_block *block,
			     const struct metric *metric, const struct bounds *bounds,
			     const struct hist_entry **entries, uint32_t nr)
{
	const struct hist_field range = { .is_signed = bounds->order.is_signed };
	uint64_t hits = 0;

	for (uint32_t i = 0, done = 0; i < bounds->nr; i++) {
		uint32_t first = done;

		while (done < nr && upper_bound(entries[done], &bounds->order) == bounds->at[i])
			hits += entries[done++]->hits;
		if (bounds->is_own && done == first)
			continue;
		put_sample(exporter, block, metric, entries[0], "_bucket");
		text_puts(exporter->out, ",le=\"");
		hist_put_number(&range, bounds->at[i], exporter->out);
		text_printf(exporter->out, "\"} %" PRIu64 "\n", hits);
	}
}

/* Append the distribution of a group of @nr entries; see put_bucket_lines(). */
static void put_group(const struct exporter *exporter, const struct hist_block *block,
		      const struct metric *metric, const struct bounds *bounds,
		      const struct hist_entry **entries, uint32_t nr)
{
	int sum_nr = find_sum(block, metric);
	uint64_t hits = 0, sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		hits += entries[i]->hits;
		sum += sum_nr >= 0 ? entries[i]->vals[sum_nr] : 0;
	}
	put_bucket_lines(exporter, block, metric, bounds, entries, nr);
	put_sample(exporter, block, metric, entries[0], "_bucket");
	text_printf(exporter->out, ",le=\"+Inf\"} %" PRIu64 "\n", hits);
	if (sum_nr >= 0) {
		put_sample(exporter, block, metric, entries[0], "_sum");
		text_puts(exporter->out, "} ");
		hist_put_number(&block->vals[sum_nr], sum, exporter->out);
		text_putc(exporter->out, '\n');
	}
	put_sample(exporter, block, metric, entries[0], "_count");
	text_printf(exporter->out, "} %" PRIu64 "\n", hits);
}

/* Return the size of the group that begins at sorted[@first]: entries whose keys differ only
 * in the bucket. */
static uint32_t group_size(const struct hist_block *block, const struct metric *metric,
			   const struct hist_entry **sorted, uint32_t first)
{
	uint32_t nr = 1;

	while (first + nr < block->nr_entries &&
	       !compare_groups(sorted[first], sorted[first + nr], metric->nr))
		nr++;
	return nr;
}

/* Return true if there would be too many lines if each group printed all bounds. */
static bool are_too_many(const struct hist_block *block, const struct metric *metric,
			 const struct hist_entry **sorted, uint32_t nr_bounds)
{
	uint64_t nr_groups = 0;

	for (uint32_t i = 0; i < block->nr_entries; nr_groups++)
		i += group_size(block, metric, sorted, i);
	return nr_groups * nr_bounds > LINES_MAX;
}

static void put_buckets(struct exporter *exporter, const struct hist_block *block,
			const struct metric *metric)
{
	const struct hist_entry **sorted = calloc(block->nr_entries + 1, sizeof(*sorted));
	struct bounds bounds = { .at = NULL };
	uint32_t nr;

	if (!sorted || make_bounds(block, metric, &bounds) < 0) {
		exporter->error = -ENOMEM;
		free(sorted);
		return;
	}
	for (uint32_t i = 0; i < block->nr_entries; i++)
		sorted[i] = &block->entries[i];
	qsort_r(sorted, block->nr_entries, sizeof(*sorted), compare_buckets, &bounds.order);
	bounds.is_own = are_too_many(block, metric, sorted, bounds.nr);
	for (uint32_t i = 0; i < block->nr_entries; i += nr) {
		nr = group_size(block, metric, sorted, i);
		put_group(exporter, block, metric, &bounds, sorted + i, nr);
	}
	free(bounds.at);
	free(sorted);
}

static void put_dropped(const struct exporter *exporter, const struct hist_block *block,
			const struct metric *metric)
{
	put_metric_name(exporter, metric);
	put_labels(exporter, block, NULL, -1);
	text_printf(exporter->out, "} %" PRIu64 "\n", block->dropped);
}

/* ---- families ---- */

static void put_help(const struct exporter *exporter, const struct metric *metric)
{
	static const struct {
		const char *help, *of, *type;
	} kinds[] = {
		[METRIC_HITS]	 = { "Hits of each key", "", "counter" },
		[METRIC_VALUE]	 = { "Sum of ", "", "counter" },
		[METRIC_BUCKETS] = { "Distribution of ", "", "histogram" },
		[METRIC_DROPPED] = { "Hits that found no free entry", "", "counter" },
	};
	struct text *out = exporter->out;

	text_puts(out, "# HELP ");
	put_metric_name(exporter, metric);
	text_printf(out, " %s", kinds[metric->kind].help);
	if (metric->field)
		hist_put_utf8(metric->field->label, put_label_char, out);
	if (exporter->origin->event)
		text_printf(out, " of %s", exporter->origin->event);
	text_puts(out, ".\n# TYPE ");
	put_metric_name(exporter, metric);
	text_printf(out, " %s\n", kinds[metric->kind].type);
}

static void put_samples(struct exporter *exporter, const struct hist_block *block,
			const struct metric *metric)
{
	switch (metric->kind) {
	case METRIC_BUCKETS:
		put_buckets(exporter, block, metric);
		return;
	case METRIC_DROPPED:
		put_dropped(exporter, block, metric);
		return;
	default:
		put_counters(exporter, block, metric);
	}
}

/* Append a metric with the lines of the histogram @first and of all histograms after it.
 * Appends nothing if a histogram before @first has the metric, because then the metric was
 * appended already. */
static void put_family(struct exporter *exporter, uint32_t first, const struct metric *metric)
{
	struct metric found;

	for (uint32_t i = 0; i < first; i++) {
		if (find_metric(&exporter->hist->blocks[i], metric, &found))
			return;
	}
	put_help(exporter, metric);
	for (uint32_t i = first; i < exporter->hist->nr; i++) {
		if (find_metric(&exporter->hist->blocks[i], metric, &found))
			put_samples(exporter, &exporter->hist->blocks[i], &found);
	}
}

int hist_put_prometheus(const struct hist_text *hist, const struct hist_origin *origin,
			struct text *out)
{
	struct exporter exporter = { .hist = hist, .origin = origin, .out = out };
	struct metric metric;

	for (uint32_t i = 0; i < hist->nr; i++) {
		for (uint32_t k = 0; get_metric(&hist->blocks[i], k, &metric); k++)
			put_family(&exporter, i, &metric);
	}
	return exporter.error ? exporter.error : out->error;
}
