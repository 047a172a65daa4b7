/* SPDX-License-Identifier: MIT */
/* Write to files of the tree, and explain why a file refused a value. */
#ifndef ULF_CLI_TREE_WRITE_H
#define ULF_CLI_TREE_WRITE_H

#include <stdbool.h>

#include "base/text.h"
#include "cli/conn.h"

/* A write to a file of the tree: open, write and close, as `echo VALUE > FILE` in a shell
 * does. */
struct tree_write {
	const char *path;		/* full path of the file in the tree, from root_path() */
	const char *text;		/* the value to write, with a newline at its end if
					 * the file needs one */
	int flags;			/* O_TRUNC or O_APPEND, which correspond to > and >>
					 * in a shell */
	struct text reason;		/* result: the text with carets that this write has
					 * added to error_log; empty if it has added none */
	bool has_opened;		/* result: false if the file could not be opened */
};

/* Initialise @write.  @path and @text must stay valid.  The caller must call
 * tree_write_done(). */
void tree_write_init(struct tree_write *write, const char *path, const char *text, int flags);
/* Free the memory of @write. */
void tree_write_done(struct tree_write *write);

/*
 * tree_write - do the write that @write describes
 *
 * Returns 0 or -errno, and sets the results in @write.  Prints nothing.  May be called again
 * with the same @write.  If there is a reason after success, the value was accepted, but has
 * no effect or only a part of its effect.  Sleeps until all processes of the root have
 * applied the value.
 */
int tree_write(struct conn *conn, struct tree_write *write);

/* Print that tree_write() has failed with @error, which is -errno, and the reason. */
void tree_write_error(const struct tree_write *write, int error);

/* Print the reason in @write to stderr.  Control characters are escaped if stderr is a
 * terminal. */
void tree_write_reason(const struct tree_write *write);

#endif
