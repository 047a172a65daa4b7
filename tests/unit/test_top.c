/* SPDX-License-Identifier: MIT */
/* ulf top: figures of keys, differences, quantiles, and the rows of each view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/top.h"

#define HEADER	"# event histogram\n#\n# trigger info: hist:keys=op,ns.log2=4:vals=hitcount,ns"	\
		":sort=hitcount:size=2048 [active]\n#\n\n"
#define OP(op, low, high, hits, sum)						\
	"{ op: " op "                                               , ns: ~ " #low "-" #high " }" \
	" hitcount: " #hits "  ns: " #sum "\n"
#define TOTALS(hits, entries)							\
	"\nTotals:\n    Hits: " #hits "\n    Entries: " #entries "\n    Dropped: 3\n"

static struct event_path event = { .root = (char *)"kvd.1", .name = (char *)"kv:op" };
static struct top_trigger trigger = {
	.event = &event, .has_range = true, .has_value = true, .range_label = (char *)"ns",
};

/* Parse a file `hist` and make its table. */
static struct top_table make_table(const char *text, const struct top_table *before)
{
	struct top_table table;
	struct hist_text hist;
	unsigned int line;

	assert_int_equal(hist_text_parse(text, &hist, &line), 0);
	assert_int_equal(top_table_make(&trigger, &hist.blocks[0], before, 2, &table), 0);
	hist_text_done(&hist);
	return table;
}

static const struct top_table none;

static struct top_rows make_rows(const struct top_table *table, struct top_view view)
{
	struct top_rows rows;

	assert_int_equal(top_rows_make(table, &view, &rows), 0);
	return rows;
}

/* Compare the labels, with blanks between them. */
static void expect_labels(const struct top_rows *rows, const char *wanted)
{
	struct text labels;

	text_init(&labels, 1 << 16);
	for (uint32_t i = 0; i < rows->nr; i++)
		text_printf(&labels, "%s%s", i ? " " : "", rows->rows[i].label);
	assert_string_equal(text_str(&labels), wanted);
	text_done(&labels);
}

static const char first_read[] = HEADER
	OP("get", 8, 8, 4, 32) OP("set", 1024, 1087, 1, 1024) OP("get", 960, 1023, 2, 2000)
	TOTALS(7, 3);
static const char second_read[] = HEADER
	OP("get", 8, 8, 10, 80) OP("set", 1024, 1087, 1, 1024) OP("get", 960, 1023, 2, 2000)
	OP("del", 0, 0, 7, 0) TOTALS(20, 4);

static void rates_are_differences(void **state)
{
	struct top_table before = make_table(first_read, &none);
	struct top_table table = make_table(second_read, &before);
	struct top_rows rows = make_rows(&table, (struct top_view){ .sort = TOP_RATE });

	(void)state;
	assert_int_equal(before.new_hits, 7);
	assert_int_equal(table.hits, 20);
	assert_int_equal(table.new_hits, 13);
	assert_int_equal(table.dropped, 3);
	expect_labels(&rows, "del get set");
	assert_int_equal(rows.rows[0].rate * 10, 35);
	assert_int_equal(rows.rows[1].rate * 10, 30);
	assert_int_equal(rows.rows[2].rate * 10, 0);
	assert_int_equal(rows.rows[1].hits, 12);
	assert_int_equal(rows.rows[1].sum, 2080);
	assert_int_equal(rows.rows[1].share, 60);
	top_rows_done(&rows);
	/* The figures of the last interval only. */
	rows = make_rows(&table, (struct top_view){ .sort = TOP_HITS, .is_interval = true });
	expect_labels(&rows, "del get set");
	assert_int_equal(rows.rows[1].hits, 6);
	assert_int_equal(rows.rows[1].sum, 48);
	assert_int_equal(rows.rows[1].quantiles[3], 8);
	assert_int_equal(rows.rows[2].hits, 0);
	top_rows_done(&rows);
	top_table_done(&table);
	/* The histogram was cleared: it has fewer hits than before. */
	table = make_table(first_read, &before);
	assert_int_equal(table.new_hits, 0);
	top_table_done(&table);
	top_table_done(&before);
}

