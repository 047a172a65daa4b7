/* SPDX-License-Identifier: MIT */
/* Find the build id of this program in memory; see own_id.h. */
#include "base/own_id.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NOTE_NAME	"GNU"
#define ALIGN_NOTE(n)	(((n) + 3ul) & ~3ul)

/* Hash @nr bytes at @bytes (FNV-1a).  The result is never 0. */
static uint64_t hash_bytes(const uint8_t *bytes, size_t nr)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash ? hash : 1;
}

/* Returns a number made of the build id in the notes at @at, or 0 if they have none.  The
 * linker has written the notes, so their sizes are right. */
static uint64_t read_notes(const char *at, size_t bytes)
{
	ElfW(Nhdr) note;

	while (bytes >= sizeof(note)) {
		size_t all;

		memcpy(&note, at, sizeof(note));
		all = sizeof(note) + ALIGN_NOTE(note.n_namesz) + ALIGN_NOTE(note.n_descsz);
		if (all > bytes)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(at + sizeof(note), NOTE_NAME, sizeof(NOTE_NAME)))
			return hash_bytes((const uint8_t *)at + sizeof(note) +
					  ALIGN_NOTE(note.n_namesz), note.n_descsz);
		at += all;
		bytes -= all;
	}
	return 0;
}

/* Callback of dl_iterate_phdr(): reads the build id of the first object, which
 * is the program. */
static int read_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t *ret_id = arg;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum && !*ret_id; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			*ret_id = read_notes((const char *)info->dlpi_addr +
					     info->dlpi_phdr[i].p_vaddr,
					     info->dlpi_phdr[i].p_memsz);
	return 1;
}

uint64_t own_id(void)
{
	uint64_t id = 0;

	dl_iterate_phdr(read_program, &id);
	return id;
}
