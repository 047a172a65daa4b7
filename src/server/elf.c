/* SPDX-License-Identifier: MIT */
/*
 * Reading ELF files: .symtab (or .dynsym), the build id, constant strings.  The
 * path comes out of shared memory, so the file may be anything: it is opened
 * without waiting, read into memory of ours piece by piece, not more than was
 * allowed, and every offset in it is checked.
 */
#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "server/elf.h"
#include "server/elf_impl.h"
#include "server/localfile.h"

#define STRING_BYTES_MAX	4096u
#define STRING_READ_MAX		(16u << 20)	/* to find one */

void *elf_read_piece(const struct elf_file *file, uint64_t off, uint64_t bytes)
{
	char *piece;

	if (bytes > *file->bytes_left || off > file->bytes ||
	    bytes > file->bytes - off)
		return NULL;
	*file->bytes_left -= bytes;
	piece = malloc(bytes + 1);
	if (!piece)
		return NULL;
	if (pread(file->fd, piece, bytes, (off_t)off) != (ssize_t)bytes) {
		free(piece);
		return NULL;
	}
	piece[bytes] = '\0';
	return piece;
}

static int file_read_heads(const char *path, struct elf_file *file)
{
	struct stat st;
	int r = localfile_open(path, &file->fd);

	if (r)
		return r;
	if (fstat(file->fd, &st))
		return -errno;
	file->bytes = (uint64_t)st.st_size;
	if (pread(file->fd, &file->head, sizeof(file->head), 0) !=
	    sizeof(file->head) ||
	    memcmp(file->head.e_ident, ELFMAG, SELFMAG) ||
	    file->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file->head.e_phentsize != sizeof(Elf64_Phdr) ||
	    file->head.e_shentsize != sizeof(Elf64_Shdr))
		return -ENOEXEC;
	file->programs = elf_read_piece(file, file->head.e_phoff,
				    file->head.e_phnum * sizeof(Elf64_Phdr));
	file->sections = elf_read_piece(file, file->head.e_shoff,
				    file->head.e_shnum * sizeof(Elf64_Shdr));
	return file->programs && file->sections ? 0 : -ENOEXEC;
}

void elf_file_close(struct elf_file *file)
{
	free(file->programs);
	free(file->sections);
	if (file->fd >= 0)
		close(file->fd);
}

/* Is there a build id note with these bytes? */
static bool notes_have_id(const char *notes, uint64_t bytes,
			  const uint8_t *id, uint32_t id_bytes)
{
	while (bytes >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, size;

		memcpy(&note, notes, sizeof(note));
		name = sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		size = name + (((uint64_t)note.n_descsz + 3) & ~3ull);
		if (size > bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + sizeof(note), "GNU", 4) &&
		    note.n_descsz >= id_bytes)
			return !memcmp(notes + name, id, id_bytes);
		notes += size;
		bytes -= size;
	}
	return false;
}

static bool has_build_id(const struct elf_file *file, const uint8_t *id,
			 uint32_t id_bytes)
{
	bool is_found = false;

	for (uint32_t i = 0; i < file->head.e_phnum && !is_found; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		char *notes;

		if (program->p_type != PT_NOTE)
			continue;
		notes = elf_read_piece(file, program->p_offset, program->p_filesz);
		is_found = notes && notes_have_id(notes, program->p_filesz, id,
						  id_bytes);
		free(notes);
	}
	return is_found;
}

int elf_file_open(const char *path, const uint8_t *id, uint32_t id_bytes,
		  uint64_t *bytes_left, struct elf_file *file)
{
	int r;

	*file = (struct elf_file) { .fd = -1, .bytes_left = bytes_left };
	r = file_read_heads(path, file);
	if (!r && id_bytes && !has_build_id(file, id, id_bytes))
		r = -ESTALE;
	return r;
}

static const Elf64_Shdr *find_section(const struct elf_file *file, uint32_t type)
{
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (file->sections[i].sh_type == type &&
		    file->sections[i].sh_link < file->head.e_shnum)
			return &file->sections[i];
	return NULL;
}

