/* SPDX-License-Identifier: MIT */
/*
 * Add objects to the root's table of objects (struct abi_object), so that the server
 * finds their symbols even after the program has died.  The objects with which the
 * program starts are added at its start.  An object that is loaded later is added by
 * the first thread that finds it on a stack.
 */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/root.h"
#include "runtime/unwind/image.h"
#include "runtime/unwind/unwind.h"

#define KNOWN		256u		/* number of elements of the hash table
					 * known[]; a power of two */

/* ---- find the build id and the path of an object ---- */

static const ElfW(Nhdr) *find_id(const char *note, const char *end)
{
	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const void *)note;
		const char *name = note + sizeof(*n);

		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4))
			return n;
		note = name + ALIGN_UP(n->n_namesz, 4u) + ALIGN_UP(n->n_descsz, 4u);
	}
	return NULL;
}

/* Returns the note with the build id, or NULL if the object has none. */
static const ElfW(Nhdr) *find_build_id(const struct image_headers *headers)
{
	for (int i = 0; i < headers->nr; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];
		const char *notes = (const char *)(headers->bias + phdr->p_vaddr);
		const ElfW(Nhdr) *n;

		if (phdr->p_type != PT_NOTE)
			continue;
		n = find_id(notes, notes + phdr->p_memsz);
		if (n)
			return n;
	}
	return NULL;
}

static const uint8_t *id_bytes(const ElfW(Nhdr) *note)
{
	return (const uint8_t *)(note + 1) + 4;		/* the build id comes after the
							 * name "GNU" */
}

static uint32_t copy_id(const ElfW(Nhdr) *note, uint8_t *to, uint32_t size)
{
	uint32_t bytes = note ? min_u32(note->n_descsz, size) : 0;

	if (bytes)
		memcpy(to, id_bytes(note), bytes);
	return bytes;
}

uint32_t image_build_id(const struct image_headers *headers, uint8_t *ret_id,
			uint32_t size)
{
	return copy_id(find_build_id(headers), ret_id, size);
}

const char *image_absolute(const char *path, char *buf, size_t size)
{
	size_t bytes = strlen(path) + 1;
	long cwd;

	if (path[0] == '/')
		return path;
	while (!strncmp(path, "./", 2)) {
		path += 2;
		bytes -= 2;
	}
	cwd = arch_syscall2(SYS_getcwd, buf, size);	/* size of the working
							 * directory's path, with
							 * its NUL */
	if (cwd <= 0 || buf[0] != '/' || (size_t)cwd + bytes > size)
		return path;
	buf[cwd - 1] = '/';
	memcpy(buf + cwd, path, bytes);
	return buf;
}

/* ---- remember the objects that this process has added ---- */

/* The data by which an object that was added is recognized.  Another object may be
 * loaded later at this address, even with this name, but it has another build id. */
struct known {
	uint64_t start, end;
	const char *name;
	/* @id_at: offset of the build id from @start; 0: the object has none.  @id: the 8
	 * bytes at this offset; 0: not known. */
	uint64_t id_at, id;
};

/* A hash table of the objects that this process has added.  The key is the start of the
 * object.  Threads and signal handlers write the table without a lock.  It contains
 * only hints, so races do no harm. */
static struct known known[KNOWN];

static struct known *known_at(uint64_t start)
{
	return &known[(start >> 12 ^ start >> 20) % KNOWN];
}

