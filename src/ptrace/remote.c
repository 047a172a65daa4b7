/* SPDX-License-Identifier: MIT */
/* Read ELF objects in the memory of another process.  That process may have changed the
 * memory in any way.  So all sizes have limits, and an address is used only for reads, which
 * may fail. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ptrace/remote.h"

#define PHDRS_MAX	64
#define DYNAMIC_MAX	512		/* maximum number of entries of a dynamic section that
					 * are read */
#define CHAIN_MAX	100000u		/* maximum number of symbols that are compared for one
					 * hash value */
#define MAPS_MAX	1000000u
#define NAME_BYTES	64

/* ---- mappings ---- */

static int add_map(struct remote_maps *maps, const struct remote_map *map)
{
	if (maps->nr == MAPS_MAX)
		return -E2BIG;
	if (maps->nr == maps->max) {
		size_t max = maps->max ? 2 * maps->max : 128;
		struct remote_map *rows = realloc(maps->rows, max * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		maps->rows = rows;
		maps->max = max;
	}
	maps->rows[maps->nr++] = *map;
	return 0;
}

static int parse_map(char *line, struct remote_maps *maps)
{
	struct remote_map map = { 0 };
	char rights[5];
	int at = 0, r;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &map.start, &map.end, rights, &map.offset,
		   &at) < 4 || !at)
		return 0;
	line[strcspn(line, "\n")] = '\0';
	map.is_writable = rights[1] == 'w';
	map.is_code = rights[2] == 'x' && !map.is_writable;
	map.path = strdup(line + at);
	r = map.path ? add_map(maps, &map) : -ENOMEM;
	if (r)
		free(map.path);
	return r;
}

int remote_maps_read(pid_t pid, struct remote_maps *ret_maps)
{
	char path[64], *line = NULL;
	size_t bytes = 0;
	FILE *file;
	int r = 0;

	remote_maps_done(ret_maps);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!r && getline(&line, &bytes, file) > 0)
		r = parse_map(line, ret_maps);
	free(line);
	fclose(file);
	return r;
}

void remote_maps_done(struct remote_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		free(maps->rows[i].path);
	free(maps->rows);
	memset(maps, 0, sizeof(*maps));
}

/* ---- memory ---- */

int remote_read(pid_t pid, uint64_t address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)address, bytes };
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -EFAULT;
}

int remote_write(pid_t pid, uint64_t address, const void *from, size_t bytes)
{
	char path[64];
	ssize_t n;
	int fd, r;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = pwrite(fd, from, bytes, (off_t)address);
	r = n < 0 ? -errno : (size_t)n == bytes ? 0 : -EFAULT;
	close(fd);
	return r;
}

bool remote_read_string(pid_t pid, uint64_t address, char *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)address, bytes };
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n > 0 && memchr(to, '\0', (size_t)n);
}

/* ---- objects ---- */

static void note_header(struct remote_object *object, const Elf64_Phdr *header)
{
	switch (header->p_type) {
	case PT_DYNAMIC:
		object->dynamic = object->bias + header->p_vaddr;
		break;
	case PT_TLS:
		object->tls = object->bias + header->p_vaddr;
		object->tls_file_bytes = header->p_filesz;
		object->tls_bytes = header->p_memsz;
		object->tls_align = header->p_align ? header->p_align : 1;
		break;
	case PT_LOAD:
		if (header->p_flags & PF_X && !object->code_end &&
		    header->p_filesz == header->p_memsz) {
			object->code_start = object->bias + header->p_vaddr;
			object->code_end = object->code_start + header->p_filesz;
		}
		break;
	}
}

/* Return the address, as the file gives it, of the object's first page: the page in which its
 * first segment starts. */
static uint64_t first_page(const Elf64_Phdr *headers, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (headers[i].p_type == PT_LOAD)
			return headers[i].p_vaddr & -(uint64_t)ARCH_PAGE_BYTES;
	return 0;
}

