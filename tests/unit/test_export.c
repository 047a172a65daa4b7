/* SPDX-License-Identifier: MIT */
/*
 * How calls are joined from the records of the graph tracer: starts and ends that were lost, calls
 * that longjmp() leaves, calls that run at the end.  And how strings become JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/control.h"
#include "base/bits.h"
#include "base/json.h"
#include "dat_file.h"
#include "event/ftrace_event.h"
#include "export/export.h"

/* Records of the graph tracer. */
struct graph_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint64_t func;
	union {
		struct {
			uint32_t depth, marks;
			uint64_t args[2];
		} entry;
		struct {
			uint64_t retval;
			int32_t depth;
			uint32_t overrun;
			uint64_t start, end;
		} exit;
	};
};

/* One record of a case. */
struct step {
	uint64_t time;
	uint64_t start;			/* 0: the record of a start; else of an end */
	uint32_t depth;
	uint64_t func;			/* 0: no more steps */
};

#define FIRST	0x1000			/* functions of dat_file_sections() */
#define SECOND	0x1010
#define OTHER	0x9000			/* no function */

static const struct call_case {
	const char *name;
	struct step steps[8];
	const char *csv;		/* the line without time, CPU and thread */
	const char *folded;
} cases[] = {
	{ "nested",
	  { { 100, 0, 0, FIRST }, { 110, 0, 1, SECOND }, { 115, 110, 1, SECOND },
	    { 130, 100, 0, FIRST } },
	  "110 second 1 5\n100 first 0 30\n", "first 25\nfirst;second 5\n" },
	{ "the start was lost",
	  { { 110, 0, 1, SECOND }, { 115, 110, 1, SECOND }, { 130, 100, 0, FIRST } },
	  "110 second 1 5\n100 first 0 30\n", "first 30\nsecond 5\n" },
	{ "the end was lost",
	  { { 100, 0, 0, FIRST }, { 110, 0, 1, SECOND }, { 130, 100, 0, FIRST } },
	  "110 second 1 -\n100 first 0 30\n", "first 30\n" },
	{ "longjmp() leaves two calls",
	  { { 100, 0, 0, FIRST }, { 110, 0, 1, SECOND }, { 120, 0, 2, SECOND },
	    { 130, 0, 1, FIRST }, { 140, 130, 1, FIRST }, { 150, 100, 0, FIRST } },
	  "120 second 2 -\n110 second 1 -\n130 first 1 10\n100 first 0 50\n",
	  "first 40\nfirst;first 10\n" },
	{ "an inner start was lost",
	  { { 100, 0, 0, FIRST }, { 120, 0, 2, SECOND }, { 150, 100, 0, FIRST } },
	  "120 second 2 -\n100 first 0 50\n", "first 50\n" },
	{ "the end of another function",
	  { { 100, 0, 0, FIRST }, { 120, 110, 0, SECOND } },
	  "100 first 0 -\n110 second 0 10\n", "second 10\n" },
	{ "a call runs, and has no name",
	  { { 100, 0, 0, OTHER }, { 110, 0, 1, FIRST }, { 120, 110, 1, FIRST } },
	  "110 first 1 10\n100 0x9000 0 -\n", "0x9000;first 10\n" },
};

static char path[] = "/tmp/ulf-test-export.XXXXXX";

static void add_step(struct dat_file_page *page, const struct step *step)
{
	struct graph_record record = { .pid = 7, .func = step->func };
	uint32_t bytes, head;

	if (step->start) {
		record.type = ABI_EVENT_ID_GRAPH_EXIT;
		record.exit.depth = (int32_t)step->depth;
		record.exit.start = step->start;
		record.exit.end = step->time;
		bytes = 48;
	} else {
		record.type = ABI_EVENT_ID_GRAPH_ENTRY;
		record.entry.depth = step->depth;
		bytes = 20;
	}
	head = (uint32_t)(step->time - page->time) << 5 | bytes / 4;
	memcpy(page->data + 16 + page->bytes, &head, 4);
	memcpy(page->data + 20 + page->bytes, &record, bytes);
	page->bytes += 4 + bytes;
	page->time = step->time;
}

