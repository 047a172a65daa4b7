/* SPDX-License-Identifier: MIT */
/*
 * Instances: a buffer and its settings.  Number 0 is the top instance.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_INSTANCE_H
#define ULF_SERVER_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "server/core/error_log.h"

struct root;

struct instance {
	struct root *root;
	int refs;			/* number of references to the instance, held by
					 * the root and by each node of the file tree; the
					 * top instance is freed with its root */
	uint64_t serial;		/* serial number of the instance, unique among the
					 * roots and instances of this server; the top
					 * instance has the serial number of its root */
	char *name;			/* name of the instance; NULL for the top instance */
	bool is_gone;			/* true: the instance was removed */
	uint32_t nr_open;		/* number of open files of the instance; the
					 * instance can be removed only while this
					 * number is 0 */
	uint32_t number;		/* number of the instance: the row of its buffer
					 * in the table of buffers, and its bit in
					 * abi_event.wanted */
	struct abi_buffer *abi;		/* buffer of the instance, in shared memory */
	void **part_state;		/* array with the state that each part keeps for
					 * this instance (server/part_numbers.h) */
	struct error_log errors;
};

/* Load the top instance, and those instances that the previous server has left.  Returns
 * 0 or the -errno of a part. */
int instances_load(struct root *root);
/* Release all instances of a root.  Does not change shared memory. */
void instances_done(struct root *root);
/* Return the instance of @root with the name @name, or NULL if there is none.  The top
 * instance has no name and is never returned. */
struct instance *instance_find(const struct root *root, const char *name);
/*
 * Make an instance, as mkdir does.  Returns 0; -EEXIST; -ENAMETOOLONG; -ENODEV if the
 * root is dead; or -ENOMEM.  Returns -ENOSPC if there are too many instances (then
 * error_log says so), or if the root's file system is full.
 */
int instance_make(struct root *root, const char *name);
/*
 * Remove an instance, as rmdir does, and wait up to APPLY_WAIT_NS for the processes.
 * Returns 0, -ENOENT, or -EBUSY if a file of the instance is open.
 */
int instance_remove(struct root *root, const char *name);
/* Take a reference of @instance.  Returns @instance. */
struct instance *instance_get(struct instance *instance);
/* Release a reference of @instance.  The last release frees the instance, except the
 * top instance.  @instance may be NULL. */
void instance_put(struct instance *instance);

#endif
