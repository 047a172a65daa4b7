/* SPDX-License-Identifier: MIT */
/* Decide whether the functions of a file may be moved, and start the analysis of its code. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_moved.h"
#include "symbols/elf_moved_cache.h"
#include "symbols/elf_sites.h"

#define NAME_BYTES	256u		/* maximum length of a name in DT_SONAME, bytes */

/* ---- find out what kind of ELF file it is ---- */

static const Elf64_Phdr *find_program(const struct elf_file *file, uint32_t type)
{
	for (uint32_t i = 0; i < file->head.e_phnum; i++)
		if (file->programs[i].p_type == type)
			return &file->programs[i];
	return NULL;
}

/* Return the file offset of the byte that is loaded to @addr; 0 if the file contains no such
 * byte. */
static uint64_t offset_of(const struct elf_file *file, uint64_t addr)
{
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type == PT_LOAD && addr - program->p_vaddr < program->p_filesz)
			return addr - program->p_vaddr + program->p_offset;
	}
	return 0;
}

/* Return the value of the entry @tag of the dynamic section; 0 if there is no such entry. */
static uint64_t dynamic_value(const Elf64_Dyn *rows, uint64_t nr, int64_t tag)
{
	for (uint64_t i = 0; i < nr && rows[i].d_tag != DT_NULL; i++)
		if (rows[i].d_tag == tag)
			return rows[i].d_un.d_val;
	return 0;
}

/* Return DT_SONAME, the name by which other files link with the file, or NULL.  The caller
 * frees the name. */
static char *read_soname(const struct elf_file *file)
{
	const Elf64_Phdr *dynamic = find_program(file, PT_DYNAMIC);
	Elf64_Dyn *rows = dynamic ? elf_read_bytes(file, dynamic->p_offset,
						   dynamic->p_filesz) : NULL;
	uint64_t nr = dynamic ? dynamic->p_filesz / sizeof(*rows) : 0;
	uint64_t name = rows ? dynamic_value(rows, nr, DT_SONAME) : 0;
	uint64_t strings = name ? offset_of(file, dynamic_value(rows, nr, DT_STRTAB)) : 0;
	char *soname = NULL;

	if (strings && strings < file->bytes && name < file->bytes - strings)
		soname = elf_read_bytes(file, strings + name,
					min_u64(NAME_BYTES, file->bytes - strings - name));
	free(rows);
	return soname;
}

static bool starts_with(const char *text, const char *start)
{
	return text && !strncmp(text, start, strlen(start));
}

/* Return true if the file contains libulf: libulf.so, or a program that is linked with libulf.a,
 * has the section .bodies (ftrace.S). */
static bool has_libulf(const struct elf_file *file, const char *soname)
{
	return elf_find_section(file, ".bodies") || starts_with(soname, "libulf.so");
}

/* Return true if @soname is the name of a dynamic linker. */
static bool is_linker(const char *soname)
{
	return starts_with(soname, "ld-linux") || starts_with(soname, "ld.so") ||
	       starts_with(soname, "ld64.so");
}

/* ---- the table ---- */

static void read_range(const struct elf_file *file, struct elf_moved *moved)
{
	moved->first = UINT64_MAX;
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type != PT_LOAD)
			continue;
		moved->first = min_u64(moved->first, program->p_vaddr);
		if (program->p_vaddr + program->p_memsz > moved->end)
			moved->end = program->p_vaddr + program->p_memsz;
	}
}

static enum elf_left_out left_out_by(int error)
{
	return error == -ENOENT ? ELF_LEFT_OUT_UNREADABLE : ELF_LEFT_OUT_FAILED;
}

/* Analyse the code of the file.  If that is not possible, the file has no table of moved
 * functions, but this is not an error of the parser. */
static int analyse_file(const struct elf_source *source, struct elf_moved *moved)
{
	const struct mover_limits limits = MOVER_LIMITS;
	struct text table;
	int r;

	text_init(&table, MOVED_BYTES_MAX);
	r = mover_analyse(source, &limits, &table);
	if (r) {
		text_done(&table);
		moved->left_out = left_out_by(r);
		return r == -ENOMEM ? r : 0;
	}
	moved->head = (struct moved_head *)table.data;
	moved->bytes = table.len;
	return 0;
}

/* Read the table of moved functions from the cache.  If the cache does not have it, analyse
 * the code, and write the table to the cache. */
static int find_table(const struct elf_source *source, const struct elf_file *file,
		      struct elf_moved_cache *cache, struct elf_moved *moved)
{
	int r = 0;

	cache->is_old_used = cache->old_fd >= 0 &&
			     elf_moved_cache_read(cache->old_fd, file, moved);
	if (!cache->is_old_used)
		r = analyse_file(source, moved);
	cache->is_new_written = !cache->is_old_used && moved->head && cache->new_fd >= 0 &&
				elf_moved_cache_write(cache->new_fd, file, moved);
	return r;
}

static void refuse_row(struct moved_head *head, struct moved_row *row, enum moved_reason reason)
{
	*row = (struct moved_row){
		.vaddr = row->vaddr, .bytes = row->bytes, .class = MOVED_REFUSED,
		.reason = (uint8_t)reason, .lead = row->lead,
	};
	head->nr_refused++;
}

/* Refuse all functions.  System calls are not refused: the hooks around them neither need the
 * dynamic linker nor wait. */
static void refuse_all(struct moved_head *head)
{
	for (uint32_t i = 0; i < head->nr_rows; i++) {
		const struct moved_row *row = &moved_rows(head)[i];

		if (row->class != MOVED_REFUSED)
			refuse_row(head, (struct moved_row *)row, MOVED_BY_LINKER);
	}
}

int elf_moved_parse(const struct elf_source *source, struct elf_moved_cache *cache,
		    struct elf_sites *ret_sites, struct elf_moved *ret_moved)
{
	struct elf_sites sites = { .kind = FSITE_MOVED };
	struct elf_moved moved = { .left_out = ELF_LEFT_OUT_NONE };
	struct elf_file file;
	char *soname = NULL;
	int r = elf_file_open_source(source, &file);

	if (!r) {
		elf_sites_read_file(&file, &sites);
		read_range(&file, &moved);
		soname = read_soname(&file);
		if (has_libulf(&file, soname))
			moved.left_out = ELF_LEFT_OUT_LIBULF;
		else
			r = find_table(source, &file, cache, &moved);
	}
	if (!r && moved.head && is_linker(soname))
		refuse_all(moved.head);
	free(soname);
	elf_file_close(&file);
	if (r)
		return r;
	*ret_sites = sites;
	*ret_moved = moved;
	return 0;
}

/* ---- names ---- */

/*
 * Find the row of the function that begins at @addr.  The address in the row may be some bytes
 * (row->lead) higher, because a jump leaves these bytes as they are.
 */
static const struct moved_row *find_row(const struct moved_head *head, uint64_t addr)
{
	for (uint32_t lead = 0; lead <= MOVED_LEAD_MAX; lead++) {
		const struct moved_row *row = moved_find(head, addr + lead);

		if (row && (row->lead == lead || !lead))
			return row;
	}
	return NULL;
}

void elf_moved_refuse_names(struct elf_moved *moved, const struct elf_symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->nr; i++) {
		enum moved_reason reason = mover_unsafe_name(symbols->rows[i].name);
		const struct moved_row *row;

		if (reason == MOVED_BY_NONE)
			continue;
		row = find_row(moved->head, symbols->rows[i].addr);
		if (row && row->class != MOVED_REFUSED)
			refuse_row(moved->head, (struct moved_row *)row, reason);
	}
}
