/* SPDX-License-Identifier: MIT */
/* Shared objects, and the program: which file each is of. */
#ifndef ULF_RUNTIME_IMAGE_H
#define ULF_RUNTIME_IMAGE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Any context. */

struct image_headers {
	const ElfW(Phdr) *phdr;
	int nr;
	uint64_t bias;			/* address in memory - in the file */
};
/* Write its build id, cut if it is longer; returns its bytes, 0: it has none. */
uint32_t image_build_id(const struct image_headers *headers, uint8_t *ret_id,
			 uint32_t room);
/* dlopen("./x.so"): the server is in another directory.  @path itself if it
 * says where it is, or does not fit. */
const char *image_absolute(const char *path, char *buf, size_t room);

/* The object that a module is in, as the loader knows it; the first page of its file need
 * not be there. */
struct table_object {
	const void *inside;		/* an address in it */
	struct image_headers headers;	/* phdr NULL: not found */
	const char *name;		/* the loader's */
	uint64_t base;			/* where its first page is */
};
/* table.c.  Takes libc's lock of dl_iterate_phdr(), so no lock of ours may be held.  Not by
 * dladdr(): that takes the lock that a thread in dlopen() has when it waits for ours. */
struct ulf_module;
struct table_object table_find_object(const struct ulf_module *module);

/* Where an object is loaded, as the loader says. */
struct image {
	uint64_t start, end, bias;
	const char *name;		/* the loader's; of the program: "" */
	const ElfW(Dyn) *dynamic;	/* its dynamic section; NULL: it has none */
};
/* Have the root know it. */
void image_tell(const struct image *image);
/* All that there are; not in any context. */
void image_tell_all(void);

#endif
