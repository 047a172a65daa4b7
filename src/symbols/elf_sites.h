/* SPDX-License-Identifier: MIT */
/* The function entries that can be made jumps, of one table of a file. */
#ifndef ULF_SERVER_ELF_SITES_H
#define ULF_SERVER_ELF_SITES_H

#include <stdint.h>

#include "arch/x86_64/fsite_form.h"

/* All addresses are as in the file: without load address. */
struct elf_sites {
	enum fsite_kind kind;
	uint64_t table;			/* where it is */
	uint32_t nr_rows;		/* of the table */
	uint32_t nr;			/* sites; 0: it has none */
	uint64_t *addrs;		/* [nr] */
	uint32_t *rows;			/* [nr]: their places in the table */
	uint64_t text, text_end;	/* what of it is executable */
	uint64_t text_off;		/* in the file, of `text` */
	uint64_t id;			/* of the build id's bytes; 0: none */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* The first table that it has of @kind or of those behind it.  The rest, and -errno, as
 * elf_symbols_read() has them. */
int elf_sites_read(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
		   enum fsite_kind kind, uint64_t *bytes_left,
		   struct elf_sites *ret_sites);
/* elf_sites_read() for a file that is open.  @ret_next: the next kind of which the file
 * has a table; FSITE_KINDS: none. */
struct elf_source;
int elf_sites_parse(const struct elf_source *source, enum fsite_kind kind,
		    struct elf_sites *ret_sites, enum fsite_kind *ret_next);
void elf_sites_done(struct elf_sites *sites);

#endif
