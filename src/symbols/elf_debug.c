/* SPDX-License-Identifier: MIT */
/*
 * Find the symbols that were stripped from an ELF file.  Such symbols are in a separate debug
 * file, or in the section .gnu_debugdata of the file itself.  The separate debug file is
 * found by the build id, or by .gnu_debuglink.
 */
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "symbols/elf_debug.h"
#include "symbols/elf_impl.h"

#define CHUNK		(64u << 10)
#define LZMA_MEMORY	(64u << 20)
#define UNPACKED_MAX	(64u << 20)	/* maximum size of .gnu_debugdata after
					 * unpacking, bytes; unpacking this much takes
					 * half a second */

/* ---- open a separate debug file ---- */

/*
 * Open the separate debug file that @ask describes, and check that it has the same
 * build id as @file.
 */
static int open_asked_debug_file(const struct elf_file *file, const struct elf_finder *finder,
				 const struct elf_ask *ask, struct elf_file *ret_debug)
{
	struct elf_source source = {
		.build_id = file->id.id, .build_id_bytes = file->id.bytes,
		.bytes_left = file->bytes_left,
	};
	int r = finder->open(finder, ask, &source.fd);

	if (r)
		return r;
	r = elf_file_open_source(&source, ret_debug);
	ret_debug->is_borrowed = false;
	return r;
}

static int open_debug_by_id(const struct elf_file *file, const struct elf_finder *finder,
			    struct elf_file *ret_debug)
{
	struct elf_ask ask = { .kind = ELF_ASK_ID, .bytes = file->id.bytes };

	if (ask.bytes < 2)
		return -ENOENT;
	memcpy(ask.name, file->id.id, ask.bytes);
	return open_asked_debug_file(file, finder, &ask, ret_debug);
}

static bool has_file_crc(const struct elf_file *file, uint32_t wanted)
{
	uint8_t *chunk = malloc(CHUNK);
	uint64_t at = 0;
	uint32_t crc = 0;
	ssize_t n = 1;

	if (!chunk || file->bytes > *file->bytes_left)
		n = -1;
	else
		*file->bytes_left -= file->bytes;
	while (n > 0 && at < file->bytes) {
		n = pread(file->fd, chunk, CHUNK, (off_t)at);
		if (n > 0) {
			crc = lzma_crc32(chunk, (size_t)n, crc);
			at += (uint64_t)n;
		}
	}
	free(chunk);
	return n > 0 && crc == wanted;
}

/*
 * Open the debug file @name of .gnu_debuglink.  If @file has a build id, the debug file
 * must have the same build id.  Otherwise the debug file must have the checksum @crc of the
 * link.
 */
static int open_linked_debug_file(const struct elf_file *file, const struct elf_finder *finder,
				  const char *name, uint32_t crc, struct elf_file *ret_debug)
{
	struct elf_ask ask = { .bytes = (uint32_t)strlen(name) };
	int r = -ENOENT;

	if (ask.bytes >= sizeof(ask.name))
		return -ENOENT;
	strcpy(ask.name, name);
	for (ask.kind = ELF_ASK_BESIDE; r && ask.kind < ELF_ASKS; ask.kind++) {
		elf_file_close(ret_debug);
		r = open_asked_debug_file(file, finder, &ask, ret_debug);
		if (!r && !file->id.bytes && !has_file_crc(ret_debug, crc))
			r = -ESTALE;
	}
	return r;
}

/*
 * Open the debug file by the section .gnu_debuglink.  The section holds the file name, its
 * NUL, padding to a multiple of 4, and the checksum.
 */
static int open_debug_by_link(const struct elf_file *file, const struct elf_finder *finder,
			      struct elf_file *ret_debug)
{
	const Elf64_Shdr *section = elf_find_section(file, ".gnu_debuglink");
	char *name = elf_read_section(file, section);
	uint64_t at = name ? ALIGN_UP(strlen(name) + 1, 4) : 0;
	uint32_t crc;
	int r = -ENOENT;

	if (name && *name && !strchr(name, '/') &&
	    at + sizeof(crc) <= section->sh_size) {
		memcpy(&crc, name + at, sizeof(crc));
		r = open_linked_debug_file(file, finder, name, crc, ret_debug);
	}
	free(name);
	return r;
}

int elf_debug_open(const struct elf_file *file, const struct elf_finder *finder,
		   struct elf_file *ret_debug)
{
	int r;

	*ret_debug = (struct elf_file){ .fd = -1 };
	r = open_debug_by_id(file, finder, ret_debug);
	if (!r)
		return 0;
	elf_file_close(ret_debug);
	return open_debug_by_link(file, finder, ret_debug);
}

/* ---- unpack the section .gnu_debugdata ---- */

/* Unpack all of @stream and append the result to @out.  Returns -E2BIG if the result is
 * larger than UNPACKED_MAX or *@bytes_left. */
static int unpack_stream(lzma_stream *stream, struct text *out, uint64_t *bytes_left)
{
	lzma_ret status = LZMA_OK;

	while (status == LZMA_OK) {
		char *chunk = text_reserve(out, CHUNK);
		size_t bytes;

		if (!chunk)
			return -ENOMEM;
		stream->next_out = (uint8_t *)chunk;
		stream->avail_out = CHUNK;
		status = lzma_code(stream, LZMA_FINISH);
		bytes = CHUNK - stream->avail_out;
		if (bytes > *bytes_left || stream->total_out > UNPACKED_MAX)
			return -E2BIG;
		out->len += bytes;
		*bytes_left -= bytes;
	}
	return status == LZMA_STREAM_END ? 0 : -ENOEXEC;
}

static int unpack_debugdata(const uint8_t *packed, uint64_t bytes, struct text *out,
			    uint64_t *bytes_left)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int r = -ENOMEM;

	if (lzma_stream_decoder(&stream, LZMA_MEMORY, 0) == LZMA_OK) {
		stream.next_in = packed;
		stream.avail_in = bytes;
		r = unpack_stream(&stream, out, bytes_left);
	}
	lzma_end(&stream);
	return r;
}

int elf_debug_open_mini(const struct elf_file *file, struct elf_file *ret_mini)
{
	const Elf64_Shdr *section = elf_find_section(file, ".gnu_debugdata");
	uint8_t *packed = elf_read_section(file, section);
	struct text out;
	int r = -ENOENT;

	*ret_mini = (struct elf_file){ .fd = -1 };
	text_init(&out, UNPACKED_MAX + 2 * CHUNK);
	if (packed)
		r = unpack_debugdata(packed, section->sh_size, &out, file->bytes_left);
	free(packed);
	if (!r && out.data)
		return elf_file_open_memory(out.data, out.len, file->bytes_left,
					    ret_mini);
	text_done(&out);
	return r ? r : -ENOEXEC;
}
