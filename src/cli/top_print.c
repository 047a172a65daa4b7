/* SPDX-License-Identifier: MIT */
/* ulf top: print rows as lines of text; see top.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/top.h"

#define LABEL_MIN	12u		/* minimum width of the column with labels */
#define BAR_MIN		10u		/* minimum width of a bar; if there is less space,
					 * bars are not shown */
#define BAR_MAX		60u
#define LINE_BYTES	4096u

/* ---- columns ---- */

/* Returns the number of characters of UTF-8 text. */
static uint32_t count_chars(const char *text, size_t bytes)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < bytes; i++)
		nr += ((unsigned char)text[i] & 0xc0) != 0x80;
	return nr;
}

/* Append @label, left-aligned in @width columns.  A longer label is cut off and ends with ~. */
static void put_label(const char *label, uint32_t width, struct text *out)
{
	struct text safe;
	const char *at;
	uint32_t nr;

	text_init(&safe, LINE_BYTES);
	escape_text(label, strlen(label), ESCAPE_NEWLINES | ESCAPE_END, &safe);
	nr = count_chars(text_str(&safe), safe.len);
	if (nr <= width) {
		text_write(out, safe.data, safe.len);
		text_fill(out, ' ', width - nr);
	} else {
		at = safe.data;
		for (uint32_t i = 0; i + 1 < width; i++)
			at += utf8_length(at, safe.len - (size_t)(at - safe.data));
		text_write(out, safe.data, (size_t)(at - safe.data));
		text_putc(out, '~');
	}
	text_done(&safe);
}

/* Write a number to @to, in at most @width characters: all digits, or shortened with K, M, G,
 * T, P or E. */
static void format_number(double value, unsigned int width, char *to, size_t bytes)
{
	static const char units[] = "KMGTPE";
	int len = snprintf(to, bytes, "%.0f", value);

	for (int i = 0; units[i] && len >= (int)width; i++) {
		value /= 1000;
		len = snprintf(to, bytes, "%.*f%c", value > -100 && value < 100 ? 2 : 0, value,
			       units[i]);
	}
}

/* Returns the number without the bias that was added to it (top_table.bias). */
static double remove_bias(uint64_t number, uint64_t bias)
{
	return bias ? (double)(int64_t)(number - bias) : (double)number;
}

void top_put_biased(uint64_t number, uint64_t bias, struct text *out)
{
	if (bias)
		text_printf(out, "%" PRId64, (int64_t)(number - bias));
	else
		text_printf(out, "%" PRIu64, number);
}

static void format_figure(const struct top_rows *rows, const struct top_row *row,
			  enum top_column column, char *to, size_t bytes)
{
	unsigned int width = top_columns[column].width;
	double sum = rows->is_signed ? (double)(int64_t)row->sum : (double)row->sum;

	switch (column) {
	case TOP_RATE:
		if (row->rate > 0 && row->rate < 9.95)
			snprintf(to, bytes, "%.1f", row->rate);
		else
			format_number(row->rate, width, to, bytes);
		return;
	case TOP_SHARE:
		snprintf(to, bytes, "%.1f", row->share);
		return;
	case TOP_SUM:
		format_number(sum, width, to, bytes);
		return;
	case TOP_AVG:
		format_number(row->hits ? sum / (double)row->hits : 0, width, to, bytes);
		return;
	case TOP_HITS:
		format_number((double)row->hits, width, to, bytes);
		return;
	default:
		if (row->hits)
			format_number(remove_bias(row->quantiles[column - TOP_P50], rows->bias),
				      width, to, bytes);
		else
			snprintf(to, bytes, "-");
	}
}

/* Return true if the view has the column. */
static bool has_column(const struct top_layout *layout, enum top_column column)
{
	switch (column) {
	case TOP_KEY:
		return false;
	case TOP_SUM:
	case TOP_AVG:
		return layout->trigger->has_value;
	case TOP_P50:
	case TOP_P90:
	case TOP_P99:
	case TOP_P999:
		return layout->trigger->has_range && layout->view->kind == TOP_TABLE;
	default:
		return true;
	}
}

/* The widths of columns, and the columns that are shown; they depend on the labels. */
struct widths {
	uint32_t label, bar;
	bool has[TOP_COLUMNS];
};

/* Choose the columns that are shown.  If they do not fit into the line, the last columns are
 * left out first. */