static int compare_symbols(const void *pa, const void *pb)
{
	const struct elf_symbol *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->size > b->size) - (a->size < b->size);
}

/* They take no more room than the table, which is given back. */
static_assert(sizeof(struct elf_symbol) == sizeof(Elf64_Sym), "bytes_left");

static int read_rows(const Elf64_Sym *table, uint64_t nr, uint64_t strings_bytes,
		     struct elf_symbols *symbols)
{
	symbols->rows = calloc(nr + 1, sizeof(*symbols->rows));
	if (!symbols->rows)
		return -ENOMEM;
	for (uint64_t i = 0; i < nr; i++) {
		const Elf64_Sym *sym = &table[i];
		unsigned int type = ELF64_ST_TYPE(sym->st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    sym->st_shndx == SHN_UNDEF || sym->st_name >= strings_bytes ||
		    !symbols->strings[sym->st_name])
			continue;
		symbols->rows[symbols->nr++] = (struct elf_symbol) {
			.addr = sym->st_value,
			.size = sym->st_size,
			.name = symbols->strings + sym->st_name,
		};
	}
	qsort(symbols->rows, symbols->nr, sizeof(*symbols->rows), compare_symbols);
	return 0;
}

static int read_table(const struct elf_file *file, struct elf_symbols *symbols)
{
	const Elf64_Shdr *section = find_section(file, SHT_SYMTAB);
	const Elf64_Shdr *strings;
	Elf64_Sym *table;
	int r = -ENOEXEC;

	if (!section)
		section = find_section(file, SHT_DYNSYM);
	if (!section)
		return -ENOEXEC;
	strings = &file->sections[section->sh_link];
	table = elf_read_piece(file, section->sh_offset, section->sh_size);
	symbols->strings = elf_read_piece(file, strings->sh_offset, strings->sh_size);
	if (table && symbols->strings)
		r = read_rows(table, section->sh_size / sizeof(*table),
			      strings->sh_size, symbols);
	free(table);
	return r;
}

static void read_range(const struct elf_file *file, struct elf_symbols *symbols)
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

int elf_symbols_read(const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes, uint64_t *bytes_left,
		     struct elf_symbols *ret_symbols)
{
	struct elf_symbols symbols = { 0 };
	struct elf_file file;
	int r = elf_file_open(path, build_id, build_id_bytes, bytes_left, &file);

	if (!r)
		r = read_table(&file, &symbols);
	if (!r)
		read_range(&file, &symbols);
	elf_file_close(&file);
	if (r)
		elf_symbols_done(&symbols);
	else
		*ret_symbols = symbols;
	return r;
}

void elf_symbols_done(struct elf_symbols *symbols)
{
	free(symbols->rows);
	free(symbols->strings);
	*symbols = (struct elf_symbols) { 0 };
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
					  uint64_t addr)
{
	uint32_t low = 0, high = symbols->nr;
	const struct elf_symbol *row;

	while (low < high) {		/* the first one behind @addr */
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

char *elf_string_read(const char *path, const uint8_t *build_id,
		      uint32_t build_id_bytes, uint64_t addr)
{
	uint64_t bytes_left = STRING_READ_MAX;
	struct elf_file file;
	char *string = NULL;
	int r = elf_file_open(path, build_id, build_id_bytes, &bytes_left, &file);

	for (uint32_t i = 0; !r && !string && i < file.head.e_phnum; i++) {
		const Elf64_Phdr *program = &file.programs[i];
		uint64_t at = addr - program->p_vaddr;

		if (program->p_type == PT_LOAD && !(program->p_flags & PF_W) &&
		    addr >= program->p_vaddr && at < program->p_filesz)
			string = elf_read_piece(&file, program->p_offset + at,
					    min_u64(program->p_filesz - at,
						    STRING_BYTES_MAX));
	}
	elf_file_close(&file);
	return string;
}
