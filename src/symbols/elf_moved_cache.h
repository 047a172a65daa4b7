/* SPDX-License-Identifier: MIT */
/*
 * A cache file stores the table of moved functions of an object on disk, so that the object
 * need not be analysed again (docs/design/moving.md, "Cache"):
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
	uint32_t head_bytes;		/* size of this struct: sizeof(struct elf_moved_kept) */
	uint64_t analyser;		/* build number of the analysis that has made the
					 * table, from mover_build() */
	uint64_t table_bytes;
	uint64_t table_hash;		/* moved_hash() of the table, to detect damage */
};

/* The descriptors of the cache files that one analysis uses. */
struct elf_moved_cache {
	int old_fd;			/* descriptor of a cache file with a table; -1: there
					 * is none */
	int new_fd;			/* descriptor of an empty cache file for the new
					 * table; -1: the table is not stored */
	bool is_old_used;		/* result: true if the table in the file @old_fd was
					 * used */
	bool is_new_written;		/* result: true if the whole table was written to the
					 * file @new_fd */
};

/*
 * elf_moved_cache_read - read a table from a cache file
 * @file: the object whose table must be in the cache file
 * @moved: on success its members head, which the caller frees, and bytes are set
 *
 * Checks the structure of the table, a hash that shows damage, and that the table was made
 * from the code of @file.  If a check fails, returns false and leaves @moved unchanged.
 */
bool elf_moved_cache_read(int fd, const struct elf_file *file, struct elf_moved *moved);
/* Write the table of @moved to a cache file.  Returns true if the whole table was written. */
bool elf_moved_cache_write(int fd, const struct elf_file *file, const struct elf_moved *moved);

#endif
