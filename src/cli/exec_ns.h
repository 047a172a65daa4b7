/* SPDX-License-Identifier: MIT */
/* A view of the machine in which a root is the kernel. */
#ifndef ULF_CLI_EXEC_NS_H
#define ULF_CLI_EXEC_NS_H

#include "cli/conn.h"

/*
 * exec_ns_enter - from now on this process sees the directory of @root where
 * the machine has its tracefs
 *
 * It gets a mount namespace of its own and, if it may not have that as it is, a
 * user namespace in which it keeps its user and group.  Needs a single thread.
 * Says what is wrong.
 */
int exec_ns_enter(struct conn *conn, const char *root);

#endif