static void rows_are_sorted(void **state)
{
	static const struct {
		enum top_column column;
		const char *labels;
	} cases[] = {
		{ TOP_KEY, "del get set" }, { TOP_HITS, "get del set" }, { TOP_SUM, "get set del" },
		{ TOP_AVG, "set get del" }, { TOP_P50, "set get del" }, { TOP_P99, "set get del" },
	};
	struct top_table table = make_table(second_read, &none);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct top_rows rows = make_rows(&table, (struct top_view){
			.sort = cases[i].column });

		expect_labels(&rows, cases[i].labels);
		top_rows_done(&rows);
	}
	top_table_done(&table);
}

/* 1000 hits: the quantiles of buckets and of their means. */
static void quantiles_are_within_their_buckets(void **state)
{
	static const char text[] = HEADER
		OP("aaa", 0, 9, 500, 4500) OP("aaa", 10, 19, 400, 4000) OP("aaa", 20, 29, 90, 2520)
		OP("aaa", 30, 39, 9, 300) OP("aaa", 40, 49, 1, 49) TOTALS(1000, 5);
	struct top_table table = make_table(text, &none);
	struct top_rows rows = make_rows(&table, (struct top_view){ .sort = TOP_HITS });

	(void)state;
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.rows[0].quantiles[0], 9);
	assert_int_equal(rows.rows[0].quantiles[1], 19);
	assert_int_equal(rows.rows[0].quantiles[2], 29);
	assert_int_equal(rows.rows[0].quantiles[3], 39);
	assert_memory_equal(rows.rows[0].quantiles, rows.all.quantiles, sizeof(rows.all.quantiles));
	top_rows_done(&rows);
	table.has_means = true;
	rows = make_rows(&table, (struct top_view){ .sort = TOP_HITS });
	assert_int_equal(rows.rows[0].quantiles[0], 9);
	assert_int_equal(rows.rows[0].quantiles[1], 10);
	assert_int_equal(rows.rows[0].quantiles[2], 28);
	assert_int_equal(rows.rows[0].quantiles[3], 33);
	top_rows_done(&rows);
	top_table_done(&table);
}

static void log2_rows_have_no_gaps(void **state)
{
	struct top_table table = make_table(second_read, &none);
	struct top_rows rows = make_rows(&table, (struct top_view){ .kind = TOP_LOG2 });

	(void)state;
	expect_labels(&rows, "0-1 2-3 4-7 8-15 16-31 32-63 64-127 128-255 256-511 512-1023 "
		      "1024-2047");
	assert_int_equal(rows.rows[0].hits, 7);
	assert_int_equal(rows.rows[3].hits, 10);
	assert_int_equal(rows.rows[4].hits, 0);
	assert_int_equal(rows.rows[9].hits, 2);
	assert_int_equal(rows.rows[10].hits, 1);
	top_rows_done(&rows);
	top_table_done(&table);
}

/* All hits are in a row, whatever the size of the rows. */
static void linear_rows_have_all_hits(void **state)
{
	static const char small[] = HEADER OP("aaa", 100, 103, 10, 1000) TOTALS(10, 1);
	static const char large[] = HEADER OP("aaa", 0, 0, 1, 0)
		OP("aaa", 17870283321406128128, 18446744073709551615, 3, 5) TOTALS(4, 2);
	static const char equal[] = HEADER OP("aaa", 0, 99, 1, 0) OP("aaa", 400, 499, 5, 0)
		OP("aaa", 700, 799, 2, 0) TOTALS(8, 3);
	const char *const texts[] = { first_read, second_read, small, large, equal };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct top_table table = make_table(texts[i], &none);

		for (uint32_t max = 1; max < 50; max += 6) {
			struct top_rows rows = make_rows(&table, (struct top_view){
				.kind = TOP_LINEAR, .max_rows = max });
			uint64_t hits = 0;

			assert_in_range(rows.nr, 1, max);
			for (uint32_t k = 0; k < rows.nr; k++)
				hits += rows.rows[k].hits;
			assert_int_equal(hits, table.hits);
			top_rows_done(&rows);
		}
		top_table_done(&table);
	}
}

/* Buckets of .buckets=N are not divided. */
static void linear_rows_are_whole_buckets(void **state)
{
	static const char text[] = HEADER OP("aaa", 0, 99, 1, 0) OP("aaa", 400, 499, 5, 0)
		OP("aaa", 500, 599, 2, 0) TOTALS(8, 3);
	struct top_table table = make_table(text, &none);
	struct top_rows rows = make_rows(&table, (struct top_view){
		.kind = TOP_LINEAR, .max_rows = 20 });

	(void)state;
	expect_labels(&rows, "0-99 100-199 200-299 300-399 400-499 500-599");
	assert_int_equal(rows.rows[4].hits, 5);
	assert_int_equal(rows.rows[5].hits, 2);
	top_rows_done(&rows);
	top_table_done(&table);
}

