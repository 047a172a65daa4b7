/* SPDX-License-Identifier: MIT */
/* Check function sites that another process has named; see entries.c. */
#ifndef ULF_RUNTIME_ENTRIES_H
#define ULF_RUNTIME_ENTRIES_H

#include <stdbool.h>

#include "arch/arch.h"

/*
 * entries_check - change all sites that are not at the entry of a function to FSITE_OTHER,
 * so that they are never patched.
 * @kind, @table: kind and address of the sites' table of entries, as the other process
 *	has stored them
 *
 * The caller holds runtime_lock().  Allocates memory and may open the object's file, so
 * a signal handler must not call it.
 */
void entries_check(struct fsites *sites, enum fsite_kind kind, uint64_t table);

#endif
