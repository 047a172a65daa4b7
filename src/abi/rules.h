/* SPDX-License-Identifier: MIT */
/*
 * The rules of a buffer: what is to be done with the records of single events.
 * The server makes one piece of them in the arena, never changes it, and says
 * in abi_buffer.rules where it is.  The texts are for the server that comes
 * after it.  All offsets are from the piece's start.
 */
#ifndef ULF_ABI_RULES_H
#define ULF_ABI_RULES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_RULES_MAGIC		0x31656c75u	/* "ule1" */
#define ABI_RULES_BYTES_MAX	(64u << 20)
#define ABI_RULES_ALIGN		8u		/* of programs */

struct abi_rule {
	uint32_t row;			/* of the event */
	uint32_t program;		/* struct filter_program; 0: none */
	uint32_t program_bytes;
	uint32_t text;			/* of the filter, as written; 0: none */
	uint32_t text_bytes;		/* with the NUL */
	uint32_t error;			/* why there is a text, no program */
	uint32_t error_pos;
	uint32_t reserved;
};

struct abi_rules {
	uint32_t magic;
	uint32_t bytes;			/* all of it */
	uint32_t nr_rules;
	uint32_t reserved;
	struct abi_rule rules[];	/* by row; then programs and texts */
};

static_assert(sizeof(struct abi_rule) == 32, "ABI");
static_assert(sizeof(struct abi_rules) == 16, "ABI");

#endif
