/* SPDX-License-Identifier: MIT */
/*
 * Figures of a root for `ulf ls`, to which each part of the server adds its own.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_ROOT_INFO_H
#define ULF_SERVER_ROOT_INFO_H

#include <stdbool.h>

struct root;
struct server_root_info;

/* Fill in the figures of a root that is awake, for `ulf ls`.  The name is not filled in. */
void root_info_fill(struct root *root, struct server_root_info *ret_info);
/* Return true if any part of the root has recorded something, or has possibly done so.
 * The root must be awake. */
bool root_has_recorded(const struct root *root);
/* Return true if putting the root to sleep would lose data that exist only in the
 * server's memory. */
bool root_has_unsaved(const struct root *root);

#endif
