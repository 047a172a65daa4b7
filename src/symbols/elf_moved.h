/* SPDX-License-Identifier: MIT */
/*
 * Make the table of moved functions of an ELF file (abi/moved.h): the functions that can be
 * traced although no compiler has prepared them.  Only parsers call this; a parser is a
 * process without rights.
 */
#ifndef ULF_SYMBOLS_ELF_MOVED_H
#define ULF_SYMBOLS_ELF_MOVED_H

#include <stdint.h>

#include "abi/moved.h"

struct elf_moved_cache;
struct elf_sites;
struct elf_symbols;
struct elf_source;

/* Version of the analysis.  Raise it when the analysis of the same ELF file would make
 * another table.  Then the tables for processes get other file numbers.  Tables in the cache
 * on disk are used only by the build of ulf that has made them. */
#define ELF_MOVED_VERSION	5u

/* The reasons why a whole file has no table of moved functions: X(name, text for users). */
#define ELF_LEFT_OUT_REASONS(X)							\
	X(NONE, "it has a table")						\
	X(LIBULF, "libulf does not trace itself")				\
	X(UNREADABLE, "the file cannot be read, or has no unwind table (.eh_frame)") \
	X(FAILED, "its code could not be analysed")				\
	X(REPLACED, "another file is at its path now")

enum elf_left_out {
#define ELF_LEFT_OUT_ENUM(name, text) ELF_LEFT_OUT_##name,
	ELF_LEFT_OUT_REASONS(ELF_LEFT_OUT_ENUM)
#undef ELF_LEFT_OUT_ENUM
	ELF_LEFT_OUTS,
};

/* The table of the moved functions of a file. */
struct elf_moved {
	struct moved_head *head;	/* the table, which the caller frees; NULL: the file
					 * has no table */
	uint64_t bytes;			/* length of the table */
	uint64_t first, end;		/* range of the addresses of the file, as the file gives
					 * them, without the load address */
	enum elf_left_out left_out;
};

/*
 * elf_moved_parse - analyse the code of a file that is open
 * @cache: descriptors of a file with the stored table, and of a file for the new table
 * @ret_sites: gets the range of the code and the build id, and no sites
 *
 * If the file has no table, ret_moved->left_out says why; this is not an error.  Returns 0 or
 * what elf_symbols_parse() returns.
 */
int elf_moved_parse(const struct elf_source *source, struct elf_moved_cache *cache,
		    struct elf_sites *ret_sites, struct elf_moved *ret_moved);
/* Refuse functions in moved->head that must not be traced because of their names, such as
 * setjmp.  The analysis has already checked the names in the file itself.  @symbols may have
 * more names, from a separate debug file. */
void elf_moved_refuse_names(struct elf_moved *moved, const struct elf_symbols *symbols);

#endif
