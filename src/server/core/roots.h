/* SPDX-License-Identifier: MIT */
/*
 * The roots that a server knows.  A hash finds them by name, and there are three lists:
 *
 *	all	every root, the newest first
 *	awake	roots that are mapped: all live roots, and a few dead ones
 *	dead	every dead root, the oldest first
 *
 * The regular work of the server is done for the roots that are awake.  So its cost does
 * not depend on the number of dead roots that are asleep.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_ROOTS_H
#define ULF_SERVER_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct root;
TAILQ_HEAD(root_list_head, root);

#define ROOTS_DEAD_AWAKE	64u	/* maximum number of dead roots that are awake
					 * at a time */

struct roots {
	struct root **hash;		/* array of @nr_hash chains of roots, by hash of the
					 * root's name; NULL if there are no chains yet */
	uint32_t nr_hash;		/* number of chains in the array @hash; a power of
					 * two */
	uint32_t nr;			/* number of roots */
	struct root_list_head all, awake, dead;
	int missed;			/* -errno if a root could not be added for lack
					 * of a descriptor or of memory; the server
					 * tries again. 0 if all roots were added */
	bool is_dead_unsorted;		/* true: the list @dead must be sorted before it
					 * is used */
	uint32_t nr_dead;
	uint64_t dead_bytes;		/* sum of root->file_bytes of all dead roots */
	uint64_t learning_ns;		/* time since when a request for the list of
					 * roots waits for figures of roots,
					 * CLOCK_MONOTONIC, ns; 0 if no request waits */
};

/* Initialise @roots, without any root. */
void roots_init(struct roots *roots);
/* Free the memory of @roots, which must be empty. */
void roots_done(struct roots *roots);

/*
 * Add @root, whose name must be unique.  @roots takes over the caller's reference.
 * Returns 0, or -ENOMEM with nothing changed.
 */
int roots_add(struct roots *roots, struct root *root);
/* Remove @root from all lists.  The caller gets the reference that @roots has held. */
void roots_remove(struct roots *roots, struct root *root);
/*
 * Return true if a root counts as alive but has no process left.  Then the server must
 * update the root's state.  This happens when a scan notices the end of a process before
 * its pidfd is polled.
 */
bool roots_have_ended(const struct roots *roots);
/* Return the root with the name @name, or NULL if there is none. */
struct root *roots_find(const struct roots *roots, const char *name);

/*
 * Add @root, which has been mapped, to the list of roots that are awake.  If more than
 * ROOTS_DEAD_AWAKE dead roots are awake now, put the least recently used ones to sleep, but
 * never @root.
 */
void roots_awake(struct roots *roots, struct root *root);
/*
 * Put the least recently used dead root to sleep.  Returns false if no root can sleep.
 */
bool roots_sleep_one(struct roots *roots);
/* Put dead roots to sleep until at most ROOTS_DEAD_AWAKE are awake. */
void roots_limit_awake(struct roots *roots);
/* Remove @root, a dead root that is about to be unmapped, from the list of roots that are
 * awake. */
void roots_asleep(struct roots *roots, struct root *root);
/* Set root->file_bytes of @root to @bytes, and update roots->dead_bytes. */
void roots_set_bytes(struct roots *roots, struct root *root, uint64_t bytes);
/* Add @root, which has died, to the list of dead roots.  root->died and root->file_bytes
 * must be set. */
void roots_dead(struct roots *roots, struct root *root);
/*
 * Remove @root from the list of dead roots, because the root is alive after all, or
 * corrupt.  Does nothing if @root was not in this list.
 */
void roots_not_dead(struct roots *roots, struct root *root);
/*
 * Return the root that died first, or NULL if none is dead.  Sorts the list if necessary.
 */
struct root *roots_oldest(struct roots *roots);

#endif
