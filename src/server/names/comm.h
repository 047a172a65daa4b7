/* SPDX-License-Identifier: MIT */
/* Thread id -> name, from the table in shared memory and from /proc. */
#ifndef ULF_SERVER_COMM_H
#define ULF_SERVER_COMM_H

#include <stdint.h>

#include "abi/control.h"

struct comms;
struct root;

struct comms *comms_new(void);
void comms_free(struct comms *comms);
/* root_part.init, root_part.done and root_part.tick */
int comms_init(struct root *root);
void comms_done(struct root *root);
void comms_tick(struct root *root);

/* The name of @tid, or "<...>"; valid until the next call. */
const char *comms_find(struct root *root, uint32_t tid);
/* The process that it is, or was, a thread of; 0: not known. */
uint32_t comms_find_tgid(struct root *root, uint32_t tid);
/* Put a thread that need not be of the root into the shared table. */
void comms_meet(struct root *root, uint32_t tid);
/* A thread enters its name once, and may get another one later: look at some
 * of the living. */
void comms_refresh(struct root *root);
/* Ask /proc again for those that were not found. */
void comms_expire(struct root *root);

/* Calls @emit for each thread in the table, by thread id; @name may be "". */
int comms_list(struct root *root,
	       void (*emit)(void *arg, uint32_t tid, uint32_t tgid,
			    const char *name),
	       void *arg);

#endif
