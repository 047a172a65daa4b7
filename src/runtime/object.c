/* SPDX-License-Identifier: MIT */
/*
 * The program and its shared objects, as far as functions in them can be traced:
 * compilers leave a table of the entries in a section that is loaded, but only
 * the file says where.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/object.h"
#include "runtime/runtime.h"

#define SECTIONS_MAX	4096u
#define NAMES_MAX	(1u << 20)

static struct object *objects;		/* under runtime_lock() */

struct object *object_first(void)
{
	return objects;
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t off)
{
	return arch_syscall4(SYS_pread64, fd, to, bytes, off) == (long)bytes;
}

/* The section with the addresses of entries; false: none. */
static bool find_section(int fd, const Elf64_Ehdr *head, const Elf64_Shdr *all,
			 Elf64_Shdr *ret_section)
{
	static const char wanted[] = "__patchable_function_entries";
	const Elf64_Shdr *names = &all[head->e_shstrndx];

	for (uint32_t i = 0; i < head->e_shnum; i++) {
		char name[sizeof(wanted)];

		if (all[i].sh_type == SHT_PROGBITS && all[i].sh_flags & SHF_ALLOC &&
		    all[i].sh_name < names->sh_size &&
		    read_at(fd, name, sizeof(name), names->sh_offset + all[i].sh_name) &&
		    !memcmp(name, wanted, sizeof(wanted))) {
			*ret_section = all[i];
			return true;
		}
	}
	return false;
}

static bool read_section(const char *path, Elf64_Shdr *ret_section)
{
	int fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, path,
				    O_RDONLY | O_CLOEXEC, 0);
	Elf64_Shdr *all = NULL;
	Elf64_Ehdr head;
	bool is_found = false;

	if (fd < 0)
		return false;
	if (read_at(fd, &head, sizeof(head), 0) &&
	    !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    head.e_shentsize == sizeof(*all) && head.e_shnum < SECTIONS_MAX &&
	    head.e_shstrndx < head.e_shnum)
		all = memory_alloc(head.e_shnum * sizeof(*all));
	if (all && read_at(fd, all, head.e_shnum * sizeof(*all), head.e_shoff))
		is_found = find_section(fd, &head, all, ret_section);
	memory_free(all);
	arch_syscall1(SYS_close, fd);
	return is_found;
}

/* Of the segments with @flags, in memory: from where to where? */
static bool find_range(const struct dl_phdr_info *info, uint32_t flags,
		       uint64_t *ret_low, uint64_t *ret_high)
{
	*ret_low = UINT64_MAX;
	*ret_high = 0;
	for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || (p->p_flags & flags) != flags)
			continue;
		if (start < *ret_low)
			*ret_low = start;
		if (start + p->p_filesz > *ret_high)
			*ret_high = start + p->p_filesz;
	}
	return *ret_low < *ret_high;
}

struct object *object_get(uint64_t text, uint64_t text_end, uint64_t table,
			  uint32_t nr)
{
	struct object *object = objects;
	struct fsite *sites;

	while (object && (object->text != text || object->table != table ||
			  object->sites.nr != nr))
		object = object->next;
	if (object && !fsites_are_lost(&object->sites))
		return object;
	if (object)
		object_drop(object);	/* it has come anew */
	object = memory_alloc(sizeof(*object));
	sites = memory_alloc(nr * sizeof(*sites));
	if (!object || !sites) {
		memory_free(object);
		memory_free(sites);
		return NULL;
	}
	fsites_init(&object->sites, (uint8_t *)text, (uint8_t *)text_end,
		    (const uint64_t *)table, nr, sites);
	object->text = text;
	object->table = table;
	object->is_there = true;
	object->next = objects;
	objects = object;
	return object;
}

/* Its table, if it has one that lies in it. */
static uint32_t find_table(const struct dl_phdr_info *info, uint64_t *ret_table)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	uint64_t low, high, table;
	Elf64_Shdr section;

	*ret_table = 0;
	if (!find_range(info, PF_R, &low, &high) || !read_section(path, &section))
		return 0;
	table = info->dlpi_addr + section.sh_addr;
	if (table % sizeof(uint64_t) || table < low || table > high ||
	    section.sh_size > high - table)
		return 0;
	*ret_table = table;
	return (uint32_t)(section.sh_size / sizeof(uint64_t));
}

static int see(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	uint64_t low, high, table;
	struct object *object;
	uint32_t nr;

	(void)bytes;
	(void)arg;
	if (!find_range(info, PF_X, &low, &high))
		return 0;
	nr = find_table(info, &table);
	object = nr ? object_get(low, high, table, nr) : NULL;
	if (object)
		object->is_there = true;
	return 0;
}

void object_drop(struct object *object)
{
	struct object **p = &objects;

	while (*p != object)
		p = &(*p)->next;
	*p = object->next;
	/* Should it be there again, the server will not know that it was gone. */
	if (process_slot)
		__atomic_add_fetch(&process_slot->unloads, 1, __ATOMIC_RELAXED);
	fsites_done(&object->sites);
	memory_free(object->sites.table);
	memory_free(object->users);
	memory_free(object);
}

/*
 * Drop those that @see_one does not mark.  While the loader brings one it has its text
 * there, but does not list it yet: what we have written to it tells.
 *
 * Our lock is taken before the loader's, as table.c does.
 */
static void scan(int (*see_one)(struct dl_phdr_info *info, size_t bytes, void *arg))
{
	struct object *next;

	runtime_lock();
	for (struct object *o = objects; o; o = o->next)
		o->is_there = false;
	dl_iterate_phdr(see_one, NULL);
	for (struct object *o = objects; o; o = next) {
		next = o->next;
		if (!o->is_there && (!o->sites.written || fsites_are_lost(&o->sites)))
			object_drop(o);
	}
	runtime_unlock();
}

void object_scan(void)
{
	scan(see);
}

static int see_again(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	uint64_t low, high;

	(void)bytes;
	(void)arg;
	if (!find_range(info, PF_X, &low, &high))
		return 0;
	for (struct object *o = objects; o; o = o->next)
		if (o->text >= low && o->text < high && !fsites_are_lost(&o->sites))
			o->is_there = true;
	return 0;
}

void object_scan_gone(void)
{
	scan(see_again);
}
