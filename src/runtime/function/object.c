/* SPDX-License-Identifier: MIT */
/*
 * The program and its shared objects that have traceable functions.  Compilers put a
 * table of function entries into a section that is loaded.  But only the file of the
 * object says where this section is.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "arch/arch.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/process.h"
#include "runtime/function/entries.h"
#include "runtime/function/moved_file.h"
#include "runtime/function/object.h"
#include "runtime/function/syscalls.h"
#include "runtime/unwind/object_file.h"
#include "runtime/function/profile.h"
#include "runtime/unwind/image.h"
#include "runtime/unwind/loaded.h"

static struct object *objects;		/* list of all objects; protected by runtime_lock() */

struct object *object_first(void)
{
	return objects;
}

/*
 * A walk by dl_iterate_phdr() whose callbacks run with runtime_lock() held.  The walk
 * takes libc's lock first: the program may call fork() in a callback of
 * dl_iterate_phdr(), with libc's lock held, and fork() takes runtime_lock().  So a thread
 * that holds runtime_lock() must never wait for libc's lock.
 */
struct walk {
	object_see *see;
	void *arg;
	bool has_lock;
};

static int see_locked(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct walk *walk = arg;

	if (!walk->has_lock)
		runtime_lock();
	walk->has_lock = true;
	return walk->see(info, bytes, walk->arg);
}

void object_walk(object_see *see, void *arg)
{
	struct walk walk = { see, arg, false };

	dl_iterate_phdr(see_locked, &walk);
	if (!walk.has_lock)
		runtime_lock();
}

/* The sections with tables of function entries in an object's file, one for each
 * kind of table. */
struct tables {
	Elf64_Shdr sections[FSITE_TABLES];	/* headers of the sections; sh_size is
						 * 0 if the file has no table of a
						 * kind */
};

static void take_section(const Elf64_Shdr *section, const char *name,
			 struct tables *tables)
{
	if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_ALLOC))
		return;
	for (uint32_t kind = 0; kind < FSITE_TABLES; kind++)
		if (!strcmp(name, fsite_tables[kind].section))
			tables->sections[kind] = *section;
}

static void take_sections(const struct object_file *file, struct tables *tables)
{
	const Elf64_Shdr *strings = &file->sections[file->names];
	char *names = object_file_read(file, strings);

	for (uint32_t i = 0; names && i < file->nr; i++)
		if (file->sections[i].sh_name < strings->sh_size)
			take_section(&file->sections[i],
				     names + file->sections[i].sh_name, tables);
	memory_free(names);
}

static void find_tables(const struct dl_phdr_info *info, struct tables *tables)
{
	struct object_file file;

	*tables = (struct tables){ 0 };
	if (object_file_open(info, &file))
		take_sections(&file, tables);
	object_file_close(&file);
}

bool object_has_table(const struct image *image, enum fsite_kind kind, uint64_t table,
		      uint32_t nr)
{
	struct dl_phdr_info info = { .dlpi_name = image->name };
	struct tables tables;

	if (!image->name)
		return false;		/* stop, because the object was unloaded meanwhile */
	find_tables(&info, &tables);
	return tables.sections[kind].sh_size / fsite_tables[kind].row_bytes == nr &&
	       image->bias + tables.sections[kind].sh_addr == table;
}

/* Mark in @seen the sites of @other that are in the text of @sites.  A site must belong
 * to one object only, because otherwise two objects would write their jumps to it. */
static void mark_sites_of(const struct object *other, const struct fsites *sites,
			  uint8_t *seen)
{
	for (uint32_t i = 0; i < other->sites.nr; i++) {
		const uint8_t *code = fsite_code(&other->sites, i);

		if (fsite_is_known(&other->sites.table[i]) && code >= sites->low &&
		    code < sites->high)
			fsite_is_twin(seen, (uint64_t)(code - sites->low));
	}
}

/* Change a site to FSITE_OTHER if another object, or an earlier row of @sites, has it, too.
 * Returns false if there is no memory. */
