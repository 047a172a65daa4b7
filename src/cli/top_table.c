/* SPDX-License-Identifier: MIT */
/* ulf top: read the figures of each key, and compute their differences between two reads; see
 * top.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hist_export.h"
#include "cli/top.h"

#define LABEL_BYTES	4096u

static void put_span(struct span span, struct text *out)
{
	text_write(out, span.at, span.len);
}

/* Append the functions of a stack, with the innermost function first. */
static void put_stack(struct span stack, struct text *out)
{
	struct span frame;
	bool is_first = true;

	for (; hist_next_frame(&stack, &frame); is_first = false) {
		text_puts(out, is_first ? "" : " < ");
		put_span(frame, out);
	}
}

static void put_field(const struct hist_field *field, const struct hist_value *value,
		      struct text *out)
{
	if (field->form == FIELD_STACK)
		put_stack(value->text, out);
	else if (value->kind == VALUE_RANGE)
		text_printf(out, "%" PRIu64 "-%" PRIu64, value->low, value->high);
	else if (value->kind == VALUE_TEXT || field->form == FIELD_SYM)
		put_span(value->text, out);
	else if (field->form == FIELD_HEX)
		text_printf(out, "0x%" PRIx64, value->low);
	else if (field->form == FIELD_SYSCALL && !span_is(value->text, "unknown_syscall"))
		put_span(value->text, out);
	else if (field->form == FIELD_EXECNAME)
		text_printf(out, "%.*s-%" PRIu64, (int)value->text.len, value->text.at, value->low);
	else
		hist_put_number(field, value->low, out);
}

static int make_label(const struct hist_block *block, const struct hist_entry *entry, uint32_t nr,
		      char **ret_label)
{
	struct text label;

	text_init(&label, LABEL_BYTES);
	for (uint32_t i = 0; i < nr; i++) {
		text_puts(&label, i ? ", " : "");
		put_field(&block->keys[i], &entry->keys[i], &label);
	}
	*ret_label = strdup(text_str(&label));
	text_done(&label);
	return *ret_label ? 0 : -ENOMEM;
}

static int compare_samples(const void *a, const void *b)
{
	const struct top_sample *x = a, *y = b;
	int ret = strcmp(x->label, y->label);

	return ret ? ret : (x->low > y->low) - (x->low < y->low);
}

/* Add up samples with equal keys.  Keys of different addresses are equal if the functions
 * have the same name. */
static void merge_equal(struct top_table *table)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < table->nr; i++) {
		struct top_sample *sample = &table->samples[i];
		struct top_sample *last = nr ? &table->samples[nr - 1] : NULL;

		if (last && !compare_samples(last, sample)) {
			last->hits += sample->hits;
			last->sum += sample->sum;
			free(sample->label);
		} else {
			table->samples[nr++] = *sample;
		}
	}
	table->nr = nr;
}

/* Compute the hits and sums since the previous read.  @before: table of the previous read.
 * Both tables are sorted. */
static void subtract_table(struct top_table *table, const struct top_table *before)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < table->nr; i++) {
		struct top_sample *sample = &table->samples[i];
		const struct top_sample *old;

		while (k < before->nr && compare_samples(&before->samples[k], sample) < 0)
			k++;
		old = k < before->nr && !compare_samples(&before->samples[k], sample) ?
		      &before->samples[k] : NULL;
		sample->new_hits = sample->hits;
		sample->new_sum = sample->sum;
		/* If a key has fewer hits than at the previous read, the histogram was
		 * cleared in between. */
		if (old && old->hits <= sample->hits) {
			sample->new_hits -= old->hits;
			sample->new_sum -= old->sum;
		}
		table->hits += sample->hits;
		table->new_hits += sample->new_hits;
	}
}

static void set_bucket(struct top_sample *sample, const struct hist_value *value, uint64_t bias)
{
	sample->low = value->low + bias;
	sample->high = value->high + bias;
	/* The upper bound is too large for 64 bits because the bucket is the last one, or the
	 * file is wrong. */
	if (sample->high < sample->low)
		sample->high = UINT64_MAX;
}

/* Returns the bias of the buckets of a histogram (top_table.bias).  A bias is needed only for
 * negative numbers, which only .buckets=N can have. */
static uint64_t bias_of(const struct top_trigger *trigger, const struct hist_block *block)
{
	const struct hist_field *last = &block->keys[block->nr_keys - 1];
	bool is_signed = trigger->has_range && last->form == FIELD_BUCKETS && last->is_signed;

	return is_signed ? 1ull << 63 : 0;
}

/* Make a sample from each entry of the histogram, in the order of the file `hist`. */
static int read_samples(const struct top_trigger *trigger, const struct hist_block *block,
			struct top_table *table)
{
	uint32_t nr_labels = block->nr_keys - trigger->has_range;

	for (uint32_t i = 0; i < block->nr_entries; i++) {
		const struct hist_entry *entry = &block->entries[i];
		struct top_sample *sample = &table->samples[table->nr];

		if (make_label(block, entry, nr_labels, &sample->label) < 0)
			return -ENOMEM;
		table->nr++;
		if (trigger->has_range)
			set_bucket(sample, &entry->keys[nr_labels], table->bias);
		sample->hits = entry->hits;
		sample->sum = block->nr_vals ? entry->vals[0] : 0;
	}
	return 0;
}

int top_table_make(const struct top_trigger *trigger, const struct hist_block *block,
		   const struct top_table *before, double seconds, struct top_table *ret_table)
{
	struct top_table table = {
		.dropped = block->dropped, .seconds = seconds,
		.is_signed = block->nr_vals && block->vals[0].is_signed,
		.bias = bias_of(trigger, block), .has_means = trigger->has_means,
	};

	table.samples = calloc(block->nr_entries + 1, sizeof(*table.samples));
	if (!table.samples)
		return -ENOMEM;
	if (read_samples(trigger, block, &table) < 0) {
		top_table_done(&table);
		return -ENOMEM;
	}
	qsort(table.samples, table.nr, sizeof(*table.samples), compare_samples);
	merge_equal(&table);
	subtract_table(&table, before);
	*ret_table = table;
	return 0;
}

void top_table_done(struct top_table *table)
{
	for (uint32_t i = 0; i < table->nr; i++)
		free(table->samples[i].label);
	free(table->samples);
	*table = (struct top_table){ .samples = NULL };
}
