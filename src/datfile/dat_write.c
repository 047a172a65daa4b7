/* SPDX-License-Identifier: MIT */
#include "datfile/dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/text.h"

#define RESERVE_BYTES	(16u << 20)	/* disk space that is reserved for the sections, bytes */
#define MOVE_BYTES	(4u << 20)	/* number of bytes that are moved in one step */
#define SECTION_LEVEL	3		/* compression level that zstd uses for sections */
#define OPTIONS_BYTES	(64u << 20)
#define ALIGN_BYTES	4096u		/* the records of a CPU begin at a multiple of this
					 * number, because trace-cmd requires that */

struct datfile_writer {
	int fd;
	uint64_t at;			/* offset in the file of the next byte to write */
	uint64_t options_at;		/* offset in the header of the word that contains the
					 * offset of the first options section */
	uint64_t facts_at;		/* offset of the section with ulf's facts; 0: there is
					 * none */
	struct text options;
	struct datfile_packer *packer;
	int error;			/* the first error of the writer: 0 or -errno */
};

struct datfile_packer {
	ZSTD_CCtx *context;
};

/* ---- compress ---- */

struct datfile_packer *datfile_packer_new(void)
{
	struct datfile_packer *packer = calloc(1, sizeof(*packer));

	if (packer)
		packer->context = ZSTD_createCCtx();
	if (packer && packer->context)
		return packer;
	free(packer);
	return NULL;
}

void datfile_packer_free(struct datfile_packer *packer)
{
	if (packer)
		ZSTD_freeCCtx(packer->context);
	free(packer);
}

size_t datfile_chunk_room(size_t bytes)
{
	return DAT_SIZES_BYTES + ZSTD_compressBound(bytes);
}

size_t datfile_chunk_pack(struct datfile_packer *packer, int level, const void *data, size_t bytes,
			  void *to, size_t room)
{
	size_t packed = ZSTD_compressCCtx(packer->context, (char *)to + DAT_SIZES_BYTES,
					  room - DAT_SIZES_BYTES, data, bytes, level);
	const uint32_t sizes[2] = { (uint32_t)packed, (uint32_t)bytes };

	if (ZSTD_isError(packed))
		return 0;
	memcpy(to, sizes, sizeof(sizes));
	return DAT_SIZES_BYTES + packed;
}

/* ---- write ---- */

static void fail_writer(struct datfile_writer *writer, int error)
{
	if (!writer->error)
		writer->error = error;
}

