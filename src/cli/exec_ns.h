/* SPDX-License-Identifier: MIT */
/* Enter a mount namespace in which the directory of a root is mounted in place of the
 * kernel's tracefs. */
#ifndef ULF_CLI_EXEC_NS_H
#define ULF_CLI_EXEC_NS_H

#include "cli/conn.h"

/*
 * exec_ns_enter - show this process the directory of @root instead of the kernel's
 * tracefs
 *
 * Moves this process to a new mount namespace.  If that is not allowed, also moves it
 * to a new user namespace, in which it keeps its user id and group id.  The process
 * must have one thread.  Returns 0 or -errno, and prints errors.
 */
int exec_ns_enter(struct conn *conn, const char *root);

#endif
