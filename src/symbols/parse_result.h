/* SPDX-License-Identifier: MIT */
/* Check the results of parsers.  No value in a result is trusted, because a hostile file can
 * take over a parser. */
#ifndef ULF_SYMBOLS_PARSE_RESULT_H
#define ULF_SYMBOLS_PARSE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse_wire.h"

struct elf_params;
struct elf_sites;
struct elf_symbol;
struct elf_symbols;

/* A result of a parser, in memory that no process can change any more. */
struct parsed {
	const void *map;
	uint64_t bytes;
	void (*release)(struct parsed *parsed);	/* address of parsed_free(), by which
						 * elf_symbols_done() frees the result */
	const char *strings;		/* names of the symbols in the result */
	uint64_t strings_bytes;		/* length of @strings */
	/* The members below are for demangled names, which a job PARSE_DEMANGLE provides. */
	struct parse_job *plain_job;	/* the job that demangles the names; NULL: it has not
					 * started, or has ended */
	bool is_plain_tried;		/* true: the job that demangles the names has been
					 * started, and must not be started again */
	struct parsed *plain;		/* the checked result of the job that demangles the
					 * names; NULL: there is no result */
};

/* Free a result, and the job and result for its demangled names.  NULL is allowed. */
void parsed_free(struct parsed *parsed);

/* The table of moved functions in a result.  The table has not been checked yet. */
struct parsed_moved {
	const void *table;		/* the table, aligned to 8 bytes; valid as long as the
					 * struct parsed exists */
	uint64_t bytes;			/* length of @table in bytes; 0: there is no table */
	uint32_t left_out;		/* reason why there is no table: enum elf_left_out */
	uint32_t cache;			/* what the parser has done with the cache files of
					 * parse_want.cache: PARSE_CACHE_ bits */
};

/*
 * Pointers to the variables in which parsed_check() stores all data of a result but the
 * symbols.  A pointer is NULL if the caller does not need the data.
 */
struct parsed_more {
	struct parse_segment *segments;	/* array with space for PARSE_SEGMENTS_MAX segments of
					 * the file */
	uint32_t *nr_segments;
	struct elf_sites *sites;
	const char ***names;		/* array of the names of the function sites, NULL for
					 * a site without a name; the caller frees the array */
	uint32_t *next_kind;		/* kind of the file's next table of function entries,
					 * after the kind that this result has; FSITE_MOVED:
					 * no further table was made by a compiler */
	struct parsed_moved *moved;	/* needs @sites */
};

/*
 * parsed_check - check the result of PARSE_SYMBOLS or PARSE_SITES and convert it
 *
 * On success @ret_symbols takes ownership of @parsed.  On failure @parsed is freed.  Returns
 * 0;
 * -EBADMSG if the result is malformed; -ENOMEM.
 */
int parsed_check(struct parsed *parsed, struct elf_symbols *ret_symbols,
		 const struct parsed_more *more);

/*
 * Check the result of PARSE_DEMANGLE for the names of @symbols, and attach it to
 * symbols->parsed.  On failure, frees @parsed and returns -EBADMSG.
 */
int parsed_check_plain(struct parsed *parsed, const struct elf_symbols *symbols);
/* Return the demangled name of @symbol, a row of @symbols; NULL if it has none. */
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
