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

/* The table of moved functions of a file, and what was made from it. */
struct function_moved {
	struct abi_moved_file file;	/* header of the table's file in DIR/moved; it
					 * identifies the file that was analysed */
	uint64_t id;			/* name of the table's file in DIR/moved, a number */
	const struct moved_head *head;	/* the table, which is a part of the result of the
					 * parser; NULL: there is none */
	enum elf_left_out left_out;	/* reason why @head is NULL */
	struct elf_symbols made;	/* symbols made up for the functions that have none:
					 * FILE+0xADDRESS */
	bool is_stored;			/* true: the table's file in DIR/moved was written */
};

/*
 * Set moved->file and moved->id for the file @fd, which will be analysed.  The id of each file
 * differs, also from that of the same file before it was changed.  Returns 0 or -errno.
 */
int function_moved_identify(int fd, struct function_moved *moved);

/*
 * function_moved_take - check the table of a parser's result, and use it
 * @path: path of the file; made-up names begin with its last part
 * @symbols: the symbols of the file
 * @sites: gets the functions that can be traced
 * @ret_names: gets a name for each of them; the caller frees the array
 *
 * Returns 0; -EBADMSG if the table is malformed; or -ENOMEM.
 */
int function_moved_take(struct function_moved *moved, const struct parsed_moved *from,
			const char *path, const struct elf_symbols *symbols,
			struct elf_sites *sites, const char ***ret_names);

/* Return the symbol of the function in row @row of the table: one of @symbols, or a made-up
 * one; NULL: none. */
const struct elf_symbol *function_moved_symbol(const struct function_moved *moved,
					       const struct elf_symbols *symbols,
					       const struct moved_row *row);

/* Return the reason why a whole file has no table of moved functions, a constant text. */
const char *function_left_out_reason(enum elf_left_out left_out);

/* Free the made-up symbols. */
void function_moved_done(struct function_moved *moved);

#endif
