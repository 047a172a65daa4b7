/* SPDX-License-Identifier: MIT */
/* Read and write code that may be running.  Two threads must not call these functions at
 * the same time. */
#ifndef ULF_ARCH_CODEMEM_H
#define ULF_ARCH_CODEMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/page.h"

/*
 * codemem_start - prepare for writes; the agent calls this when it starts.
 * @has_own_table: the agent has a private descriptor table, so it can keep /proc/self/mem
 * open.
 */
void codemem_start(bool has_own_table);

/*
 * codemem_begin() returns a descriptor of /proc/self/mem for codemem_write() and
 * codemem_read(), or a negative number.  With a negative number these two functions
 * access the memory directly.  codemem_end() ends the use of @fd.
 */
int codemem_begin(void);
void codemem_end(int fd);

/*
 * Write @nr bytes to @addr.
 * Returns 0, -EFAULT (@addr is not mapped) or another -errno.
 */
int codemem_write(int fd, uint8_t *addr, const uint8_t *bytes, uint32_t nr);
/*
 * Read @nr bytes at @addr.
 * Returns 0, -EFAULT if nothing is mapped at @addr, or another -errno if the bytes
 * cannot be read.
 */
int codemem_read(int fd, const uint8_t *addr, void *to, uint32_t nr);
/* Make every core execute the bytes that were written before this call. */
void codemem_sync(void);

/*
 * A view of the text: a copy of two consecutive memory pages, of which the second may be
 * missing. To initialize a view, set @fd, and set all other members to 0.
 */
struct codemem_view {
	int fd;				/* descriptor from codemem_begin() */
	uint64_t page;			/* address of the first of the two memory
					 * pages */
	uint32_t bytes;			/* number of valid bytes: 0, one memory page or
					 * two */
	uint8_t text[2 * ARCH_PAGE_BYTES];
};
/* Returns the address of a copy of the @nr bytes at @at.  They may reach into the
 * next memory page, but not further.  Returns NULL if the bytes cannot be read. */
const uint8_t *codemem_view_at(struct codemem_view *view, uint64_t at, uint32_t nr);

#endif
