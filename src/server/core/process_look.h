/* SPDX-License-Identifier: MIT */
/*
 * Inspect the processes that the slots of a root name.  Each process is inspected once,
 * however many slots name it and however often they are scanned.  A result is valid until
 * the pid has another start time, or another stack address, which exec() changes.
 *
 * A process may have 65,530 mappings or more, and any root may name it.  So
 * /proc/PID/maps is read in parts, within the root's budget.
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
	LOOK_UNKNOWN,			/* /proc/PID/maps was not read to its end yet */
	LOOK_MAPPED,			/* the process has mapped the root's memory */
	LOOK_UNMAPPED,			/* the process has not mapped the root's memory */
	LOOK_REFUSED,			/* /proc/PID/maps cannot be read; never cached */
};

/* The cached result for one pid. */
struct look {
	uint32_t pid;
	uint32_t pass;			/* the pass that read /proc/PID/stat last */
	uint64_t started;		/* start time in clock ticks since boot; 0:
					 * unknown */
	uint64_t stack;			/* address of the stack; 0: not readable, or the
					 * main thread has ended */
	enum look_maps maps;		/* result of look_maps() */
};

/* Return the stack address of @pid at present; 0: as in struct look. */
uint64_t look_stack(uint32_t pid);

/*
 * Begin a new pass over the slots of @root: every process may have changed.  Returns 0 or
 * -ENOMEM.
 */
int looks_begin(struct root *root);
/* Free all results.  NULL is allowed. */
void looks_free(struct looks *looks);
/*
 * Return the result for @pid in this pass.  NULL: no memory.  Valid until the next call.
 * Call looks_begin() first.
 */
struct look *look_at(struct root *root, uint32_t pid);
/*
 * look_maps - has @process, which @look belongs to, mapped the memory of its root?
 *
 * LOOK_UNKNOWN: the budget is spent; the next pass continues.  LOOK_REFUSED: errno is
 * set.
 */
enum look_maps look_maps(const struct process *process, struct look *look,
			 const struct budget *budget);

#endif
