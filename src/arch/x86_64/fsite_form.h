/* SPDX-License-Identifier: MIT */
/*
 * What compilers leave at the entry of functions, and the tables in which they
 * say where.  No text is touched here; the server asks, too.
 */
#ifndef ULF_ARCH_FSITE_FORM_H
#define ULF_ARCH_FSITE_FORM_H

#define FSITE_BYTES	5		/* of a jump */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* Tables of entries.  The numbers are known to abi/functions.h. */
enum fsite_kind {
	FSITE_PATCHABLE,		/* -fpatchable-function-entry */
	FSITE_MCOUNT,			/* -pg -mfentry -mrecord-mcount */
	FSITE_XRAY,			/* -fxray-instrument */
	FSITE_KINDS,
};

struct fsite_table {
	const char *section;
	uint32_t row_bytes;
};
extern const struct fsite_table fsite_tables[FSITE_KINDS];

/* The address that @row says, which itself is at @at; 0: no entry's. */
uint64_t fsite_row_addr(enum fsite_kind kind, const uint8_t *row, uint64_t at);

enum fsite_form {
	FSITE_NOPS,			/* five of one byte (gcc) */
	FSITE_NOP5,			/* one of so many bytes */
	FSITE_NOP6,
	FSITE_NOP7,
	FSITE_NOP8,
	FSITE_NOP9,
	FSITE_TEST,			/* test $any, %eax; was a call */
	FSITE_SLED,			/* a jump over 9 bytes (XRay) */
	FSITE_FORMS,
	FSITE_CALL = FSITE_FORMS,	/* of __fentry__; see fcall.c */
	FSITE_OTHER,			/* not to be touched */
};

/* How it is made a jump, 5 bytes from where the site is. */
struct fsite_shape {
	uint8_t switch_before;		/* the byte that is switched is so far
					 * before it: 0 or 1 */
	uint8_t off, on;		/* its values */
	uint8_t tail;			/* bytes behind the jump that are free */
	uint32_t low;			/* what stands where the distance comes; of a
					 * long NOP its lower bytes, which stay */
};
extern const struct fsite_shape fsite_shapes[FSITE_FORMS];

#define FSITE_TAIL_MAX	4u
#define FSITE_LOOK_MAX	64u		/* bytes of an entry are looked at */

/* @code: @nr bytes, from the address that the table says.  @ret_at: where in
 * them the site is. */
enum fsite_form fsite_form(enum fsite_kind kind, const uint8_t *code, uint32_t nr,
			   uint32_t *ret_at);

/* Linkers that fold equal functions leave several rows for one: the first counts.
 * @seen: a bit for each byte of the text.  Was there a site at @offset before? */
static inline bool fsite_is_twin(uint8_t *seen, uint64_t offset)
{
	uint8_t bit = (uint8_t)(1u << offset % 8);
	bool is_twin = seen[offset / 8] & bit;

	seen[offset / 8] |= bit;
	return is_twin;
}

#endif
#endif
