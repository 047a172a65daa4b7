/* SPDX-License-Identifier: MIT */
/*
 * The roots that a server knows: found by name with a hash, and in three lists.
 *
 *	all	every root, the newest first
 *	awake	those that have a mapping: the living, and a few of the dead
 *	dead	every dead one, the oldest first
 *
 * The server's regular work is done for the roots that are awake, so that what it costs
 * does not depend on how many dead ones sleep.
 */
#ifndef ULF_SERVER_ROOTS_H
#define ULF_SERVER_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct root;
TAILQ_HEAD(root_list_head, root);

#define ROOTS_DEAD_AWAKE	64u	/* dead ones that may be awake at a time */

struct roots {
	struct root **hash;		/* [nr_hash], by name; NULL if there is no root */
	uint32_t nr_hash;		/* a power of two */
	uint32_t nr;
	struct root_list_head all, awake, dead;
	int missed;			/* -errno: there was no descriptor or no memory for
					 * a root, which is not here; it is tried again */
	bool is_dead_unsorted;
	uint32_t nr_dead;
	uint64_t dead_bytes;		/* sum of root->file_bytes of the dead */
	uint64_t learning_ns;		/* since when a list waits for figures; 0: none does */
};

void roots_init(struct roots *roots);
/* Free what the table has; no root is left in it. */
void roots_done(struct roots *roots);

/* Add @root, which has another name than all others; the caller's reference is the
 * table's from then on.  -ENOMEM: nothing is changed. */
int roots_add(struct roots *roots, struct root *root);
/* Remove @root from all lists; the caller has the reference then. */
void roots_remove(struct roots *roots, struct root *root);
/* Is there a root that counts as alive, and no process of it is left?  A scan may notice the
 * end of a process before its pidfd is polled. */
bool roots_have_ended(const struct roots *roots);
/* NULL if there is none of that name. */
struct root *roots_find(const struct roots *roots, const char *name);

/* @root has got its memory.  Puts the dead one that was not used for the longest time
 * to sleep if more than ROOTS_DEAD_AWAKE are awake; never @root itself. */
void roots_awake(struct roots *roots, struct root *root);
/* Put the dead one that was not used for the longest time to sleep; false: none can. */
bool roots_sleep_one(struct roots *roots);
/* Put dead ones to sleep until no more than ROOTS_DEAD_AWAKE are awake. */
void roots_limit_awake(struct roots *roots);
/* @root, a dead one, is about to lose its memory. */
void roots_asleep(struct roots *roots, struct root *root);
/* The file of @root takes so much memory by now. */
void roots_set_bytes(struct roots *roots, struct root *root, uint64_t bytes);
/* @root has died: root->died and root->file_bytes say when and how large it is. */
void roots_dead(struct roots *roots, struct root *root);
/* @root is alive after all, or corrupt; does nothing if it was never dead. */
void roots_not_dead(struct roots *roots, struct root *root);
/* The dead one that died first; NULL: none is dead.  Sorts the list if need be. */
struct root *roots_oldest(struct roots *roots);

#endif
