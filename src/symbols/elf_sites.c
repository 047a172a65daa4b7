/* SPDX-License-Identifier: MIT */
/*
 * Find the function sites of a file.  A table of function entries is a section that contains
 * addresses of functions.  In a position-independent file the dynamic linker computes these
 * addresses, so this code takes them from the relocations, without the load address.  The
 * instructions at a function entry decide whether a process can trace the function.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_sites.h"
#include "symbols/localfile.h"

#define ROWS_MAX	4000000u	/* maximum number of rows of a table of function
					 * entries; a larger table is ignored */

static void relocate_addrs(const struct elf_file *file, const Elf64_Shdr *section,
			   uint64_t table, char *content, uint64_t bytes)
{
	Elf64_Rela *rows = elf_read_bytes(file, section->sh_offset, section->sh_size);

	for (uint64_t i = 0; rows && i < section->sh_size / sizeof(*rows); i++) {
		uint64_t at = rows[i].r_offset - table;

		if (at < bytes && bytes - at >= sizeof(rows[i].r_addend) &&
		    ELF64_R_TYPE(rows[i].r_info) == ARCH_RELOC_RELATIVE)
			memcpy(content + at, &rows[i].r_addend,
			       sizeof(rows[i].r_addend));
	}
	free(rows);
}

/*
 * Return the first table of function entries of @kind or of a later kind, and set
 * *@ret_kind.  If there is no such table, return NULL and set *@ret_kind to
 * FSITE_TABLES.
 */
static const Elf64_Shdr *find_site_table(const struct elf_file *file, enum fsite_kind kind,
					 enum fsite_kind *ret_kind)
{
	for (; kind < FSITE_TABLES; kind++) {
		const Elf64_Shdr *table =
			elf_find_section(file, fsite_tables[kind].section);

		*ret_kind = kind;
		if (table && table->sh_type == SHT_PROGBITS &&
		    table->sh_flags & SHF_ALLOC)
			return table;
	}
	*ret_kind = FSITE_TABLES;
	return NULL;
}

static int read_entry_addrs(const struct elf_file *file, enum fsite_kind kind,
			    struct elf_sites *sites, enum fsite_kind *ret_next)
{
	const Elf64_Shdr *table = find_site_table(file, kind, &kind);
	uint32_t row_bytes;
	char *content;

	*ret_next = kind;
	if (!table)
		return 0;
	find_site_table(file, kind + 1, ret_next);
	sites->kind = kind;
	row_bytes = fsite_tables[sites->kind].row_bytes;
	if (table->sh_size / row_bytes > ROWS_MAX)
		return 0;
	content = elf_read_bytes(file, table->sh_offset, table->sh_size);
	sites->table = table->sh_addr;
	sites->nr_rows = (uint32_t)(table->sh_size / row_bytes);
	sites->addrs = calloc(sites->nr_rows + 1ul, sizeof(*sites->addrs));
	for (uint32_t i = 0; content && i < file->head.e_shnum; i++)
		if (file->sections[i].sh_type == SHT_RELA &&
		    file->sections[i].sh_flags & SHF_ALLOC)
			relocate_addrs(file, &file->sections[i], table->sh_addr, content,
				       table->sh_size);
	for (uint32_t i = 0; content && sites->addrs && i < sites->nr_rows; i++) {
		uint64_t at = (uint64_t)i * row_bytes;

		sites->addrs[i] = fsite_row_addr(sites->kind,
						 (uint8_t *)content + at,
						 table->sh_addr + at);
	}
	free(content);
	return !content ? -ENOEXEC : sites->addrs ? 0 : -ENOMEM;
}

static void read_text_range(const struct elf_file *file, struct elf_sites *sites)
{
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type != PT_LOAD || !(program->p_flags & PF_X) ||
		    sites->text_end)
			continue;
		sites->text = program->p_vaddr;
		sites->text_end = program->p_vaddr + program->p_filesz;
		sites->text_off = program->p_offset;
	}
}

/*
 * Return the address of the function site for the function entry @addr.  Returns 0 if
 * the function cannot be traced.
 */
static uint64_t find_site_of_entry(const struct elf_sites *sites, const uint8_t *text,
				   uint64_t addr)
{
	uint32_t nr, at;

	if (addr < sites->text || addr >= sites->text_end)
		return 0;
	nr = (uint32_t)min_u64(sites->text_end - addr, FSITE_LOOK_MAX);
	if (fsite_form(sites->kind, text + (addr - sites->text), nr, &at) == FSITE_OTHER)
		return 0;
	return addr + at;
}

/* Remove the rows of the table whose function entry has no site.  If several rows have the
 * same site, keep the first row. */
static int find_sites(const struct elf_file *file, struct elf_sites *sites)
{
	uint64_t bytes = sites->text_end - sites->text;
	uint8_t *text, *seen;

	if (!sites->nr_rows)
		return 0;
	/* Read the whole code of the file at once, because the function entries are not
	 * sorted. */
	text = elf_read_bytes(file, sites->text_off, bytes);
	if (!text)
		return -ENOEXEC;
	sites->rows = calloc(sites->nr_rows, sizeof(*sites->rows));
	seen = calloc(1, bytes / 8 + 1);
	for (uint32_t i = 0; sites->rows && seen && i < sites->nr_rows; i++) {
		uint64_t site = find_site_of_entry(sites, text, sites->addrs[i]);

		if (!site || fsite_is_twin(seen, site - sites->text))
			continue;
		sites->addrs[sites->nr] = site;
		sites->rows[sites->nr++] = i;
	}
	free(text);
	free(seen);
	return sites->rows && seen ? 0 : -ENOMEM;
}

void elf_sites_read_file(const struct elf_file *file, struct elf_sites *sites)
{
	read_text_range(file, sites);
	sites->id = file->id.addr;
	sites->build_id_bytes = file->id.bytes;
	memcpy(sites->build_id, file->id.id, sizeof(sites->build_id));
}

int elf_sites_parse(const struct elf_source *source, enum fsite_kind kind,
		    struct elf_sites *ret_sites, enum fsite_kind *ret_next)
{
	struct elf_sites sites = { 0 };
	struct elf_file file;
	int r = elf_file_open_source(source, &file);

	*ret_next = FSITE_TABLES;
	if (!r)
		r = read_entry_addrs(&file, kind, &sites, ret_next);
	if (!r) {
		elf_sites_read_file(&file, &sites);
		r = find_sites(&file, &sites);
	}
	elf_file_close(&file);
	if (r)
		elf_sites_done(&sites);
	else
		*ret_sites = sites;
	return r;
}

int elf_sites_read(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
		   enum fsite_kind kind, uint64_t *bytes_left,
		   struct elf_sites *ret_sites)
{
	struct elf_source source = {
		.build_id = build_id, .build_id_bytes = build_id_bytes,
		.bytes_left = bytes_left,
	};
	int r = localfile_open(path, &source.fd);

	if (r)
		return r;
	r = elf_sites_parse(&source, kind, ret_sites, &kind);
	close(source.fd);
	return r;
}

void elf_sites_done(struct elf_sites *sites)
{
	free(sites->addrs);
	free(sites->rows);
	*sites = (struct elf_sites){ 0 };
}
