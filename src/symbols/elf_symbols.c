/* SPDX-License-Identifier: MIT */
/*
 * Read the functions of an ELF file.  .symtab has all functions.  This section is in the
 * file itself or in its separate debug file.  If there is no .symtab, .dynsym has the
 * exported functions, and .gnu_debugdata has the others.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "symbols/elf.h"
#include "symbols/elf_debug.h"
#include "symbols/elf_impl.h"
#include "symbols/localfile.h"
#include "symbols/parse_result.h"

#define COMPARED_MAX	64u		/* maximum number of bytes of a symbol's name
					 * that compare_symbols() reads */

/* ---- read symbol tables of a file ---- */

static const Elf64_Shdr *find_symbol_table(const struct elf_file *file, uint32_t type)
{
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (file->sections[i].sh_type == type &&
		    file->sections[i].sh_link < file->head.e_shnum)
			return &file->sections[i];
	return NULL;
}

void elf_table_done(struct elf_table *table)
{
	free(table->rows);
	free(table->strings);
	*table = (struct elf_table){ 0 };
}

int elf_table_read(const struct elf_file *file, uint32_t type,
		   struct elf_table *ret_table)
{
	const Elf64_Shdr *section = find_symbol_table(file, type);
	const Elf64_Shdr *strings;
	struct elf_table table;

	*ret_table = (struct elf_table){ 0 };
	if (!section)
		return -ENOENT;
	strings = &file->sections[section->sh_link];
	table = (struct elf_table){
		.rows = elf_read_section(file, section),
		.nr = section->sh_size / sizeof(*table.rows),
		.strings = elf_read_section(file, strings),
		.strings_bytes = strings->sh_size,
	};
	if (!table.rows || !table.strings) {
		elf_table_done(&table);
		return -ENOEXEC;
	}
	*ret_table = table;
	return 0;
}

/* ---- add symbols to struct elf_symbols ---- */

/*
 * *bytes_left limits how many bytes are read and stored.  The size of the symbol table was
 * subtracted when the table was read.  The rows that are made from the table are not
 * subtracted: they take no more memory than the table, and the table is freed.
 */
static_assert(sizeof(struct elf_symbol) == sizeof(Elf64_Sym), "bytes_left");

struct elf_symbol *elf_symbols_grow(struct elf_symbols *symbols, uint64_t nr)
{
	struct elf_symbol *rows = NULL;

	if (nr < UINT32_MAX - symbols->nr)
		rows = realloc(symbols->rows,
			       (symbols->nr + nr + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	symbols->rows = rows;
	return rows + symbols->nr;
}

void elf_symbols_keep(struct elf_symbols *symbols, char *strings)
{
	assert(symbols->nr_strings < ELF_STRINGS);
	symbols->strings[symbols->nr_strings++] = strings;
}

/* Add the symbol in one row of the symbol table @table to the result.  Linkers write names as
 * NAME@VERSION or NAME@@VERSION; the version is removed. */
static bool convert_symbol(const struct elf_table *table, const Elf64_Sym *sym,
			   struct elf_symbol *ret_row)
{
	unsigned int type = ELF64_ST_TYPE(sym->st_info);
	char *name, *version;
	size_t len;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
	    sym->st_shndx == SHN_UNDEF || sym->st_name >= table->strings_bytes)
		return false;
	name = table->strings + sym->st_name;
	len = strnlen(name, ELF_NAME_MAX);
	version = memchr(name, '@', len);
	if (version)
		*version = '\0';
	if (!*name || len == ELF_NAME_MAX)
		return false;
	*ret_row = (struct elf_symbol){
		.addr = sym->st_value, .size = sym->st_size, .name = name,
	};
	return true;
}

static int add_symbol_table(const struct elf_file *file, uint32_t type,
			    struct elf_symbols *symbols)
{
	struct elf_table table;
	struct elf_symbol *rows;
	int r = elf_table_read(file, type, &table);

	if (r)
		return r;
	rows = elf_symbols_grow(symbols, table.nr);
	if (!rows) {
		elf_table_done(&table);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < table.nr; i++)
		if (convert_symbol(&table, &table.rows[i], rows)) {
			rows++;
			symbols->nr++;
		}
	elf_symbols_keep(symbols, table.strings);
	free(table.rows);
	return 0;
}

/* ---- read all symbol tables of a file ---- */

static int add_stripped_symbols(const struct elf_file *file, const struct elf_finder *finder,
				struct elf_symbols *symbols)
{
	struct elf_file other;
	int r = elf_debug_open(file, finder, &other);

	if (!r)
		r = add_symbol_table(&other, SHT_SYMTAB, symbols);
	elf_file_close(&other);
	return r;
}

static void add_mini_symbols(const struct elf_file *file, struct elf_symbols *symbols)
{
	struct elf_file mini;

	if (!elf_debug_open_mini(file, &mini))
		add_symbol_table(&mini, SHT_SYMTAB, symbols);
	elf_file_close(&mini);
}

static int add_all_symbols(const struct elf_file *file, const struct elf_finder *finder,
			   struct elf_symbols *symbols)
{
	int r;

