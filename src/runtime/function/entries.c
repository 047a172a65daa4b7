/* SPDX-License-Identifier: MIT */
/*
 * Check that a site that another process has named is the entry of a function.
 *
 * The server stores the address of an object's table of entries in memory that every
 * process of the root can write.  Without a check, a process without rights could name
 * any five bytes that look like a NOP, in the middle of a function or of an instruction.
 * Its privileged parent would then write a jump there.  So a site is valid only in one of
 * two cases:
 *
 * - The object's .eh_frame_hdr lists a function that begins at the site, or with code that
 *   leads to it:
 *
 *	start	endbr64			optional
 *		nop ...			any number, of one byte
 *	site	nop			of 5 bytes or more
 *
 * - The object's file has this table of entries at this address.  Code in assembler need not
 *   be in .eh_frame_hdr.
 *
 * The object may be unmapped meanwhile, so this code reads its memory with
 * codemem_read().
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/base/memory.h"
#include "runtime/function/entries.h"
#include "runtime/function/object.h"
#include "runtime/unwind/object_file.h"
#include "runtime/unwind/unwind.h"

#define LEAD_MAX	64u		/* maximum number of bytes from a function's
					 * start to its site */

/* The header of .eh_frame_hdr, in the form that every linker writes.  If the header has
 * another form, the object counts as one without a table. */
struct header {
	uint8_t version, frames_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t nr;
};
#define HEADER_USUAL	{ 1, 0x1b, 0x03, 0x3b }

struct row {
	int32_t start, fde;		/* offsets of a function's start and of its FDE
					 * from .eh_frame_hdr */
};

/* The addresses at which an object's functions start: a copy of the table of .eh_frame_hdr. */
struct starts {
	uint64_t header;		/* address of .eh_frame_hdr */
	uint32_t nr;			/* number of rows */
	struct row *rows;		/* copy of the table's rows, sorted by start */
};

/* Copy the table of the .eh_frame_hdr at address @header, in the object @image.
 * Returns false if the object has no table, if it cannot be read, or if there is no
 * memory. */
static bool read_starts(int fd, const struct image *image, uint64_t header,
			struct starts *ret)
{
	static const uint8_t usual[4] = HEADER_USUAL;
	struct header head;
	uint64_t bytes;

	if (header < image->start || header >= image->end ||
	    image->end - header < sizeof(head) ||
	    codemem_read(fd, (const uint8_t *)header, &head, sizeof(head)) ||
	    memcmp(&head, usual, sizeof(usual)))
		return false;
	bytes = (uint64_t)head.nr * sizeof(*ret->rows);
	if (!head.nr || bytes > image->end - header - sizeof(head) || bytes > UINT32_MAX)
		return false;
	*ret = (struct starts){ header, head.nr, memory_alloc(bytes) };
	if (ret->rows && codemem_read(fd, (const uint8_t *)header + sizeof(head), ret->rows,
				      (uint32_t)bytes)) {
		memory_free(ret->rows);
		ret->rows = NULL;
	}
	return ret->rows;
}

/* Returns the start of the last function that does not begin after @addr, or 0 if there is
 * no such function. */
static uint64_t start_before(const struct starts *starts, uint64_t addr)
{
	int64_t want = (int64_t)(addr - starts->header);
	uint32_t low = 0, high = starts->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts->rows[middle].start <= want)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? starts->header + (uint64_t)(int64_t)starts->rows[low - 1].start : 0;
}

static bool is_entry(const struct starts *starts, struct codemem_view *view, uint64_t site)
{
	uint64_t start = start_before(starts, site);
	const uint8_t *code;

	if (!start || site - start > LEAD_MAX)
		return false;
	code = codemem_view_at(view, start, (uint32_t)(site - start));
	return code && arch_leads_to(code, code + (site - start));
}

/* Returns the number of sites that are not at the entry of a function, according to
 * @starts. If @is_dropping, also changes these sites to FSITE_OTHER. */
static uint32_t check_all(struct fsites *sites, const struct starts *starts, int fd,
			  bool is_dropping)
{
	struct codemem_view view = { .fd = fd };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < sites->nr; i++) {
		if (!fsite_is_known(&sites->table[i]) ||
		    is_entry(starts, &view, (uint64_t)fsite_code(sites, i)))
			continue;
		nr++;
		if (is_dropping)
			sites->table[i].form = FSITE_OTHER;
	}
	return nr;
}

void entries_check(struct fsites *sites, enum fsite_kind kind, uint64_t table)
{
	struct starts starts = { 0 };
	int fd = codemem_begin();
	struct image image = { 0 };
	uint64_t header;

	if (!unwind_can_find())
		image = (struct image){ .name = "", .bias = object_file_program_bias() };
	else if (!unwind_find_header((uint64_t)sites->low, &image, &header) ||
		 !read_starts(fd, &image, header, &starts))
		starts.nr = 0;
	if (check_all(sites, &starts, fd, false) &&
	    !object_has_table(&image, kind, table, sites->nr))
		check_all(sites, &starts, fd, true);
	memory_free(starts.rows);
	codemem_end(fd);
}
