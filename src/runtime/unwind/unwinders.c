/* SPDX-License-Identifier: MIT */
/*
 * The unwinders of the program: libgcc's, which C++, pthread_cancel(), pthread_exit() and
 * backtrace() use, and others that ask libc for an object's unwind tables.
 *
 * A signal may interrupt a thread in a stub, a slot or a copy, which belong to no object of
 * the loader.  An unwinder would take this for the end of the stack, so an exception that
 * the handler throws would end the program.  So libulf answers for these addresses:
 *
 *	unwinder	_dl_find_object(pc)	->	find_object() of this file
 *	find_object()	_dl_find_object(pc)	->	libc knows an object: its answer
 *			fcode_kind(pc)			a slot or a copy: the tables of fcode.S
 *
 * libc's function cannot be replaced by one of libulf: in a program to which libulf was attached
 * all references to it are bound.  So the reference of the unwinder is changed: the word of its
 * object from which it takes the address of the function.  The word stays changed, because a
 * thread may be in a slot long after the last function was switched off.
 *
 * Unwinders must ask for each address again.  libgcc does this, and keeps no answer.
 *
 * Any thread may load or unload objects meanwhile, and the agent must not take locks of libc.  So
 * the loader's list is read with codemem_read(), which fails where nothing is mapped, and an
 * object counts only if _dl_find_object(), which takes no lock, confirms it.
 */
#include "runtime/unwind/unwinders.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/memory.h"

#ifdef DLFO_EH_SEGMENT_TYPE
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

#define OBJECTS_MAX	10000u		/* maximum number of objects that are
					 * examined */
#define TAGS_MAX	200u		/* maximum number of rows of a dynamic section
					 * that are read */
#define PROGRAMS_MAX	64u		/* maximum number of program headers that are
					 * read */
#define ROWS_MAX	1000000u	/* maximum number of relocations of an object
					 * that are read */
#define VERSION		"GLIBC_2.35"	/* version of the symbol _dl_find_object() */
#define WORDS_MAX	64u		/* maximum number of changed words that are
					 * remembered */

static const char function_name[] = "_dl_find_object";

/* ---- the function that unwinders call instead of _dl_find_object() ---- */

static int answer(enum fcode_kind kind, struct dl_find_object *ret)
{
	/* The address is in libulf's memory, so answer with libulf, which is
	 * never unloaded. */
	int r = _dl_find_object((void *)&answer, ret);

	if (!r)
		ret->dlfo_eh_frame = (void *)fcode_tables(kind);
	return r;
}

/* Replaces libc's _dl_find_object() for unwinders.  Any context. */
static int find_object(void *pc, struct dl_find_object *ret)
{
	int r = _dl_find_object(pc, ret);
	enum fcode_kind kind = fcode_kind((uint64_t)pc, !r);

	return kind == FCODE_NONE ? r : answer(kind, ret);
}

/* ---- what the previous unwinders_serve() has done ---- */

/*
 * Most calls of unwinders_serve() find the same objects as the previous call.  Then it suffices
 * to check that each changed word still refers to find_object(): a thread may have bound one of
 * them again.  Protected by runtime_lock().
 */
static struct {
	uint64_t objects;		/* number made of the loader's list; 0: look at all
					 * objects */
	uint64_t words[WORDS_MAX];	/* addresses of the changed words */
	uint32_t nr;			/* number of changed words, also if they are more than
					 * WORDS_MAX */
} served;

void unwinders_forget(void)
{
	served.objects = 0;
}

static void note_word(uint64_t at)
{
	uint32_t i = served.nr++;

	if (i < WORDS_MAX)
		served.words[i] = at;
}

