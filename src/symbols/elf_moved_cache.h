/* SPDX-License-Identifier: MIT */
/*
 * The file in which the analysis of an object is kept on disk, so that it need not be done again
 * (docs/design/moving.md, "Cache"):
 *
 *	struct elf_moved_kept
 *	the table of moved functions, table_bytes bytes
 *
 * The server chooses the file, and opens it.  Only parsers read and write it.
 */
#ifndef ULF_SYMBOLS_ELF_MOVED_CACHE_H
#define ULF_SYMBOLS_ELF_MOVED_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;
struct elf_moved;

#define ELF_MOVED_KEPT_MAGIC	0x316b766du	/* the bytes "mvk1" */

struct elf_moved_kept {
	uint32_t magic;			/* ELF_MOVED_KEPT_MAGIC */
	uint32_t head_bytes;		/* sizeof(struct elf_moved_kept) */
	uint64_t analyser;		/* mover_build() of the program that has made the
					 * table */
	uint64_t table_bytes;
	uint64_t table_hash;		/* moved_hash() of the table */
};

/* The descriptors of the files for one analysis. */
struct elf_moved_cache {
	int old_fd;			/* file with a table that was kept; -1: none */
	int new_fd;			/* empty file for the new table; -1: do not keep it */
	bool is_old_used;		/* result: true if the table in @old_fd was used */
	bool is_new_written;		/* result: true if all of the table was written to
					 * @new_fd */
};

/*
 * elf_moved_cache_read - read a table that was kept
 * @file: the object for which the table must be
 * @moved: on success its members head, which the caller frees, and bytes are set
 *
 * Checks the structure of the table as that of a new one, a hash that shows damage, and that
 * the code of @file is the code from which the table was made.  Returns false, with @moved
 * unchanged, if anything is wrong.
 */
bool elf_moved_cache_read(int fd, const struct elf_file *file, struct elf_moved *moved);
/* Write the table of @moved.  Returns true if all of it was written. */
bool elf_moved_cache_write(int fd, const struct elf_file *file, const struct elf_moved *moved);

#endif
