/* SPDX-License-Identifier: MIT */
/* The file of an object, read with system calls alone.  Lock held. */
#ifndef ULF_RUNTIME_OBJECT_FILE_H
#define ULF_RUNTIME_OBJECT_FILE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct object_file {
	int fd;
	Elf64_Shdr *sections;
	uint32_t nr;
	uint32_t names;			/* the section with their names */
	uint64_t entry;			/* where the program begins */
};

/* Close it also if it could not be opened. */
bool object_file_open(const struct dl_phdr_info *info, struct object_file *file);
void object_file_close(struct object_file *file);
/* A copy of a section with a NUL behind it, for memory_free(); or NULL. */
void *object_file_read(const struct object_file *file, const Elf64_Shdr *section);

/* Of the segments with @flags, in memory: from where to where? */
bool object_find_range(const struct dl_phdr_info *info, uint32_t flags,
		       uint64_t *ret_low, uint64_t *ret_high);

#endif
