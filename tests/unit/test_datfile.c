/* SPDX-License-Identifier: MIT */
/* trace.dat: what the writer writes, the reader reads, in order of time; broken files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/bits.h"
#include "dat_file.h"
#include "datfile/datfile.h"
#include "event/format.h"

static char path[] = "/tmp/ulf-test-datfile.XXXXXX";

static struct datfile_pages new_pages(uint32_t cpu)
{
	return (struct datfile_pages){ .fd = memfd_create("pages", MFD_CLOEXEC), .cpu = cpu };
}

/* CPU 0: two chunks, with values 0 to 5 at times 100, 300, 500 ...; 3 records were lost before
 * value 3.  CPU 2: one chunk, with values 10 and 11 at times 200 and 400. */
static void write_file(void)
{
	struct datfile_pages pages[] = { new_pages(0), new_pages(1), new_pages(2) };
	struct datfile_writer *writer;
	struct dat_file_page page[2];

	for (int chunk = 0; chunk < 2; chunk++) {
		int first = chunk * 3;

		dat_file_page_begin(&page[0], 100 + 200 * (uint64_t)first);
		for (int i = first; i < first + 3; i++)
			dat_file_add(&page[0], 100 + 200 * (uint64_t)i, 7, i);
		dat_file_page_end(&page[0], chunk ? 3 : 0);
		dat_file_page_begin(&page[1], page[0].time);
		dat_file_page_end(&page[1], 0);
		dat_file_chunk(&pages[0], page, 2);
	}
	dat_file_page_begin(&page[0], 200);
	dat_file_add(&page[0], 200, 8, 10);
	dat_file_add(&page[0], 400, 8, 11);
	dat_file_page_end(&page[0], 0);
	dat_file_chunk(&pages[2], page, 1);
	assert_int_equal(datfile_writer_new(path, &writer), 0);
	dat_file_sections(writer);
	datfile_writer_buffer(writer, "", "local", DAT_FILE_PAGE, pages, ARRAY_SIZE(pages));
	assert_int_equal(datfile_writer_finish(writer), 0);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		close(pages[i].fd);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	write_file();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static struct datfile *open_file(void)
{
	struct datfile *file;
	const char *why;

	assert_int_equal(datfile_open(path, &file, &why), 0);
	return file;
}

static int64_t value_of(const struct datfile_record *record)
{
	const struct event_field *field = event_format_find(record->event->format, "value", 5);
	int64_t value;

	assert_true(datfile_field_number(record, field, &value));
	return value;
}

static void test_order(void **state)
{
	static const int64_t values[] = { 0, 10, 1, 11, 2, 3, 4, 5 };
	struct datfile *file = open_file();
	struct datfile_stream *stream;
	struct datfile_record record;

	(void)state;
	assert_int_equal(datfile_stream_open(&file, 1, &stream), 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		assert_int_equal(datfile_stream_next(stream, &record), 1);
		assert_int_equal(value_of(&record), values[i]);
		assert_int_equal(record.cpu, values[i] >= 10 ? 2 : 0);
		assert_int_equal(record.pid, values[i] >= 10 ? 8 : 7);
		assert_int_equal(record.lost, values[i] == 3 ? 3 : 0);
	}
	assert_int_equal(datfile_stream_next(stream, &record), 0);
	assert_int_equal(datfile_stream_next(stream, &record), 0);
	datfile_stream_close(stream);
	datfile_close(file);
}

/* The second record is the next one of the CPU, also in the next chunk, and the first record
 * stays valid. */
static void test_second(void **state)
{
	static const int64_t seconds[] = { 1, 11, 2, -1, 3, 4, 5, -1 };
	struct datfile *file = open_file();
	struct datfile_record record, second;
	struct datfile_stream *stream;

	(void)state;
	assert_int_equal(datfile_stream_open(&file, 1, &stream), 0);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		int64_t value;

		assert_int_equal(datfile_stream_next(stream, &record), 1);
		value = value_of(&record);
		assert_int_equal(datfile_stream_second(stream, &second), seconds[i] >= 0);
		if (seconds[i] >= 0)
			assert_int_equal(value_of(&second), seconds[i]);
		assert_int_equal(value_of(&record), value);
	}
	datfile_stream_close(stream);
	datfile_close(file);
}

