/* SPDX-License-Identifier: MIT */
/* The parameters of functions, from the debug information (DWARF, BTF) of a file. */
#ifndef ULF_SERVER_ELF_ARGS_H
#define ULF_SERVER_ELF_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#define ELF_ARG_REGS	6u		/* that may have arguments: rdi to r9 */
#define ELF_NO_REG	0xffu

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
	const char *name;		/* NULL: it has none */
	uint8_t kind;			/* enum elf_param_kind */
	uint8_t is_on_stack;
	uint8_t nr_words;		/* of 8 bytes; 0 also if they are many */
	uint8_t regs[2];		/* that they are in at the function's start, 0
					 * to 5; ELF_NO_REG: in none of these */
	uint64_t bytes;			/* of the value */
};

struct elf_params {
	uint32_t nr;
	struct elf_param rows[];
};

struct elf_symbols;

/*
 * elf_args_open - as elf_symbols_read() opens it, or what was stripped from it
 * @symbols: what that has read; used until it is closed
 *
 * NULL: there is no debug information, or not enough memory or bytes left.
 */
struct elf_args *elf_args_open(const char *path, const uint8_t *build_id,
			       uint32_t build_id_bytes,
			       const struct elf_symbols *symbols, uint64_t *bytes_left);
/* elf_args_open() for a file that stays open until elf_args_close(). */
struct elf_source;
struct elf_args *elf_args_parse(const struct elf_source *source,
				const struct elf_symbols *symbols);
void elf_args_close(struct elf_args *args);

/* Of the function that @addr is in; NULL: not known.  Good until the next call. */
const struct elf_params *elf_args_find(struct elf_args *args, uint64_t addr);
/* Has it taken too long, so that nothing more is found? */
bool elf_args_is_over(const struct elf_args *args);

#endif
