/* SPDX-License-Identifier: MIT */
/* Print histograms as JSON; see hist_export.h. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "cli/hist_export.h"

void hist_put_utf8(struct span span, bool (*put_char)(char c, struct text *out),
		   struct text *out)
{
	while (span.len) {
		size_t len = utf8_length(span.at, span.len);

		if (!len)
			text_puts(out, "\xef\xbf\xbd");
		else if (len > 1 || !put_char(*span.at, out))
			text_write(out, span.at, len);
		span = span_after(span, len ? len : 1);
	}
}

void hist_put_number(const struct hist_field *field, uint64_t number, struct text *out)
{
	if (field->is_signed)
		text_printf(out, "%" PRId64, (int64_t)number);
	else
		text_printf(out, "%" PRIu64, number);
}

bool hist_next_frame(struct span *stack, struct span *ret_frame)
{
	struct span frame;

	do {
		if (!stack->len)
			return false;
		frame = span_cut(stack, '\n');
		while (frame.len && *frame.at == ' ')
			frame = span_after(frame, 1);
	} while (!frame.len);
	*ret_frame = frame;
	return true;
}

/* ---- strings ---- */

static void put_span(struct span span, struct text *out)
{
	json_put_string(out, span.at, span.len);
}

static void put_string(const char *string, struct text *out)
{
	put_span((struct span){ string, strlen(string) }, out);
}

/* Append "NAME": */
static void put_name(struct span name, struct text *out)
{
	put_span(name, out);
	text_puts(out, ": ");
}

static void put_list(const char *name, const struct hist_field *fields, uint32_t nr,
		     const char *first, struct text *out)
{
	text_printf(out, "\"%s\": [", name);
	if (first)
		put_string(first, out);
	for (uint32_t i = 0; i < nr; i++) {
		if (i || first)
			text_puts(out, ", ");
		put_span(fields[i].token, out);
	}
	text_puts(out, "]");
}

/* ---- values ---- */

static void put_frames(struct span stack, struct text *out)
{
	const char *separator = "";
	struct span frame;

	text_putc(out, '[');
	while (hist_next_frame(&stack, &frame)) {
		text_puts(out, separator);
		put_span(frame, out);
		separator = ", ";
	}
	text_putc(out, ']');
}

/* Append the value of a key's field: a number, a string, { value, name }, { low, high }, or a
 * list of functions. */
static void put_key_value(const struct hist_field *field, const struct hist_value *value,
			  struct text *out)
{
	/* Only .buckets can make a range of signed numbers. */
	struct hist_field range = { .is_signed = field->is_signed && field->form == FIELD_BUCKETS };

	if (field->form == FIELD_STACK) {
		put_frames(value->text, out);
	} else if (value->kind == VALUE_TEXT) {
		put_span(value->text, out);
	} else if (value->kind == VALUE_RANGE) {
		text_puts(out, "{ \"low\": ");
		hist_put_number(&range, value->low, out);
		text_puts(out, ", \"high\": ");
		hist_put_number(&range, value->high, out);
		text_puts(out, " }");
	} else if (value->text.at) {
		text_puts(out, "{ \"value\": ");
		hist_put_number(field, value->low, out);
		text_puts(out, ", \"name\": ");
		put_span(value->text, out);
		text_puts(out, " }");
	} else {
		hist_put_number(field, value->low, out);
	}
}

static void put_value(const struct hist_field *field, uint64_t value, struct text *out)
{
	if (field->form == FIELD_PERCENT)
		text_printf(out, "%" PRIu64 ".%02" PRIu64, value / 100, value % 100);
	else
		hist_put_number(field, value, out);
}

static void put_track(const struct hist_block *block, const struct hist_track *track,
		      struct text *out)
{
	text_printf(out, "{ \"handler\": \"%s\", \"value\": %" PRIu64,
		    track->is_max ? "onmax" : "onchange", track->value);
	for (uint32_t i = 0; i < block->nr_saved; i++) {
		const struct hist_value *value = &track->saved[i];

		text_puts(out, i ? ", " : ", \"saved\": { ");
		put_name(block->saved[i].label, out);
		if (value->kind == VALUE_TEXT)
			put_span(value->text, out);
		else
			hist_put_number(&block->saved[i], value->low, out);
		if (i + 1 == block->nr_saved)
			text_puts(out, " }");
	}
	text_puts(out, " }");
}

static void put_tracks(const struct hist_block *block, const struct hist_entry *entry,
		       struct text *out)
{
	for (uint32_t i = 0; i < entry->nr_tracks; i++) {
		text_puts(out, i ? ", " : ", \"tracked\": [");
		put_track(block, &entry->tracks[i], out);
		if (i + 1 == entry->nr_tracks)
			text_putc(out, ']');
	}
}

/* Append an entry.  Bars (.graph) are left out, because they only show the value of another
 * column. */
static void put_entry(const struct hist_block *block, const struct hist_entry *entry,
		      struct text *out)
{
	const char *separator = "";

	text_puts(out, "{ \"key\": { ");
	for (uint32_t i = 0; i < block->nr_keys; i++) {
		text_puts(out, i ? ", " : "");
		put_name(block->keys[i].token, out);
		put_key_value(&block->keys[i], &entry->keys[i], out);
	}
	text_puts(out, " }, \"values\": { ");
	if (!block->is_nohitcount) {
		text_printf(out, "\"hitcount\": %" PRIu64, entry->hits);
		separator = ", ";
	}
	for (uint32_t i = 0; i < block->nr_vals; i++) {
		if (block->vals[i].form == FIELD_GRAPH)
			continue;
		text_puts(out, separator);
		put_name(block->vals[i].token, out);
		put_value(&block->vals[i], entry->vals[i], out);
		separator = ", ";
	}
	text_puts(out, " }");
	put_tracks(block, entry, out);
	text_puts(out, " }");
}

static void put_block(const struct hist_block *block, struct text *out)
{
	text_puts(out, "{\n    \"trigger\": ");
	put_span(block->trigger, out);
	if (block->filter.at) {
		text_puts(out, ",\n    \"filter\": ");
		put_span(block->filter, out);
	}
	text_printf(out, ",\n    \"state\": \"%s\",\n    ", block->is_paused ? "paused" : "active");
	put_list("keys", block->keys, block->nr_keys, NULL, out);
	text_puts(out, ",\n    ");
	put_list("values", block->vals, block->nr_vals, block->is_nohitcount ? NULL : "hitcount",
		 out);
	text_printf(out, ",\n    \"hits\": %" PRIu64 ", \"dropped\": %" PRIu64 ",\n"
		    "    \"entries\": [", block->hits, block->dropped);
	for (uint32_t i = 0; i < block->nr_entries; i++) {
		text_puts(out, i ? ",\n      " : "\n      ");
		put_entry(block, &block->entries[i], out);
	}
	text_puts(out, block->nr_entries ? "\n    ]\n  }" : "]\n  }");
}

void hist_put_json(const struct hist_text *hist, const struct hist_origin *origin,
		   struct text *out)
{
	text_puts(out, "{\n");
	if (origin->root) {
		text_puts(out, "  \"root\": ");
		put_string(origin->root, out);
		text_puts(out, ",\n");
	}
	if (origin->event) {
		text_puts(out, "  \"event\": ");
		put_string(origin->event, out);
		text_puts(out, ",\n");
	}
	text_puts(out, "  \"histograms\": [");
	for (uint32_t i = 0; i < hist->nr; i++) {
		text_puts(out, i ? ", " : "");
		put_block(&hist->blocks[i], out);
	}
	text_puts(out, "]\n}\n");
}
