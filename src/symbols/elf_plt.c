/* SPDX-License-Identifier: MIT */
/*
 * Add symbols NAME@plt for PLT stubs, by which an object calls functions of other
 * objects.  No symbol table lists the stubs.  Each stub jumps to the address in a word
 * of data, and the relocation of this word has the name of the function.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/text.h"
#include "symbols/elf.h"
#include "symbols/elf_impl.h"

/* The relocations of a file, sorted by the address of the word that they change. */
struct relocations {
	Elf64_Rela *rows;
	uint64_t nr;
};

static int compare_relocations(const void *pa, const void *pb)
{
	const Elf64_Rela *a = pa, *b = pb;

	return (a->r_offset > b->r_offset) - (a->r_offset < b->r_offset);
}

static struct relocations read_relocations(const struct elf_file *file,
					   const char *name)
{
	const Elf64_Shdr *section = elf_find_section(file, name);
	struct relocations all = { .rows = elf_read_section(file, section) };

	if (all.rows) {
		all.nr = section->sh_size / sizeof(*all.rows);
		qsort(all.rows, all.nr, sizeof(*all.rows), compare_relocations);
	}
	return all;
}

/* Return the name of the symbol in the relocation for the word at @addr, or NULL if there is
 * no such relocation. */
static const char *relocation_name(const struct relocations *all,
				   const struct elf_table *symbols, uint64_t addr)
{
	Elf64_Rela wanted = { .r_offset = addr };
	const Elf64_Rela *found = all->nr ?
		bsearch(&wanted, all->rows, all->nr, sizeof(wanted),
			compare_relocations) : NULL;
	uint64_t nr = found ? ELF64_R_SYM(found->r_info) : 0;
	const char *name;

	if (!nr || nr >= symbols->nr ||
	    symbols->rows[nr].st_name >= symbols->strings_bytes)
		return NULL;
	name = symbols->strings + symbols->rows[nr].st_name;
	return *name && strnlen(name, ELF_NAME_MAX) < ELF_NAME_MAX ? name : NULL;
}

/* ---- make symbols for the PLT stubs ---- */

struct plt {
	const struct elf_file *file;
	struct elf_table table;
	struct text names;		/* names of the symbols, in the order of their
					 * rows, each with a NUL */
};

static void add_plt_entries(struct plt *plt, const char *section_name,
			    const char *relocations_name, struct elf_symbols *symbols)
{
	const Elf64_Shdr *section = elf_find_section(plt->file, section_name);
	uint8_t *code = elf_read_section(plt->file, section);
	uint64_t step = section && section->sh_entsize == 8 ? 8 : 16;
	uint64_t nr = code ? section->sh_size / step : 0;
	struct elf_symbol *rows = nr ? elf_symbols_grow(symbols, nr) : NULL;
	struct relocations all = { 0 };

	if (rows)
		all = read_relocations(plt->file, relocations_name);
	for (uint64_t i = 0; all.nr && i < nr; i++) {
		uint64_t addr = section->sh_addr + i * step;
		const char *name = relocation_name(&all, &plt->table,
						   arch_plt_word(code + i * step, step, addr));

		if (!name)
			continue;
		text_printf(&plt->names, "%s@plt%c", name, 0);
		*rows++ = (struct elf_symbol){ .addr = addr, .size = step };
		symbols->nr++;
	}
	free(all.rows);
	free(code);
}

/* Make the symbols point to their names.  This must be the last step: until all names
 * are added, plt->names may move in memory. */
static void set_plt_names(struct plt *plt, struct elf_symbols *symbols)
{
	char *name = plt->names.data;

	for (uint32_t i = 0; i < symbols->nr; i++) {
		symbols->rows[i].name = name;
		name += strlen(name) + 1;
	}
	*plt->file->bytes_left -= plt->names.len;
	elf_symbols_keep(symbols, plt->names.data);
}

void elf_plt_read(const struct elf_file *file, struct elf_symbols *symbols)
{
	struct plt plt = { .file = file };

	if (elf_table_read(file, SHT_DYNSYM, &plt.table))
		return;
	text_init(&plt.names, *file->bytes_left);
	add_plt_entries(&plt, ".plt", ".rela.plt", symbols);
	add_plt_entries(&plt, ".plt.sec", ".rela.plt", symbols);
	add_plt_entries(&plt, ".plt.got", ".rela.dyn", symbols);
	/*
	 * Check the length of the names against bytes_left again.  text_init() has limited
	 * the length to bytes_left, but reading sections has lowered bytes_left since.
	 */
	if (plt.names.error || plt.names.len > *file->bytes_left || !symbols->nr) {
		symbols->nr = 0;
		text_done(&plt.names);
	} else {
		set_plt_names(&plt, symbols);
	}
	elf_table_done(&plt.table);
}
