/* SPDX-License-Identifier: MIT */
/* An ELF file that is being read; for the elf*.c alone. */
#ifndef ULF_SERVER_ELF_IMPL_H
#define ULF_SERVER_ELF_IMPL_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf.h"

struct elf_build_id {
	uint64_t addr;			/* where it is loaded to */
	uint32_t bytes;			/* 0: there is none */
	uint8_t id[32];
};

struct elf_file {
	int fd;
	bool is_borrowed;		/* the descriptor stays open */
	char *memory;			/* it is there, and in no descriptor; or NULL */
	uint64_t bytes;
	uint64_t *bytes_left;		/* that may be read */
	Elf64_Ehdr head;
	Elf64_Phdr *programs;
	Elf64_Shdr *sections;
	char *names;			/* of sections */
	uint64_t names_bytes;
	struct elf_build_id id;
};

/* Close it also if it could not be opened.  @id: as in elf_symbols_read(). */
int elf_file_open(const char *path, const uint8_t *id, uint32_t id_bytes,
		  uint64_t *bytes_left, struct elf_file *file);
/* elf_file_open() for a descriptor that the caller closes. */
int elf_file_open_source(const struct elf_source *source, struct elf_file *file);
/* elf_file_open() for a file in memory.  @memory belongs to @file from now on. */
int elf_file_open_memory(char *memory, uint64_t bytes, uint64_t *bytes_left,
			 struct elf_file *file);
void elf_file_close(struct elf_file *file);
/* A copy of a piece, with a NUL behind it; NULL. */
void *elf_read_piece(const struct elf_file *file, uint64_t off, uint64_t bytes);
/* NULL: there is none. */
const Elf64_Shdr *elf_find_section(const struct elf_file *file, const char *name);
/* The same of its content; NULL also for NULL. */
void *elf_read_section(const struct elf_file *file, const Elf64_Shdr *section);

/* ---- elf_symbols.c ---- */

struct elf_symbols;

struct elf_table {			/* of symbols */
	Elf64_Sym *rows;
	uint64_t nr;
	char *strings;
	uint64_t strings_bytes;
};

/* SHT_SYMTAB or SHT_DYNSYM.  -ENOENT: there is none; -ENOEXEC */
int elf_table_read(const struct elf_file *file, uint32_t type,
		   struct elf_table *ret_table);
void elf_table_done(struct elf_table *table);
/* Room for @nr more rows: the first of them, or NULL. */
struct elf_symbol *elf_symbols_grow(struct elf_symbols *symbols, uint64_t nr);
/* What names point into is freed with them. */
void elf_symbols_keep(struct elf_symbols *symbols, char *strings);

/* ---- elf_plt.c ---- */

/* Add what the file calls in others; what cannot be read has no names. */
void elf_plt_read(const struct elf_file *file, struct elf_symbols *symbols);

/* ---- elf_debug.c ---- */

/* Open the file with what was stripped from @file.  -ENOENT, or as elf_file_open(). */
int elf_debug_open(const struct elf_file *file, const struct elf_finder *finder,
		   struct elf_file *ret_debug);
/* The same of what it has of that in itself, compressed. */
int elf_debug_open_mini(const struct elf_file *file, struct elf_file *ret_mini);

/* ---- elf_args.c ---- */

/* Files can be made that take for ever to be read. */
struct elf_deadline {
	uint64_t cpu_ns;		/* of the server's thread */
	bool was_missed;		/* once: nothing more is asked */
};

bool elf_deadline_is_over(struct elf_deadline *deadline);

#endif