/* Add the formats of the graph tracer's events. */
static void put_formats(struct datfile_writer *writer)
{
	struct text text, one;
	uint32_t nr = 2;

	text_init(&text, 1 << 16);
	text_init(&one, 1 << 16);
	text_write(&text, &nr, 4);
	for (size_t i = 0; i < nr_ftrace_events; i++) {
		uint64_t bytes;

		if (ftrace_events[i].id != ABI_EVENT_ID_GRAPH_ENTRY &&
		    ftrace_events[i].id != ABI_EVENT_ID_GRAPH_EXIT)
			continue;
		text_reset(&one);
		event_format_text(&ftrace_events[i], &one);
		bytes = one.len;
		text_write(&text, &bytes, 8);
		text_write(&text, one.data, one.len);
	}
	datfile_writer_section(writer, DAT_FTRACE_EVENTS, text.data, text.len);
	text_done(&text);
	text_done(&one);
}

static void write_case(const struct call_case *one)
{
	struct datfile_pages pages = { .fd = memfd_create("pages", MFD_CLOEXEC) };
	struct datfile_writer *writer;
	struct dat_file_page page;

	dat_file_page_begin(&page, 100);
	for (const struct step *step = one->steps; step->func; step++)
		add_step(&page, step);
	dat_file_page_end(&page, 0);
	dat_file_chunk(&pages, &page, 1);
	assert_int_equal(datfile_writer_new(path, &writer), 0);
	put_formats(writer);
	dat_file_sections(writer);
	datfile_writer_buffer(writer, "", "local", DAT_FILE_PAGE, &pages, 1);
	assert_int_equal(datfile_writer_finish(writer), 0);
	close(pages.fd);
}

/* Export the file.  Returns the output as a string, which the caller frees. */
static char *export_to(const char *format)
{
	const struct export_settings settings = { .selection.until = UINT64_MAX };
	int fd = memfd_create("output", MFD_CLOEXEC);
	struct export_totals totals;
	struct datfile *file;
	struct text text;
	const char *why;
	char *output;
	off_t bytes;

	text_init(&text, 1 << 16);
	assert_int_equal(datfile_open(path, &file, &why), 0);
	assert_int_equal(export_files(&file, 1, export_format_find(format), &settings, fd, &text,
				      &totals), 0);
	datfile_close(file);
	text_done(&text);
	bytes = lseek(fd, 0, SEEK_END);
	output = calloc(1, (size_t)bytes + 1);
	assert_int_equal(pread(fd, output, (size_t)bytes, 0), bytes);
	close(fd);
	return output;
}

/* Return the lines of the CSV as "start function depth duration". */
static char *columns_of(char *csv)
{
	struct text out;
	char *line, *rest = strchr(csv, '\n') + 1, *column;

	text_init(&out, 1 << 16);
	text_reserve(&out, 1);
	while ((line = strsep(&rest, "\n")) && *line)
		for (int i = 0; i < 8; i++) {
			column = strsep(&line, ",");
			if (i == 0 || i >= 5)
				text_printf(&out, "%s%s", *column ? column : "-",
					    i == 7 ? "\n" : " ");
		}
	text_str(&out);
	return out.data;
}

static void test_calls(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *csv, *columns, *folded;

		write_case(&cases[i]);
		csv = export_to("csv");
		columns = columns_of(csv);
		folded = export_to("folded");
		if (strcmp(columns, cases[i].csv) || strcmp(folded, cases[i].folded))
			fail_msg("%s:\n%s\nand\n%s\nwanted:\n%s\nand\n%s", cases[i].name, columns,
				 folded, cases[i].csv, cases[i].folded);
		free(csv);
		free(columns);
		free(folded);
	}
	unlink(path);
}

static const struct {
	const char *string;
	size_t len;
	const char *json;
} strings[] = {
	{ "", 0, "\"\"" },
	{ "plain", 5, "\"plain\"" },
	{ "a\"b\\c\nd\te\x7f", 10, "\"a\\\"b\\\\c\\nd\\u0009e\\u007f\"" },
	{ "\xc3\xa4\xff z", 5, "\"\xc3\xa4\xef\xbf\xbd z\"" },
	{ "cut \xe2\x82", 6, "\"cut \xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "a\0b", 3, "\"a\\u0000b\"" },
};

static void test_json(void **state)
{
	struct text out;

	(void)state;
	text_init(&out, 1 << 16);
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		text_reset(&out);
		json_put_string(&out, strings[i].string, strings[i].len);
		assert_string_equal(text_str(&out), strings[i].json);
	}
	text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