static bool drop_twins(struct fsites *sites)
{
	uint8_t *seen = memory_alloc((uint64_t)(sites->high - sites->low) / 8 + 1);

	for (const struct object *o = objects; seen && o; o = o->next)
		if (o->sites.low < sites->high && sites->low < o->sites.high)
			mark_sites_of(o, sites, seen);
	for (uint32_t i = 0; seen && i < sites->nr; i++)
		if (fsite_is_known(&sites->table[i]) &&
		    fsite_is_twin(seen, sites->table[i].offset))
			sites->table[i].form = FSITE_OTHER;
	memory_free(seen);
	return seen;
}

struct range {
	uint64_t text, text_end;	/* addresses of the object's text: start and
					 * end */
	uint64_t table;			/* address of the table of entries; for a
					 * table of moved functions, the number that
					 * names its file */
	uint32_t nr;			/* number of rows of the table of entries */
	uint64_t bias;			/* if @moved is not NULL: address of a byte in
					 * memory minus its address in the file */
	const struct moved_head *moved;	/* the table of moved functions; NULL: the
					 * table is a compiler's */
};

static void init_sites(struct object *object, const struct range *range,
		       enum fsite_kind kind, struct fsite *sites, bool is_trusted)
{
	uint8_t *low = (uint8_t *)range->text, *high = (uint8_t *)range->text_end;

	if (range->moved)
		fsites_init_moved(&object->sites, low, high, range->moved, range->bias, sites);
	else
		fsites_init(&object->sites, low, high, kind, (const uint8_t *)range->table,
			    range->nr, sites, is_trusted);
}

/* Make an object.  @is_trusted: the object's own file has the table; if not, each site is
 * checked by entries_check().  Returns NULL if there is no memory. */
static struct object *make_object(const struct range *range, enum fsite_kind kind,
				  bool is_trusted)
{
	struct object *object = memory_alloc(sizeof(*object));
	struct fsite *sites = memory_alloc(range->nr * sizeof(*sites));

	if (object && sites)
		init_sites(object, range, kind, sites, is_trusted);
	if (!object || !sites || !drop_twins(&object->sites)) {
		memory_free(object);
		memory_free(sites);
		return NULL;
	}
	object->text = range->text;
	object->table = range->table;
	object->kind = kind;
	object->moved = range->moved;
	object->is_there = true;
	if (!is_trusted)
		entries_check(&object->sites, kind, range->table);
	object->next = objects;
	objects = object;
	return object;
}

/*
 * Return the struct object for @range: a table of function entries that this process
 * itself has found in a loaded object.  Makes the struct if there is none.  Returns
 * NULL if there is no memory.  For a table that another process has named, see
 * object_get_named().
 */
static struct object *get_found(const struct range *range, enum fsite_kind kind)
{
	struct object *object = objects;

	while (object && (object->text != range->text || object->table != range->table ||
			  object->sites.nr != range->nr))
		object = object->next;
	if (object && !fsites_are_lost(&object->sites))
		return object;
	if (object)
		object_drop(object);	/* drop the old object, because it was
					 * unloaded and loaded again */
	return make_object(range, kind, true);
}

/* Make an object for a table of moved functions in a file that another process has
 * named. */
static int make_moved(const struct loaded *loaded, uint64_t id, uint32_t nr,
		      struct object **ret_object)
{
	struct range range = { loaded->text, loaded->text_end, id, nr, loaded->image.bias, NULL };
	const void *table;
	int r;

	/* Hits of functions that libulf itself calls are recognized by the address range of
	 * libulf.so: see ftrace_is_own_call(). */
	if (!&object_is_library)
		return -EOPNOTSUPP;
	r = moved_file_load(id, loaded->text, moved_check, &table);
	if (r)
		return r;
	range.moved = table;
	if (range.moved->nr_rows != nr ||
	    range.bias + range.moved->text != loaded->text ||
	    range.bias + range.moved->text_end != loaded->text_end)
		r = -ENOENT;
	if (!r) {
		*ret_object = make_object(&range, FSITE_MOVED, true);
		r = *ret_object ? 0 : -ENOMEM;
	}
	if (!r && syscalls_are_wanted())
		syscalls_take_functions(*ret_object);
	if (r)
		memory_free((void *)range.moved);
	return r;
}

