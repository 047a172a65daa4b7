/* SPDX-License-Identifier: MIT */
/* The function sites of an ELF file, as one of its tables of function entries lists them. */
#ifndef ULF_SYMBOLS_ELF_SITES_H
#define ULF_SYMBOLS_ELF_SITES_H

#include <stdint.h>

#include "arch/arch.h"

/* The function sites of one table of function entries.  All addresses are those in the file,
 * without the load address. */
struct elf_sites {
	enum fsite_kind kind;
	uint64_t table;			/* address of the table of function entries; for
					 * FSITE_MOVED: number of the file with the table
					 * (abi/moved_file.h) */
	uint32_t nr_rows;		/* number of rows in the table of function
					 * entries */
	uint32_t nr;			/* number of function sites; 0 if the file has
					 * none */
	uint64_t *addrs;		/* array of @nr addresses: of the function sites */
	uint32_t *rows;			/* array of @nr numbers: for each function site, its
					 * row in the table of function entries */
	uint64_t text, text_end;	/* range of the addresses of the file's code: from
					 * @text to before @text_end */
	uint64_t text_off;		/* file offset of the code at the address @text */
	uint64_t id;			/* address of the build id's bytes, as the file gives
					 * it; 0: the file has no build id */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/*
 * elf_sites_read - read the function sites of a file: from the first table of function
 * entries of @kind or of a later kind
 *
 * The other parameters and the return value are those of elf_symbols_read().  If the
 * file has no such table, returns 0 and no sites.  The caller frees @ret_sites with
 * elf_sites_done().
 */
int elf_sites_read(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
		   enum fsite_kind kind, uint64_t *bytes_left,
		   struct elf_sites *ret_sites);
/*
 * Read sites as elf_sites_read() does, for a file that is already open.  *@ret_next:
 * the next kind for which the file has a table, or FSITE_MOVED if there is no further
 * table that a compiler made.
 */
struct elf_source;
int elf_sites_parse(const struct elf_source *source, enum fsite_kind kind,
		    struct elf_sites *ret_sites, enum fsite_kind *ret_next);
/* Set the members of @sites that describe the file: the range of its code, and its build id. */
struct elf_file;
void elf_sites_read_file(const struct elf_file *file, struct elf_sites *sites);
/* Free the arrays of @sites, and clear *@sites. */
void elf_sites_done(struct elf_sites *sites);

#endif
