/* SPDX-License-Identifier: MIT */
/* An ELF file that is being read; for elf.c and elf_sites.c alone. */
#ifndef ULF_SERVER_ELF_IMPL_H
#define ULF_SERVER_ELF_IMPL_H

#include <elf.h>
#include <stdint.h>

struct elf_file {
	int fd;
	uint64_t bytes;
	uint64_t *bytes_left;		/* that may be read */
	Elf64_Ehdr head;
	Elf64_Phdr *programs;
	Elf64_Shdr *sections;
};

/* Close it also if it could not be opened. */
int elf_file_open(const char *path, const uint8_t *id, uint32_t id_bytes,
		  uint64_t *bytes_left, struct elf_file *file);
void elf_file_close(struct elf_file *file);
/* A copy of a piece, with a NUL behind it; NULL. */
void *elf_read_piece(const struct elf_file *file, uint64_t off, uint64_t bytes);

#endif
