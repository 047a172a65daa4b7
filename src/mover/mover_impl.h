/* SPDX-License-Identifier: MIT */
/*
 * The state of one analysis.  Its steps, in this order:
 *
 *	mapped.c	the file as the loader would map it
 *	starts.c	functions, from .eh_frame; names
 *	targets.c	addresses that data refers to: relocations, words, exception tables
 *	sweep.c		decode all code: addresses that code refers to, facts about functions
 *	choose.c	what is moved, and how it is replaced
 *	places.c	the same for instructions that are no starts of functions
 *	calls.c		system calls
 *	rows.c		the table
 *
 * Bitmaps have one bit for each byte of the text.  A bit that is set without need makes a
 * function untraceable; a bit that is missing could crash a program.
 */
#ifndef ULF_MOVER_MOVER_IMPL_H
#define ULF_MOVER_MOVER_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "cfi/cfi.h"
#include "mover/mover.h"
#include "symbols/elf_impl.h"

/* A range of code in the text that the unwind table describes: a function, or a part of one. */
struct function {
	uint64_t start, end;		/* start and end of the range, as addresses of the
					 * file; @end is at most the start of the next
					 * function */
	uint64_t fde;			/* address in the image of the FDE of the range: its
					 * entry in the unwind table */
	uint8_t reason;			/* enum moved_reason: why the function cannot be
					 * traced, as far as the steps so far have found out */
	bool is_function;		/* true: the range is called as a function, because
					 * frame_is_first() is true for its first row */
	bool is_named;			/* true: a symbol says that the range is a function,
					 * not a part of a function */
	bool has_fall;			/* true: a thread may continue after the end of the
					 * range, in the next bytes */
	bool uses_red_zone;		/* true: the function keeps data below the stack
					 * pointer, in its red zone */
	bool is_jumped_to;		/* true: a function that may have data in a red zone
					 * jumps to @start of this one */

	/* set by choose.c */
	uint8_t class, lead, nr_insns, tail;	/* @tail: number of bytes of padding after the
						 * function that the jump also replaces */
	uint8_t moved_bytes, original_bytes;
};

struct list {				/* an array of numbers that grows */
	uint64_t *data;
	uint64_t nr, room;
};

struct mover {
	const struct mover_limits *limits;
	const uint64_t *places;		/* addresses of instructions, if the table must have a row
					 * for each of them instead of each function; else NULL */
	uint32_t nr_places;
	struct elf_file file;
	uint8_t *image;			/* the bytes of [low, high) */
	uint64_t low, high;		/* range of the addresses of the file's segments: from
					 * @low to before @high */
	uint64_t text, text_end;	/* addresses of the text, the range with the code:
					 * from @text to before @text_end */
	bool is_fixed;			/* true: the file is not position independent, so it
					 * is loaded at a fixed address */
	struct cfi_object cfi;

	struct function *functions;	/* sorted by start */
	uint32_t nr, room;

	uint64_t *targets;		/* bitmap of targets: the code jumps to the byte, or
					 * uses it as data */
	uint64_t *labels;		/* bitmap of labels: data may contain the address of
					 * the byte; if an instruction starts at the byte, a
					 * jump may lead to it */
	uint64_t *entries;		/* bitmap of entries: the code calls the byte, or
					 * takes its address */
	uint64_t *decoded;		/* bitmap of instructions found: an instruction starts
					 * at the byte */
	uint64_t *relocated;		/* bitmap of relocations: the dynamic linker changes
					 * the byte */
	struct list todo;		/* list of targets at which decoding must continue,
					 * unless they have been decoded meanwhile */
	struct list bases;		/* list of addresses that the code computes: jump
					 * tables may start at these addresses */
	struct list guesses;		/* list of addresses that bytes of the text would
					 * compute if they were code: jump tables may start at
					 * these addresses, too */
	int error;			/* 0 or -errno */
};

/* ---- bitmaps of the text ---- */

static inline bool is_text(const struct mover *mover, uint64_t vaddr)
{
	return vaddr - mover->text < mover->text_end - mover->text;
}

static inline bool has_bit(const struct mover *mover, const uint64_t *map, uint64_t vaddr)
{
	uint64_t at = vaddr - mover->text;

	return is_text(mover, vaddr) && map[at / 64] >> at % 64 & 1;
}

/* Set the bit of the byte at @vaddr in the bitmap @map, if the byte is in the text.  Returns
 * true if the bit was not set before. */
static inline bool set_bit(const struct mover *mover, uint64_t *map, uint64_t vaddr)
{
	uint64_t at = vaddr - mover->text, bit = 1ull << at % 64;
	bool is_new = is_text(mover, vaddr) && !(map[at / 64] & bit);

	if (is_new)
		map[at / 64] |= bit;
	return is_new;
}

/* ---- mapped.c ---- */

/* Read the file's segments to mover->image.  Returns 0 or -errno. */
int mapped_read(struct mover *mover);
/* Returns a pointer into the image, to the bytes of the file's address @vaddr; NULL if the
 * image does not contain @bytes bytes from this address on. */
const uint8_t *mapped_at(const struct mover *mover, uint64_t vaddr, uint64_t bytes);
/* Returns the number of bytes from the file's address @vaddr to the end of the image; 0 if
 * @vaddr is outside of the image. */