static bool are_words_changed(int fd)
{
	for (uint32_t i = 0; i < min_u32(served.nr, WORDS_MAX); i++) {
		uint64_t word;

		if (codemem_read(fd, (const uint8_t *)served.words[i], &word, sizeof(word)) ||
		    word != (uint64_t)find_object)
			return false;
	}
	return served.nr <= WORDS_MAX;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Returns a number that differs if the loader's list, from the object at @at on, has other objects.
 * @hash: the number for other parts of the list. */
static uint64_t mix_list(int fd, uint64_t hash, uint64_t at, bool is_back)
{
	struct link_map map;

	for (uint32_t i = 0; at && i < OBJECTS_MAX; i++) {
		if (codemem_read(fd, (const uint8_t *)at, &map, sizeof(map)))
			break;
		hash = mix(mix(mix(mix(hash, at), map.l_addr), (uint64_t)map.l_ld),
			   (uint64_t)map.l_name);
		at = (uint64_t)(is_back ? map.l_prev : map.l_next);
	}
	return hash | 1;
}

/* ---- change the references of unwinders to _dl_find_object() ---- */

#define TAG_VERNEED	(DT_JMPREL + 1)	/* index of DT_VERNEED in search.by_tag */

/* A search in one object: views of three parts of its memory, and the values in its dynamic
 * section. */
struct search {
	struct codemem_view rows, symbols, names;
	uint64_t bias, start, end;	/* bias of the object, its first address, and
					 * the address after its end */
	uint64_t by_tag[TAG_VERNEED + 1];	/* values of the tags of the dynamic section; 0:
						 * there is no such tag */
};

/* Returns the @nr bytes at @at, or NULL if these bytes are not in the object or not mapped
 * any more. */
static const void *view(const struct search *search, struct codemem_view *view, uint64_t at,
			uint32_t nr)
{
	if (at < search->start || at >= search->end || nr > search->end - at)
		return NULL;
	return codemem_view_at(view, at, nr);
}

static bool read_dynamic(struct search *search, uint64_t at)
{
	memset(search->by_tag, 0, sizeof(search->by_tag));
	for (uint32_t i = 0; i < TAGS_MAX; i++, at += sizeof(ElfW(Dyn))) {
		const ElfW(Dyn) *row = view(search, &search->rows, at, sizeof(*row));

		if (!row)
			return false;
		if (row->d_tag == DT_NULL)
			return true;
		if (row->d_tag > 0 && row->d_tag <= DT_JMPREL)
			search->by_tag[row->d_tag] = row->d_un.d_val;
		else if (row->d_tag == DT_VERNEED)
			/* the loader does not relocate this address, so add the
			 * bias */
			search->by_tag[TAG_VERNEED] = search->bias + row->d_un.d_val;
	}
	return false;
}

static bool has_name(struct search *search, uint64_t offset, const char *name)
{
	uint32_t bytes = (uint32_t)strlen(name) + 1;
	const char *found = view(search, &search->names, search->by_tag[DT_STRTAB] + offset,
				 bytes);

	return found && !memcmp(found, name, bytes);
}

/* Returns true if the object needs a symbol of the version VERSION.  Few objects do, so
 * most objects need no further reads. */
static bool needs_version(struct search *search)
{
	uint64_t at = search->by_tag[TAG_VERNEED];

	for (uint32_t i = 0; at && i < TAGS_MAX; i++) {
		const Elf64_Verneed *file = view(search, &search->rows, at, sizeof(*file));
		uint64_t aux = file ? at + file->vn_aux : 0, next = file ? file->vn_next : 0;

		for (uint32_t k = 0; aux && k < TAGS_MAX; k++) {
			const Elf64_Vernaux *version =
				view(search, &search->symbols, aux, sizeof(*version));

			if (version && has_name(search, version->vna_name, VERSION))
				return true;
			aux = version && version->vna_next ? aux + version->vna_next : 0;
		}
		at = next ? at + next : 0;
	}
	return false;
}

/* Returns true if @row takes the address of _dl_find_object(). */
static bool is_reference(struct search *search, const Elf64_Rela *row)
{
	uint64_t type = ELF64_R_TYPE(row->r_info), nr = ELF64_R_SYM(row->r_info);
	const Elf64_Sym *symbol;

	if (type != ARCH_RELOC_GLOB_DAT && type != ARCH_RELOC_JUMP_SLOT)
		return false;
	symbol = view(search, &search->symbols, search->by_tag[DT_SYMTAB] + nr * sizeof(*symbol),
		      sizeof(*symbol));
	return symbol && has_name(search, symbol->st_name, function_name);
}

/* Returns true if the loader has made the memory page of @addr read-only.  The loader does
 * so only for whole pages. */
static bool is_page_protected(struct search *search, uint64_t addr)
{
	const Elf64_Ehdr *head = view(search, &search->symbols, search->start, sizeof(*head));
	uint64_t at = head ? search->start + head->e_phoff : 0;
	uint32_t nr = head ? min_u32(head->e_phnum, PROGRAMS_MAX) : 0;

	for (uint32_t i = 0; i < nr; i++, at += sizeof(Elf64_Phdr)) {
		const Elf64_Phdr *row = view(search, &search->symbols, at, sizeof(*row));

		uint64_t from = row ? search->bias + row->p_vaddr : 0;

		if (row && row->p_type == PT_GNU_RELRO && addr >= arch_page_start(from) &&
		    addr < arch_page_start(from + row->p_memsz))
			return true;
	}
	return false;
}

/*
 * Let the word at @at refer to find_object().  A thread may load it at any time, so one
 * store writes it.  A thread that is the first to use the reference may bind it at this
 * moment, and so overwrite the word with libc's address; then the next unwinders_serve()
 * changes it again.
 */
static void change_reference(struct search *search, uint64_t at)
{
	const uint64_t *word = view(search, &search->symbols, at, sizeof(*word));
	uint64_t page = arch_page_start(at);

	if (!word || at % sizeof(*word))
		return;
	note_word(at);
	if (*word == (uint64_t)find_object)
		return;
	if (arch_syscall3(SYS_mprotect, page, ARCH_PAGE_BYTES, PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n((uint64_t *)at, (uint64_t)find_object, __ATOMIC_RELAXED);
	if (is_page_protected(search, at))
		arch_syscall3(SYS_mprotect, page, ARCH_PAGE_BYTES, PROT_READ);
}

static void change_references(struct search *search, uint64_t at, uint64_t bytes)
{
	uint64_t nr = min_u64(bytes / sizeof(Elf64_Rela), ROWS_MAX);

	for (uint64_t i = 0; i < nr; i++, at += sizeof(Elf64_Rela)) {
		const Elf64_Rela *row = view(search, &search->rows, at, sizeof(*row));

		if (!row)
			return;
		if (is_reference(search, row))
			change_reference(search, search->bias + row->r_offset);
	}
}

/* ---- the objects ---- */

/* Prepare @search for the object of @map, a copy of the loader's data.  Returns false if there is
 * no such object any more, or if it is libulf. */
static bool find_map(struct search *search, const struct link_map *map, uint64_t at)
{
	struct dl_find_object found;

	if (_dl_find_object(map->l_ld, &found) || (uint64_t)found.dlfo_link_map != at)
		return false;
	search->bias = map->l_addr;
	search->start = (uint64_t)found.dlfo_map_start;
	search->end = (uint64_t)found.dlfo_map_end;
	/* Forget the pages that were read before: another object may have been loaded there. */
	search->rows.page = search->symbols.page = search->names.page = 0;
	search->rows.bytes = search->symbols.bytes = search->names.bytes = 0;
	return (uint64_t)&find_map < search->start || (uint64_t)&find_map >= search->end;
}

static void serve_object(struct search *search, const struct link_map *map, uint64_t at)
{
	if (!find_map(search, map, at) || !read_dynamic(search, (uint64_t)map->l_ld) ||
	    !needs_version(search))
		return;
	change_references(search, search->by_tag[DT_JMPREL], search->by_tag[DT_PLTRELSZ]);
	change_references(search, search->by_tag[DT_RELA], search->by_tag[DT_RELASZ]);
}

/* Change the references in the objects of the loader's list, beginning with the struct link_map
 * at address @at: forwards or, if @is_back is true, backwards. */
static void serve_list(struct search *search, uint64_t at, bool is_back)
{
	struct link_map map;

	for (uint32_t i = 0; at && i < OBJECTS_MAX; i++) {
		if (codemem_read(search->rows.fd, (const uint8_t *)at, &map, sizeof(map)))
			return;
		serve_object(search, &map, at);
		at = (uint64_t)(is_back ? map.l_prev : map.l_next);
	}
}

/* Look at all objects.  @at: address of an element of the loader's list.  Returns false if there is
 * no memory. */
static bool serve_all(int fd, uint64_t at)
{
	struct search *search = memory_alloc(sizeof(*search));

	if (!search)
		return false;
	search->rows.fd = search->symbols.fd = search->names.fd = fd;
	serve_list(search, at, true);
	serve_list(search, at, false);
	memory_free(search);
	return true;
}

void unwinders_serve(void)
{
	struct dl_find_object own;
	uint64_t objects, at;
	int fd;

	if (!_dl_find_object || _dl_find_object((void *)&find_map, &own))
		return;
	at = (uint64_t)own.dlfo_link_map;
	fd = codemem_begin();
	objects = mix_list(fd, mix_list(fd, 1, at, true), at, false);
	if (objects != served.objects || !are_words_changed(fd)) {
		served.objects = 0;
		served.nr = 0;
		if (serve_all(fd, at))
			served.objects = objects;
	}
	codemem_end(fd);
}
#else
void unwinders_forget(void)
{
}

void unwinders_serve(void)
{
}
#endif
