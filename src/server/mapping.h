/* SPDX-License-Identifier: MIT */
/*
 * Pieces of roots' files, mapped.  The files belong to the traced programs: one
 * may be cut short at any time, and a touch beyond its end is a SIGBUS.  The
 * handler here puts zeroes under such a mapping and marks it as lost; the
 * reader sees a root gone bad instead of dying.
 */
#ifndef ULF_SERVER_MAPPING_H
#define ULF_SERVER_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
	void *addr;
	uint64_t bytes;
	volatile bool is_lost;		/* set by the signal handler */
	int refs;
	struct mapping *next;
};

/* Install the handler. */
int mapping_init(void);

/* From now on what is written to mappings stays in this process. */
void mapping_be_private(void);

/* Map @bytes of @fd from @off (a multiple of 4096), for reading and writing.
 * -EBADMSG if the file does not reach that far. */
int mapping_new(int fd, uint64_t off, uint64_t bytes, struct mapping **ret_mapping);
struct mapping *mapping_get(struct mapping *mapping);
void mapping_put(struct mapping *mapping);

#endif