uint64_t mapped_bytes_at(const struct mover *mover, uint64_t vaddr);
/* Returns the file's address of the byte at @address in the image. */
static inline uint64_t mapped_vaddr(const struct mover *mover, uint64_t address)
{
	return address - (uint64_t)mover->image + mover->low;
}
/* Returns the address in the image of the byte at the file's address @vaddr. */
static inline uint64_t mapped_address(const struct mover *mover, uint64_t vaddr)
{
	return vaddr - mover->low + (uint64_t)mover->image;
}

/* Append a number to @list.  Sets mover->error if there is no memory. */
void list_add(struct mover *mover, struct list *list, uint64_t number);
/* Sort the numbers of a list, and drop duplicates. */
void list_sort(struct list *list);

/* ---- starts.c ---- */

/* Find the functions of the file, and fill in mover->functions.  Returns 0 or -errno. */
int starts_find(struct mover *mover);
/* Mark the addresses of the file's symbols, and refuse the functions that must not be traced
 * according to their names. */
void starts_name(struct mover *mover);
/* Returns the function that contains @vaddr, or NULL. */
struct function *starts_at(const struct mover *mover, uint64_t vaddr);

/* ---- targets.c ---- */

/* Mark the byte at @vaddr as a target: code jumps to the byte, or uses it as data.  Does
 * nothing if @vaddr is outside of the text. */
void target_add(struct mover *mover, uint64_t vaddr);
/* Mark the byte at @vaddr as an entry and a target: code calls it, or computes its address. */
void target_add_entry(struct mover *mover, uint64_t vaddr);
/* Mark the byte at @vaddr as a label: data may contain its address. */
void target_add_label(struct mover *mover, uint64_t vaddr);
/* Mark the addresses to which data refers: those in relocations, the entry point of the
 * program, and words that look like addresses. */
void targets_of_data(struct mover *mover);
/* Mark the addresses in jump tables.  Called after sweep(), which finds where jump tables may
 * start. */
void targets_of_tables(struct mover *mover);

/* ---- sweep.c ---- */

/* Decode the text, and mark the addresses to which its instructions refer. */
void sweep(struct mover *mover);
/* Decode the code at targets that were found after sweep(), and mark the addresses to which
 * this code refers. */
void sweep_todo(struct mover *mover);

/* ---- choose.c ---- */

/* Choose the class of each function, or the reason why it cannot be traced. */
void choose(struct mover *mover);
/*
 * Choose the class of @place, an instruction anywhere in a function.  @place->start is the
 * address of the instruction, @place->end is the end of the function.
 */
void choose_place(const struct mover *mover, struct function *place);
/* Returns the end of the padding that starts at @start and ends before @end at the latest. */
uint64_t padding_end(const struct mover *mover, uint64_t start, uint64_t end);
/* Returns the start of the next function, or of the next part of a function.  @function: an
 * element of mover->functions. */
uint64_t next_start(const struct mover *mover, const struct function *function);
/* Returns true if the bitmap @map has a bit for one of the @nr bytes at @vaddr. */
bool has_any(const struct mover *mover, const uint64_t *map, uint64_t vaddr, uint64_t nr);

/* ---- calls.c ---- */

/* Append a row to @rows for each instruction of the text that makes a system call.  Append
 * the block of each row to @out, in the pool that starts at @pool_at. */
void syscalls_make(const struct mover *mover, uint64_t pool_at, struct text *out,
		   struct text *rows);

/* ---- frames.c ---- */

/* Returns true if a row of an unwind table says that a function begins: the stack is as a call
 * leaves it, and no register is saved but the return address. */
bool frame_is_first(const struct cfi_row *row);
/*
 * Describe the stack frames of the copy of a function's first instructions.  Returns false if
 * the unwind table of @function cannot be used.
 */
bool frames_make(const struct mover *mover, const struct function *function,
		 const struct insn_copy *copy, struct moved_frame *ret_frames);

/*
 * Store in @ret_frames for each instruction of a copy only for which original instruction it
 * stands, and no stack frame.
 */
void frames_plain(const struct insn_copy *copy, struct moved_frame *ret_frames);

/* ---- places.c ---- */

/* Find out how the instruction at each of the addresses mover->places can be moved.  Returns an
 * array that the caller frees, or NULL if there is no memory. */
struct function *places_make(const struct mover *mover);

/* ---- rows.c ---- */

/* Make the copy of the first instructions of @function.  Returns false if the copy is too
 * long. */
bool row_copy(const struct mover *mover, const struct function *function,
	      struct insn_copy *ret_copy);
/*
 * Write the block of a row of the table: @copy, the copy of the instructions at @site; the
 * @original_bytes bytes that the process must find at @site; and a stack frame for each element
 * of copy->bounds.
 */
void row_write_block(const struct mover *mover, uint64_t site, uint32_t original_bytes,
		     const struct insn_copy *copy, const struct moved_frame *frames,
		     struct text *out);
/* Write the table of all functions, and of system calls.  Returns 0 or -errno. */
int rows_write(struct mover *mover, struct text *out);
/* Write the table of the places that places_make() has returned.  Returns 0 or -errno. */
int rows_write_places(struct mover *mover, const struct function *places, struct text *out);

#endif
