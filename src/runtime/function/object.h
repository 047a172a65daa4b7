/* SPDX-License-Identifier: MIT */
/* The objects of this process whose functions can be traced. */
#ifndef ULF_RUNTIME_OBJECT_H
#define ULF_RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/fsite.h"

struct abi_figure;
struct dl_phdr_info;
struct image;

struct object {
	struct object *next;
	uint64_t text;			/* where its text starts */
	uint64_t table;			/* and the addresses of its entries */
	bool is_there;			/* it was when objects were looked for */
	bool is_wished;			/* the server has named it */
	enum fsite_kind kind;
	struct fsites sites;
	uint8_t build_id[32];		/* as the object itself says */
	bool has_id;
	uint32_t *users;		/* of each site, as the server wishes;
					 * NULL: nothing */
	struct abi_figure *figures;	/* the profiler's; NULL: none */
};

/* ---- lock held ---- */
struct object *object_first(void);
/*
 * object_get_named - the object of a table that another process has named; made if need be.
 * @loaded: what is loaded there, as loaded_find() says.
 * @table: of @nr rows, not 0, which lie in it.
 * -ENOENT: there is another table of that kind, or the object's file has none there;
 * -ENOMEM.
 */
struct loaded;
int object_get_named(const struct loaded *loaded, enum fsite_kind kind, uint64_t table,
		     uint32_t nr, struct object **ret_object);

/* By how much the program was moved when it was loaded, as the kernel and its file say. */
uint64_t object_program_bias(void);
/* Does the file of @image say that a table of @kind with @nr entries is at @table? */
bool object_has_table(const struct image *image, enum fsite_kind kind, uint64_t table,
		      uint32_t nr);

/* The site of the function at @addr; 0. */
uint64_t object_site_of(const struct object *object, uint64_t addr);

/* Its text is gone. */
void object_drop(struct object *object);

/* ---- a thread of libc's, lock not held: libc's lock of dl_iterate_phdr() is taken ---- */
/* dl_iterate_phdr(); @see is called with our lock held, too.  Returns with our lock held. */
typedef int object_see(struct dl_phdr_info *info, size_t bytes, void *arg);
void object_walk(object_see *see, void *arg);
/* Report the sites of all functions whose name matches, of all that have one if @len is
 * 0.  @found is called with the lock held.  Returns with the lock held. */
typedef void (*object_found)(void *arg, uint64_t code);
void object_find_names(const char *glob, size_t len, object_found found, void *arg);
/* Have objects, beside libulf.so, with events or with functions that can be traced come
 * since the last call?  The first call looks at all objects.  Lock not held, as above. */
bool object_any_new(void);
/* See what has come and gone. */
void object_scan(void);
/* See only what has gone. */
void object_scan_gone(void);
/* There in libulf.so alone; else its address is NULL. */
extern const char object_is_library __attribute__((weak));
/* At start: calls of __fentry__ become NOPs. */
void object_silence_calls(void);

#endif
