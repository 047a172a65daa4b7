/* SPDX-License-Identifier: MIT */
/* The table of the dynamic events of this process, for dynamic.c and dynamic_table.c only. */
#ifndef ULF_RUNTIME_EVENT_DYNAMIC_TABLE_H
#define ULF_RUNTIME_EVENT_DYNAMIC_TABLE_H

#include "abi/control.h"

struct ulf_event;

/* The dynamic events by row; NULL: this process has not used the row so far.  Written under
 * runtime_lock(), read in any context [dynamic.event]. */
extern struct ulf_event *dynamic_table[ABI_DYNAMIC];

#endif
