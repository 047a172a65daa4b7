/* SPDX-License-Identifier: MIT */
/* Read and write the cache files of tables of moved functions; see elf_moved_cache.h. */
#include "symbols/elf_moved_cache.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "mover/mover.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_moved.h"

/* ---- check that the code is the code that was analysed ---- */

/* Return the segment of @file that contains all of the text described by @head; NULL if there
 * is none. */
static const Elf64_Phdr *find_text(const struct elf_file *file, const struct moved_head *head)
{
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type == PT_LOAD &&
		    head->text - program->p_vaddr < program->p_filesz &&
		    head->text_end - head->text <=
		    program->p_filesz - (head->text - program->p_vaddr))
			return program;
	}
	return NULL;
}

/* Return true if the table @head was made from the code of @file. */
static bool is_same_code(const struct elf_file *file, const struct moved_head *head)
{
	const Elf64_Phdr *program = find_text(file, head);
	uint64_t bytes = head->text_end - head->text;
	uint8_t *code;
	bool is_same;

	code = program ? elf_read_bytes(file, head->text - program->p_vaddr + program->p_offset,
					bytes) : NULL;
	is_same = code && moved_hash(code, bytes) == head->text_hash;
	free(code);
	return is_same;
}

static bool is_same_build_id(const struct elf_file *file, const struct moved_head *head)
{
	return head->build_id_bytes == file->id.bytes &&
	       !memcmp(head->build_id, file->id.id, file->id.bytes);
}

/* ---- read ---- */

/* Read exactly @bytes bytes from the current position of @fd.  Returns false if there are
 * fewer. */
static bool read_all(int fd, void *to, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes; ) {
		ssize_t n = read(fd, (char *)to + done, bytes - done);

		if (n <= 0)
			return false;
		done += (uint64_t)n;
	}
	return true;
}

static bool is_head_valid(int fd, const struct elf_moved_kept *kept)
{
	struct stat st;

	return kept->magic == ELF_MOVED_KEPT_MAGIC && kept->head_bytes == sizeof(*kept) &&
	       kept->analyser && kept->analyser == mover_build() &&
	       kept->table_bytes <= MOVED_BYTES_MAX && !fstat(fd, &st) &&
	       (uint64_t)st.st_size == sizeof(*kept) + kept->table_bytes;
}

bool elf_moved_cache_read(int fd, const struct elf_file *file, struct elf_moved *moved)
{
	struct elf_moved_kept kept;
	struct moved_head *table;

	if (!read_all(fd, &kept, sizeof(kept)) || !is_head_valid(fd, &kept))
		return false;
	table = malloc(kept.table_bytes + 1);
	if (!table || !read_all(fd, table, kept.table_bytes) ||
	    moved_hash((const uint8_t *)table, kept.table_bytes) != kept.table_hash ||
	    !moved_check(table, kept.table_bytes) || !is_same_build_id(file, table) ||
	    !is_same_code(file, table)) {
		free(table);
		return false;
	}
	moved->head = table;
	moved->bytes = kept.table_bytes;
	return true;
}

/* ---- write ---- */

static bool write_all(int fd, const void *data, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes; ) {
		ssize_t n = write(fd, (const char *)data + done, bytes - done);

		if (n <= 0)
			return false;
		done += (uint64_t)n;
	}
	return true;
}

bool elf_moved_cache_write(int fd, const struct elf_file *file, const struct elf_moved *moved)
{
	const struct elf_moved_kept kept = {
		.magic = ELF_MOVED_KEPT_MAGIC, .head_bytes = sizeof(kept),
		.analyser = mover_build(), .table_bytes = moved->bytes,
		.table_hash = moved_hash((const uint8_t *)moved->head, moved->bytes),
	};

	return kept.analyser && find_text(file, moved->head) &&
	       write_all(fd, &kept, sizeof(kept)) && write_all(fd, moved->head, moved->bytes);
}
