/* SPDX-License-Identifier: MIT */
/* Check a table of moved functions (abi/moved.h), and make copies of functions from it.
 * The functions allocate nothing and call nothing but memcpy(); any thread and any signal
 * handler may call them. */
#ifndef ULF_ARCH_MOVED_H
#define ULF_ARCH_MOVED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/moved.h"

#define MOVED_JUMP_BYTES	5u	/* size of a jump with a 32-bit distance */
#define MOVED_SYSCALL_COPY_MAX	30u	/* maximum size of the copy of instructions before a
					 * system call; see scall.h */
#define MOVED_SYSCALL_BYTES	2u	/* size of the instruction that makes a system call */
/* The registers whose saved values a frame describes, in the order of moved_frame.saved: DWARF
 * numbers of rbx, rbp, r12 .. r15. */
#define MOVED_SAVED_DWARF	{ 3, 6, 12, 13, 14, 15 }

/* ---- accessors: for a table that moved_check() has accepted ---- */

/* Returns the bytes of a copy of moved instructions, as they are in the table.  The distances
 * in these bytes are not correct yet: moved_copy() sets them. */
static inline const uint8_t *moved_copy_bytes(const struct moved_head *head,
					      const struct moved_row *row)
{
	return moved_original(head, row) + row->original_bytes;
}

/*
 * moved_check - check a table of @bytes bytes at @table, which is aligned to 8 bytes
 *
 * Returns true if all numbers are in their ranges, all offsets are within the table, rows
 * are sorted, and nothing that a jump replaces is replaced by another jump, too.  Then the
 * accessors of abi/moved.h and moved_copy() read nothing outside of the table.  The
 * contents of copies are not checked.  The caller must check its own copy of the table,
 * which other processes cannot change.
 */
bool moved_check(const void *table, uint64_t bytes);

/*
 * moved_copy - make the copy of a function's first instructions
 * @bias: address of a byte of the object in memory minus its vaddr.
 * @copy: the address at which the copy will run.
 * @to: gets the bytes of the copy, at most MOVED_COPY_MAX.
 *
 * At its end the copy jumps to the instructions after those that were moved.  Returns the
 * number of bytes, or -ERANGE: the copy is too far away from an address that it needs.
 */
int moved_copy(const struct moved_head *head, const struct moved_row *row, uint64_t bias,
	       uint64_t copy, uint8_t to[MOVED_COPY_MAX]);

/*
 * moved_find - find the row of the table for the code at the address @vaddr.  Returns NULL if
 * there is none.
 */
const struct moved_row *moved_find(const struct moved_head *head, uint64_t vaddr);

/* moved_hash - compute a hash of the @bytes bytes at @data
 *
 * Different bytes rarely have the same hash, but an attacker can find bytes that have. */
uint64_t moved_hash(const uint8_t *data, uint64_t bytes);

#endif
