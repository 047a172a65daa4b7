/* SPDX-License-Identifier: MIT */
/* Read the function symbols of an ELF file. */
#ifndef ULF_SYMBOLS_ELF_H
#define ULF_SYMBOLS_ELF_H

#include <stdint.h>

struct elf_finder;

/* An ELF file to read, which is already open.  The caller owns @fd and closes it. */
struct elf_source {
	int fd;
	const uint8_t *build_id;	/* the build id that the file must have */
	uint32_t build_id_bytes;	/* length of @build_id; 0: accept any file */
	uint64_t *bytes_left;		/* number of bytes of the file that may still be read;
					 * see elf_symbols_read() */
	const struct elf_finder *finder;	/* finder that opens the separate debug file
						 * of the file @fd */
};

struct elf_symbol {
	uint64_t addr;			/* address of the symbol as the file gives it, without
					 * the load address */
	uint64_t size;			/* size of the symbol in bytes; 0 if the file
					 * does not give the size */
	const char *name;
};

/*
 * Maximum length of a symbol's name in bytes.  Symbols with longer names are ignored.
 * Without the limit, each of many symbols of a hostile file could have a name as long as the
 * file.
 */
#define ELF_NAME_MAX	4096u

#define ELF_STRINGS	3		/* maximum number of string tables to which the
					 * symbols of a file refer */

struct elf_symbols {
	struct elf_symbol *rows;	/* sorted by address */
	uint32_t nr;			/* number of rows */
	char *strings[ELF_STRINGS];	/* the string tables with the names of the symbols;
					 * freed together with @rows */
	uint32_t nr_strings;
	uint64_t first, end;		/* range of the addresses of the file, as the file gives
					 * them, without the load address: the lowest address,
					 * and the end */
	struct parsed *parsed;		/* result of the parser that has read the file; the
					 * result contains the symbols' names.  NULL: the
					 * names are in @strings */
};

/*
 * elf_symbols_read - read the functions of the file at @path
 *
 * @build_id: the file must have this build id, unless @build_id_bytes is 0
 * @bytes_left: how many bytes may be read and stored; the call subtracts the number of bytes
 *	that it has read, also if it fails
 *
 * Reads separate debug files too, if the file is stripped: docs/design/symbols.md.
 *
 * Returns 0; -ENOEXEC if the file is no 64-bit ELF file, is malformed or exceeds
 * *@bytes_left; -ESTALE if the file has another build id; -ENOMEM; or an error of
 * localfile_open().  The caller frees @ret_symbols with elf_symbols_done().
 */
int elf_symbols_read(const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes, uint64_t *bytes_left,
		     struct elf_symbols *ret_symbols);
/* Read the functions of an open file.  Returns what elf_symbols_read() returns. */
int elf_symbols_parse(const struct elf_source *source, struct elf_symbols *ret_symbols);
/* Free everything that @symbols points to, and clear *@symbols. */
void elf_symbols_done(struct elf_symbols *symbols);

/*
 * Return the function that contains @addr, or NULL.  @addr is an address without the load
 * address.
 */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
					  uint64_t addr);

#endif
