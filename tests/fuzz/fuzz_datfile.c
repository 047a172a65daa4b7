/* SPDX-License-Identifier: MIT */
/*
 * Hostile trace.dat files: bytes of a valid file are changed, then everything is read and
 * printed.  The sanitizer finds an access outside of the file's data; the test itself checks
 * that a stream ends.
 *
 *	fuzz-fuzz_datfile [COUNT [SEED]]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "dat_file.h"
#include "datfile/datfile.h"
#include "event/format.h"
#include "export/export.h"

#define RECORDS_MAX	100000	/* more records than any change of the file can make */

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static int make_file(char *name, size_t size)
{
	struct datfile_pages pages = { .fd = memfd_create("pages", 0) };
	struct datfile_writer *writer;
	struct dat_file_page page[2];
	int fd = memfd_create("file", 0);

	snprintf(name, size, "/proc/self/fd/%d", fd);
	for (int chunk = 0; chunk < 4; chunk++) {
		for (int i = 0; i < 2; i++) {
			dat_file_page_begin(&page[i], 1000 * (uint64_t)(2 * chunk + i));
			for (int j = 0; j < 20; j++)
				dat_file_add(&page[i], page[i].time + 10, 7, j);
			dat_file_page_end(&page[i], chunk == 2);
		}
		dat_file_chunk(&pages, page, 2);
	}
	if (datfile_writer_new(name, &writer))
		return -1;
	dat_file_sections(writer);
	datfile_writer_buffer(writer, "", "local", DAT_FILE_PAGE, &pages, 1);
	close(pages.fd);
	return datfile_writer_finish(writer) ? -1 : fd;
}

static void print_one(const struct datfile_record *record, struct text *out)
{
	const struct print_env env = {
		.ctx = record->file, .symbol = datfile_print_symbol,
		.string = datfile_print_string,
	};
	uint32_t bytes;
	int64_t value;

	text_reset(out);
	text_puts(out, datfile_comm(record->file, record->pid));
	datfile_print_symbol(record->file, random_state, PRINT_SYMBOL_RETURN, out);
	if (!record->event)
		return;
	for (size_t i = 0; i < record->event->format->nr_fields; i++) {
		const struct event_field *field = &record->event->format->fields[i];
		const char *data = datfile_field_bytes(record, field, &bytes);

		datfile_field_number(record, field, &value);
		if (data)
			text_write(out, data, bytes);
	}
	if (datfile_event_program(record->event))
		print_record(record->event->program, record->data, record->bytes, &env, out);
	print_record_fields(record->event->format, record->data, record->bytes, &env, out);
}

/* Write the file in each format that records of events have. */
static void export_file(struct datfile *file, struct text *why)
{
	static const char *const formats[] = { "perfetto", "json", "csv" };
	const struct export_settings settings = {
		.selection.until = UINT64_MAX, .counters = { "op.value" }, .nr_counters = 1,
	};
	const struct export_settings plain = { .selection.until = UINT64_MAX };
	struct export_totals totals;
	int fd = memfd_create("output", MFD_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		text_reset(why);
		export_files(&file, 1, export_format_find(formats[i]), i < 2 ? &settings : &plain,
			     fd, why, &totals);
	}
	close(fd);
}

static bool read_file(const char *name, struct text *out)
{
	struct datfile_stream *stream;
	struct datfile_record record;
	struct datfile *file;
	const char *why;
	int nr = 0;

	if (datfile_open(name, &file, &why))
		return true;
	if (!datfile_stream_open(&file, 1, &stream)) {
		while (datfile_stream_next(stream, &record) > 0 && nr++ < RECORDS_MAX)
			print_one(&record, out);
		datfile_stream_close(stream);
	}
	if (nr < RECORDS_MAX)
		export_file(file, out);
	datfile_close(file);
	return nr < RECORDS_MAX;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2000;
	char name[64], byte;
	struct text out;
	int fd;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) | 1 : 0x9e3779b97f4a7c15;
	text_init(&out, 1 << 20);
	fd = make_file(name, sizeof(name));
	if (fd < 0 || !read_file(name, &out))
		return 1;
	for (int i = 0; i < count; i++) {
		off_t bytes = lseek(fd, 0, SEEK_END), at[4];
		char old[4];
		int nr = 1 + (int)random_below(4);

		for (int j = 0; j < nr; j++) {
			at[j] = (off_t)random_below((uint64_t)bytes);
			byte = (char)random_below(256);
			if (pread(fd, &old[j], 1, at[j]) != 1 || pwrite(fd, &byte, 1, at[j]) != 1)
				return 1;
		}
		if (!read_file(name, &out)) {
			printf("a stream of file %d does not end\n", i);
			return 1;
		}
		while (nr--)
			if (pwrite(fd, &old[nr], 1, at[nr]) != 1)
				return 1;
	}
	text_done(&out);
	close(fd);
	return 0;
}
