/* SPDX-License-Identifier: MIT */
/* Instances that commands of ulf make for themselves.  The name of such an instance is a
 * prefix and the process id of the command. */
#ifndef ULF_CLI_LEFT_INSTANCES_H
#define ULF_CLI_LEFT_INSTANCES_H

struct conn;

/* Remove the instances of @root that were left by commands that were killed.  @prefix: prefix
 * of the instances' names */
void left_instances_remove(struct conn *conn, const char *root, const char *prefix);

#endif
