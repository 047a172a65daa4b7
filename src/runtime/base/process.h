/* SPDX-License-Identifier: MIT */
/* The process slot of this process in the root. */
#ifndef ULF_RUNTIME_BASE_PROCESS_H
#define ULF_RUNTIME_BASE_PROCESS_H

#include <stdbool.h>

#include "abi/control.h"

/* The process slot of this process; NULL if it has none. */
extern struct abi_process *process_slot;
/*
 * Claim a process slot, and set process_slot.
 * @parent: a copy of the parent's slot when it called fork(), or NULL.
 * Returns 0 or -ENOSPC.
 */
int process_claim(const struct abi_process *parent);
/* Returns true if @fn returns true for the process slot of at least one live
 * process. */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg);

/*
 * Functions for a process that leaves the root because it has fewer rights than the
 * others (leave.c).
 *
 * process_has_left - returns true if this process has left the root.  Then private memory,
 *	all 0, is mapped at the address of the root's memory.  Any context.
 * process_set_left - make process_has_left() return true from now on.  Lock held.
 */
bool process_has_left(void);
void process_set_left(void);
/*
 * process_is_exiting - returns true after exit() has called libulf's first handler.  Any
 *	context.
 * process_set_exiting - make process_is_exiting() return true from now on.  Returns false
 *	if it was called before.
 */
bool process_is_exiting(void);
bool process_set_exiting(void);
/* Store the pid of this process.  Called in the process that has created the root, and with
 * @was_forked in each child of fork(). */
void process_note_pid(bool was_forked);
/* Returns true if this process was forked by a process of the root; false in a child of
 * vfork(). */
bool process_is_child(void);

#endif