/* Buckets of a signed field, as a kernel prints them. */
static void negative_buckets_come_first(void **state)
{
	static const char text[] = "# event histogram\n#\n# trigger info: hist:keys=ret.buckets=10"
		":vals=hitcount:sort=hitcount:size=2048 [active]\n#\n\n"
		"{ ret: ~ 0-9 } hitcount:          5\n"
		"{ ret: ~ 18446744073709551610-3 } hitcount:          2\n"
		"{ ret: ~ 18446744073709551600-18446744073709551609 } hitcount:          1\n"
		TOTALS(8, 3);
	struct top_trigger of_ret = { .event = &event, .has_range = true,
				      .range_label = (char *)"ret" };
	struct top_table table;
	struct top_rows rows;
	struct hist_text hist;
	unsigned int line;

	(void)state;
	assert_int_equal(hist_text_parse(text, &hist, &line), 0);
	hist_text_set_format(&hist, "\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n");
	assert_int_equal(top_table_make(&of_ret, &hist.blocks[0], &none, 2, &table), 0);
	rows = make_rows(&table, (struct top_view){ .kind = TOP_LINEAR, .max_rows = 20 });
	expect_labels(&rows, "-20..-11 -10..-1 0-9");
	/* The bucket -6..3 is divided between two rows. */
	assert_int_equal(rows.rows[0].hits + rows.rows[1].hits + rows.rows[2].hits, 8);
	assert_int_equal(rows.rows[2].hits, 6);
	top_rows_done(&rows);
	top_table_done(&table);
	hist_text_done(&hist);
}

static void an_empty_table_has_no_rows(void **state)
{
	static const char text[] = HEADER TOTALS(0, 0);
	struct top_table table = make_table(text, &none);

	(void)state;
	for (int kind = TOP_TABLE; kind <= TOP_LINEAR; kind++) {
		struct top_rows rows = make_rows(&table, (struct top_view){
			.kind = (enum top_view_kind)kind });

		assert_int_equal(rows.nr, 0);
		top_rows_done(&rows);
	}
	top_table_done(&table);
}

/* ---- text ---- */

static void check_lines(const char *text, struct top_layout layout, const char *wanted)
{
	struct top_table table = make_table(text, &none);
	struct top_rows rows = make_rows(&table, *layout.view);
	struct text out;

	text_init(&out, 1 << 16);
	layout.trigger = &trigger;
	layout.key_title = "op";
	top_put_summary(&layout, &table, &rows, &out);
	top_put_titles(&layout, &rows, &out);
	top_put_rows(&layout, &rows, &out);
	assert_string_equal(text_str(&out), wanted);
	text_done(&out);
	top_rows_done(&rows);
	top_table_done(&table);
}

static void lines_fit_the_terminal(void **state)
{
	const struct top_view view = { .sort = TOP_HITS };

	(void)state;
	trigger.filter = "op != 3";
	check_lines(first_read, (struct top_layout){ .view = &view, .width = 100 },
		"kvd.1 kv:op: 3.5 hits/s, 7 hits, ns p50 8 p90 1042 p99 1082 p99.9 1086,"
		" 3 dropped: the table is full, use --size, if op != 3\n"
		"op              HITS/S      *HITS      %         SUM       AVG       P50"
		"       P90       P99\n"
		"get                3.0          6   85.7        2032       339         8"
		"      1004      1021\n"
		"set                0.5          1   14.3        1024      1024      1055"
		"      1080      1086\n");
	trigger.filter = NULL;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_differences),
		cmocka_unit_test(rows_are_sorted),
		cmocka_unit_test(quantiles_are_within_their_buckets),
		cmocka_unit_test(log2_rows_have_no_gaps),
		cmocka_unit_test(linear_rows_have_all_hits),
		cmocka_unit_test(linear_rows_are_whole_buckets),
		cmocka_unit_test(negative_buckets_come_first),
		cmocka_unit_test(an_empty_table_has_no_rows),
		cmocka_unit_test(lines_fit_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
