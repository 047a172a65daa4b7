/* SPDX-License-Identifier: MIT */
/*
 * Find functions by name.  Each search reads the symbols from the object's file, and
 * sets a bit for the address of each matching symbol in a bitmap of the object's
 * text.  A site matches if the bit at the start of its function is set.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/glob.h"
#include "runtime/base/memory.h"
#include "runtime/function/object.h"
#include "runtime/unwind/object_file.h"

/* Arguments of object_find_names() for its callback. */
struct search {
	const char *glob;
	size_t len;			/* bytes of @glob */
	object_found found;
	void *arg;
	struct object_unknown *unknown;
};

uint64_t object_site_of(const struct object *object, uint64_t addr)
{
	const struct fsites *sites = &object->sites;

	for (uint32_t i = 0; i < sites->nr; i++) {
		uint64_t code = (uint64_t)fsite_code(sites, i);

		if (fsite_is_known(&sites->table[i]) &&
		    code - addr <= sites->table[i].lead + ARCH_LANDING_PAD_BYTES)
			return code;
	}
	return 0;
}

/* The addresses of matching symbols, as a bitmap. */
struct named {
	uint64_t low, high;		/* addresses of the text: start and end */
	uint64_t nr;			/* number of matching symbols in the text */
	uint8_t *bits;			/* one bit for each byte of the text */
};

static void put_address(struct named *named, uint64_t addr)
{
	uint64_t at = addr - named->low;

	if (addr < named->low || addr >= named->high)
		return;
	named->bits[at / 8] |= (uint8_t)(1u << at % 8);
	named->nr++;
}

static bool has_address(const struct named *named, uint64_t addr)
{
	uint64_t at = addr - named->low;

	return addr >= named->low && addr < named->high &&
	       named->bits[at / 8] >> at % 8 & 1;
}

/* Returns the section with all symbols; if the file has none, the section with the
 * dynamic symbols; or NULL if the file has no symbols at all. */
static const Elf64_Shdr *find_symbols(const struct object_file *file)
{
	const Elf64_Shdr *found = NULL;

	for (uint32_t i = 0; i < file->nr; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_link < file->nr &&
		    (section->sh_type == SHT_SYMTAB ||
		     (section->sh_type == SHT_DYNSYM && !found)))
			found = section;
	}
	return found;
}

static void match_symbols(const struct search *search, const struct object_file *file,
			  uint64_t bias, struct named *named)
{
	const Elf64_Shdr *section = find_symbols(file);
	const Elf64_Shdr *strings = section ? &file->sections[section->sh_link] : NULL;
	Elf64_Sym *symbols = section ? object_file_read(file, section) : NULL;
	char *names = strings ? object_file_read(file, strings) : NULL;
	uint64_t nr = symbols && names ? section->sh_size / sizeof(*symbols) : 0;

	for (uint64_t i = 0; i < nr; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    symbols[i].st_shndx != SHN_UNDEF &&
		    symbols[i].st_name < strings->sh_size &&
		    glob_match_n(search->glob, search->len,
				 names + symbols[i].st_name))
			put_address(named, bias + symbols[i].st_value);
	memory_free(symbols);
	memory_free(names);
}

/* Returns true if the site @code belongs to a matching symbol.  The symbol may begin at
 * @code, or shortly before @code: by at most @lead bytes and a landing pad. */
static bool is_named(const struct named *named, uint64_t code, uint32_t lead)
{
	for (uint32_t back = 0; back <= lead + ARCH_LANDING_PAD_BYTES; back++)
		if (has_address(named, code - back))
			return true;
	return false;
}

static void say_found(const struct search *search, const struct named *named,
		      const struct object *object)
{
	const struct fsites *sites = &object->sites;

	for (uint32_t i = 0; i < sites->nr; i++) {
		uint64_t code = (uint64_t)fsite_code(sites, i);

		if (fsite_is_known(&sites->table[i]) &&
		    is_named(named, code, sites->table[i].lead))
			search->found(search->arg, code);
	}
}

static bool has_object(uint64_t text)
{
	for (struct object *o = object_first(); o; o = o->next)
		if (o->text == text)
			return true;
	return false;
}

/* Returns true if the server may have a table for the object with this text: it has not been asked
 * since an object was loaded, and the object is not libulf.so. */
static bool may_become_known(const struct search *search, const struct named *named)
{
	uint64_t here = (uint64_t)&may_become_known;

	return search->unknown->loads != search->unknown->asked && &object_is_library &&
	       (here < named->low || here >= named->high);
}

static int search_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	const struct search *search = arg;
	struct object_file file;
	struct named named;

	(void)bytes;
	search->unknown->loads = info->dlpi_adds + info->dlpi_subs;
	if (!object_find_range(info, PF_X, &named.low, &named.high) ||
	    (!has_object(named.low) && !may_become_known(search, &named)))
		return 0;
	named.nr = 0;
	named.bits = memory_alloc((named.high - named.low) / 8 + 1);
	if (named.bits && object_file_open(info, &file)) {
		match_symbols(search, &file, info->dlpi_addr, &named);
		for (struct object *o = object_first(); o; o = o->next)
			if (o->text == named.low)
				say_found(search, &named, o);
		search->unknown->has_some |= named.nr && !has_object(named.low);
	}
	if (named.bits)
		object_file_close(&file);
	memory_free(named.bits);
	return 0;
}

void object_find_names(const char *glob, size_t len, object_found found, void *arg,
		       struct object_unknown *unknown)
{
	struct search search = {
		.glob = glob, .len = len, .found = found, .arg = arg, .unknown = unknown,
	};

	object_walk(search_object, &search);
}
