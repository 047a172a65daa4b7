/* SPDX-License-Identifier: MIT */
/* Read the file of an object, with system calls only.  The caller holds runtime_lock(). */
#ifndef ULF_RUNTIME_OBJECT_FILE_H
#define ULF_RUNTIME_OBJECT_FILE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct object_file {
	int fd;				/* the open file, or -1 */
	Elf64_Shdr *sections;		/* copy of the @nr section headers */
	uint32_t nr;			/* number of sections */
	uint32_t names;			/* index of the section with the names of sections */
	uint64_t entry;			/* address of the program's entry, in the file
					 * (e_entry) */
};

/* Open the file of the object @info and read its section headers.  Returns false after an
 * error.  The caller must call object_file_close() even after an error. */
bool object_file_open(const struct dl_phdr_info *info, struct object_file *file);
/* Close the file and free the section headers. */
void object_file_close(struct object_file *file);
/* Returns a copy of a section, with a NUL after its last byte.  Returns NULL if there is no
 * memory, or after a read error.  The caller frees the copy with memory_free(). */
void *object_file_read(const struct object_file *file, const Elf64_Shdr *section);

/* Returns the bias of the program: the address of its entry in memory (AT_ENTRY) minus
 * the address of the entry in the program's file.  Returns 0 if the file cannot be
 * read. */
uint64_t object_file_program_bias(void);

/* Get the range of the segments of @info that have all the flags @flags (PF_...): the
 * lowest address and the end, in memory.  Only bytes that are in the file count.
 * Returns false if there is no such segment.  Needs no lock. */
bool object_find_range(const struct dl_phdr_info *info, uint32_t flags,
		       uint64_t *ret_low, uint64_t *ret_high);

#endif
