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
#include <sys/queue.h>

#include "abi/control.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/rules/soft.h"

struct event_filter;
struct function_mod;
struct function_probe;
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
	struct instance_ring *rings;	/* rings that abi->side refers to */
	uint32_t nr_rings;
	uint64_t sides[ABI_CPUS / 64];	/* bitmap: the side that each CPU recorded to at
					 * the last instance_sync() */
	uint64_t rings_serial;		/* changes when rings are replaced, swapped or
					 * cleared */
	uint64_t reads_serial;		/* changes when records are consumed */
	LIST_HEAD(, merge) staged;	/* merges that have staged records: merge_stage() */
	uint64_t pipe_cpus[ABI_CPUS / 64];	/* bitmap: CPUs with an open trace_pipe */
	uint32_t expire_next[ABI_PIDS_LISTS];	/* thread at which pids_expire()
					 * continues */
	struct event_filter *filters;	/* [nr_filters] filters, by row of the event */
	struct soft_event **softs;	/* [nr_filters] by row of the event; NULL: the event
					 * is not in soft mode */
	uint32_t nr_filters;		/* number of events when a filter or trigger was last
					 * set */
	struct soft_event print;	/* triggers of ftrace:print, which is always
					 * recorded */
	uint64_t *slots;		/* [ABI_SLOTS / 64] bitmap: rule words in use */
	uint32_t next_slot;		/* rule word at which the search for a free one
					 * begins */
	struct function_probe *probes;	/* commands of set_ftrace_filter, newest first */
	struct function_mod *mods;	/* entries of set_ftrace_filter and
					 * set_ftrace_notrace that wait for a module,
					 * newest first */
	struct abi_ring_ref rules;	/* block that abi->rules refers to */
	struct error_log errors;
	uint32_t nr_pauses;		/* number of open `trace` files that pause recording */
	struct apply spare_apply;	/* settings with the spare side that a program has
					 * asked for; the program waits until they are
					 * applied */
	bool is_dumped;			/* print lines as with latency-format, except those
					 * of the graph tracer */
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
