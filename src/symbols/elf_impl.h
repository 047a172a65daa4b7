/* SPDX-License-Identifier: MIT */
/*
 * Access to an ELF file.  Only elf*.c, parse_jobs.c, src/mover and cli/run_program.c
 * include this header.
 */
#ifndef ULF_SYMBOLS_ELF_IMPL_H
#define ULF_SYMBOLS_ELF_IMPL_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/posix_clock.h"
#include "symbols/elf.h"

struct elf_build_id {
	uint64_t addr;			/* address of the build id's bytes, as the file gives
					 * it, without the load address */
	uint32_t bytes;			/* length of the build id @id; 0: the file has no
					 * build id */
	uint8_t id[32];
};

struct elf_file {
	int fd;
	bool is_borrowed;		/* true: elf_file_close() leaves @fd open, because the
					 * caller owns it */
	char *memory;			/* contents of the file, if they are in memory
					 * (@fd is -1); otherwise NULL */
	uint64_t bytes;			/* size of the file in bytes */
	uint64_t *bytes_left;		/* pointer to the number of bytes that may still be
					 * read; several files may share this limit */
	Elf64_Ehdr head;
	Elf64_Phdr *programs;		/* program headers of the file; their number is
					 * head.e_phnum */
	Elf64_Shdr *sections;		/* section headers of the file; their number is
					 * head.e_shnum */
	char *names;			/* names of sections */
	uint64_t names_bytes;
	struct elf_build_id id;
};

/*
 * elf_file_open - open the file at @path and read its headers
 * @id: the file must have this build id, unless @id_bytes is 0
 * @bytes_left: see elf_symbols_read(); must stay valid until elf_file_close()
 *
 * Returns the same values as elf_symbols_read().  The caller must call elf_file_close()
 * after a failure, too.
 */
int elf_file_open(const char *path, const uint8_t *id, uint32_t id_bytes,
		  uint64_t *bytes_left, struct elf_file *file);
/* Open a file as elf_file_open() does, from the descriptor source->fd.
 * elf_file_close() does not close this descriptor. */
int elf_file_open_source(const struct elf_source *source, struct elf_file *file);
/*
 * Open a file as elf_file_open() does, from its contents in @memory.  @file takes
 * ownership of @memory, even if the call fails.
 */
int elf_file_open_memory(char *memory, uint64_t bytes, uint64_t *bytes_left,
			 struct elf_file *file);
/* Free the memory of @file and close its descriptor, unless the descriptor is borrowed. */
void elf_file_close(struct elf_file *file);
/*
 * Copy @bytes bytes at offset @off of the file to new memory and append a NUL.  Returns NULL
 * if the range is outside of the file, if @bytes exceeds *file->bytes_left, or if there is no
 * memory.  The caller frees the memory.
 */
void *elf_read_bytes(const struct elf_file *file, uint64_t off, uint64_t bytes);
/* Copy @bytes bytes at offset @off of the file to @to.  Returns false where elf_read_bytes()
 * would return NULL. */
bool elf_read_to(const struct elf_file *file, uint64_t off, uint64_t bytes, void *to);
/* Find a section of the file by its name.  Returns NULL if there is no such section. */
const Elf64_Shdr *elf_find_section(const struct elf_file *file, const char *name);
/*
 * Copy the contents of @section as elf_read_bytes() does.  Returns NULL if @section is
 * NULL.
 */
void *elf_read_section(const struct elf_file *file, const Elf64_Shdr *section);

/* ---- elf_symbols.c: read symbol tables ---- */

struct elf_symbols;

struct elf_table {			/* a symbol table of a file, and its string table */
	Elf64_Sym *rows;
	uint64_t nr;
	char *strings;
	uint64_t strings_bytes;
};

/*
 * Read the symbol table of type @type (SHT_SYMTAB or SHT_DYNSYM).  Returns 0; -ENOENT
 * if the file has no such table; -ENOEXEC if the table cannot be read.
 */
int elf_table_read(const struct elf_file *file, uint32_t type,
		   struct elf_table *ret_table);
/* Free the rows and the strings of @table. */
void elf_table_done(struct elf_table *table);
/*
 * Make space for @nr more rows of @symbols.  Returns the first new row, or NULL if
 * there is no memory.  Does not change symbols->nr.
 */
struct elf_symbol *elf_symbols_grow(struct elf_symbols *symbols, uint64_t nr);
/* Make @symbols the owner of @strings, the memory that contains its names.  Then
 * elf_symbols_done() frees @strings. */
void elf_symbols_keep(struct elf_symbols *symbols, char *strings);

/* ---- elf_plt.c: make symbols for PLT stubs ---- */

/*
 * Add a symbol NAME@plt for each PLT stub, by which the file calls functions of other
 * files.  Stubs that cannot be read get no symbol.  @symbols must be empty.
 */
void elf_plt_read(const struct elf_file *file, struct elf_symbols *symbols);

/* ---- elf_debug.c: open separate debug files ---- */

/*
 * Open the separate debug file of @file.  Returns 0; -ENOENT if there is no such file; or
 * an error of elf_file_open().  The caller must call elf_file_close(@ret_debug) in any
 * case.
 */
int elf_debug_open(const struct elf_file *file, const struct elf_finder *finder,
		   struct elf_file *ret_debug);
/*
 * Unpack .gnu_debugdata of @file (compressed symbols) and open the result.  Returns 0;
 * -ENOENT if @file has no such section; -E2BIG, -ENOEXEC or -ENOMEM.  The caller must call
 * elf_file_close(@ret_mini) in any case.
 */
int elf_debug_open_mini(const struct elf_file *file, struct elf_file *ret_mini);

/* ---- the deadline of libdw, for elf_args.c and elf_params.c ---- */

/* A limit on the CPU time of one operation: a hostile file can make libdw run for hours. */
struct elf_deadline {
	uint64_t cpu_ns;		/* CPU time of the thread at which the operation
					 * must end, ns */
	bool was_missed;		/* true: an operation has exceeded its CPU time, so
					 * all later operations end at once */
};

/* Return true if the deadline has passed, or if an earlier call of this function returned
 * true. */
static inline bool elf_deadline_is_over(struct elf_deadline *deadline)
{
	deadline->was_missed |=
		clock_posix_ns(CLOCK_THREAD_CPUTIME_ID) > deadline->cpu_ns;
	return deadline->was_missed;
}

#endif
