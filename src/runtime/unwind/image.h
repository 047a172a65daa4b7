/* SPDX-License-Identifier: MIT */
/* Shared objects and the program: where each is loaded, and from which file.  Any thread
 * and any signal handler may call these functions, unless their comment says otherwise. */
#ifndef ULF_RUNTIME_IMAGE_H
#define ULF_RUNTIME_IMAGE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* The program headers of an object. */
struct image_headers {
	const ElfW(Phdr) *phdr;
	int nr;				/* number of program headers */
	uint64_t bias;			/* address of a byte in memory minus its
					 * address in the file */
};
/* Copy the build id of an object to @ret_id, at most @size bytes.  Returns the number of
 * bytes copied; 0 if the object has no build id. */
uint32_t image_build_id(const struct image_headers *headers, uint8_t *ret_id,
			uint32_t size);
/*
 * Make a path absolute: the server has another working directory than a program that
 * calls dlopen("./x.so").
 *
 * Returns @buf, which has @size bytes; or a pointer into @path if the path is
 * absolute already, if the result does not fit, or if getcwd() failed.
 */
const char *image_absolute(const char *path, char *buf, size_t size);

/* The object that contains a module, as the loader describes it.  The first memory page
 * of the object's file need not be mapped. */
struct table_object {
	const void *inside;		/* an address in the object */
	struct image_headers headers;	/* program headers; @phdr is NULL if the
					 * object was not found */
	const char *name;		/* path of the object, a string of the loader */
	uint64_t base;			/* address of the object's first memory page */
	uint64_t made_id;		/* number that identifies a module which
					 * libulf itself has made for the object
					 * (module_add_made()); @headers is not set
					 * then; 0: a compiler has made the module */
};
/*
 * Find the object that contains @module (table.c).  Takes libc's lock of
 * dl_iterate_phdr(), so the caller must hold no lock of libulf, and must not be a signal
 * handler.  dladdr() would be wrong here, because it could deadlock: it takes a lock
 * that a thread in dlopen() holds, and that thread may wait for a lock of libulf.
 */
struct ulf_module;
struct table_object table_find_object(const struct ulf_module *module);

/* Where an object is loaded, as the loader reports it. */
struct image {
	/* @start, @end: addresses of the object's first byte and after its last byte.
	 * @bias: address in memory minus address in the file. */
	uint64_t start, end, bias;
	const char *name;		/* path of the object, a string of the loader; ""
					 * for the program */
	const ElfW(Dyn) *dynamic;	/* dynamic section of the object; NULL if it has none */
};
/* Add @image to the root's table of objects, unless the table already contains it.  Does
 * nothing if the process has no root. */
void image_report(const struct image *image);
/* Add all objects of this process to the root's table of objects.  Takes libc's lock of
 * dl_iterate_phdr(), so the caller must hold no lock of libulf, and must not be a signal
 * handler. */
void image_report_all(void);

#endif
