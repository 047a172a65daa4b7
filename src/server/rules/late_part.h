/* SPDX-License-Identifier: MIT */
/* Methods of the part that handles late events, which agents record some time after they
 * have happened.  See core/part.h for the methods. */
#ifndef ULF_SERVER_LATE_PART_H
#define ULF_SERVER_LATE_PART_H

#include <stdbool.h>

struct root;

/* Report in error_log which processes cannot record late events.  An error of a process
 * is reported once. */
void late_tick(struct root *root);
/* Make the late rings for late events that boot settings have switched on. */
bool late_answer(struct root *root);
/* Report in error_log why processes cannot record late events, also if this was reported
 * before. */
void late_refused(struct root *root);

#endif
