/* SPDX-License-Identifier: MIT */
/* Write to files of the tree, and explain why a file refused a value. */
#ifndef ULF_CLI_TREE_WRITE_H
#define ULF_CLI_TREE_WRITE_H

#include <stdbool.h>

#include "base/text.h"
#include "cli/conn.h"

/* One write: open, write, close, as `echo VALUE > FILE` in a shell. */
struct tree_write {
	const char *path;		/* full path, as root_path() returns it */
	const char *text;		/* the value, with its newline if it needs one */
	int flags;			/* O_TRUNC or O_APPEND, as > and >> of a shell */
	struct text reason;		/* result: what this write has added to error_log, with
					 * carets; empty if nothing */
	bool has_opened;		/* result: false if the file could not be opened */
};

/* Initialise @write.  The caller keeps @path and @text, and must call tree_write_done(). */
void tree_write_init(struct tree_write *write, const char *path, const char *text, int flags);
/* Free the memory of @write. */
void tree_write_done(struct tree_write *write);

/*
 * tree_write - do the write
 *
 * Returns 0 or -errno, and sets the results in @write.  Prints nothing.  May be called again with
 * the same @write.  A reason after success means that the value was accepted, and has no effect, or
 * only a part of it has.  Sleeps until all processes of the root have applied the value.
 */
int tree_write(struct conn *conn, struct tree_write *write);

/* Print why tree_write() has failed with @error, which is -errno, and the reason. */
void tree_write_error(const struct tree_write *write, int error);

/* Print the reason to stderr.  Control characters are escaped if stderr is a terminal. */
void tree_write_reason(const struct tree_write *write);

#endif