static void test_merge_of_files(void **state)
{
	struct datfile *files[2] = { open_file(), open_file() };
	struct datfile_stream *stream;
	struct datfile_record record;
	uint64_t time = 0;
	int nr = 0;

	(void)state;
	assert_int_equal(datfile_stream_open(files, 2, &stream), 0);
	assert_int_equal(datfile_stream_sources(stream), 4);
	for (; datfile_stream_next(stream, &record) > 0; nr++) {
		assert_true(record.time >= time);
		assert_int_equal(record.number, nr % 2);
		assert_ptr_equal(record.file, files[record.number]);
		time = record.time;
	}
	assert_int_equal(nr, 16);
	datfile_stream_close(stream);
	datfile_close(files[0]);
	datfile_close(files[1]);
}

static void test_names(void **state)
{
	struct datfile *file = open_file();
	struct datfile_event *event = datfile_event(file, DAT_FILE_ID);

	(void)state;
	assert_non_null(event);
	assert_string_equal(event->system, "test");
	assert_ptr_equal(datfile_event_find(file, "test", "op"), event);
	assert_null(datfile_event_find(file, "other", "op"));
	assert_non_null(datfile_event_program(event));
	assert_string_equal(datfile_comm(file, 8), "eight of 8");
	assert_string_equal(datfile_comm(file, 9), "<...>");
	assert_int_equal(datfile_tgid(file, 8), 7);
	assert_int_equal(datfile_tgid(file, 7), 0);
	assert_string_equal(datfile_symbol(file, 0x100f)->name, "first");
	assert_string_equal(datfile_symbol(file, 0x1010)->name, "second");
	assert_string_equal(datfile_symbol(file, 0x101f)->module, "lib");
	assert_null(datfile_symbol(file, 0x1020));
	assert_null(datfile_symbol(file, 0xfff));
	assert_string_equal(datfile_printk(file, 0x2000), "a\n\"b\"");
	assert_null(datfile_printk(file, 0x2001));
	assert_string_equal(datfile_fact(file, "root"), "test.7");
	assert_null(datfile_fact(file, "roo"));
	assert_string_equal(datfile_option(file, DAT_OPTION_UNAME, 0), "Linux test");
	assert_int_equal(datfile_nr_cpus(file), 3);
	datfile_close(file);
}

/* Read all records of a file.  Returns the result of the last call. */
static int read_all(const char *name)
{
	struct datfile_stream *stream;
	struct datfile_record record;
	struct datfile *file;
	const char *why;
	int r = datfile_open(name, &file, &why);

	if (r)
		return r;
	r = datfile_stream_open(&file, 1, &stream);
	if (!r) {
		while ((r = datfile_stream_next(stream, &record)) > 0)
			;
		datfile_stream_close(stream);
	}
	datfile_close(file);
	return r;
}

/* A file that was cut short is never read as a whole one. */
static void test_cut_short(void **state)
{
	char name[64];
	off_t bytes;
	int from = open(path, O_RDONLY), to;

	(void)state;
	bytes = lseek(from, 0, SEEK_END);
	to = memfd_create("cut", 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", to);
	for (off_t len = 0; len + 16 < bytes; len += 7) {
		off_t at = 0;

		assert_int_equal(ftruncate(to, 0), 0);
		lseek(to, 0, SEEK_SET);
		assert_int_equal(sendfile(to, from, &at, (size_t)len), len);
		assert_int_equal(read_all(name), -EBADMSG);
	}
	close(from);
	close(to);
}

static void test_no_file(void **state)
{
	struct datfile *file;
	const char *why;

	(void)state;
	assert_int_equal(datfile_open("/nonexistent", &file, &why), -ENOENT);
	assert_null(why);
	assert_int_equal(datfile_open("/proc/self/exe", &file, &why), -EBADMSG);
	assert_string_equal(why, "this is no trace.dat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_merge_of_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
