/* SPDX-License-Identifier: MIT */
/* This process's slot in the root. */
#ifndef ULF_RUNTIME_BASE_PROCESS_H
#define ULF_RUNTIME_BASE_PROCESS_H

#include <stdbool.h>

#include "abi/control.h"

/* The slot of this process; NULL: it has none. */
extern struct abi_process *process_slot;
/*
 * Claim a slot, and set process_slot.
 * @parent: a copy of the parent's slot when it called fork(), or NULL.
 * Returns 0 or -ENOSPC.
 */
int process_claim(const struct abi_process *parent);
/* Returns true if @fn returns true for the slot of at least one live process. */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg);

#endif
