/* SPDX-License-Identifier: MIT */
/*
 * The processes of a root, which are found by their process slots in shared memory.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_PROCESS_H
#define ULF_SERVER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/control.h"

struct root;

#define PROCESS_CREATOR	ABI_PROCESSES	/* slot number of the process that made the root,
					 * until it claims a slot in shared memory */

/* A process in a slot. */
struct process {
	struct root *root;
	uint32_t slot;
	uint32_t pid;
	int pidfd;			/* pidfd of the process; -1 if the process is
					 * dead, or belongs to another root now */
	uint64_t stack;			/* start address of the process's stack, which
					 * exec() changes */
	uint32_t late_logged;		/* the errno in abi_process.late that the server has
					 * logged last */
	uint32_t left_changes;		/* value of abi_process.left_changes when the
					 * server last logged the functions that the
					 * process could not switch */
};

/* Find the device and inode numbers that /proc/PID/maps shows for the root's memory:
 * the server recognises processes of the root by these numbers.  The memory must be
 * mapped. */
void process_init(struct root *root);
/*
 * Scan all process slots for processes that have started or ended.  Returns false if
 * the root's budget was spent, or if no descriptor was free.  Then root->is_blind is
 * set, and slots that were not scanned keep their old state.
 */
bool process_scan(struct root *root);
/* Continue a scan of the process slots that process_scan() has begun but not finished.
 * Returns true if all slots were scanned since then. */
bool process_scan_more(struct root *root);
/*
 * Return true if no process of the root is left, and no child is about to claim a slot.
 * Scans all slots; if some slots could not be scanned, returns false and sets
 * root->is_blind.
 */
bool process_all_gone(struct root *root);
/* Return true if @process is alive and has not called exec() since the last scan of the
 * process slots. */
bool process_is_current(const struct process *process);
/* Open /proc/PID/maps of the process.  The caller closes the file.  Returns NULL on
 * failure, with errno set. */
FILE *process_maps_open(const struct process *process);
#define PROCESS_PATH_BYTES	64u
/* Get the path of /proc/PID/maps of the process. */
void process_maps_path(const struct process *process, char path[PROCESS_PATH_BYTES]);
/* Called when the pidfd of @process has become readable, because the process has ended.  Closes
 * the pidfd. */
void process_died(struct process *process);
/* Close the pidfds of all processes of @root, and free what the server knows of these
 * processes. */
void process_done(struct root *root);

#endif
