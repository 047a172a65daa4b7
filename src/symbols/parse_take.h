/* SPDX-License-Identifier: MIT */
/* Results of the parser, checked: nothing in them is believed. */
#ifndef ULF_SERVER_PARSE_TAKE_H
#define ULF_SERVER_PARSE_TAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse_wire.h"

struct elf_params;
struct elf_sites;
struct elf_symbol;
struct elf_symbols;

/* A result in memory that nobody can change any more. */
struct parsed {
	const void *map;
	uint64_t bytes;
	const char *strings;		/* of its symbols */
	uint64_t strings_bytes;
	/* of PARSE_DEMANGLE */
	struct parse_job *plain_job;	/* NULL: not asked for, or ended */
	bool is_plain_tried;
	struct parsed *plain;		/* checked; NULL: none */
};

void parsed_free(struct parsed *parsed);

/* Where the parts of a result beside the symbols go; NULL: not wanted. */
struct parsed_more {
	struct parse_segment *segments;	/* [PARSE_SEGMENTS_MAX] */
	uint32_t *nr_segments;
	struct elf_sites *sites;
	const char ***names;		/* of each site, to be freed; NULL: has none */
	uint32_t *next_kind;
};

/*
 * parsed_check - take over the result of PARSE_SYMBOLS or PARSE_SITES
 *
 * @parsed belongs to @ret_symbols then, and is freed if it makes no sense: -EBADMSG;
 * -ENOMEM.
 */
int parsed_check(struct parsed *parsed, struct elf_symbols *ret_symbols,
		 const struct parsed_more *more);

/* The result of PARSE_DEMANGLE for @symbols, the same way. */
int parsed_check_plain(struct parsed *parsed, const struct elf_symbols *symbols);
/* The name of a row of @symbols as it is written, or NULL. */
const char *parsed_plain(const struct elf_symbols *symbols,
			 const struct elf_symbol *symbol);

/* An answer about @addr; to be freed.  NULL: not known, or it makes no sense. */
struct elf_params *parsed_params(const struct parse_answer *answer, uint32_t bytes,
				 uint64_t addr);

#endif
