/* SPDX-License-Identifier: MIT */
/*
 * Find the function for which a thread executes a stub, a slot or a copy of moved instructions
 * (made by fsite.c and fmoved.c).  Such a thread has the stack and the registers of a thread
 * that executes the first instructions of the function, except that rsp may differ by the size
 * of a return address.  So each instruction stands for one of the function:
 *
 *	stub				the function's site
 *	slot				the function's site
 *	slot, after the add		the function's site, with rsp - 8
 *	copy				the original of the instruction (moved_frame.original)
 *	copy, return address pushed	the call that was moved, with rsp + 8
 *	cell of a probe			the NOP, with rsp + 128 while the red zone is skipped
 *	copy of a probe			as any copy
 *
 * An unwinder that continues at that instruction finds the function's own tables: its name,
 * where it has saved registers, its handlers of exceptions.  libulf's unwinder calls
 * fcode_original().  The tables of fcode.S tell other unwinders to do the same.
 */
#ifndef ULF_ARCH_FCODE_H
#define ULF_ARCH_FCODE_H

#define FCODE_SLOT_BYTES	64	/* size and alignment of a slot, bytes */
#define FCODE_SLOT_SITE		56	/* offset of the site's address in a slot */
#define FCODE_SLOT_DROPPED	16	/* offset in a slot of the first instruction
					 * at which the return address is dropped from
					 * the stack */
#define FCODE_CELL_BYTES	128	/* size and alignment of a cell (struct fcode_cell),
					 * bytes */
#define FCODE_CELL_ORIGINALS	64	/* offset in a cell of the array
					 * fcode_cell.original */
#define FCODE_CELL_LAST		120	/* offset in a cell of the word whose upper half is
					 * fcode_cell.site */
#define FCODE_PUSHED		0x20	/* bit of an element of fcode_cell.original: at this
					 * instruction the copy has pushed a return address, but
					 * the original has not */

#ifndef __ASSEMBLER__
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/moved.h"

/*
 * A cell: a copy of moved instructions, and the original instruction for each byte of the
 * copy.
 */
struct fcode_cell {
	uint8_t code[MOVED_COPY_MAX];
	uint8_t original[60];		/* for each byte of the copy: the distance
					 * from the site to the original instruction,
					 * with FCODE_PUSHED if the copy has pushed a
					 * return address */
	int32_t site;			/* address of the site minus address of this cell */
};

static_assert(sizeof(struct fcode_cell) == FCODE_CELL_BYTES, "known to fcode.S");
static_assert(offsetof(struct fcode_cell, original) == FCODE_CELL_ORIGINALS, "known to fcode.S");
static_assert(offsetof(struct fcode_cell, site) == FCODE_CELL_LAST + 4, "known to fcode.S");
static_assert(MOVED_COPY_MAX - MOVED_JUMP_BYTES < sizeof(((struct fcode_cell *)NULL)->original),
	      "the last jump of a copy has an original, too");
static_assert(MOVED_ORIGINAL_MAX < FCODE_PUSHED, "both are in one byte");

enum fcode_kind {
	FCODE_NONE,			/* other code */
	FCODE_JUMP,			/* a stub: a jump to a slot */
	FCODE_SLOT,
	FCODE_COPY,
	FCODE_PROBE,			/* a cell of a USDT probe (usite.c) */
	FCODE_KINDS,
};

/*
 * fcode_add - make a range of memory with slots and copies known to fcode_kind().  Does nothing
 * if there are too many ranges.
 * fcode_remove - forget the range that begins at @slots.  No thread may be in its code.
 * @slots, @cells, @end: slots are from @slots to before @cells, cells from there to before
 * @end
 *
 * The caller of both functions holds runtime_lock(), or is the only thread.
 */
void fcode_add(uint64_t slots, uint64_t cells, uint64_t end);
void fcode_remove(uint64_t slots);
/*
 * Make the cells of probes from @cells to before @copies known, and the copies of moved
 * instructions from there to before @end.  fcode_remove(@cells) forgets them.
 */
void fcode_add_probes(uint64_t cells, uint64_t copies, uint64_t end);

/*
 * fcode_make_cell - make the cell with the copy of the instructions that @row describes; the
 * cell will be at @to
 *
 * Returns 0, or -ERANGE: the copy is too far away from an address that it needs.
 */
int fcode_make_cell(const struct moved_head *head, const struct moved_row *row, uint64_t bias,
		    const struct fcode_cell *to, struct fcode_cell *ret_cell);

/* ---- any context ---- */

/*
 * fcode_kind - find out in which kind of code @pc is
 * @is_mapped: true: an object is loaded at @pc, so its code can be read; false: this is
 * unknown, so the function tests whether the code can be read
 */
enum fcode_kind fcode_kind(uint64_t pc, bool is_mapped);
/*
 * fcode_original - convert an address in a stub, slot or copy to the address of the
 * instruction of the function for which it stands
 * @kind: result of fcode_kind(), not FCODE_NONE
 *
 * Sets *@pc to the address of that instruction, and *@sp to the stack pointer that the
 * thread would have at that instruction.
 */
void fcode_original(enum fcode_kind kind, uint64_t *pc, uint64_t *sp);
/* Returns the address of an .eh_frame_hdr whose tables describe all code of @kind, which is
 * not FCODE_NONE. */
const uint8_t *fcode_tables(enum fcode_kind kind);

#endif
#endif