/* Make an object for a compiler's table that another process has named.  Sites of kinds other
 * than FSITE_PATCHABLE are not NOPs, so entries_check() cannot check them.  Trust them only if
 * the object's file has this table. */
static int make_named(const struct loaded *loaded, enum fsite_kind kind, uint64_t table,
		      uint32_t nr, struct object **ret_object)
{
	const struct range range = { loaded->text, loaded->text_end, table, nr, 0, NULL };
	bool is_confirmed = kind != FSITE_PATCHABLE;

	if (is_confirmed && !object_has_table(&loaded->image, kind, table, nr))
		return -ENOENT;
	*ret_object = make_object(&range, kind, is_confirmed);
	return *ret_object ? 0 : -ENOMEM;
}

/*
 * Find or make an object for a table that another process has named.  There is only
 * one struct object for each loaded object and kind of table.  So a process that names
 * one table after another cannot make this process allocate more and more.  The struct
 * is dropped only when another object is loaded at its address, because until then its
 * jumps may be in the text.
 */
int object_get_named(const struct loaded *loaded, enum fsite_kind kind, uint64_t table,
		     uint32_t nr, struct object **ret_object)
{
	struct object *object = objects;
	int r = 0;

	while (object && (object->text != loaded->text || object->kind != kind))
		object = object->next;
	if (object && (fsites_are_lost(&object->sites) ||
		       (object->has_id && memcmp(object->build_id, loaded->id,
						 sizeof(loaded->id))))) {
		object_drop(object);
		object = NULL;
	}
	if (object && (object->table != table || object->sites.nr != nr))
		return -ENOENT;
	if (!object)
		r = kind == FSITE_MOVED ? make_moved(loaded, table, nr, &object) :
					  make_named(loaded, kind, table, nr, &object);
	if (r)
		return r;
	memcpy(object->build_id, loaded->id, sizeof(object->build_id));
	object->has_id = true;
	*ret_object = object;
	return 0;
}

/* Make objects for the tables of function sites of a loaded object, if the tables are in its
 * readable segments. */
static void see_tables(const struct dl_phdr_info *info, uint64_t text,
		       uint64_t text_end)
{
	struct tables tables;
	uint64_t low, high;

	if (!object_find_range(info, PF_R, &low, &high))
		return;
	find_tables(info, &tables);
	for (uint32_t kind = 0; kind < FSITE_TABLES; kind++) {
		uint64_t bytes = tables.sections[kind].sh_size;
		uint64_t table = info->dlpi_addr + tables.sections[kind].sh_addr;
		uint32_t nr = (uint32_t)(bytes / fsite_tables[kind].row_bytes);
		struct object *object;

		if (!nr || table < low || table > high || bytes > high - table)
			continue;
		object = get_found(&(struct range){ text, text_end, table, nr, 0, NULL }, kind);
		if (object)
			object->is_there = true;
	}
}

/* Mark the tables of moved functions of the object whose text is from @low to before @high
 * as present.  No such table is in the loaded object itself, so see_tables() does not find
 * them. */
static void see_moved(uint64_t low, uint64_t high)
{
	for (struct object *o = objects; o; o = o->next)
		if (o->moved && o->text >= low && o->text < high &&
		    !fsites_are_lost(&o->sites))
			o->is_there = true;
}

static int see_loaded(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	uint64_t low, high;

	(void)bytes;
	(void)arg;
	if (!object_find_range(info, PF_X, &low, &high))
		return 0;
	see_tables(info, low, high);
	see_moved(low, high);
	return 0;
}

/* ---- find objects with events or calls of __fentry__ by their dynamic section ---- */

#define TAGS	(DT_JMPREL + 1)		/* number of tags that can be used: DT_NULL to
					 * DT_JMPREL */

