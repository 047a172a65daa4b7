/* SPDX-License-Identifier: MIT */
/*
 * Wrong files `hist` for `ulf hist` and `ulf top`.  The fuzzer takes the histograms of
 * tests/data/hist/show.txt, changes some bytes and lines, and lets the parser, the exporters and
 * the views of `ulf top` have them.  No text may make them read outside of it.
 *
 * The text of a histogram that was parsed is a part of the input, and its entries are as many as
 * its line "Entries:" says; an unchanged file is never refused.
 *
 *	fuzz-fuzz_hist_text [COUNT [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/hist_export.h"
#include "cli/top.h"
#include "event_data.h"

#define FILES_MAX	128u

static char *files[FILES_MAX];
static uint32_t nr_files;
static unsigned long nr_taken;	/* changed texts that the parser has taken */
static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void __attribute__((noreturn)) fail(const char *what, const char *text)
{
	printf("%s:\n%s\n", what, text);
	exit(1);
}

/* Split show.txt into its files: what follows the lines of the records. */
static void load_files(void)
{
	char *text = read_data("hist/show.txt"), *file;

	if (!text)
		fail("show.txt", "cannot be read");
	for (file = strstr(text, "# event histogram"); file && nr_files < FILES_MAX;) {
		char *end = strstr(file, "##### hist:"), *next = NULL;

		if (end) {
			next = strstr(end, "# event histogram");
			*end = '\0';
		}
		files[nr_files++] = strdup(file);
		file = next;
	}
	free(text);
	if (nr_files < 50)
		fail("show.txt", "has too few histograms");
}

/* Change a byte; remove or repeat a part; or put a token there. */
static void change(char **text)
{
	static const char *const tokens[] = {
		" } hitcount:          1\n", ", name: ", "{ ", "\n", "\n\n", "~ 2^", "-", "[", "]",
		" (%): ", "\tmax: ", "\nTotals:\n", "keys=", ":vals=", " if ", " [active]", ".",
		"18446744073709551616", "\xff", "common_stacktrace:\n", ".save(", ")", ",",
	};
	size_t len = strlen(*text), at = random_below(len + 1), bytes = random_below(30);
	const char *token = tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))];
	char *out;
	int r;

	if (bytes > len - at)
		bytes = len - at;
	switch (random_below(4)) {
	case 0:
		r = asprintf(&out, "%.*s%s", (int)at, *text, *text + at + bytes);
		break;
	case 1:
		r = asprintf(&out, "%.*s%s", (int)(at + bytes), *text, *text + at);
		break;
	case 2:
		r = asprintf(&out, "%.*s%s%s", (int)at, *text, token, *text + at);
		break;
	default:
		out = strdup(*text);
		r = out ? 0 : -1;
		if (out && at < len)
			out[at] = (char)(1 + random_below(255));
	}
	if (r < 0)
		fail("no memory", "");
	free(*text);
	*text = out;
}

static void show_rows(const struct top_trigger *trigger, const struct top_table *table)
{
	for (int i = 0; i < 3 * TOP_COLUMNS; i++) {
		const struct top_view view = {
			.kind = (enum top_view_kind)(i % 3),
			.sort = (enum top_column)(i % TOP_COLUMNS),
			.is_interval = i % 2, .max_rows = (uint32_t)random_below(30),
		};
		const struct top_layout layout = {
			.trigger = trigger, .view = &view, .key_title = "key",
			.width = (uint32_t)random_below(200), .is_terminal = i % 4,
		};
		struct top_rows rows;
		struct text out;

		if (top_rows_make(table, &view, &rows) < 0)
			fail("no rows", "");
		text_init(&out, 1u << 26);
		top_put_summary(&layout, table, &rows, &out);
		top_put_titles(&layout, &rows, &out);
		top_put_rows(&layout, &rows, &out);
		if (out.error)
			fail("rows", strerror(-out.error));
		text_done(&out);
		top_rows_done(&rows);
	}
}

static void show_top(const struct hist_block *block)
{
	static struct event_path event = { .root = (char *)"root", .name = (char *)"a:b" };
	const struct hist_field *last = &block->keys[block->nr_keys - 1];
	struct top_trigger trigger = {
		.event = &event, .has_value = block->nr_vals, .range_label = (char *)"range",
		.has_range = last->form == FIELD_LOG2 || last->form == FIELD_BUCKETS,
	};
	struct top_table first = { .samples = NULL }, second;

	trigger.has_means = trigger.has_range && random_below(2);
	if (top_table_make(&trigger, block, &first, 1, &second) < 0 ||
	    top_table_make(&trigger, block, &second, 1, &first) < 0)
		fail("no table", "");
	show_rows(&trigger, &first);
	top_table_done(&first);
	top_table_done(&second);
}

static void export(const struct hist_text *hist)
{
	const struct hist_origin origin = { "root.1", "system:event" };
	struct text out;

	text_init(&out, 1u << 28);
	hist_put_json(hist, &origin, &out);
	if (out.error)
		fail("JSON", strerror(-out.error));
	text_reset(&out);
	if (hist_put_prometheus(hist, &origin, &out) < 0)
		fail("Prometheus", strerror(-out.error));
	text_done(&out);
}

/* @is_changed: false: the parser must take the text. */
static void parse(const char *text, bool is_changed)
{
	unsigned int line = 0;
	struct hist_text hist;
	int ret = hist_text_parse(text, &hist, &line);

	if (ret < 0) {
		if (!is_changed || !line)
			fail("refused", text);
		return;
	}
	nr_taken += is_changed;
	for (uint32_t i = 0; i < hist.nr; i++) {
		const struct hist_block *block = &hist.blocks[i];

		if (block->text.at < text || block->text.at + block->text.len > text + strlen(text))
			fail("outside of the text", text);
		if (block->nr_keys < 1 || block->nr_keys > HIST_TEXT_KEYS)
			fail("keys", text);
		show_top(block);
	}
	hist_text_set_format(&hist, "\tfield:int aaa;\toffset:8;\tsize:4;\tsigned:1;\n");
	export(&hist);
	hist_text_done(&hist);
}

int main(int argc, char **argv)
{
	const char *length = getenv("ULF_TORTURE");
	bool is_long = length && !strcmp(length, "long");
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : is_long ? 200000 : 2000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20;

	load_files();
	for (uint32_t i = 0; i < nr_files; i++)
		parse(files[i], false);
	for (unsigned long i = 0; i < count; i++) {
		char *text = strdup(files[i % nr_files]);

		random_state = seed * 1000003 + i * 2654435761u + 1;
		for (uint64_t nr = 1 + random_below(4); nr; nr--)
			change(&text);
		parse(text, true);
		free(text);
	}
	for (uint32_t i = 0; i < nr_files; i++)
		free(files[i]);
	printf("%lu texts, %lu of them are files\n", count, nr_taken);
	return count >= 100 && !nr_taken;
}
