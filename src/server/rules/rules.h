/* SPDX-License-Identifier: MIT */
/*
 * The rules of an instance (abi/rules.h): the filters and triggers of its events.  They are
 * kept in the server's tables, and published as one block in shared memory.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno.
 */
#ifndef ULF_SERVER_RULES_H
#define ULF_SERVER_RULES_H

#include <stdint.h>

struct event;
struct event_filter;
struct instance;
struct root;

/*
 * instance_part.load: read the rules that the previous server has published (rules_load.c).
 * Rules that are invalid are skipped.  Returns 0 or -ENOMEM.
 */
int rules_load(struct instance *instance);
/* instance_part.done: free the server's tables.  The block in shared memory stays. */
void rules_done(struct instance *instance);
/* instance_part.drop: free the tables, and retire the block in shared memory. */
void rules_drop(struct instance *instance);

/* Return the filter of @event.  Its members are all zero if there is no filter. */
const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event);
/*
 * root_part.load, before rules_load(): if a filter of any instance names functions, have
 * the root's files parsed.  Returns 0; -ERESTART if a parser is at work: call again later;
 * or -ENOMEM.
 */
int rules_load_names(struct root *root);
/*
 * Make instance->filters and instance->softs large enough for @nr rows.  New rows are zero.
 * Returns 0 or -ENOMEM.
 */
int rules_need_rows(struct instance *instance, uint32_t nr);
/*
 * instance_part.tick: give events of new modules the filters and triggers that older events
 * of their name have, publish the rules and notify the processes.
 */
void rules_refresh(struct instance *instance);
/*
 * Publish the tables as a new block in shared memory, and retire the old block.  The caller
 * must call apply_start() afterwards.  Returns 0, -ENOMEM, -ENOSPC or -EIO; after an error
 * the old block stays in use.
 */
int rules_publish(struct instance *instance);

#endif
