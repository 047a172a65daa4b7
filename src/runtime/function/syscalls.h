/* SPDX-License-Identifier: MIT */
/*
 * System calls of the program.  With the boot setting `syscalls`, the program has the
 * events raw_syscalls:sys_enter and sys_exit, and the events of single system calls
 * (syscall_events.h).  While one of these events is on, jumps to hooks are around the
 * system calls of all objects that the server has named (docs/design/syscalls.md).
 */
#ifndef ULF_RUNTIME_SYSCALLS_H
#define ULF_RUNTIME_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

struct object;
struct syscalls;
struct ulf_event;

/* Register the events of system calls, if the boot settings ask for them.  No
 * lock held. */
void syscalls_init(void);

/* ---- functions whose caller holds runtime_lock() ---- */

/* Returns true if the boot settings ask for system calls. */
bool syscalls_are_wanted(void);
/* Put jumps around the system calls of all objects if their events are on, else remove the
 * jumps.
 * Returns 0 or the first -errno; after an error all other objects are switched. */
int syscalls_apply(void);
/* Remove the jumps around all system calls.  Returns 0 or the first -errno. */
int syscalls_leave(void);
/* Exclude functions of @object from tracing if a jump around a system call may replace
 * their first instructions, because each byte must belong to one jump only. */
void syscalls_take_functions(struct object *object);
/* Free the state of an object that was unloaded.  NULL is allowed. */
void syscalls_free(struct syscalls *syscalls);

/* ---- functions of syscall_hit.c and syscall_cells.c for syscalls.c ---- */

/* Record a hit whose record the hook could not write itself.  The hook calls this function. */
void syscall_hit_slowly(const struct ulf_event *event, struct scall_record *record,
			uint32_t bytes);

/* The jumps around the system calls of an object, and the code to which they lead.
 * runtime_lock() protects all members. */
struct syscalls {
	struct fcode_cell *cells;	/* array of two cells for each system call in
					 * the object's table: the code before the call,
					 * and the code after it */
	uint32_t nr;			/* number of cells */
	bool is_on;			/* true: the jumps to the cells are in the
					 * text */
	bool *is_jump;			/* for each cell, true if a jump in the text
					 * leads to it */
	bool *is_new;			/* for each cell, true if @is_jump was changed
					 * by the change that is under way */
};

/* Returns the place in the text of @object whose jump leads to the cell with the number
 * @cell. */
struct scall_site syscall_site(const struct object *object, uint32_t cell);
/* Allocate object->syscalls, and write the code of all cells.  Returns 0 or -errno. */
int syscall_cells_make(struct object *object);

#endif
