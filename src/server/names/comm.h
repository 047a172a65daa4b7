/* SPDX-License-Identifier: MIT */
/*
 * Names of threads, from the table in shared memory and from /proc.  Only the server's
 * thread calls these functions.
 */
#ifndef ULF_SERVER_COMM_H
#define ULF_SERVER_COMM_H

#include <stdint.h>

#include "abi/control.h"

struct comms;
struct root;

/* Allocate an empty cache of threads.  Returns NULL if there is no memory. */
struct comms *comms_new(void);
/* Free the cache of threads.  @comms may be NULL. */
void comms_free(struct comms *comms);
/* Three methods of root_part. comms_init() allocates the cache of threads, comms_done()
 * frees it, comms_tick() updates the names of some live threads. */
int comms_init(struct root *root);
void comms_done(struct root *root);
void comms_tick(struct root *root);

/* Return the name of thread @tid, or "<...>" if it is not known.  The name is valid until
 * the next call. */
const char *comms_find(struct root *root, uint32_t tid);
/* Return the pid of the process to which thread @tid belongs or belonged; 0 if it is
 * unknown. */
uint32_t comms_find_tgid(struct root *root, uint32_t tid);
/* Enter thread @tid, which need not belong to the root, into the root's table of
 * comms. */
void comms_meet(struct root *root, uint32_t tid);
/*
 * Update the names of some live threads in the root's table of comms.  A thread enters
 * its name only once, but may get another name later.
 */
void comms_refresh(struct root *root);
/* Forget the results of all searches for threads in /proc, so that /proc is read again. */
void comms_expire(struct root *root);

/*
 * Call @emit for each thread in the root's table of comms, sorted by thread id.  @name
 * may be "".  Returns 0 or -ENOMEM.
 */
int comms_list(struct root *root,
	       void (*emit)(void *arg, uint32_t tid, uint32_t tgid,
			    const char *name),
	       void *arg);

#endif
