/* SPDX-License-Identifier: MIT */
/*
 * Drives a root without a server: for tests of the runtime and the ring.
 * Does what the server does, in the smallest way: places rings, states wishes,
 * waits for the agents, reads records.
 */
#ifndef ULF_TESTS_DRIVER_H
#define ULF_TESTS_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/control.h"
#include "ring/ring.h"

struct driver {
	int fd;
	char *mem;
	size_t bytes;			/* mapped */
	struct abi_control *control;
	uint64_t arena_used;
};

/* Make a private $ULF_DIR; before the traced program starts. */
const char *driver_make_dir(void);
/* The root made by process @pid, waited for. */
int driver_open(struct driver *d, pid_t pid);
void driver_close(struct driver *d);
/* Remove the root of process @pid, which is dead. */
void driver_remove(pid_t pid);

struct driver_config {
	uint32_t page_bytes;
	uint32_t fast_pages, slow_pages;
	bool overwrite;
};
/* Place new rings for every CPU and make all processes use them. */
int driver_rings(struct driver *d, const struct driver_config *config);
/* The same for the other side: then snapshots can be taken. */
int driver_spare(struct driver *d, const struct driver_config *config);
struct abi_ring *driver_ring(struct driver *d, uint32_t cpu, int kind);
/* How many records have been written to all of them. */
uint64_t driver_nr_records(struct driver *d);

/* Row of an event, the first if there are several of that name, or -1. */
int driver_find_event(struct driver *d, const char *system, const char *name);
bool driver_is_event(struct driver *d, uint32_t row, const char *system,
		     const char *name);
/* All of that name. */
int driver_enable(struct driver *d, const char *system, const char *name, bool on);
/* generation++, and wait until all live processes have applied it. */
int driver_apply(struct driver *d);

#endif
