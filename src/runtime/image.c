/* SPDX-License-Identifier: MIT */
/*
 * Objects are told to the root, so that their symbols are found also when the
 * program is dead: struct abi_object.  Those that the program starts with are
 * told then; what comes later, when it is first seen on a stack, by whoever
 * sees it.
 */
#include "runtime/image.h"

#include <elf.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/runtime.h"
#include "runtime/unwind.h"

#define KNOWN		256u		/* a power of two */
#define PAGE		4096u

/* ---- files ---- */

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

uint32_t image_build_id(const struct image_headers *headers, uint8_t *ret_id,
			 uint32_t room)
{
	for (int i = 0; i < headers->nr; i++) {
		const ElfW(Phdr) *phdr = &headers->phdr[i];
		const char *notes = (const char *)(headers->bias + phdr->p_vaddr);
		const ElfW(Nhdr) *n;

		if (phdr->p_type != PT_NOTE)
			continue;
		n = find_id(notes, notes + phdr->p_memsz);
		if (n) {
			uint32_t bytes = min_u32(n->n_descsz, room);

			memcpy(ret_id, (const char *)(n + 1) + 4, bytes);
			return bytes;
		}
	}
	return 0;
}

const char *image_absolute(const char *path, char *buf, size_t room)
{
	size_t bytes = strlen(path) + 1;
	long cwd;

	if (path[0] == '/')
		return path;
	while (!strncmp(path, "./", 2)) {
		path += 2;
		bytes -= 2;
	}
	cwd = arch_syscall2(SYS_getcwd, buf, room);	/* with its end */
	if (cwd <= 0 || buf[0] != '/' || (size_t)cwd + bytes > room)
		return path;
	buf[cwd - 1] = '/';
	memcpy(buf + cwd, path, bytes);
	return buf;
}

/* ---- what this process has told ---- */

static struct image known[KNOWN];	/* by start; a hint, so races do not matter */

static struct image *known_at(uint64_t start)
{
	return &known[(start >> 12 ^ start >> 20) % KNOWN];
}

static bool is_known(const struct image *image)
{
	const struct image *hint = known_at(image->start);

	return __atomic_load_n(&hint->start, __ATOMIC_RELAXED) == image->start &&
	       __atomic_load_n(&hint->end, __ATOMIC_RELAXED) == image->end &&
	       __atomic_load_n(&hint->name, __ATOMIC_RELAXED) == image->name;
}

static void set_known(const struct image *image)
{
	struct image *hint = known_at(image->start);

	__atomic_store_n(&hint->start, image->start, __ATOMIC_RELAXED);
	__atomic_store_n(&hint->end, image->end, __ATOMIC_RELAXED);
	__atomic_store_n(&hint->name, image->name, __ATOMIC_RELAXED);
}

/* ---- rows ---- */

/* The headers are in the first page of every object that a linker made. */
static void read_build_id(const struct image *image, struct abi_object *row)
{
	const ElfW(Ehdr) *head = (const void *)image->start;
	struct image_headers headers = { .bias = image->bias };

	if (image->end - image->start < PAGE ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff > PAGE ||
	    head->e_phnum > (PAGE - head->e_phoff) / sizeof(ElfW(Phdr)))
		return;
	headers.phdr = (const void *)(image->start + head->e_phoff);
	headers.nr = head->e_phnum;
	row->build_id_bytes = image_build_id(&headers, row->build_id,
					      sizeof(row->build_id));
}

/* False: there is no file (the vDSO), or its path is too long. */
static bool fill_path(const struct image *image, char *buf, size_t room)
{
	const char *path = image->name;
	size_t bytes;

	if (!path || !*path)
		path = root_control->exe;
	else if (strchr(path, '/'))
		path = image_absolute(path, buf, room);
	else
		return false;
	bytes = strlen(path) + 1;
	if (bytes > room)
		return false;
	memmove(buf, path, bytes);
	return true;
}

static struct abi_object *row_at(uint32_t i)
{
	return (struct abi_object *)root_at(root_control->objects_off) + i;
}

static bool has_row(const struct abi_object *object, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct abi_object *row = row_at(i);

		if (__atomic_load_n(&row->is_there, __ATOMIC_ACQUIRE) &&
		    row->start == object->start && row->end == object->end &&
		    row->build_id_bytes == object->build_id_bytes &&
		    !memcmp(row->build_id, object->build_id,
			    object->build_id_bytes) &&
		    !strcmp(row->path, object->path))
			return true;
	}
	return false;
}

/* Take the next row.  A process that dies here leaves one that is not there. */
static void add_row(const struct abi_object *object)
{
	uint32_t *counter = &root_control->nr_objects;
	uint32_t nr = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
	struct abi_object *row;

	do {
		if (nr >= ABI_OBJECTS || has_row(object, nr))
			return;
		row = row_at(nr);
		if (root_populate((uint64_t)((char *)row - (char *)root_control),
				  sizeof(*row)))
			return;
	} while (!__atomic_compare_exchange_n(counter, &nr, nr + 1, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*row = *object;
	__atomic_store_n(&row->is_there, 1, __ATOMIC_RELEASE);
}

void image_tell(const struct image *image)
{
	struct abi_object row = { .start = image->start, .end = image->end };

	if (is_known(image) || !root_control || !root_control->objects_off)
		return;
	if (fill_path(image, row.path, sizeof(row.path))) {
		read_build_id(image, &row);
		add_row(&row);
	}
	set_known(image);
}

static int tell(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct image image;

	(void)bytes;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (unwind_find(info->dlpi_addr + p->p_vaddr, &image))
			image_tell(&image);
		break;
	}
	return 0;
}

void image_tell_all(void)
{
	dl_iterate_phdr(tell, NULL);
}
