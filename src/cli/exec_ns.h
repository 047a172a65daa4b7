/* SPDX-License-Identifier: MIT */
/* A mount namespace in which a root takes the place of the kernel's tracefs. */
#ifndef ULF_CLI_EXEC_NS_H
#define ULF_CLI_EXEC_NS_H

#include "cli/conn.h"

/*
 * exec_ns_enter - let this process see the directory of @root instead of the kernel's tracefs
 *
 * Moves this process to a new mount namespace.  If that is not allowed, also to a new user
 * namespace, in which it keeps its user and group.  The process must have one thread.  Returns 0
 * or -errno, and prints errors.
 */
int exec_ns_enter(struct conn *conn, const char *root);

#endif
