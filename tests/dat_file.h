/* SPDX-License-Identifier: MIT */
/* Make a trace.dat for tests: an event test:op with the fields `value` (int) and `name` (char[8]),
 * records in pages, names. */
#ifndef TESTS_DAT_FILE_H
#define TESTS_DAT_FILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "datfile/dat_write.h"

#define DAT_FILE_PAGE	4096u
#define DAT_FILE_ID	300

static const char dat_file_format[] =
	"name: op\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char name[8];\toffset:12;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"value=%d name=%s\", REC->value, REC->name\n";

struct dat_file_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid, value;
	char name[8];
};

/* A page of the ring buffer that is being filled. */
struct dat_file_page {
	uint8_t data[DAT_FILE_PAGE];
	uint32_t bytes;
	uint64_t time;
};

static inline void dat_file_page_begin(struct dat_file_page *page, uint64_t time)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->data, &time, 8);
	page->time = time;
}

static inline void dat_file_add(struct dat_file_page *page, uint64_t time, int32_t pid,
				int32_t value)
{
	const struct dat_file_record record = {
		.type = DAT_FILE_ID, .pid = pid, .value = value, .name = "abc",
	};
	uint32_t head = (uint32_t)(time - page->time) << 5 | sizeof(record) / 4;

	memcpy(page->data + 16 + page->bytes, &head, 4);
	memcpy(page->data + 20 + page->bytes, &record, sizeof(record));
	page->bytes += 4 + sizeof(record);
	page->time = time;
}

/* End the page.  @lost: number of records that were lost before it. */
static inline void dat_file_page_end(struct dat_file_page *page, uint64_t lost)
{
	uint64_t commit = page->bytes | (lost ? 3ull << 30 : 0);

	memcpy(page->data + 8, &commit, 8);
	if (lost)
		memcpy(page->data + 16 + page->bytes, &lost, 8);
}

/* Append @nr pages as one chunk to the file of @pages. */
static inline void dat_file_chunk(struct datfile_pages *pages, const struct dat_file_page *page,
				  uint32_t nr)
{
	struct datfile_packer *packer = datfile_packer_new();
	size_t room = datfile_chunk_room(nr * DAT_FILE_PAGE), bytes;
	uint8_t *plain = malloc(nr * DAT_FILE_PAGE), *to = malloc(room);

	for (uint32_t i = 0; i < nr; i++)
		memcpy(plain + i * DAT_FILE_PAGE, page[i].data, DAT_FILE_PAGE);
	bytes = datfile_chunk_pack(packer, 1, plain, nr * DAT_FILE_PAGE, to, room);
	if (!bytes || pwrite(pages->fd, to, bytes, (off_t)pages->bytes) != (ssize_t)bytes)
		abort();
	pages->bytes += bytes;
	pages->nr_chunks++;
	datfile_packer_free(packer);
	free(plain);
	free(to);
}

/* Write the sections of a file: one event, threads 7 and 8, functions, a format. */
static inline void dat_file_sections(struct datfile_writer *writer)
{
	static const char header[] =
		"header_page\0\0\0\0\0\0\0\0\0\tfield: char data;\toffset:16;\n";
	static const char comms[] = "7 seven\n8 eight of 8\n";
	static const char symbols[] =
		"0000000000001000 t first\n0000000000001010 t second\t[lib]\n"
		"0000000000001010 t alias\t[lib]\n0000000000001020 t _end\n";
	static const char formats[] = "0x2000 : \"a\\n\\\"b\\\"\"\n";
	static const char facts[] = "root test.7\ntgid 8 7\nlost 3\n";
	const uint32_t none = 0, one = 1;
	const uint64_t format_bytes = sizeof(dat_file_format) - 1, comm_bytes = sizeof(comms) - 1;
	const uint32_t symbol_bytes = sizeof(symbols) - 1, string_bytes = sizeof(formats) - 1;
	struct text text;

	text_init(&text, 1 << 20);
	datfile_writer_section(writer, DAT_HEADER_INFO, header, sizeof(header));
	datfile_writer_section(writer, DAT_FTRACE_EVENTS, &none, 4);
	text_write(&text, &one, 4);
	text_write(&text, "test", 5);
	text_write(&text, &one, 4);
	text_write(&text, &format_bytes, 8);
	text_write(&text, dat_file_format, format_bytes);
	datfile_writer_section(writer, DAT_EVENT_FORMATS, text.data, text.len);
	text_reset(&text);
	text_write(&text, &comm_bytes, 8);
	text_puts(&text, comms);
	datfile_writer_section(writer, DAT_CMDLINES, text.data, text.len);
	text_reset(&text);
	text_write(&text, &symbol_bytes, 4);
	text_puts(&text, symbols);
	datfile_writer_section(writer, DAT_KALLSYMS, text.data, text.len);
	text_reset(&text);
	text_write(&text, &string_bytes, 4);
	text_puts(&text, formats);
	datfile_writer_section(writer, DAT_PRINTK, text.data, text.len);
	text_done(&text);
	datfile_writer_text(writer, DAT_OPTION_UNAME, "Linux test");
	datfile_writer_facts(writer, facts, sizeof(facts) - 1);
}

#endif
