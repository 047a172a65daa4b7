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

/* The table of moved functions of a file, and the data that the server has made from it. */
struct function_moved {
	struct abi_moved_file file;	/* header of the table's file in DIR/moved; it
					 * identifies the file that was analysed */
	uint64_t id;			/* number of the table, which is the name of the
					 * table's file in DIR/moved */
	const struct moved_head *head;	/* the table of moved functions, a part of the
					 * parser's result; NULL if there is no table */
	enum elf_left_out left_out;	/* reason why @head is NULL */
	struct elf_symbols made;	/* symbols that were made up for functions without
					 * a symbol: FILE+0xADDRESS */
	bool is_stored;			/* true: the file in DIR/moved with this table was
					 * written */
};

/*
 * Set moved->file and moved->id for the file @fd, which will be analysed.  Each file
 * has its own id, and a file that has changed has a new id.  Returns 0 or -errno.
 */
int function_moved_identify(int fd, struct function_moved *moved);

/*
 * function_moved_take - check the table of moved functions in a parser's result, and
 * use this table
 * @path: path of the file; made-up names begin with its last part
 * @symbols: the symbols of the file
 * @sites: gets the functions that can be traced
 * @ret_names: gets a name for each of these functions; the caller frees the array
 *
 * Returns 0; -EBADMSG if the table is malformed; or -ENOMEM.
 */
int function_moved_take(struct function_moved *moved, const struct parsed_moved *from,
			const char *path, const struct elf_symbols *symbols,
			struct elf_sites *sites, const char ***ret_names);

/* Return the symbol of the function in row @row of the table of moved functions: one of
 * @symbols, or a made-up one.  Returns NULL if there is no symbol. */
const struct elf_symbol *function_moved_symbol(const struct function_moved *moved,
					       const struct elf_symbols *symbols,
					       const struct moved_row *row);

/* Return a text that says why a file as a whole has no table of moved functions.  The
 * text is constant. */
const char *function_left_out_reason(enum elf_left_out left_out);

/* Free the symbols that were made up for functions of @moved. */
void function_moved_done(struct function_moved *moved);

#endif
