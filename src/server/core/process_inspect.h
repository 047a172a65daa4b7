/* SPDX-License-Identifier: MIT */
/*
 * Inspect the processes that the process slots of a root name.  Each process is
 * inspected once, even if many slots name it, and even if these slots are scanned
 * often.  A result is valid until the pid has another start time or another stack
 * address (exec() changes the stack address).
 *
 * A process may have 65,530 mappings or more, and any root may name it.  So
 * /proc/PID/maps is read in several steps, within the root's budget.
 */
#ifndef ULF_SERVER_PROCESS_INSPECT_H
#define ULF_SERVER_PROCESS_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

struct budget;
struct inspections;
struct process;
struct root;

enum maps_result {
	MAPS_UNKNOWN,			/* /proc/PID/maps was not read to its end yet, so
					 * the result is unknown */
	MAPS_MAPPED,			/* the process has mapped the root's memory */
	MAPS_UNMAPPED,			/* the process has not mapped the root's memory */
	MAPS_REFUSED,			/* /proc/PID/maps cannot be read; this result is
					 * never cached */
};

/* The cached result of inspecting the process with one pid. */
struct inspection {
	uint32_t pid;
	uint32_t pass;			/* number of the pass over the process slots that
					 * last read /proc/PID/stat of this process */
	uint64_t started;		/* start time of the process in clock ticks since
					 * boot; 0 if it is unknown */
	uint64_t stack;			/* address of the process's stack; 0 if it is
					 * not readable, or the main thread has ended */
	enum maps_result maps;		/* result of inspect_maps() */
};

/* Return the present address of the stack of process @pid; 0 if the address is
 * not readable, or the main thread has ended. */
uint64_t inspect_stack(uint32_t pid);

/*
 * Begin a new pass over the process slots of @root.  In each pass the first
 * inspection_get() for a process reads /proc/PID/stat again.  Returns 0 or -ENOMEM.
 */
int inspections_begin(struct root *root);
/* Free all cached results of inspections.  @inspections may be NULL. */
void inspections_free(struct inspections *inspections);
/*
 * Return the cached result of inspecting process @pid, updated in this pass over the
 * slots.  Returns NULL if there is no memory.  The result is valid until the next
 * call.  Call inspections_begin() first.
 */
struct inspection *inspection_get(struct root *root, uint32_t pid);
/*
 * inspect_maps - find out whether @process has mapped the memory of its root
 * @inspection: the cached result for this process
 *
 * Returns MAPS_UNKNOWN if the budget is spent; the next pass continues.  Returns MAPS_REFUSED
 * with errno set.
 */
enum maps_result inspect_maps(const struct process *process, struct inspection *inspection,
			      const struct budget *budget);

#endif
