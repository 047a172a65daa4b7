/* SPDX-License-Identifier: MIT */
/*
 * Mappings of roots' files.  The files belong to the traced programs.  A program may
 * truncate its file at any time, and an access beyond the end raises SIGBUS.  The
 * handler here replaces such a mapping with zeroes and marks it as lost.  So the server
 * sees a broken root and does not die.
 *
 * If the file system is full, an access to a memory page that was never written raises
 * SIGBUS, too, even a read.  In a mapping that can be mended (mapping_new_sparse()) the
 * handler puts a memory page of zeroes there.  mapping_mend() maps the file again
 * later.
 */
#ifndef ULF_SERVER_MAPPING_H
#define ULF_SERVER_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
	void *addr;
	uint64_t bytes;
	volatile bool is_lost;		/* true: the file was truncated, so the mapping is
					 * lost; the signal handler sets this */
	volatile bool has_holes;	/* true: zeroes stand in for some memory pages
					 * of the file because the file system was
					 * full; the signal handler sets this */
	int fd;				/* descriptor of the mapped file, for
					 * mapping_mend(); -1 if the mapping cannot be
					 * mended */
	int refs;			/* number of references */
	struct mapping *next, *before;	/* links in the list of all mappings */
};

/* Install the handler of SIGBUS.  Must be called before the first mapping.  Returns 0 or
 * -errno. */
int mapping_init(void);

/*
 * Make all later mappings private, so that writes to them change no file.  Must be called
 * before the first mapping is made.
 */
void mapping_be_private(void);

/*
 * Map @bytes bytes of @fd from offset @off (a multiple of the size of a memory page)
 * for reading and writing.  Returns 0; -EBADMSG if the file is too short; -ENOMEM or
 * an error of mmap().  The result has one reference.
 */
int mapping_new(int fd, uint64_t off, uint64_t bytes, struct mapping **ret_mapping);
/*
 * Map @bytes from the start of @fd.  The mapping can be mended with mapping_mend(), so
 * @fd must stay open as long as the mapping exists.
 */
int mapping_new_sparse(int fd, uint64_t bytes, struct mapping **ret_mapping);
/* Mend @mapping.  The signal handler has put memory pages of zeroes into the mapping;
 * replace them with the pages of the file. */
void mapping_mend(struct mapping *mapping);
/* Reserve memory of the file for the @bytes bytes at @start, before they are written.  Also mends
 * the mapping.  Returns 0, -ENOSPC or another error of fallocate(). */
int mapping_reserve(struct mapping *mapping, const void *start, uint64_t bytes);
/* Take a reference of @mapping.  Returns @mapping. */
struct mapping *mapping_get(struct mapping *mapping);
/* Release a reference of @mapping.  When the last reference is released, the memory is
 * unmapped.  @mapping may be NULL. */
void mapping_put(struct mapping *mapping);

#endif
