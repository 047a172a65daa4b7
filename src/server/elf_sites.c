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

static const Elf64_Shdr *find_table(const struct elf_file *file)
{
	const Elf64_Shdr *names = file->head.e_shstrndx < file->head.e_shnum ?
				  &file->sections[file->head.e_shstrndx] : NULL;
	const Elf64_Shdr *found = NULL;
	char *text;

	text = names ? elf_read_piece(file, names->sh_offset, names->sh_size) : NULL;
	for (uint32_t i = 0; text && i < file->head.e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_flags & SHF_ALLOC && section->sh_name < names->sh_size &&
		    !strcmp(text + section->sh_name, "__patchable_function_entries"))
			found = section;
	}
	free(text);
	return found;
}

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
	const Elf64_Shdr *table = find_table(file);

	if (!table || table->sh_type != SHT_PROGBITS ||
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

static void find_id(const char *notes, const Elf64_Phdr *program,
		    struct elf_sites *sites)
{
	uint64_t at = 0;

	while (program->p_filesz - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + ALIGN_UP((uint64_t)note.n_namesz, 4);
		at = desc + ALIGN_UP((uint64_t)note.n_descsz, 4);
		if (at > program->p_filesz)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) &&
		    note.n_descsz <= sizeof(sites->build_id)) {
			sites->id = program->p_vaddr + desc;
			sites->build_id_bytes = note.n_descsz;
			memcpy(sites->build_id, notes + desc, note.n_descsz);
			return;
		}
	}
}

static void read_id(const struct elf_file *file, struct elf_sites *sites)
{
	for (uint32_t i = 0; i < file->head.e_phnum && !sites->id; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		char *notes;

		if (program->p_type != PT_NOTE)
			continue;
		notes = elf_read_piece(file, program->p_offset, program->p_filesz);
		if (notes)
			find_id(notes, program, sites);
		free(notes);
	}
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
