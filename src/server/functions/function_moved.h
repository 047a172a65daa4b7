/* SPDX-License-Identifier: MIT */
/*
 * The functions of files that no compiler has prepared for tracing.  A parser analyses the
 * code and returns a table (abi/moved.h), one row for each function.  This file checks the
 * table, and makes function sites and names from it.  moved_store.c writes it to the file
 * that processes read.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_MOVED_H
#define ULF_SERVER_FUNCTION_MOVED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/moved_file.h"
#include "symbols/elf.h"
#include "symbols/elf_moved.h"

struct elf_sites;
struct parsed_moved;
struct text;

/* The table of moved functions of a file. */
struct function_moved {
	struct abi_moved_file file;	/* the header of the file for processes; it
					 * identifies the file that was analysed */
	uint64_t id;			/* number of the file for processes */
	const struct moved_head *head;	/* the table; belongs to the struct parsed of the
					 * file's symbols.  NULL: there is none */
	enum elf_left_out left_out;	/* why there is none */
	struct elf_symbols made;	/* names for the functions that have no symbol:
					 * FILE+0xADDRESS */
	bool is_stored;			/* true: the file for processes was written */
};

/*
 * Find out which file @fd is: sets moved->file and moved->id.  Two files have different
 * numbers, and so has a file that was changed.  Returns 0 or -errno.
 */
int function_moved_identify(int fd, struct function_moved *moved);

/*
 * function_moved_take - check the table of a parser's result, and use it
 * @path: path of the file, whose name begins the names that are made
 * @symbols: the symbols of the file
 * @sites: gets the functions that can be traced
 * @ret_names: gets a name for each of them; the caller frees the array
 *
 * Returns 0; -EBADMSG if the table is malformed; or -ENOMEM.
 */
int function_moved_take(struct function_moved *moved, const struct parsed_moved *from,
			const char *path, const struct elf_symbols *symbols,
			struct elf_sites *sites, const char ***ret_names);

/* Return the symbol of the function with the row @row: one of @symbols, or one that was made.
 * NULL: it has none. */
const struct elf_symbol *function_moved_symbol(const struct function_moved *moved,
					       const struct elf_symbols *symbols,
					       const struct moved_row *row);

/* Return why the whole file has no table, a constant text. */
const char *function_left_out_reason(enum elf_left_out left_out);

/* Free the names that were made. */
void function_moved_done(struct function_moved *moved);

#endif
