/* SPDX-License-Identifier: MIT */
/* Sites that another process has named: entries.c. */
#ifndef ULF_RUNTIME_ENTRIES_H
#define ULF_RUNTIME_ENTRIES_H

#include <stdbool.h>

#include "arch/x86_64/fsite.h"

/*
 * entries_check - make FSITE_OTHER of all sites that are not at the entry of a function.
 * @kind, @table: where their table is said to be.
 * Takes memory, may open the object's file; not in a signal handler.  runtime_lock() is
 * held.
 */
void entries_check(struct fsites *sites, enum fsite_kind kind, uint64_t table);

#endif
