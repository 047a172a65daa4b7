/* SPDX-License-Identifier: MIT */
/* Boot settings (event/boot.h) of a root; methods of struct root_part. */
#ifndef ULF_DAEMON_BOOT_H
#define ULF_DAEMON_BOOT_H

struct root;

/* Mark the events that exist now: the previous server has applied their boot settings. */
int boot_init(struct root *root);
/* Apply the boot settings if no server has done so, and the boot settings of events that were
 * registered since the last call.  Returns -ERESTART if settings of functions wait for a
 * parser. */
int boot_prepare(struct root *root);
/* Apply the boot settings of events that were registered since the last call. */
void boot_tick(struct root *root);

#endif
