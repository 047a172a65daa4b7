/* SPDX-License-Identifier: MIT */
/* The recorder's pages: records of all sizes and times come back from the file as they were added,
 * with the number of records that were lost before them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/record_page.h"
#include "dat_file.h"
#include "datfile/dat_impl.h"

#define PAGE		4096u
#define ROOM		(PAGE - 16u)	/* bytes of data in a page */

static char path[] = "/tmp/ulf-test-record.XXXXXX";

struct record {
	uint64_t time;
	uint32_t bytes;
	uint64_t lost;
};

static const struct record records[] = {
	{ 1000, 8, 0 },
	{ 1000, 8, 0 },			/* no time between two records */
	/* the largest delta, and the largest small record */
	{ 1000 + (1ull << 27) - 1, 112, 0 },
	{ 1ull << 40, 116, 0 },		/* a time extend, and a length word */
	{ 1ull << 62, 8, 0 },		/* too far away for a time extend: a new page */
	{ 5000, 8, 0 },			/* older than the one before it */
	{ 6000, ROOM - 8, 0 },		/* fills a page */
	{ 7000, ROOM - 8, 5 },		/* no space for the number of lost records */
	{ 8000, 8, 3 },
	{ 8001, 8, 0 },
	{ 8002, ROOM - 16, 2 },		/* just enough space for the number */
	{ 9000, 0, 0 },
};

static void fill(uint8_t *data, uint32_t bytes, uint32_t number)
{
	memset(data, (int)number + 1, bytes);
}

static void write_records(struct record_packs *packs, struct record_temp *temp)
{
	struct record_pages pages = { .packs = packs, .temp = temp, .page_bytes = PAGE };
	uint8_t data[PAGE];

	for (uint32_t i = 0; i < ARRAY_SIZE(records); i++) {
		fill(data, records[i].bytes, i);
		assert_int_equal(record_pages_add(&pages, records[i].time, data, records[i].bytes,
						  records[i].lost), 0);
	}
	assert_int_equal(record_pages_add(&pages, 10000, data, ROOM - 4, 0), -EMSGSIZE);
	record_pages_flush(&pages);
}

static void write_file(void)
{
	struct record_packs *packs;
	struct record_temp temp;
	struct datfile_writer *writer;
	int error;

	assert_int_equal(record_packs_start(1, &packs), 0);
	assert_int_equal(record_temp_init(&temp, path, 1, NULL, NULL), 0);
	write_records(packs, &temp);
	record_packs_flush(packs, &temp);
	assert_int_equal(temp.saved, ARRAY_SIZE(records));
	assert_int_equal(record_packs_bytes(packs, &error), temp.pages.bytes);
	assert_int_equal(error, 0);
	record_packs_stop(packs);
	assert_int_equal(datfile_writer_new(path, &writer), 0);
	dat_file_sections(writer);
	datfile_writer_buffer(writer, "", "local", PAGE, &temp.pages, 1);
	assert_int_equal(datfile_writer_finish(writer), 0);
	record_temp_close(&temp);
}

static void test_records(void **state)
{
	struct datfile_stream *stream;
	struct datfile_record record;
	struct datfile *file;
	uint8_t data[PAGE];
	const char *why;

	(void)state;
	write_file();
	assert_int_equal(datfile_open(path, &file, &why), 0);
	assert_int_equal(datfile_stream_open(&file, 1, &stream), 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(records); i++) {
		uint64_t lost = records[i].lost;

		assert_int_equal(datfile_stream_next(stream, &record), 1);
		assert_int_equal(record.time, records[i].time);
		assert_int_equal(record.bytes, records[i].bytes);
		fill(data, records[i].bytes, i);
		assert_memory_equal(record.data, data, records[i].bytes);
		/* A full page says only that records were lost. */
		assert_int_equal(record.lost, lost == 5 ? UINT64_MAX : lost);
	}
	assert_int_equal(datfile_stream_next(stream, &record), 0);
	datfile_stream_close(stream);
	datfile_close(file);
}

/* Many more chunks than the limit allows: the queue gives chunks back, and keeps their order, also
 * while other packers take over. */
static void test_order_of_chunks(void **state)
{
	struct record_packs *packs;
	struct record_temp temp[2];
	uint32_t last[2] = { 0 };

	(void)state;
	assert_int_equal(record_packs_start(3 * RECORD_CHUNK_BYTES, &packs), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(record_temp_init(&temp[i], path, (uint32_t)i, NULL,
						  NULL), 0);
	for (uint32_t i = 1; i <= 200; i++) {
		struct record_chunk *chunk = record_chunk_new(packs);

		assert_non_null(chunk);
		if (i == 100)
			record_packs_hurry(packs);
		chunk->temp = &temp[i % 2];
		chunk->records = i;
		chunk->bytes = PAGE;
		memset(chunk->data, 0, PAGE);
		memcpy(chunk->data, &i, sizeof(i));
		record_chunk_put(packs, chunk);
	}
	for (int i = 0; i < 2; i++) {
		uint64_t off = 0;

		record_packs_flush(packs, &temp[i]);
		assert_int_equal(temp[i].pages.nr_chunks, 100);
		assert_int_equal(temp[i].saved, i ? 10000 : 10100);
		while (off < temp[i].pages.bytes) {
			uint8_t packed[512], plain[PAGE];
			uint32_t sizes[2], number;

			assert_true(pread(temp[i].pages.fd, sizes, 8, (off_t)off) == 8);
			assert_true(sizes[0] <= sizeof(packed) && sizes[1] == PAGE);
			assert_true(pread(temp[i].pages.fd, packed, sizes[0], (off_t)off + 8) ==
				    (ssize_t)sizes[0]);
			assert_int_equal(dat_unpack(packed, sizes[0], plain, PAGE), 0);
			memcpy(&number, plain, sizeof(number));
			assert_true(number > last[i]);
			last[i] = number;
			off += 8 + sizes[0];
		}
		record_temp_close(&temp[i]);
	}
	record_packs_stop(packs);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_order_of_chunks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
