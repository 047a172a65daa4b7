/* SPDX-License-Identifier: MIT */
/* Find the directory of an event that a user has written as a word. */
#ifndef ULF_CLI_EVENT_PATH_H
#define ULF_CLI_EVENT_PATH_H

#include "cli/conn.h"

/* An event of a root or an instance. */
struct event_path {
	char *root;			/* path of the root or the instance, with the full
					 * name of the root */
	char *name;			/* SYSTEM:EVENT */
	char *dir;			/* path of the event's directory */
};

/*
 * event_path_find - find an event
 * @root_word: a root, written as for root_path(); or an instance, written as
 * ROOT/instances/NAME
 * @event_word: SYSTEM:EVENT, SYSTEM/EVENT, or EVENT if only one system has it
 *
 * Returns 0 or -errno.  Prints errors.  The caller must call event_path_done(), also after an
 * error.
 */
int event_path_find(struct conn *conn, const char *root_word, const char *event_word,
		    struct event_path *ret_path);
void event_path_done(struct event_path *path);

/* Return the path of the file @name in the event's directory, which the caller must free();
 * NULL if there is no memory. */
char *event_path_file(const struct event_path *path, const char *name);

#endif