static void write_at(struct datfile_writer *writer, uint64_t at, const void *data, size_t bytes)
{
	while (bytes && !writer->error) {
		ssize_t n = pwrite(writer->fd, data, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail_writer(writer, n ? -errno : -EIO);
			return;
		}
		data = (const char *)data + n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
}

static void append(struct datfile_writer *writer, const void *data, size_t bytes)
{
	write_at(writer, writer->at, data, bytes);
	writer->at += bytes;
}

static void append_u16(struct datfile_writer *writer, uint16_t value)
{
	append(writer, &value, sizeof(value));
}

static void append_u32(struct datfile_writer *writer, uint32_t value)
{
	append(writer, &value, sizeof(value));
}

static void append_u64(struct datfile_writer *writer, uint64_t value)
{
	append(writer, &value, sizeof(value));
}

/* Append the header of a section.  Its description is the string at offset 0 of the section of
 * strings. */
static void append_section_head(struct datfile_writer *writer, enum dat_id id, uint16_t flags,
				uint64_t bytes)
{
	append_u16(writer, (uint16_t)id);
	append_u16(writer, flags);
	append_u32(writer, 0);
	append_u64(writer, bytes);
}

size_t datfile_head(uint8_t *to)
{
	const uint8_t sizes[2] = { 0, 8 };	/* two bytes of the header: byte order 0 is
						 * little endian; a long has 8 bytes */
	const uint32_t page_bytes = ALIGN_BYTES;
	struct text text;
	size_t len;

	text_init(&text, DATFILE_HEAD_MAX);
	text_write(&text, DAT_MAGIC, sizeof(DAT_MAGIC));
	text_write(&text, sizes, sizeof(sizes));
	text_write(&text, &page_bytes, sizeof(page_bytes));
	text_write(&text, "zstd", sizeof("zstd"));
	text_write(&text, ZSTD_versionString(), strlen(ZSTD_versionString()));
	len = text.error ? 0 : text.len;
	if (len)
		memcpy(to, text.data, len);
	text_done(&text);
	return len;
}

static void write_head(struct datfile_writer *writer, size_t padding)
{
	uint8_t head[DATFILE_HEAD_MAX];

	append(writer, head, datfile_head(head));
	while (padding--)
		append(writer, " ", 1);
	append(writer, "", 1);
	writer->options_at = writer->at;
	append_u64(writer, 0);
}

int datfile_writer_new(const char *path, struct datfile_writer **ret_writer)
{
	return datfile_writer_new_padded(path, 0, ret_writer);
}

int datfile_writer_new_padded(const char *path, size_t padding,
			      struct datfile_writer **ret_writer)
{
	struct datfile_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (!writer)
		return -ENOMEM;
	text_init(&writer->options, OPTIONS_BYTES);
	writer->packer = datfile_packer_new();
	writer->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	r = !writer->packer ? -ENOMEM : writer->fd < 0 ? -errno : 0;
	/* Ignore all errors but a full disk: this file system possibly cannot reserve space. */
	if (!r && fallocate(writer->fd, FALLOC_FL_KEEP_SIZE, 0, RESERVE_BYTES) &&
	    errno == ENOSPC)
		r = -ENOSPC;
	if (r) {
		if (writer->fd >= 0)
			close(writer->fd);
		datfile_packer_free(writer->packer);
		free(writer);
		return r;
	}
	write_head(writer, padding);
	*ret_writer = writer;
	return 0;
}

/* Append a compressed section.  Returns its offset. */
static uint64_t append_section(struct datfile_writer *writer, enum dat_id id, const void *data,
			       size_t bytes)
{
	size_t room = datfile_chunk_room(bytes), packed = 0;
	uint64_t at = writer->at;
	void *to = malloc(room);

	if (to)
		packed = datfile_chunk_pack(writer->packer, SECTION_LEVEL, data, bytes, to, room);
	if (packed) {
		append_section_head(writer, id, DAT_SECTION_PACKED, packed);
		append(writer, to, packed);
	} else {
		fail_writer(writer, -ENOMEM);
	}
	free(to);
	return at;
}

void datfile_writer_option(struct datfile_writer *writer, enum dat_id id, const void *data,
			   size_t bytes)
{
	const uint16_t number = (uint16_t)id;
	const uint32_t size = (uint32_t)bytes;

	text_write(&writer->options, &number, sizeof(number));
	text_write(&writer->options, &size, sizeof(size));
	text_write(&writer->options, data, bytes);
}

void datfile_writer_text(struct datfile_writer *writer, enum dat_id id, const char *text)
{
	datfile_writer_option(writer, id, text, strlen(text) + 1);
}

void datfile_writer_section(struct datfile_writer *writer, enum dat_id id, const void *data,
			    size_t bytes)
{
	uint64_t at = append_section(writer, id, data, bytes);

	datfile_writer_option(writer, id, &at, sizeof(at));
}

void datfile_writer_facts(struct datfile_writer *writer, const void *text, size_t bytes)
{
	writer->facts_at = append_section(writer, DAT_SECTION_ULF, text, bytes);
}

uint64_t datfile_writer_bytes(const struct datfile_writer *writer)
{
	return writer->at;
}

/* ---- the records ---- */

/* Append @bytes bytes from offset @off of the file @fd.  copy_file_range() does not work
 * between some file systems.  In this case the bytes are copied through memory. */
static void append_from(struct datfile_writer *writer, int fd, uint64_t off, size_t bytes)
{
	char *copy;

	while (bytes && !writer->error) {
		loff_t from = (loff_t)off, to = (loff_t)writer->at;
		ssize_t n = copy_file_range(fd, &from, writer->fd, &to, bytes, 0);

		if (n <= 0)
			break;
		off += (uint64_t)n;
		writer->at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	if (!bytes || writer->error)
		return;
	copy = malloc(bytes);
	if (!copy) {
		fail_writer(writer, -ENOMEM);
		return;
	}
	while (bytes && !writer->error) {
		ssize_t n = pread(fd, copy, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail_writer(writer, n ? -errno : -EIO);
		else
			append(writer, copy, (size_t)n);
		off += n > 0 ? (uint64_t)n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	free(copy);
}

/* Move the chunks of a CPU from the CPU's file to the end of the trace.dat.  Punch holes in
 * the CPU's file where the chunks were, so that their space is free at once.  On a file
 * system without holes the space becomes free when the CPU's file is closed. */
static void move_pages(struct datfile_writer *writer, struct datfile_pages *pages)
{
	append_u32(writer, pages->nr_chunks);
	for (uint64_t off = 0; off < pages->bytes && !writer->error; off += MOVE_BYTES) {
		size_t bytes = (size_t)min_u64(MOVE_BYTES, pages->bytes - off);

		append_from(writer, pages->fd, off, bytes);
		if (fallocate(pages->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off,
			      MOVE_BYTES) && pages->bytes - off <= MOVE_BYTES &&
		    ftruncate(pages->fd, 0))
			fail_writer(writer, -errno);
	}
}

static void append_alignment(struct datfile_writer *writer)
{
	static const char zeroes[ALIGN_BYTES];

	append(writer, zeroes, (size_t)(ALIGN_UP(writer->at, (uint64_t)ALIGN_BYTES) - writer->at));
}

void datfile_writer_buffer(struct datfile_writer *writer, const char *name, const char *clock,
			   uint32_t page_bytes, struct datfile_pages *pages, uint32_t nr)
{
	uint64_t section = writer->at, bytes;
	struct text option;

	text_init(&option, OPTIONS_BYTES);
	text_write(&option, &section, sizeof(section));
	text_write(&option, name, strlen(name) + 1);
	text_write(&option, clock, strlen(clock) + 1);
	text_write(&option, &page_bytes, sizeof(page_bytes));
	text_write(&option, &nr, sizeof(nr));
	append_section_head(writer, DAT_BUFFER, DAT_SECTION_PACKED, 0);
	for (uint32_t i = 0; i < nr; i++) {
		append_alignment(writer);
		text_write(&option, &pages[i].cpu, sizeof(pages[i].cpu));
		text_write(&option, &writer->at, sizeof(writer->at));
		text_write(&option, &pages[i].bytes, sizeof(pages[i].bytes));
		if (pages[i].bytes)
			move_pages(writer, &pages[i]);
	}
	bytes = writer->at - section - DAT_SECTION_BYTES;
	write_at(writer, section + 8, &bytes, sizeof(bytes));
	if (option.error)
		fail_writer(writer, option.error);
	datfile_writer_option(writer, DAT_BUFFER, option.data, option.len);
	text_done(&option);
}

/* ---- the end ---- */

static void write_options(struct datfile_writer *writer)
{
	const uint64_t none = 0;
	uint64_t at;

	datfile_writer_option(writer, DAT_OPTION_DONE, &none, sizeof(none));
	if (writer->options.error)
		fail_writer(writer, writer->options.error);
	at = writer->at;
	append_section_head(writer, DAT_SECTION_OPTIONS, 0, writer->options.len);
	append(writer, writer->options.data, writer->options.len);
	write_at(writer, writer->options_at, &at, sizeof(at));
}

int datfile_writer_finish(struct datfile_writer *writer)
{
	static const char strings[] = "ulf";
	int r;

	append_section(writer, DAT_SECTION_STRINGS, strings, sizeof(strings));
	write_options(writer);
	if (writer->facts_at) {
		append_u64(writer, writer->facts_at);
		append(writer, DAT_TRAILER_MAGIC, 8);
	}
	/* Free the rest of the space that was reserved for sections. */
	if (!writer->error && ftruncate(writer->fd, (off_t)writer->at))
		fail_writer(writer, -errno);
	if (close(writer->fd) && errno != EINTR)
		fail_writer(writer, -errno);
	r = writer->error;
	text_done(&writer->options);
	datfile_packer_free(writer->packer);
	free(writer);
	return r;
}
