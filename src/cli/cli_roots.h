/* SPDX-License-Identifier: MIT */
/*
 * The list of roots, and paths that begin with the name of a root.  Functions that return int
 * return 0 or -errno.
 */
#ifndef ULF_CLI_CLI_ROOTS_H
#define ULF_CLI_CLI_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/conn.h"

struct root_list {
	struct abi_root_row *rows;	/* sorted by name */
	size_t nr;
};

/*
 * root_list_fetch - get a list of roots from the server
 * @what: which roots to list, and whether to read the numbers of events and records of dead
 * roots; reading these numbers may take a while
 * @run_id: for ABI_LIST_RUN, the run whose roots are listed; a server of an older version
 * lists all roots
 *
 * Prints nothing.  The caller must call root_list_done() after success.
 */
int root_list_fetch(struct conn *conn, enum abi_list what, uint32_t run_id,
		    struct root_list *ret_list);
/* Get the list of all roots.  Prints errors, and a warning if the list is incomplete. */
int root_list_get(struct conn *conn, enum abi_list what, struct root_list *ret_list);
/* Free a list. */
void root_list_done(struct root_list *list);

#define ROOTS_MISSING_MAX	256u	/* maximum number of rows that the server keeps about
					 * programs that could not make their roots */

/* Get the programs of the run @run_id that could not make their roots or could not be
 * followed, but at most @max.  Returns the number of programs. */
size_t root_list_missing(struct conn *conn, uint32_t run_id, struct abi_no_root *rows, size_t max);

/*
 * Get the last program of run @run_id that could not make its root.  Returns false if there
 * is no such program.  A row with pid 0 does not stand for a program: the server returns such
 * a row if it could not open a root, and so does not know the root's run.
 */
bool root_get_missing(struct conn *conn, uint32_t run_id, struct abi_no_root *ret_row);

/* Find a root by its name, which may be shortened as in root_path().  @name NULL: find
 * the only root that is alive.  Returns NULL, and prints an error, if no root or
 * several roots match. */
const struct abi_root_row *root_list_find(const struct root_list *list,
					  const char *name);

/* Find a root as root_list_find() does, by the first @len bytes of @name.  Prints nothing. */
const struct abi_root_row *root_list_search(const struct root_list *list, const char *name,
					    size_t len);
/* Sort by name. */
void root_list_sort(struct root_list *list);

/* Return the name of a state of enum abi_root_state: "alive", "dead" ... */
const char *root_state_name(uint32_t state);

/*
 * root_path - complete a path that a user has written
 * @path: begins with the name of a root, or with the name or process id of a program that
 * only one root has; if several roots match and only one of them is alive, that root is meant
 * @ret_path: the path with the full name of the root, for the server; the caller must
 *	free() it
 *
 * Example: minikernel/trace becomes minikernel.4711/trace.  Prints errors.
 */
int root_path(struct conn *conn, const char *path, char **ret_path);

/*
 * root_default - get the root that is used if the user names no root: the only root that
 * is alive
 * @ret_name: the caller must free() it
 *
 * Prints errors and, if several roots are alive, the list of roots.
 */
int root_default(struct conn *conn, char **ret_name);

/* Print that the path @path could not be used, and a remedy.  @error: -errno. */
void root_path_error(const char *path, int error);

/* Print an error as root_path_error() does, for a path that the user has typed.  If a name in
 * the path is wrong, print a similar name.  Asks the server for names, so @conn->data is
 * changed. */
void root_path_typed_error(struct conn *conn, const char *path, int error);

#endif
