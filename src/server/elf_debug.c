/* SPDX-License-Identifier: MIT */
/*
 * What was stripped from an ELF file.  It is in another one, named by the build
 * id or by .gnu_debuglink, or in part of the file itself, .gnu_debugdata.
 */
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "server/elf_impl.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define PATH_BYTES	4096u
#define CHUNK		(64u << 10)
#define LZMA_MEMORY	(64u << 20)
#define UNPACKED_MAX	(64u << 20)	/* half a second */

static const char *debug_dir(void)
{
	const char *dir = getenv("ULF_DEBUG_DIR");

	return dir && *dir ? dir : DEBUG_DIR;
}

/* ---- by its name ---- */

/* DIR/.build-id/12/3456.debug */
static int open_by_id(const struct elf_file *file, struct elf_file *ret_debug)
{
	const struct elf_build_id *id = &file->id;
	char path[PATH_BYTES];
	char hex[2 * sizeof(id->id) + 1];
	int len;

	if (id->bytes < 2)
		return -ENOENT;
	for (uint32_t i = 0; i < id->bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->id[i]);
	len = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", debug_dir(),
		       hex, hex + 2);
	if (len >= (int)sizeof(path))
		return -ENOENT;
	return elf_file_open(path, id->id, id->bytes, file->bytes_left, ret_debug);
}

static bool has_crc(const struct elf_file *file, uint32_t wanted)
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

/* With a build id it must have the same, else the check sum. */
static int open_candidate(const struct elf_file *file, const char *path, uint32_t crc,
			  struct elf_file *ret_debug)
{
	int r = elf_file_open(path, file->id.id, file->id.bytes, file->bytes_left,
			      ret_debug);

	if (!r && !file->id.bytes && !has_crc(ret_debug, crc))
		r = -ESTALE;
	return r;
}

/* In the directory of @path, in .debug there, and in DIR/directory. */
static int open_linked(const struct elf_file *file, const char *path,
		       const char *name, uint32_t crc, struct elf_file *ret_debug)
{
	int dir_len = (int)(strrchr(path, '/') - path);
	const char *const before[] = { "", "", debug_dir() };
	const char *const behind[] = { "", "/.debug", "" };
	char candidate[PATH_BYTES];
	int r = -ENOENT;

	for (int i = 0; r && i < 3; i++) {
		int len = snprintf(candidate, sizeof(candidate), "%s%.*s%s/%s",
				   before[i], dir_len, path, behind[i], name);

		elf_file_close(ret_debug);
		if (len < (int)sizeof(candidate))
			r = open_candidate(file, candidate, crc, ret_debug);
	}
	return r;
}

/* The name, its NUL, up to a multiple of 4, and the check sum of the file. */
static int open_by_link(const struct elf_file *file, const char *path,
			struct elf_file *ret_debug)
{
	const Elf64_Shdr *section = elf_find_section(file, ".gnu_debuglink");
	char *name = elf_read_section(file, section);
	uint64_t at = name ? ALIGN_UP(strlen(name) + 1, 4) : 0;
	uint32_t crc;
	int r = -ENOENT;

	if (name && *name && !strchr(name, '/') && *path == '/' &&
	    at + sizeof(crc) <= section->sh_size) {
		memcpy(&crc, name + at, sizeof(crc));
		r = open_linked(file, path, name, crc, ret_debug);
	}
	free(name);
	return r;
}

int elf_debug_open(const struct elf_file *file, const char *path,
		   struct elf_file *ret_debug)
{
	int r;

	*ret_debug = (struct elf_file) { .fd = -1 };
	r = open_by_id(file, ret_debug);
	if (!r)
		return 0;
	elf_file_close(ret_debug);
	return open_by_link(file, path, ret_debug);
}

/* ---- in the file ---- */

/* All that @stream gives, to @fd; -E2BIG: more than that, or than is left. */
static int unpack_to(lzma_stream *stream, int fd, uint64_t *bytes_left)
{
	uint8_t *chunk = malloc(CHUNK);
	lzma_ret status = chunk ? LZMA_OK : LZMA_MEM_ERROR;
	int r = 0;

	while (!r && status == LZMA_OK) {
		size_t bytes;

		stream->next_out = chunk;
		stream->avail_out = CHUNK;
		status = lzma_code(stream, LZMA_FINISH);
		bytes = CHUNK - stream->avail_out;
		if (bytes > *bytes_left || stream->total_out > UNPACKED_MAX)
			r = -E2BIG;
		else if (write(fd, chunk, bytes) != (ssize_t)bytes)
			r = -ENOMEM;
		else
			*bytes_left -= bytes;
	}
	free(chunk);
	return r ? r : status == LZMA_STREAM_END ? 0 : -ENOEXEC;
}

static int unpack(const uint8_t *packed, uint64_t bytes, int fd, uint64_t *bytes_left)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int r = -ENOMEM;

	if (lzma_stream_decoder(&stream, LZMA_MEMORY, 0) == LZMA_OK) {
		stream.next_in = packed;
		stream.avail_in = bytes;
		r = unpack_to(&stream, fd, bytes_left);
	}
	lzma_end(&stream);
	return r;
}

int elf_debug_open_mini(const struct elf_file *file, struct elf_file *ret_mini)
{
	const Elf64_Shdr *section = elf_find_section(file, ".gnu_debugdata");
	uint8_t *packed = elf_read_section(file, section);
	int fd = -1, r = -ENOENT;

	*ret_mini = (struct elf_file) { .fd = -1 };
	if (packed) {
		fd = memfd_create("ulf: .gnu_debugdata", MFD_CLOEXEC);
		r = fd < 0 ? -errno : unpack(packed, section->sh_size, fd,
					     file->bytes_left);
	}
	free(packed);
	if (!r)
		return elf_file_open_fd(fd, file->bytes_left, ret_mini);
	if (fd >= 0)
		close(fd);
	return r;
}