static struct widths choose_widths(const struct top_layout *layout, const struct top_rows *rows)
{
	struct widths widths = { .label = count_chars(layout->key_title,
						      strlen(layout->key_title)) };
	uint32_t left = layout->width > LABEL_MIN ? layout->width - LABEL_MIN : 0;

	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (!has_column(layout, (enum top_column)i))
			continue;
		widths.has[i] = left >= top_columns[i].width + 1;
		left -= widths.has[i] ? top_columns[i].width + 1 : 0;
	}
	for (uint32_t i = 0; i < rows->nr; i++) {
		uint32_t nr = count_chars(rows->rows[i].label, strlen(rows->rows[i].label));

		widths.label = nr > widths.label ? nr : widths.label;
	}
	widths.label = widths.label < LABEL_MIN ? LABEL_MIN : widths.label;
	if (widths.label > LABEL_MIN + left)
		widths.label = LABEL_MIN + left;
	left -= widths.label - LABEL_MIN;
	widths.bar = left > BAR_MIN ? left - 1 : 0;
	widths.bar = widths.bar > BAR_MAX ? BAR_MAX : widths.bar;
	return widths;
}

/* ---- lines ---- */

void top_put_titles(const struct top_layout *layout, const struct top_rows *rows,
		    struct text *out)
{
	struct widths widths = choose_widths(layout, rows);

	put_label(layout->key_title, widths.label, out);
	for (int i = 0; i < TOP_COLUMNS; i++) {
		bool is_sorted = layout->view->kind == TOP_TABLE &&
				 layout->view->sort == (enum top_column)i;
		char title[32];

		if (!widths.has[i])
			continue;
		snprintf(title, sizeof(title), "%s%s", is_sorted ? "*" : "", top_columns[i].title);
		text_printf(out, " %*s", top_columns[i].width, title);
	}
	text_putc(out, '\n');
}

/* Append a bar whose length shows @value as a share of @max. */
static void put_bar(double value, double max, uint32_t width, struct text *out)
{
	uint32_t len = max > 0 && value > 0 ? (uint32_t)(value / max * width + 0.5) : 0;

	if (!width || !(value > 0))
		return;
	len = len > width ? width : len;
	text_putc(out, ' ');
	text_fill(out, len ? '#' : '.', len ? len : 1);
}

/* Returns the figure that the bar of a row shows: the rate if rows are sorted by the rate,
 * else the hits. */
static double bar_value(const struct top_layout *layout, const struct top_row *row)
{
	bool is_rate = layout->view->kind == TOP_TABLE && layout->view->sort == TOP_RATE;

	return is_rate ? row->rate : (double)row->hits;
}

void top_put_rows(const struct top_layout *layout, const struct top_rows *rows, struct text *out)
{
	struct widths widths = choose_widths(layout, rows);
	uint32_t nr = layout->max_rows && layout->max_rows < rows->nr ? layout->max_rows : rows->nr;
	double max = 0;

	for (uint32_t i = 0; i < rows->nr; i++) {
		double value = bar_value(layout, &rows->rows[i]);

		max = value > max ? value : max;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct top_row *row = &rows->rows[i];

		put_label(row->label, widths.label, out);
		for (int k = 0; k < TOP_COLUMNS; k++) {
			char figure[32];

			if (!widths.has[k])
				continue;
			format_figure(rows, row, (enum top_column)k, figure, sizeof(figure));
			text_printf(out, " %*s", top_columns[k].width, figure);
		}
		put_bar(bar_value(layout, row), max, widths.bar, out);
		text_putc(out, '\n');
	}
}

/* ---- the summary ---- */

static void put_quantiles(const struct top_trigger *trigger, const struct top_rows *rows,
			  struct text *out)
{
	static const char *const names[TOP_QUANTILES] = { "p50", "p90", "p99", "p99.9" };

	text_printf(out, ", %s", trigger->range_label);
	for (uint32_t i = 0; i < TOP_QUANTILES; i++) {
		text_printf(out, " %s ", names[i]);
		top_put_biased(rows->all.quantiles[i], rows->bias, out);
	}
}

void top_put_summary(const struct top_layout *layout, const struct top_table *table,
		     const struct top_rows *rows, struct text *out)
{
	const struct top_trigger *trigger = layout->trigger;
	size_t start = out->len;
	struct text line;

	text_init(&line, LINE_BYTES);
	text_printf(&line, "%s %s: %.*f hits/s, %" PRIu64 " hits", trigger->event->root,
		    trigger->event->name, rows->all.rate < 9.95 ? 1 : 0, rows->all.rate,
		    table->hits);
	if (layout->view->is_interval)
		text_printf(&line, ", interval of %.1f s", table->seconds);
	if (trigger->has_range && rows->all.hits)
		put_quantiles(trigger, rows, &line);
	if (table->dropped)
		text_printf(&line, ", %" PRIu64 " dropped: the table is full, use --size",
			    table->dropped);
	if (trigger->filter)
		text_printf(&line, ", if %s", trigger->filter);
	/* On a terminal a line must not be longer than the width of the terminal. */
	put_label(text_str(&line), layout->is_terminal ? layout->width : LINE_BYTES, out);
	text_done(&line);
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->len--;
	text_putc(out, '\n');
}
