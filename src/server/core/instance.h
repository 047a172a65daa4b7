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
	int refs;			/* held by the root and by each node; the top
					 * instance is freed with its root */
	uint64_t serial;		/* unique in the server's life; the top instance
					 * has the serial of its root */
	char *name;			/* NULL: the top instance */
	bool is_gone;			/* the instance was removed */
	uint32_t nr_open;		/* number of open files; while there are any, the
					 * instance cannot be removed */
	uint32_t number;		/* row of abi_buffer, and bit of abi_event.wanted */
	struct abi_buffer *abi;		/* in shared memory */
	void **part_state;		/* states of the parts: server/parts.h */
	struct error_log errors;
};

/* Load the top instance, and the instances that the previous server had.  Returns 0 or the
 * -errno of a part. */
int instances_load(struct root *root);
/* Release all instances of a root.  Does not change shared memory. */
void instances_done(struct root *root);
/* Return the instance of that name, or NULL.  Does not find the top instance. */
struct instance *instance_find(const struct root *root, const char *name);
/*
 * Make an instance, as mkdir does.  Returns 0; -EEXIST; -ENAMETOOLONG; -ENODEV if the root
 * is dead; -ENOSPC if there are too many instances (reported in error_log) or no memory in
 * the root's file system; or -ENOMEM.
 */
int instance_make(struct root *root, const char *name);
/*
 * Remove an instance, as rmdir does, and wait up to APPLY_WAIT_NS for the processes.
 * Returns 0, -ENOENT, or -EBUSY if a file of the instance is open.
 */
int instance_remove(struct root *root, const char *name);
/* Take a reference.  Returns @instance. */
struct instance *instance_get(struct instance *instance);
/* Release a reference.  The last one frees the instance, except the top instance.  NULL is
 * allowed. */
void instance_put(struct instance *instance);

#endif
