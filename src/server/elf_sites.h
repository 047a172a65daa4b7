/* SPDX-License-Identifier: MIT */
/* The function entries that a compiler has left room at. */
#ifndef ULF_SERVER_ELF_SITES_H
#define ULF_SERVER_ELF_SITES_H

#include <stdint.h>

/* All addresses are as in the file: without load address. */
struct elf_sites {
	uint64_t table;			/* where it has their addresses */
	uint32_t nr;			/* 0: it has none */
	uint64_t *addrs;		/* [nr] */
	uint64_t text, text_end;	/* what of it is executable */
	uint64_t text_off;		/* in the file, of `text` */
	uint64_t id;			/* of the build id's bytes; 0: none */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* -errno as elf_symbols_read() has them. */
int elf_sites_read(const char *path, uint64_t *bytes_left,
		   struct elf_sites *ret_sites);
void elf_sites_done(struct elf_sites *sites);

#endif