/* The dynamic section of an object.  The loader has relocated the addresses in it, except
 * in the vDSO. */
struct dynamic {
	uint64_t by_tag[TAGS];		/* values of the entries by their tags
					 * (DT_...); 0: there is no such entry */
	uint64_t nr_relative;		/* number of relocations without a symbol
					 * (DT_RELACOUNT), which come first */
};

/* Find the dynamic section of the object @info.  Returns false if the object has no
 * symbols, or if the addresses in the section are not relocated. */
static bool find_dynamic(const struct dl_phdr_info *info, struct dynamic *ret)
{
	const Elf64_Dyn *row = NULL;

	*ret = (struct dynamic){ 0 };
	for (uint32_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			row = (const void *)(info->dlpi_addr +
					     info->dlpi_phdr[i].p_vaddr);
	for (; row && row->d_tag != DT_NULL; row++) {
		if (row->d_tag > 0 && row->d_tag < TAGS)
			ret->by_tag[row->d_tag] = row->d_un.d_val;
		else if (row->d_tag == DT_RELACOUNT)
			ret->nr_relative = row->d_un.d_val;
	}
	return ret->by_tag[DT_SYMTAB] > info->dlpi_addr &&
	       ret->by_tag[DT_STRTAB] > info->dlpi_addr;
}

/* Returns true if the object has events.  Such an object has a constructor that calls
 * ulf_module_register(), so this name is in its string table. */
static bool has_events(const struct dl_phdr_info *info)
{
	static const char name[] = "ulf_module_register";
	struct dynamic dynamic;

	return find_dynamic(info, &dynamic) &&
	       memmem((const void *)dynamic.by_tag[DT_STRTAB], dynamic.by_tag[DT_STRSZ],
		      name, sizeof(name));
}

static bool has_tables(const struct dl_phdr_info *info)
{
	struct tables tables;

	find_tables(info, &tables);
	for (uint32_t kind = 0; kind < FSITE_TABLES; kind++)
		if (tables.sections[kind].sh_size)
			return true;
	return false;
}

/* Returns true if the object is libulf.so.  Returns false for a program that contains
 * libulf.a: such a program is linked with libulf on purpose. */
static bool is_libulf(const struct dl_phdr_info *info)
{
	uint64_t low, high, here = (uint64_t)&is_libulf;

	return object_find_range(info, PF_X, &low, &high) && here >= low && here < high &&
	       *info->dlpi_name;
}

/* The state of a check that looks for new objects.  libc lists objects in the order in
 * which it loaded them.  When an object is unloaded, all later ones move forward in
 * the list.  So new objects are always at its end.  Example: 5 objects were listed the
 * last time, and 1 of them was unloaded since then, no matter which one.  So the first
 * 4 objects of the list are old, and all later ones are new. */
struct look {
	uint64_t at;			/* number of objects listed so far */
	uint64_t subs;			/* number of objects that were ever unloaded
					 * (dlpi_subs) */
	bool has_some;			/* true: an object with events or functions was found */
};

static struct look last_look;		/* the previous check; protected by
					 * runtime_lock() */

static int see_any(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct look *look = arg;
	uint64_t gone;

	(void)bytes;
	look->subs = info->dlpi_subs;
	gone = look->subs - last_look.subs;
	if (gone + look->at++ < last_look.at)
		return 0;
	look->has_some = !is_libulf(info) && (has_events(info) || has_tables(info));
	return look->has_some;
}

bool object_any_new(void)
{
	struct look look = { .has_some = false };

	object_walk(see_any, &look);
	last_look = look;
	runtime_unlock();
	return look.has_some;
}

/* Returns true if one of the relocations refers to __fentry__.  @rows: address of the
 * relocations, of @bytes bytes.  @first: index of the first relocation to check. */
static bool wants_fentry(const struct dynamic *dynamic, uint64_t rows, uint64_t bytes,
			 uint64_t first)
{
	const Elf64_Sym *symbols = (const void *)dynamic->by_tag[DT_SYMTAB];
	const char *strings = (const char *)dynamic->by_tag[DT_STRTAB];
	const Elf64_Rela *row = (const void *)rows;

	for (uint64_t i = first; row && i < bytes / sizeof(*row); i++) {
		uint64_t type = ELF64_R_TYPE(row[i].r_info);

		if ((type == ARCH_RELOC_GLOB_DAT || type == ARCH_RELOC_JUMP_SLOT) &&
		    !strcmp(strings + symbols[ELF64_R_SYM(row[i].r_info)].st_name,
			    "__fentry__"))
			return true;
	}
	return false;
}

static bool has_calls(const struct dl_phdr_info *info)
{
	struct dynamic dynamic;

	return find_dynamic(info, &dynamic) &&
	       (wants_fentry(&dynamic, dynamic.by_tag[DT_RELA],
			     dynamic.by_tag[DT_RELASZ], dynamic.nr_relative) ||
		wants_fentry(&dynamic, dynamic.by_tag[DT_JMPREL],
			     dynamic.by_tag[DT_PLTRELSZ], 0));
}

/* Returns true if the object contains libulf's __fentry__(). */
static bool has_fentry(const struct dl_phdr_info *info)
{
	uint64_t low, high, fentry = (uint64_t)ftrace_fentry;

	return object_find_range(info, PF_X, &low, &high) && fentry >= low &&
	       fentry < high;
}

/* Add the tables of objects that may call __fentry__().  A program that contains libulf.a
 * calls it without a relocation.  libulf.so contains __fentry__(), but does not call it. */
static int see_calls(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	bool can_call = has_fentry(info) ? !&object_is_library : has_calls(info);

	return can_call ? see_loaded(info, bytes, arg) : 0;
}

void object_silence_calls(void)
{
	object_walk(see_calls, NULL);
	runtime_unlock();
}

void object_drop(struct object *object)
{
	struct object **p = &objects;

	while (*p != object)
		p = &(*p)->next;
	*p = object->next;
	profile_forget(object);
	/* Report the unload to the server, which cannot notice it otherwise if the
	 * object is loaded again soon. */
	if (process_slot)
		__atomic_add_fetch(&process_slot->unloads, 1, __ATOMIC_RELAXED);
	fsites_done(&object->sites);
	syscalls_free(object->syscalls);
	memory_free(object->sites.table);
	memory_free((void *)object->moved);
	memory_free(object->users);
	memory_free(object);
}

struct scan {
	object_see *see;
	bool has_begun;			/* true: the member is_there of all objects was
					 * set to false */
};

static int scan_one(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct scan *scan = arg;

	for (struct object *o = objects; o && !scan->has_begun; o = o->next)
		o->is_there = false;
	scan->has_begun = true;
	return scan->see(info, bytes, NULL);
}

/* Drop the objects that @see does not mark (is_there).  While the loader loads an
 * object, the object's text is mapped, but the object is not in the loader's list yet.
 * So do not drop an object that libulf has patched as long as the patches are in the
 * text. */
static void scan_objects(object_see *see)
{
	struct scan scan = { see, false };
	struct object *next;

	object_walk(scan_one, &scan);
	for (struct object *o = objects; o; o = next) {
		next = o->next;
		if (!o->is_there && (!o->sites.written || fsites_are_lost(&o->sites)))
			object_drop(o);
	}
	runtime_unlock();
}

void object_scan(void)
{
	scan_objects(see_loaded);
}

/* Mark the known objects whose text is in the loaded object @info (is_there). */
static int see_again(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	uint64_t low, high;

	(void)bytes;
	(void)arg;
	if (!object_find_range(info, PF_X, &low, &high))
		return 0;
	for (struct object *o = objects; o; o = o->next)
		if (o->text >= low && o->text < high && !fsites_are_lost(&o->sites))
			o->is_there = true;
	return 0;
}

void object_scan_gone(void)
{
	bool has_objects;

	runtime_lock();
	has_objects = objects;
	runtime_unlock();
	if (has_objects)
		scan_objects(see_again);
}