	elf_plt_read(file, symbols);
	r = add_symbol_table(file, SHT_SYMTAB, symbols);
	if (r != -ENOENT)
		return r;
	if (!add_stripped_symbols(file, finder, symbols))
		return 0;
	add_mini_symbols(file, symbols);
	r = add_symbol_table(file, SHT_DYNSYM, symbols);
	return r == -ENOENT ? -ENOEXEC : r;
}

/*
 * Compare two symbols: by address, then by size, then by the length of the name, longest
 * first. elf_symbols_find() returns the last symbol at an address: of the largest symbols,
 * the one with the shortest name.
 */
static int compare_symbols(const void *pa, const void *pb)
{
	const struct elf_symbol *a = pa, *b = pb;
	size_t a_len, b_len;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	a_len = strnlen(a->name, COMPARED_MAX);
	b_len = strnlen(b->name, COMPARED_MAX);
	if (a_len != b_len)
		return a_len > b_len ? -1 : 1;
	return strncmp(b->name, a->name, COMPARED_MAX);
}

/* Return the end of the run of sorted rows that begins at row @from. */
static uint32_t sorted_run_end(const struct elf_symbols *symbols, uint32_t from)
{
	do
		from++;
	while (from < symbols->nr &&
	       compare_symbols(&symbols->rows[from - 1], &symbols->rows[from]) <= 0);
	return min_u32(from, symbols->nr);
}

/* Merge the sorted runs [from, middle) and [middle, end) of @rows into the same range of
 * @to. */
static void merge_sorted_runs(const struct elf_symbol *rows, uint32_t from, uint32_t middle,
			      uint32_t end, struct elf_symbol *to)
{
	for (uint32_t a = from, b = middle, at = from; at < end; at++)
		to[at] = b == end ||
			 (a < middle && compare_symbols(&rows[a], &rows[b]) <= 0) ?
			 rows[a++] : rows[b++];
}

/*
 * Sort the rows by merging.  The rows usually consist of long runs that are already sorted,
 * because linkers write symbols in this way.  Merge the runs in pairs until one run is left.
 * Returns false if there is no memory.
 */
static bool sort_symbols(struct elf_symbols *symbols)
{
	struct elf_symbol *other = NULL, *rows;

	while (symbols->nr && sorted_run_end(symbols, 0) < symbols->nr) {
		if (!other)
			other = malloc(symbols->nr * sizeof(*other));
		if (!other)
			return false;
		for (uint32_t from = 0, middle, end; from < symbols->nr; from = end) {
			middle = sorted_run_end(symbols, from);
			end = middle < symbols->nr ? sorted_run_end(symbols, middle) : middle;
			merge_sorted_runs(symbols->rows, from, middle, end, other);
		}
		rows = symbols->rows;
		symbols->rows = other;
		other = rows;
	}
	free(other);
	return true;
}

static void read_address_range(const struct elf_file *file, struct elf_symbols *symbols)
{
	symbols->first = UINT64_MAX;
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type != PT_LOAD)
			continue;
		if (program->p_vaddr < symbols->first)
			symbols->first = program->p_vaddr;
		if (program->p_vaddr + program->p_memsz > symbols->end)
			symbols->end = program->p_vaddr + program->p_memsz;
	}
}

int elf_symbols_parse(const struct elf_source *source, struct elf_symbols *ret_symbols)
{
	struct elf_symbols symbols = { 0 };
	struct elf_file file;
	int r = elf_file_open_source(source, &file);

	if (!r)
		r = add_all_symbols(&file, source->finder, &symbols);
	if (!r) {
		read_address_range(&file, &symbols);
		if (!sort_symbols(&symbols))
			r = -ENOMEM;
	}
	elf_file_close(&file);
	if (r)
		elf_symbols_done(&symbols);
	else
		*ret_symbols = symbols;
	return r;
}

int elf_symbols_read(const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes, uint64_t *bytes_left,
		     struct elf_symbols *ret_symbols)
{
	const struct elf_finder finder = elf_finder_local(path);
	struct elf_source source = {
		.build_id = build_id, .build_id_bytes = build_id_bytes,
		.bytes_left = bytes_left, .finder = &finder,
	};
	int r = localfile_open(path, &source.fd);

	if (r)
		return r;
	r = elf_symbols_parse(&source, ret_symbols);
	close(source.fd);
	return r;
}

void elf_symbols_done(struct elf_symbols *symbols)
{
	if (symbols->parsed)
		symbols->parsed->release(symbols->parsed);
	for (uint32_t i = 0; i < symbols->nr_strings; i++)
		free(symbols->strings[i]);
	free(symbols->rows);
	*symbols = (struct elf_symbols){ 0 };
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
					  uint64_t addr)
{
	uint32_t low = 0, high = symbols->nr;
	const struct elf_symbol *row;

	while (low < high) {		/* binary search for the first symbol that starts
					 * after @addr */
		uint32_t middle = low + (high - low) / 2;

		if (symbols->rows[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	row = &symbols->rows[low - 1];
	return addr - row->addr < (row->size ? row->size : 1) ? row : NULL;
}
