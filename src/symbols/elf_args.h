/* SPDX-License-Identifier: MIT */
/* The parameters of functions, from the debug information (DWARF) of a file. */
#ifndef ULF_SYMBOLS_ELF_ARGS_H
#define ULF_SYMBOLS_ELF_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

enum elf_param_kind {
	ELF_PARAM_UNKNOWN,
	ELF_PARAM_SIGNED,
	ELF_PARAM_UNSIGNED,
	ELF_PARAM_POINTER,
	ELF_PARAM_ENUM,
	ELF_PARAM_STRUCT,
	ELF_PARAM_UNION,
	ELF_PARAM_FLOAT,
};

struct elf_param {
	const char *name;		/* name of the parameter; NULL: the parameter has no name */
	uint8_t kind;			/* kind of the parameter's type: enum
					 * elf_param_kind */
	uint8_t is_on_stack;
	uint8_t nr_words;		/* number of 8-byte words that the parameter's value
					 * takes: 1 or 2; 0 if the value is larger */
	uint8_t regs[2];		/* for each word of the value, number of its argument
					 * register when the function starts, from 0 to
					 * ARCH_ARG_REGS - 1; ARCH_NO_REG if the word is in no
					 * argument register */
	uint64_t bytes;			/* size of the value */
};

struct elf_params {
	uint32_t nr;
	struct elf_param rows[];
};

/*
 * elf_args_open - open the debug information of the file at @path, or of its separate
 *	debug file
 * @build_id, @bytes_left: see elf_symbols_read()
 *
 * Returns NULL if there is no debug information, if there is no memory, or if more than
 * *@bytes_left bytes would be needed.  The caller frees the result with
 * elf_args_close().
 */
struct elf_args *elf_args_open(const char *path, const uint8_t *build_id,
			       uint32_t build_id_bytes, uint64_t *bytes_left);
/*
 * Open debug information as elf_args_open() does, for a file that is already open.
 * source->fd must stay open until elf_args_close().
 */
struct elf_source;
struct elf_args *elf_args_parse(const struct elf_source *source);
/* Close the files of @args and free @args.  NULL is allowed. */
void elf_args_close(struct elf_args *args);

/*
 * Find the parameters of the function that contains @addr, an address without the load
 * address.
 * Returns NULL if the parameters are unknown.  The result is valid until the next call.
 */
const struct elf_params *elf_args_find(struct elf_args *args, uint64_t addr);
/*
 * Return true if a call of elf_args_find() has taken too long.  After such a call
 * elf_args_find() always returns NULL.
 */
bool elf_args_is_over(const struct elf_args *args);

#endif
