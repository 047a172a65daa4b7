/* SPDX-License-Identifier: MIT */
/* Recognize the code that compilers leave at the entry of functions, and read the tables
 * with the addresses of this code.  These functions only read bytes and change no code; the
 * server uses them, too. */
#ifndef ULF_ARCH_FSITE_FORM_H
#define ULF_ARCH_FSITE_FORM_H

#define FSITE_BYTES	5		/* size of the jump that a site becomes, bytes */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* Kinds of tables of function entries.  The numbers are part of the ABI
 * (abi/functions.h).  Compilers make the tables of the first kinds; each of them is a
 * section of the object.  The server makes a table of moved functions (abi/moved.h) for an
 * object without such a section. */
enum fsite_kind {
	FSITE_PATCHABLE,		/* table that -fpatchable-function-entry
					 * makes */
	FSITE_MCOUNT,			/* table that -pg -mfentry -mrecord-mcount
					 * makes */
	FSITE_XRAY,			/* table that -fxray-instrument makes */
	FSITE_TABLES,			/* number of kinds of tables that compilers make */
	FSITE_MOVED = FSITE_TABLES,	/* functions whose first instructions are
					 * moved */
	FSITE_KINDS,
};

/* A kind of table that compilers make: the name of its ELF section and the size of a row. */
struct fsite_table {
	const char *section;
	uint32_t row_bytes;
};
extern const struct fsite_table fsite_tables[FSITE_TABLES];

/*
 * Returns the address of a function's entry that the table row @row contains.
 * @at is the address of the row itself.
 * Returns 0 if @row is not a row for a function's entry.
 */
uint64_t fsite_row_addr(enum fsite_kind kind, const uint8_t *row, uint64_t at);

enum fsite_form {
	FSITE_NOPS,			/* five NOPs of one byte (gcc) */
	FSITE_NOP5,			/* one NOP of 5 bytes; FSITE_NOP6 is one NOP
					 * of 6 bytes, and so on */
	FSITE_NOP6,
	FSITE_NOP7,
	FSITE_NOP8,
	FSITE_NOP9,
	FSITE_TEST,			/* test $any, %eax, which was a call of
					 * __fentry__ before */
	FSITE_SLED,			/* a jump over 9 free bytes (XRay) */
	FSITE_COPY,			/* first instructions of a function that no compiler has
					 * prepared; fmoved.c copies them */
	FSITE_FORMS,
	FSITE_CALL = FSITE_FORMS,	/* a call of __fentry__; see fcall.c */
	FSITE_OTHER,			/* unknown code, which must not be changed */
};

/* How a site of one form becomes a jump of 5 bytes.  There is no such struct for FSITE_COPY. */
struct fsite_shape {
	uint8_t switch_before;		/* 0: the byte that is switched is the first byte of the
					 * site; 1: it is the byte before the site */
	uint8_t off, on;		/* values of the switched byte while the site is
					 * off, and while it is on */
	uint8_t tail;			/* number of bytes of the site that follow the jump */
	uint32_t low;			/* the original bytes of the site that the
					 * jump's distance replaces; for a long NOP only
					 * its fixed bytes, which are the lower bytes */
};
extern const struct fsite_shape fsite_shapes[FSITE_COPY];

#define FSITE_TAIL_MAX	4u
#define FSITE_LOOK_MAX	64u		/* maximum number of bytes that are read at a
					 * function's entry */

/*
 * Recognize the code at a function's entry.
 * @code: a copy of @nr bytes, which begin at the address that the compiler's table
 * contains.
 * @ret_at: set to the offset of the site in @code.
 * Returns the form of the site, FSITE_CALL or FSITE_OTHER.
 */
enum fsite_form fsite_form(enum fsite_kind kind, const uint8_t *code, uint32_t nr,
			   uint32_t *ret_at);

/*
 * Returns true if a site at @offset was seen before.  The compiler's table has
 * several rows for one function if the linker has folded equal functions; only the
 * first row counts.  @seen: one bit for each byte of the text; this function sets the
 * bit of @offset.
 */
static inline bool fsite_is_twin(uint8_t *seen, uint64_t offset)
{
	uint8_t bit = (uint8_t)(1u << offset % 8);
	bool is_twin = seen[offset / 8] & bit;

	seen[offset / 8] |= bit;
	return is_twin;
}

#endif
#endif
