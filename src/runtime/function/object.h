/* SPDX-License-Identifier: MIT */
/* The objects of this process whose functions can be traced. */
#ifndef ULF_RUNTIME_OBJECT_H
#define ULF_RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

struct abi_figure;
struct dl_phdr_info;
struct image;
struct still_sites;

/* A table of function entries of a loaded object, compiled into it or made of its
 * moved functions.  runtime_lock() protects all members. */
struct object {
	struct object *next;
	uint64_t text;			/* address of the object's text */
	uint64_t table;			/* address of the table of function entries;
					 * for FSITE_MOVED the number that names its
					 * file (moved_file.h) */
	bool is_there;			/* true: the last scan has found the loaded
					 * object */
	bool is_named;			/* true: the server's settings name the object */
	enum fsite_kind kind;		/* kind of @table */
	struct fsites sites;
	const struct moved_head *moved;	/* the table if @kind is FSITE_MOVED, else NULL */
	uint8_t build_id[32];		/* build id, read from the loaded object itself */
	bool has_id;			/* true: build_id is set */
	uint32_t *users;		/* for each site, the tracers and other users
					 * that the server has set; NULL: no site has
					 * users */
	struct syscalls *syscalls;	/* the system calls of the object
					 * (syscalls.h); NULL: none of them was traced
					 * so far */
	struct abi_figure *figures;	/* the profiler's figures of all sites;
					 * NULL: there are no figures */
};

/* ---- functions whose caller holds runtime_lock() ---- */

/* Returns the first object of the list, or NULL. */
struct object *object_first(void);
/* The sites, of all objects, that can be switched only while no other thread runs (still.h).
 * The caller of each method holds runtime_lock(). */
extern const struct still_sites object_still;
/*
 * object_get_named - find or make the struct object for a table that another process has
 * named
 * @loaded: the loaded object, as loaded_find() describes it
 * @table: address of the table; it has @nr rows (not 0) inside of the object.  FSITE_MOVED:
 * name of the file with the table
 *
 * Returns 0, -ENOENT (the loaded object has another table of that kind, or its file has no
 * table there), -ENOMEM or an error of moved_file_load().
 */
struct loaded;
int object_get_named(const struct loaded *loaded, enum fsite_kind kind, uint64_t table,
		     uint32_t nr, struct object **ret_object);

/* Returns true if the file of @image has a table of @kind with @nr entries at @table. */
bool object_has_table(const struct image *image, enum fsite_kind kind, uint64_t table,
		      uint32_t nr);

/* Returns the address of the site of the function at @addr, or 0 if @object has no site
 * there. */
uint64_t object_site_of(const struct object *object, uint64_t addr);

/* Remove @object from the list of objects and free it, because its text was
 * unmapped. */
void object_drop(struct object *object);

/*
 * ---- functions whose caller is a thread that libc created, and does not hold
 * runtime_lock() ----
 *
 * These functions take libc's lock of dl_iterate_phdr(), which must be taken before
 * runtime_lock().  A signal handler must not call them.
 */

/* Call @see for each loaded object, as dl_iterate_phdr() does.  @see is called with
 * runtime_lock() held, and this function returns with runtime_lock() held. */
typedef int object_see(struct dl_phdr_info *info, size_t bytes, void *arg);
void object_walk(object_see *see, void *arg);
/*
 * Call @found with the site of each function whose name matches @glob, which has @len bytes.
 * With @len 0, call it with the site of each function that has a name.  @found is called with
 * runtime_lock() held.  @unknown: gets what the search has found out about objects whose
 * functions are not known; the caller sets @unknown->asked.  Returns with runtime_lock() held.
 */
typedef void (*object_found)(void *arg, uint64_t code);
struct object_unknown {			/* objects whose functions are not known: no
					 * compiler has prepared them, and the server
					 * has not analysed them */
	uint64_t asked;			/* value of @loads when the server was last
					 * asked for tables of such objects */
	uint64_t loads;			/* set by the search: a number that changes when objects are
					 * loaded or unloaded */
	bool has_some;			/* set by the search: a function of such an object matches,
					 * and the server was not asked since the last load */
};
void object_find_names(const char *glob, size_t len, object_found found, void *arg,
		       struct object_unknown *unknown);
/* Returns true if objects with events or traceable functions were loaded since the last
 * call.  libulf.so does not count.  The first call checks all objects. */
bool object_any_new(void);
/* Update the list of objects: add the objects that were loaded, and drop those
 * that were unloaded. */
void object_scan(void);
/* Remove unloaded objects from the list of objects. */
void object_scan_gone(void);
/* A variable that is defined in libulf.so only.  With libulf.a its address is NULL. */
extern const char object_is_library __attribute__((weak));
/* Replace the calls of __fentry__ in all objects by NOPs.  Called once, when the runtime
 * starts. */
void object_silence_calls(void);

#endif
