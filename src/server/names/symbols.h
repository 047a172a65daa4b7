/* SPDX-License-Identifier: MIT */
/* Addresses of the traced program -> names of its functions, its strings. */
#ifndef ULF_SERVER_SYMBOLS_H
#define ULF_SERVER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "event/print.h"

struct elf_symbol;
struct elf_symbols;
struct instance;
struct root;
struct symbols;
struct text;

/* root_part.init and root_part.done */
int symbols_init(struct root *root);
void symbols_done(struct root *root);

/* Length of the module's name in the name of a library's file: libfoo of libfoo.so.1.2. */
size_t symbols_module_len(const char *file);

/* A symbol, and the file that it was found in. */
struct function_symbol {
	const struct elf_symbol *symbol;
	uint64_t start;			/* address in the program's memory */
	const struct elf_symbols *symbols;	/* the table that @symbol is in */
	const char *path;		/* of the file */
};

/* Of a record that no module brings. */
#define SYMBOLS_NO_MODULE	UINT32_MAX

/* The record that an address is from: another object may be there now. */
struct symbols_from {
	uint32_t module;		/* row of abi_module */
	const struct instance *instance;	/* NULL: it is of now */
	uint64_t time;
};
/* Of no record. */
extern const struct symbols_from symbols_now;

/* Write the name at @addr; -ENOENT, and nothing written, if there is none. */
int symbols_print(struct root *root, const struct symbols_from *from, uint64_t addr,
		  enum print_symbol style, struct text *out);
/* Write path[+0x12], the object's file and the address in it; -ENOENT. */
int symbols_file(struct root *root, const struct symbols_from *from, uint64_t addr,
		 struct text *out);
/* What is at the addresses that stand for ulf itself: enum abi_ip. */
extern const char *const symbols_own[];
/* Write all functions, a line each, as /proc/kallsyms does: the kernel's tools
 * read that.  It has no sizes, so what ends an object is there, too. */
void symbols_list(struct root *root, struct text *out);
/* Write the string at @addr if it is constant; else -ENOENT, nothing written. */
int symbols_string(struct root *root, const struct symbols_from *from, uint64_t addr,
		   struct text *out);

/* Where the function of that name, or the one that @addr is in, begins and ends.
 * -ENOENT */
int symbols_function(struct root *root, const char *name, size_t len,
		     uint64_t *ret_start, uint64_t *ret_end);
int symbols_function_at(struct root *root, uint64_t addr, uint64_t *ret_start,
			uint64_t *ret_end);

#endif
