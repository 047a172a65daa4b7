/* SPDX-License-Identifier: MIT */
/* Late events: agents record them, some time after they have happened.  These are methods of a
 * part of roots; see core/part.h. */
#ifndef ULF_SERVER_LATE_PART_H
#define ULF_SERVER_LATE_PART_H

#include <stdbool.h>

struct root;

/* Report in error_log which processes cannot record late events, each once. */
void late_tick(struct root *root);
/* Make late rings for late events that boot settings have switched on. */
bool late_answer(struct root *root);
/* Report in error_log why processes cannot record late events. */
void late_refused(struct root *root);

#endif