int remote_object_read(pid_t pid, uint64_t start, struct remote_object *ret_object)
{
	struct remote_object object = { .pid = pid, .start = start };
	Elf64_Phdr headers[PHDRS_MAX];
	Elf64_Ehdr elf;
	int r = remote_read(pid, start, &elf, sizeof(elf));

	if (r)
		return r;
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_machine != ARCH_ELF_MACHINE || elf.e_phnum > PHDRS_MAX ||
	    elf.e_phentsize != sizeof(headers[0]))
		return -ENOEXEC;
	r = remote_read(pid, start + elf.e_phoff, headers, elf.e_phnum * sizeof(headers[0]));
	if (r)
		return r;
	object.bias = start - first_page(headers, elf.e_phnum);
	for (unsigned int i = 0; i < elf.e_phnum; i++)
		note_header(&object, &headers[i]);
	*ret_object = object;
	return 0;
}

struct symbols {
	uint64_t symbols;
	uint64_t strings;
	uint64_t hash;			/* DT_GNU_HASH */
};

/* Find the symbol tables of an object by its dynamic section.  The dynamic linker has
 * replaced most addresses in that section by addresses in memory.  The other addresses are
 * still those of the file. */
static bool find_tables(const struct remote_object *object, struct symbols *ret_tables)
{
	struct symbols tables = { 0 };
	Elf64_Dyn entry;

	for (unsigned int i = 0; object->dynamic && i < DYNAMIC_MAX; i++) {
		uint64_t value;

		if (remote_read(object->pid, object->dynamic + i * sizeof(entry), &entry,
				sizeof(entry)) || entry.d_tag == DT_NULL)
			break;
		value = entry.d_un.d_ptr < object->bias ? entry.d_un.d_ptr + object->bias :
							  entry.d_un.d_ptr;
		if (entry.d_tag == DT_SYMTAB)
			tables.symbols = value;
		else if (entry.d_tag == DT_STRTAB)
			tables.strings = value;
		else if (entry.d_tag == DT_GNU_HASH)
			tables.hash = value;
	}
	*ret_tables = tables;
	return tables.symbols && tables.strings && tables.hash;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* Returns the address of symbol number @i if the object defines this symbol and its name is
 * @name; else 0. */
static uint64_t symbol_value(const struct remote_object *object, const struct symbols *tables,
			     uint32_t i, const char *name)
{
	char found[NAME_BYTES];
	Elf64_Sym symbol;

	if (remote_read(object->pid, tables->symbols + i * sizeof(symbol), &symbol,
			sizeof(symbol)) || symbol.st_shndx == SHN_UNDEF ||
	    !remote_read_string(object->pid, tables->strings + symbol.st_name, found,
				sizeof(found)) || strcmp(found, name))
		return 0;
	return object->bias + symbol.st_value;
}

/* Layout of the table DT_GNU_HASH: number of buckets, number of the first symbol, number of
 * words of the filter, shift; then the filter, the buckets, and the hash values.  A chain of
 * hash values ends with a value whose lowest bit is set. */
uint64_t remote_symbol(const struct remote_object *object, const char *name)
{
	uint32_t hash = gnu_hash(name), head[4], i, value;
	uint64_t buckets, chains, found;
	struct symbols tables;

	if (!find_tables(object, &tables) ||
	    remote_read(object->pid, tables.hash, head, sizeof(head)) || !head[0])
		return 0;
	buckets = tables.hash + sizeof(head) + 8ull * head[2];
	chains = buckets + 4ull * head[0];
	if (remote_read(object->pid, buckets + 4ull * (hash % head[0]), &i, sizeof(i)) ||
	    i < head[1])
		return 0;
	for (uint32_t n = 0; n < CHAIN_MAX; n++, i++) {
		if (remote_read(object->pid, chains + 4ull * (i - head[1]), &value, sizeof(value)))
			return 0;
		found = (value | 1) == (hash | 1) ? symbol_value(object, &tables, i, name) : 0;
		if (found || value & 1)
			return found;
	}
	return 0;
}
