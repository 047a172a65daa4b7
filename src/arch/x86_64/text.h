/* SPDX-License-Identifier: MIT */
/* Writing to code that may be running.  One caller at a time. */
#ifndef ULF_ARCH_TEXT_H
#define ULF_ARCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define TEXT_PAGE	4096u

/* The agent begins: @has_own_table: nothing else uses its descriptors, so
 * /proc/self/mem can stay open there. */
void text_start(bool has_own_table);

/* Writes go between these, and are given what text_begin() returned. */
int text_begin(void);
void text_end(int fd);

int text_write(int fd, uint8_t *addr, const uint8_t *bytes, uint32_t nr);
/* -EFAULT: it is not there (any more); other errors: it cannot be read. */
int text_read(int fd, const uint8_t *addr, void *to, uint32_t nr);
/* Every core has what was written before. */
void text_sync(void);

/* A copy of two pages, of which the second need not be there.  Begins with the
 * descriptor alone. */
struct text_view {
	int fd;
	uint64_t page;
	uint32_t bytes;
	uint8_t text[2 * TEXT_PAGE];
};
/* @nr bytes at @at, up to the end of these; NULL: they are not there. */
const uint8_t *text_view_at(struct text_view *view, uint64_t at, uint32_t nr);

/* Many small writes in rising order, a page of them at a time.  What lies
 * between two of them is written again as it is. */
struct text_batch {
	int fd;
	int error;			/* the first one; 0 */
	bool is_there;			/* the page could be read */
	uint64_t page;			/* in the buffer; 0: none */
	uint32_t low, high;		/* what of it was changed */
	uint8_t bytes[TEXT_PAGE];
};
void text_batch_init(struct text_batch *batch, int fd);
/* As they will be.  Not there: anything. */
void text_batch_get(struct text_batch *batch, const uint8_t *addr, uint8_t *to,
		    uint32_t nr);
void text_batch_put(struct text_batch *batch, uint8_t *addr,
		    const uint8_t *bytes, uint32_t nr);
/* A byte, if it is @old now; -EILSEQ if not. */
int text_batch_change(struct text_batch *batch, uint8_t *addr, uint8_t old,
		      uint8_t new);
/* Write what is left; returns the first error of all. */
int text_batch_done(struct text_batch *batch);

#endif
