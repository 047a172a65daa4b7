/* SPDX-License-Identifier: MIT */
/*
 * Drives a root without a server, for tests of the runtime and the ring.  The driver does the
 * least that a server must do: it places rings, writes settings, waits for the agents and
 * reads records.
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
	size_t bytes;			/* size of the mapping */
	struct abi_control *control;
	uint64_t arena_used;
};

/* Make a private $ULF_DIR.  Call this before the traced program starts. */
const char *driver_make_dir(void);
/* Wait for the root of process @pid and open it. */
int driver_open(struct driver *d, pid_t pid);
void driver_close(struct driver *d);
/* Remove the root of process @pid, which must be dead. */
void driver_remove(pid_t pid);

struct driver_config {
	uint32_t page_bytes;
	uint32_t fast_pages, slow_pages;
	bool overwrite;
};
/* Place new rings for every CPU and make all processes use them. */
int driver_rings(struct driver *d, const struct driver_config *config);
/* Place rings for the spare side, too, so that snapshots can be taken. */
int driver_spare(struct driver *d, const struct driver_config *config);
struct abi_ring *driver_ring(struct driver *d, uint32_t cpu, int kind);
/* Returns the number of records that have been written to all rings. */
uint64_t driver_nr_records(struct driver *d);

/* Returns the row of an event, the first one if several have this name, or -1. */
int driver_find_event(struct driver *d, const char *system, const char *name);
bool driver_is_event(struct driver *d, uint32_t row, const char *system,
		     const char *name);
/* Switch all events of this name on or off. */
int driver_enable(struct driver *d, const char *system, const char *name, bool on);
/* Raise the generation, and wait until all live processes have applied it. */
int driver_apply(struct driver *d);

#endif
