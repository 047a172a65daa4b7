/* SPDX-License-Identifier: MIT */
/*
 * Pieces of roots' files, mapped.  The files belong to the traced programs: one
 * may be cut short at any time, and a touch beyond its end is a SIGBUS.  The
 * handler here puts zeroes under such a mapping and marks it as lost; the
 * reader sees a root gone bad instead of dying.
 *
 * A touch of what was never written is one as well if the file system is full,
 * also to read it.  That is zeroes and is not there yet, so of a mapping that can
 * be mended a page of zeroes is what the reader sees.
 */
#ifndef ULF_SERVER_MAPPING_H
#define ULF_SERVER_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
	void *addr;
	uint64_t bytes;
	volatile bool is_lost;		/* set by the signal handler */
	volatile bool has_holes;	/* the same */
	int fd;				/* of the whole file; -1: no mending */
	int refs;
	struct mapping *next, *before;	/* of all mappings */
};

/* Install the handler. */
int mapping_init(void);

/* From now on what is written to mappings stays in this process. */
void mapping_be_private(void);

/* Map @bytes of @fd from @off (a multiple of 4096), for reading and writing.
 * -EBADMSG if the file does not reach that far. */
int mapping_new(int fd, uint64_t off, uint64_t bytes, struct mapping **ret_mapping);
/* From the start of @fd on; that must stay open as long.  It can be mended. */
int mapping_new_sparse(int fd, uint64_t bytes, struct mapping **ret_mapping);
/* Where there were pages of zeroes for others there is the file again. */
void mapping_mend(struct mapping *mapping);
/* Memory for what is at @start, before it is written to; mends.  -ENOSPC */
int mapping_reserve(struct mapping *mapping, const void *start, uint64_t bytes);
struct mapping *mapping_get(struct mapping *mapping);
void mapping_put(struct mapping *mapping);

#endif
