/* SPDX-License-Identifier: MIT */
/*
 * Find the names of functions, and constant strings, at addresses of the traced program.
 */
#ifndef ULF_SERVER_SYMBOLS_H
#define ULF_SERVER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "event/print.h"
#include "filter/filter.h"

struct elf_symbol;
struct elf_symbols;
struct instance;
struct root;
struct symbols;
struct text;

/* Method root_part.init: allocate an empty cache of strings and an empty list of
 * searches.  Returns 0 or -ENOMEM. */
int symbols_init(struct root *root);
/* Method root_part.done: free the cache of strings and the list of searches. */
void symbols_done(struct root *root);

/* Return the length of the module's name at the start of @file, the name of a library's
 * file.  Example: libfoo is the module of libfoo.so.1.2. */
size_t symbols_module_len(const char *file);

/* A symbol, and the symbol table in which it was found. */
struct function_symbol {
	const struct elf_symbol *symbol;
	uint64_t start;			/* address of the symbol in the program's
					 * memory */
	const struct elf_symbols *symbols;	/* symbol table that contains @symbol as a
						 * row */
	const char *path;		/* path of the file */
};

/* Value of symbols_from.module for the records of events that belong to no module. */
#define SYMBOLS_NO_MODULE	UINT32_MAX

/* The record in which an address was found.  The server needs it, because another object
 * may have been at this address when the record was written. */
struct symbols_from {
	uint32_t module;		/* module of the record's event, as a row of
					 * abi_module; SYMBOLS_NO_MODULE if it has none */
	const struct instance *instance;	/* instance of the record; NULL if the
						 * address comes from no record, so that
						 * the objects count that are loaded now */
	uint64_t time;			/* time of the record by the clock of @instance */
};
/* The struct symbols_from for addresses that come from no record. */
extern const struct symbols_from symbols_now;

/*
 * Append the name of the function at @addr to @out.  Returns 0, or -ENOENT if nothing
 * was written.
 */
int symbols_print(struct root *root, const struct symbols_from *from, uint64_t addr,
		  enum print_symbol style, struct text *out);
/* Append PATH[+0x12] to @out: the path of the object that contains the address, and the
 * address in its file.  Returns 0 or -ENOENT. */
int symbols_file(struct root *root, const struct symbols_from *from, uint64_t addr,
		 struct text *out);
/* Names of the values of enum abi_ip.  In records, these values stand in place of an
 * address and mean code of ulf itself. */
extern const char *const symbols_builtin[];
/*
 * Append all functions of @root to @out, one per line, in the format of /proc/kallsyms,
 * which the kernel's tools read.  The format has no sizes, so a line `_end` marks the
 * end of each object.  Functions with a made-up name, such as `sh+0x1230`, are listed
 * after the others of their object; the lines are not sorted by address.
 */
void symbols_list(struct root *root, struct text *out);
/*
 * Append the string at @addr to @out if the string is constant.  Returns 0, or -ENOENT
 * if nothing was written.
 */
int symbols_string(struct root *root, const struct symbols_from *from, uint64_t addr,
		   struct text *out);

/*
 * Begin a round of searches for functions: those that one text names, or those that all
 * rules of a root name.  Must be called before the first symbols_functions_search() of
 * the round.  The number of different names in one round is limited.
 */
void symbols_functions_begin(struct root *root);
/*
 * Search for the functions with the name @name (@len bytes), for a later
 * symbols_functions().  Returns 0; -ERESTART if a parser is working, or the search has
 * not ended, so that the caller must call again later; -E2BIG if there were too many
 * names since symbols_functions_begin(); or -ENOMEM.
 */
int symbols_functions_search(struct root *root, const char *name, size_t len);
/*
 * Get the addresses of the functions with the name @name.  If a symbol table contains
 * the name, the result is the first function with this name.  Otherwise the result is
 * all functions that have this name in the source.  May wait for parsers
 * (objects_wait()).  Returns the number of functions; -ENOENT; -E2BIG if there are
 * more than FILTER_RANGES_MAX; or -ENOMEM.
 */
int symbols_functions(struct root *root, const char *name, size_t len,
		      struct filter_range ret_ranges[FILTER_RANGES_MAX]);
/* Get the addresses of the function that contains @addr.  Returns 0 or -ENOENT.  May wait
 * for parsers (objects_wait()). */
int symbols_function_at(struct root *root, uint64_t addr, struct filter_range *ret_range);

#endif
