/* SPDX-License-Identifier: MIT */
/*
 * A table of entries is a section, whose content is addresses.  In a file that can
 * be loaded anywhere those are to be relocated: what they will be, but for the
 * load address, is in the relocations.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "server/elf_impl.h"
#include "server/elf_sites.h"

static void relocate(const struct elf_file *file, const Elf64_Shdr *section,
		     struct elf_sites *sites)
{
	const uint64_t bytes = (uint64_t)sites->nr * sizeof(*sites->addrs);
	Elf64_Rela *rows = elf_read_piece(file, section->sh_offset, section->sh_size);

	for (uint64_t i = 0; rows && i < section->sh_size / sizeof(*rows); i++) {
		uint64_t at = rows[i].r_offset - sites->table;

		if (at < bytes && at % sizeof(*sites->addrs) == 0 &&
		    ELF64_R_TYPE(rows[i].r_info) == R_X86_64_RELATIVE)
			sites->addrs[at / sizeof(*sites->addrs)] =
				(uint64_t)rows[i].r_addend;
	}
	free(rows);
}

static int read_addrs(const struct elf_file *file, struct elf_sites *sites)
{
	const Elf64_Shdr *table = elf_find_section(file, "__patchable_function_entries");

	if (!table || table->sh_type != SHT_PROGBITS ||
	    !(table->sh_flags & SHF_ALLOC) ||
	    table->sh_size / sizeof(*sites->addrs) > UINT32_MAX)
		return 0;
	sites->addrs = elf_read_piece(file, table->sh_offset, table->sh_size);
	if (!sites->addrs)
		return -ENOMEM;
	sites->table = table->sh_addr;
	sites->nr = (uint32_t)(table->sh_size / sizeof(*sites->addrs));
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (file->sections[i].sh_type == SHT_RELA &&
		    file->sections[i].sh_flags & SHF_ALLOC)
			relocate(file, &file->sections[i], sites);
	return 0;
}

static void read_text(const struct elf_file *file, struct elf_sites *sites)
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

static void read_id(const struct elf_file *file, struct elf_sites *sites)
{
	sites->id = file->id.addr;
	sites->build_id_bytes = file->id.bytes;
	memcpy(sites->build_id, file->id.id, sizeof(sites->build_id));
}

int elf_sites_read(const char *path, uint64_t *bytes_left,
		   struct elf_sites *ret_sites)
{
	struct elf_sites sites = { 0 };
	struct elf_file file;
	int r = elf_file_open(path, NULL, 0, bytes_left, &file);

	if (!r)
		r = read_addrs(&file, &sites);
	if (!r) {
		read_text(&file, &sites);
		read_id(&file, &sites);
	}
	elf_file_close(&file);
	if (r)
		elf_sites_done(&sites);
	else
		*ret_sites = sites;
	return r;
}

void elf_sites_done(struct elf_sites *sites)
{
	free(sites->addrs);
	*sites = (struct elf_sites) { 0 };
}
