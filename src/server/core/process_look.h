/* SPDX-License-Identifier: MIT */
/*
 * Looks at the processes that a root's slots name.  A process is looked at once,
 * however many slots name it and however often they are scanned: an answer holds until
 * the pid has another start time, or another stack, which exec() gives it.
 *
 * A program may have 65,530 mappings, or more, and be named by any root.  So
 * /proc/PID/maps is read in parts, as far as the root's budget goes.
 */
#ifndef ULF_SERVER_PROCESS_LOOK_H
#define ULF_SERVER_PROCESS_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct budget;
struct looks;
struct process;
struct root;

enum look_maps {
	LOOK_UNKNOWN,			/* not read yet, or not to the end */
	LOOK_MAPPED,			/* it has the root's memory */
	LOOK_UNMAPPED,			/* it has not */
	LOOK_REFUSED,			/* it cannot be read; never kept */
};

struct look {
	uint32_t pid;
	uint32_t pass;			/* that read /proc/PID/stat last */
	uint64_t started;		/* clock ticks since boot; 0: not known */
	uint64_t stack;			/* 0: nobody may look, or its main thread has
					 * ended */
	enum look_maps maps;
};

/* Where the stack of @pid starts, now; 0 as above. */
uint64_t look_stack(uint32_t pid);

/* A new pass over the slots of @root: every process may have changed.  -ENOMEM */
int looks_begin(struct root *root);
void looks_free(struct looks *looks);
/* @pid as it is in this pass; NULL: no memory.  Valid until the next call. */
struct look *look_at(struct root *root, uint32_t pid);
/*
 * Does @process, which @look is of, have the memory of its root mapped?
 * LOOK_UNKNOWN: the budget is spent, the next pass goes on.  LOOK_REFUSED: errno says why.
 */
enum look_maps look_maps(const struct process *process, struct look *look,
			 const struct budget *budget);

#endif
