/* SPDX-License-Identifier: MIT */
/* Roots, as the server lists them, and paths that begin with one. */
#ifndef ULF_CLI_ROOT_H
#define ULF_CLI_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/conn.h"

struct root_list {
	struct abi_root_row *rows;	/* in the order of their names */
	size_t nr;
};

/* @what: whether the figures of dead roots are needed, too, which may take a while.
 * @run_id: for ABI_LIST_RUN; an older server lists all roots all the same */
int root_list_fetch(struct conn *conn, enum abi_list what, uint32_t run_id,
		    struct root_list *ret_list);
/* Fetch the list of all roots; prints an error, and whether roots are left out. */
int root_list_get(struct conn *conn, enum abi_list what, struct root_list *ret_list);
void root_list_done(struct root_list *list);

/* Get the last program of a run that could not make its root; false: all have one.  With pid 0
 * the server could not open a root, of any run. */
bool root_missing(struct conn *conn, uint32_t run_id, struct abi_no_root *ret_row);

/* The root of that name, which may be short as below; @name NULL: the only one
 * that is alive.  NULL: there is none, or it is not clear which; it is said. */
const struct abi_root_row *root_list_find(const struct root_list *list,
					  const char *name);

/* Like root_list_find(), but prints nothing.  NULL also if several roots match. */
const struct abi_root_row *root_list_search(const struct root_list *list, const char *name,
					    size_t len);
/* Sort by name. */
void root_list_sort(struct root_list *list);

const char *root_state_name(uint32_t state);

/*
 * root_path - a path as people write it, made exact
 * @path: its first part is a root's name, or a program's name or a process id
 *	  that only one root has (a living one is preferred)
 * @ret_path: what the server understands; free() it
 *
 * Says what is wrong.
 */
int root_path(struct conn *conn, const char *path, char **ret_path);

/*
 * root_default - the one root that is meant when none is named: the only one
 * that is alive
 * @ret_name: free() it
 *
 * Says which there are if it is not clear.
 */
int root_default(struct conn *conn, char **ret_name);

/* Say that @path could not be used: @error is a -errno. */
void root_path_error(const char *path, int error);

#endif
