/* SPDX-License-Identifier: MIT */
/* The functions in an ELF file, and its constant strings. */
#ifndef ULF_SERVER_ELF_H
#define ULF_SERVER_ELF_H

#include <stdint.h>

struct elf_finder;

/* A file that is open; the descriptor is the caller's. */
struct elf_source {
	int fd;
	const uint8_t *build_id;	/* that it must have */
	uint32_t build_id_bytes;	/* 0: any */
	uint64_t *bytes_left;		/* as in elf_symbols_read() */
	const struct elf_finder *finder;	/* of what was stripped from it */
};

struct elf_symbol {
	uint64_t addr;			/* as in the file: without load address */
	uint64_t size;
	const char *name;
};

/* Longer names are none: a file may say that all of it is one, many times. */
#define ELF_NAME_MAX	4096u

#define ELF_STRINGS	3		/* tables, at most */

struct elf_symbols {
	struct elf_symbol *rows;	/* by address */
	uint32_t nr;
	char *strings[ELF_STRINGS];	/* that the names point into */
	uint32_t nr_strings;
	uint64_t first, end;		/* the addresses that it is loaded to */
	struct parsed *parsed;		/* that the names point into, if a parser has
					 * read them; NULL: `strings` */
};

/*
 * elf_symbols_read - the functions of the file at @path, also if they were
 *	stripped off: docs/design/symbols.md
 * @build_id: if @build_id_bytes, it must be that very file
 * @bytes_left: how much may be read, and so kept; less by what was, also if it
 *	was in vain
 *
 * -ENOEXEC: no ELF file of this machine, or one that makes no sense, or asks
 * for too much; -ESTALE: another build; -ENOMEM, or what localfile_open() said.
 */
int elf_symbols_read(const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes, uint64_t *bytes_left,
		     struct elf_symbols *ret_symbols);
/* elf_symbols_read() for a file that is open. */
int elf_symbols_parse(const struct elf_source *source, struct elf_symbols *ret_symbols);
void elf_symbols_done(struct elf_symbols *symbols);

/* The function that @addr is in, or NULL. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
					  uint64_t addr);

#endif
