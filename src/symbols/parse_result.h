/* SPDX-License-Identifier: MIT */
/* Check the results of parsers.  No value in a result is trusted. */
#ifndef ULF_SYMBOLS_PARSE_RESULT_H
#define ULF_SYMBOLS_PARSE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse_wire.h"

struct elf_params;
struct elf_sites;
struct elf_symbol;
struct elf_symbols;

/* A result of a parser.  It is in memory that no process can change any more. */
struct parsed {
	const void *map;
	uint64_t bytes;
	void (*release)(struct parsed *parsed);	/* parsed_free(), for elf_symbols_done() */
	const char *strings;		/* names of the result's symbols */
	uint64_t strings_bytes;		/* length of @strings */
	/* The members from here on are for demangled names, which a job PARSE_DEMANGLE
	 * provides. */
	struct parse_job *plain_job;	/* the job that demangles the names; NULL if
					 * this job has not started, or has ended */
	bool is_plain_tried;		/* true: the job that demangles was started
					 * once, and must not be started again */
	struct parsed *plain;		/* the checked result of the job that demangles;
					 * NULL if there is no result */
};

/* Free a result and all that belongs to it.  NULL is allowed. */
void parsed_free(struct parsed *parsed);

/* The table of moved functions in a result.  It was not checked yet. */
struct parsed_moved {
	const void *table;		/* the table, aligned to 8 bytes; valid as long as the
					 * struct parsed exists */
	uint64_t bytes;			/* length of @table; 0: there is none */
	uint32_t left_out;		/* the reason why there is no table: enum elf_left_out */
	uint32_t cache;			/* what the parser has done with the files of
					 * parse_want.cache: PARSE_CACHE_ bits */
};

/*
 * Pointers to which parsed_check() stores those data of a result that are not symbols.
 * A pointer is NULL if the caller does not need the data.
 */
struct parsed_more {
	struct parse_segment *segments;	/* array of PARSE_SEGMENTS_MAX segments of the
					 * file */
	uint32_t *nr_segments;
	struct elf_sites *sites;
	const char ***names;		/* name of each function site, or NULL if the
					 * site has no name; the caller frees the
					 * array */
	uint32_t *next_kind;		/* kind of the file's next table of function
					 * entries, after the kind of this result;
					 * FSITE_MOVED: there is no further table that a
					 * compiler made */
	struct parsed_moved *moved;	/* needs @sites */
};

/*
 * parsed_check - check the result of PARSE_SYMBOLS or PARSE_SITES and convert it
 *
 * On success @ret_symbols takes over @parsed.  On failure @parsed is freed.  Returns 0;
 * -EBADMSG if the result is malformed; -ENOMEM.
 */
int parsed_check(struct parsed *parsed, struct elf_symbols *ret_symbols,
		 const struct parsed_more *more);

/*
 * Check the result of PARSE_DEMANGLE for @symbols and attach it to symbols->parsed.  On
 * failure, frees @parsed and returns -EBADMSG.
 */
int parsed_check_plain(struct parsed *parsed, const struct elf_symbols *symbols);
/* Return the demangled name of @symbol, which is a row of @symbols; NULL if there is no
 * such name. */
const char *parsed_plain(const struct elf_symbols *symbols,
			 const struct elf_symbol *symbol);

/*
 * Convert the answer of a session about the function at @addr.  Returns NULL if the
 * parameters are unknown, or the answer is malformed.  The caller frees the result with
 * free().
 */
struct elf_params *parsed_params(const struct parse_answer *answer, uint32_t bytes,
				 uint64_t addr);

#endif
