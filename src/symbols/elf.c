/* SPDX-License-Identifier: MIT */
/*
 * Read ELF files.  The path of a file comes from shared memory, so the file may be hostile.
 * It is opened without blocking and copied to memory in parts, never mapped.  At most
 * *bytes_left bytes of the file are read.  Every offset in the file is checked before use.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "symbols/elf.h"
#include "symbols/elf_impl.h"
#include "symbols/localfile.h"

static bool read_file_at(const struct elf_file *file, void *to, uint64_t bytes, uint64_t off)
{
	if (!file->memory)
		return pread(file->fd, to, bytes, (off_t)off) == (ssize_t)bytes;
	if (off > file->bytes || bytes > file->bytes - off)
		return false;
	memcpy(to, file->memory + off, bytes);
	return true;
}

/* Returns true if the @bytes bytes at @off may be read, and subtracts @bytes from
 * *file->bytes_left. */
static bool may_read(const struct elf_file *file, uint64_t off, uint64_t bytes)
{
	if (bytes > *file->bytes_left || off > file->bytes ||
	    bytes > file->bytes - off)
		return false;
	*file->bytes_left -= bytes;
	return true;
}

bool elf_read_to(const struct elf_file *file, uint64_t off, uint64_t bytes, void *to)
{
	return may_read(file, off, bytes) && read_file_at(file, to, bytes, off);
}

void *elf_read_bytes(const struct elf_file *file, uint64_t off, uint64_t bytes)
{
	char *copy;

	if (!may_read(file, off, bytes))
		return NULL;
	copy = malloc(bytes + 1);
	if (!copy)
		return NULL;
	if (!read_file_at(file, copy, bytes, off)) {
		free(copy);
		return NULL;
	}
	copy[bytes] = '\0';
	return copy;
}

/* ---- find the build id of a file ---- */

/* Find the build id in @notes, the contents of a section or segment of notes.  @addr:
 * the address to which @notes are loaded. */
static bool find_id_in_notes(const char *notes, uint64_t bytes, uint64_t addr,
			     struct elf_build_id *ret_id)
{
	uint64_t at = 0;

	while (bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + ALIGN_UP((uint64_t)note.n_namesz, 4);
		at = desc + ALIGN_UP((uint64_t)note.n_descsz, 4);
		if (at > bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) &&
		    note.n_descsz <= sizeof(ret_id->id)) {
			ret_id->addr = addr + desc;
			ret_id->bytes = note.n_descsz;
			memcpy(ret_id->id, notes + desc, note.n_descsz);
			return true;
		}
	}
	return false;
}

static bool read_id_from_notes(struct elf_file *file, uint64_t off, uint64_t bytes,
			       uint64_t addr)
{
	char *notes = elf_read_bytes(file, off, bytes);
	bool is_found = notes && find_id_in_notes(notes, bytes, addr, &file->id);

	free(notes);
	return is_found;
}

/*
 * Find the build id of a file.  Search the sections first: a separate debug file has program
 * headers for segments that it does not contain, so a search of its segments would find wrong
 * bytes.  Then search the segments, because a file may have no section headers.
 */
static void find_build_id(struct elf_file *file)
{
	for (uint32_t i = 0; i < file->head.e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type == SHT_NOTE &&
		    read_id_from_notes(file, section->sh_offset, section->sh_size,
				       section->sh_addr))
			return;
	}
	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type == PT_NOTE &&
		    read_id_from_notes(file, program->p_offset, program->p_filesz,
				       program->p_vaddr))
			return;
	}
}

/* ---- open a file ---- */

static int read_elf_headers(struct elf_file *file)
{
	struct stat st;

	if (!file->memory && fstat(file->fd, &st))
		return -errno;
	if (!file->memory)
		file->bytes = (uint64_t)st.st_size;
	if (!read_file_at(file, &file->head, sizeof(file->head), 0) ||
	    memcmp(file->head.e_ident, ELFMAG, SELFMAG) ||
	    file->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (file->head.e_phnum && file->head.e_phentsize != sizeof(Elf64_Phdr)) ||
	    file->head.e_shentsize != sizeof(Elf64_Shdr))
		return -ENOEXEC;
	file->programs = elf_read_bytes(file, file->head.e_phoff,
					file->head.e_phnum * sizeof(Elf64_Phdr));
	file->sections = elf_read_bytes(file, file->head.e_shoff,
					file->head.e_shnum * sizeof(Elf64_Shdr));
	return file->programs && file->sections ? 0 : -ENOEXEC;
}

static void read_section_names(struct elf_file *file)
{
	const Elf64_Shdr *section;

	if (file->head.e_shstrndx >= file->head.e_shnum)
		return;
	section = &file->sections[file->head.e_shstrndx];
	file->names = elf_read_bytes(file, section->sh_offset, section->sh_size);
	file->names_bytes = file->names ? section->sh_size : 0;
}

static int read_elf_file(struct elf_file *file)
{
	int r = read_elf_headers(file);

	if (r)
		return r;
	read_section_names(file);
	find_build_id(file);
	return 0;
}

int elf_file_open_memory(char *memory, uint64_t bytes, uint64_t *bytes_left,
			 struct elf_file *file)
{
	*file = (struct elf_file){
		.fd = -1, .memory = memory, .bytes = bytes, .bytes_left = bytes_left,
	};
	return read_elf_file(file);
}

int elf_file_open_source(const struct elf_source *source, struct elf_file *file)
{
	int r;

	*file = (struct elf_file){
		.fd = source->fd, .is_borrowed = true, .bytes_left = source->bytes_left,
	};
	r = read_elf_file(file);
	if (!r && source->build_id_bytes &&
	    (file->id.bytes < source->build_id_bytes ||
	     memcmp(file->id.id, source->build_id, source->build_id_bytes)))
		r = -ESTALE;
	return r;
}

int elf_file_open(const char *path, const uint8_t *id, uint32_t id_bytes,
		  uint64_t *bytes_left, struct elf_file *file)
{
	struct elf_source source = {
		.build_id = id, .build_id_bytes = id_bytes, .bytes_left = bytes_left,
	};
	int r;

	*file = (struct elf_file){ .fd = -1 };
	r = localfile_open(path, &source.fd);
	if (r)
		return r;
	r = elf_file_open_source(&source, file);
	file->is_borrowed = false;
	return r;
}

void elf_file_close(struct elf_file *file)
{
	free(file->programs);
	free(file->sections);
	free(file->names);
	free(file->memory);
	if (file->fd >= 0 && !file->is_borrowed)
		close(file->fd);
	*file = (struct elf_file){ .fd = -1 };
}

/* ---- find and read sections of a file ---- */

const Elf64_Shdr *elf_find_section(const struct elf_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (file->sections[i].sh_name < file->names_bytes &&
		    !strcmp(file->names + file->sections[i].sh_name, name))
			return &file->sections[i];
	return NULL;
}

void *elf_read_section(const struct elf_file *file, const Elf64_Shdr *section)
{
	if (!section || section->sh_type == SHT_NOBITS)
		return NULL;
	return elf_read_bytes(file, section->sh_offset, section->sh_size);
}
