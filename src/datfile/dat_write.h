/* SPDX-License-Identifier: MIT */
/*
 * Write trace.dat files of version 7, compressed with zstd.
 *
 *	datfile_writer_new("trace.dat", &writer);
 *	datfile_writer_section(writer, DAT_KALLSYMS, ...);	any number, in any order
 *	datfile_writer_option(writer, DAT_OPTION_UNAME, ...);
 *	datfile_writer_buffer(writer, "", "local", cpus, nr);
 *	datfile_writer_finish(writer);
 *
 * In a trace.dat all records of one CPU come before those of the next, but the CPUs record at
 * the same time.  So a recorder writes the records of each CPU to a file of its own (struct
 * datfile_pages), and datfile_writer_buffer() moves them: it frees the space of the bytes
 * that it has copied.  Together with the space that datfile_writer_new() reserves, this works
 * on a full disk, too.
 *
 * Functions that return int return 0 or -errno, unless stated otherwise.
 */
#ifndef ULF_DAT_WRITE_H
#define ULF_DAT_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "datfile/dat_format.h"

struct datfile_writer;

/* Compressed pages of one CPU, in a file that contains nothing else. */
struct datfile_pages {
	int fd;				/* the file; -1: not opened */
	uint32_t cpu;
	uint32_t nr_chunks;
	uint64_t bytes;			/* total size of all chunks in the file, bytes */
};

struct datfile_packer;
/* Allocate the state that one thread needs to compress chunks.  Returns NULL if there is no
 * memory. */
struct datfile_packer *datfile_packer_new(void);
/* Free @packer.  NULL is allowed. */
void datfile_packer_free(struct datfile_packer *packer);
/* Return the size of memory that is enough for a chunk of @bytes bytes of pages. */
size_t datfile_chunk_room(size_t bytes);
/*
 * datfile_chunk_pack - compress pages to a chunk, which begins with its two sizes
 * @packer: from datfile_packer_new(), for one thread
 * @room: size of the memory at @to; datfile_chunk_room(bytes) is enough
 *
 * Returns the size of the chunk; 0 if there is no memory.
 */
size_t datfile_chunk_pack(struct datfile_packer *packer, int level, const void *data, size_t bytes,
			  void *to, size_t room);

/* Create or truncate the file @path, and reserve disk space for all parts of the file but the
 * records. */
int datfile_writer_new(const char *path, struct datfile_writer **ret_writer);
/* datfile_writer_new(), but with @padding spaces after the version of zstd in the head of the
 * file.  Programs ignore the version.  It is the last part of the head that does not depend
 * on the rest of the file.  A sender that must send bytes before it knows the rest sends
 * these spaces. */
int datfile_writer_new_padded(const char *path, size_t padding,
			      struct datfile_writer **ret_writer);
/* Copy the head of a trace.dat, up to where the padding would be, to @to, which has
 * DATFILE_HEAD_MAX bytes.  Returns the size of the head, bytes; 0 if there is no memory. */
#define DATFILE_HEAD_MAX	64u
size_t datfile_head(uint8_t *to);
/* Write a section, and an option with the section's offset.  If this fails,
 * datfile_writer_finish() returns the error. */
void datfile_writer_section(struct datfile_writer *writer, enum dat_id id, const void *data,
			    size_t bytes);
/* Add an option. */
void datfile_writer_option(struct datfile_writer *writer, enum dat_id id, const void *data,
			   size_t bytes);
/* Add an option whose data is the string @text with its NUL. */
void datfile_writer_text(struct datfile_writer *writer, enum dat_id id, const char *text);
/* Write facts about the trace as lines `key value`, which datfile_fact() reads. */
void datfile_writer_facts(struct datfile_writer *writer, const void *text, size_t bytes);
/* Write the records of a buffer: move the chunks of its @nr CPUs into the file.  Afterwards
 * the files of @pages are empty. */
void datfile_writer_buffer(struct datfile_writer *writer, const char *name, const char *clock,
			   uint32_t page_bytes, struct datfile_pages *pages, uint32_t nr);
/* Return the number of bytes that were written so far. */
uint64_t datfile_writer_bytes(const struct datfile_writer *writer);
/* Write the end of the trace.dat, close it, and free @writer.  Returns 0 if the whole file
 * was written, else the first error as -errno. */
int datfile_writer_finish(struct datfile_writer *writer);

#endif
