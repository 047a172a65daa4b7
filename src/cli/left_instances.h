/* SPDX-License-Identifier: MIT */
/* Instances that commands make for themselves; their names are PREFIX and the process id. */
#ifndef ULF_CLI_LEFT_INSTANCES_H
#define ULF_CLI_LEFT_INSTANCES_H

struct conn;

/* Remove the instances of @root that killed commands have left.  @prefix: begin of their names */
void left_instances_remove(struct conn *conn, const char *root, const char *prefix);

#endif