static uint64_t load_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store_word(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static uint64_t id_of(const struct image *image, uint64_t at)
{
	uint64_t id = 0;

	if (at && at <= ARCH_PAGE_BYTES - sizeof(id))
		memcpy(&id, (const char *)image->start + at, sizeof(id));
	return id;
}

static bool is_known(const struct image *image)
{
	const struct known *hint = known_at(image->start);

	return load_word(&hint->start) == image->start && load_word(&hint->end) == image->end &&
	       __atomic_load_n(&hint->name, __ATOMIC_RELAXED) == image->name &&
	       id_of(image, load_word(&hint->id_at)) == load_word(&hint->id);
}

/* Forget the objects whose addresses overlap those of @image, because they are
 * not mapped any more. */
static void forget_others(const struct image *image)
{
	for (uint32_t i = 0; i < KNOWN; i++)
		if (load_word(&known[i].start) < image->end &&
		    image->start < load_word(&known[i].end))
			store_word(&known[i].end, 0);
}

static void set_known(const struct image *image, uint64_t id_at)
{
	struct known *hint = known_at(image->start);

	forget_others(image);
	store_word(&hint->start, image->start);
	store_word(&hint->end, image->end);
	__atomic_store_n(&hint->name, image->name, __ATOMIC_RELAXED);
	store_word(&hint->id_at, id_at);
	store_word(&hint->id, id_of(image, id_at));
}

/* ---- add rows to the table of objects ---- */

/* Read the build id of @image into @row.  Linkers put the program headers in the first
 * memory page of an object.  Returns the offset of the build id from image->start; 0 if
 * there is none. */
static uint64_t read_build_id(const struct image *image, struct abi_object *row)
{
	const ElfW(Ehdr) *head = (const void *)image->start;
	struct image_headers headers = { .bias = image->bias };
	const ElfW(Nhdr) *note;

	if (image->end - image->start < ARCH_PAGE_BYTES ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff > ARCH_PAGE_BYTES ||
	    head->e_phnum > (ARCH_PAGE_BYTES - head->e_phoff) / sizeof(ElfW(Phdr)))
		return 0;
	headers.phdr = (const void *)(image->start + head->e_phoff);
	headers.nr = head->e_phnum;
	note = find_build_id(&headers);
	row->build_id_bytes = copy_id(note, row->build_id, sizeof(row->build_id));
	return note ? (uint64_t)id_bytes(note) - image->start : 0;
}

/* Store the absolute path of the object's file in @buf.  Returns false if the object has no
 * file (the vDSO), or if its path is too long. */
static bool fill_path(const struct image *image, char *buf, size_t size)
{
	const char *path = image->name;
	size_t bytes;

	if (!path || !*path)
		path = root_exe();
	else if (strchr(path, '/'))
		path = image_absolute(path, buf, size);
	else
		return false;
	bytes = strlen(path) + 1;
	if (bytes > size)
		return false;
	memmove(buf, path, bytes);
	return true;
}

static struct abi_object *row_at(uint32_t i)
{
	return (struct abi_object *)root_at(ABI_OBJECTS_OFF) + i;
}

/* Returns true if @row describes @object.  If @object has a build id, compares the
 * build ids and not the paths, because the server may have stored another path of this
 * file.  Other processes can write @row, so all lengths are taken from @object, which
 * is private. */
static bool is_same(const struct abi_object *row, const struct abi_object *object)
{
	return row->start == object->start &&
	       row->build_id_bytes == object->build_id_bytes &&
	       (object->build_id_bytes ?
		!memcmp(row->build_id, object->build_id, object->build_id_bytes) :
		!strcmp(row->path, object->path));
}

/* Returns true if the newest of the rows that overlap @object is a row of @object.
 * @nr: number of rows in use.  The acquire pairs with the release in add_row(), in any
 * process of the root [image.row]. */
static bool has_row(const struct abi_object *object, uint32_t nr)
{
	while (nr--) {
		const struct abi_object *row = row_at(nr);

		if (root_populate_row(row))
			continue;
		if (__atomic_load_n(&row->is_there, __ATOMIC_ACQUIRE) &&
		    row->start < object->end && object->start < row->end)
			return is_same(row, object);
	}
	return false;
}

/* Add a row for @object to the table of objects: take the next row, then fill it in.  If the
 * process is killed meanwhile, the member is_there of the row stays 0, and readers skip the
 * row. */
static void add_row(const struct abi_object *object)
{
	uint32_t *counter = &root_control->nr_objects;
	uint32_t nr = __atomic_load_n(counter, __ATOMIC_ACQUIRE);	/* [image.row] */
	struct abi_object *row;

	do {
		if (nr >= ABI_OBJECTS || has_row(object, nr))
			return;
		row = row_at(nr);
		if (root_populate_row(row))
			return;
	} while (!__atomic_compare_exchange_n(counter, &nr, nr + 1, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*row = *object;
	__atomic_store_n(&row->is_there, 1, __ATOMIC_RELEASE);	/* [image.row] */
}

void image_report(const struct image *image)
{
	struct abi_object row = {
		.start = image->start, .end = image->end, .since = arch_tsc(),
	};
	uint64_t id_at = 0;

	if (is_known(image) || !root_control)
		return;
	if (fill_path(image, row.path, sizeof(row.path))) {
		id_at = read_build_id(image, &row);
		add_row(&row);
	}
	set_known(image, id_at);
}

static int report_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct image image;

	(void)bytes;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (unwind_find(info->dlpi_addr + p->p_vaddr, &image))
			image_report(&image);
		break;
	}
	return 0;
}

void image_report_all(void)
{
	dl_iterate_phdr(report_object, NULL);
}
