/* SPDX-License-Identifier: MIT */
/*
 * The rules of an instance (abi/rules.h): the filters and triggers of its events.  The
 * server keeps them in struct instance_rules, and publishes them as one block in shared
 * memory.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno.
 */
#ifndef ULF_SERVER_RULES_H
#define ULF_SERVER_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/part_numbers.h"
#include "server/rules/soft.h"

struct event;
struct event_filter;
struct extent_list;

/* How much of its limits for rules a root has used up.  This is the state of
 * ROOT_PART_RULES. */
struct root_rules {
	uint64_t rules_taken;		/* total size of the blocks of rules that were
					 * loaded, bytes; ABI_RULES_BYTES_MAX at most */
	uint64_t filters_taken;		/* cost of compiling loaded or inherited
					 * triggers: number of bytes of their filters,
					 * plus a constant for each compilation;
					 * limited to FILTERS_BYTES_MAX */
	uint64_t triggers_taken;	/* number of loaded or inherited triggers,
					 * OLD_TRIGGERS_MAX at most; a trigger counts
					 * once for each row of its event */
	uint64_t names_since_ns;	/* time when rules_load_names() began to wait
					 * until functions are found, CLOCK_MONOTONIC; 0
					 * if it does not wait */
	uint64_t names_left;		/* number of bytes of names of constants that
					 * filters.c may still search now */
	uint64_t names_ns;		/* time when @names_left was computed,
					 * CLOCK_MONOTONIC */
	bool is_name_missed;		/* true: some names were not searched since the
					 * last filters_env(), because @names_left was too
					 * small */
};

/* The filters and triggers of an instance.  This is the state of INSTANCE_PART_RULES. */
struct instance_rules {
	struct event_filter *filters;	/* array of @nr_rows filters, indexed by row of the
					 * event */
	struct soft_event **softs;	/* array of @nr_rows pointers, indexed by row of the
					 * event; NULL if the event is not in soft mode */
	uint32_t nr_rows;		/* number of elements of @filters and of @softs:
					 * the number of rows of the table of events when
					 * a filter or trigger was last set */
	struct soft_event print;	/* triggers of the event ftrace:print, which is
					 * always recorded and so has no rule word */
	uint64_t *slots;		/* bitmap of the rule words that are in use;
					 * ABI_SLOTS bits */
	uint32_t next_slot;		/* number of the rule word at which the search for
					 * a free rule word begins */
	struct abi_ring_ref block;	/* the block of rules that is in force, to which
					 * abi_buffer.rules refers */
	bool is_loaded;			/* true: the rules of the previous server were
					 * loaded */
};

/* Return the state of ROOT_PART_RULES of @root. */
static inline struct root_rules *root_rules(const struct root *root)
{
	return root->part_state[ROOT_PART_RULES];
}

/* Return the state of INSTANCE_PART_RULES of @instance. */
static inline struct instance_rules *instance_rules(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_RULES];
}

/*
 * Method instance_part.load: read the rules that the previous server has published
 * (rules_load.c). Rules that are invalid are skipped.  Returns 0 or -ENOMEM.
 */
int rules_load(struct instance *instance);
/* Method instance_part.done: free the filters and triggers in struct instance_rules.
 * The block of rules in shared memory stays. */
void rules_done(struct instance *instance);
/* Method instance_part.list_blocks: report which block of the arena contains the
 * rules. */
void rules_list_blocks(const struct instance *instance, struct extent_list *list);
/* Method instance_part.drop: free the filters and triggers, and retire the block of
 * rules in shared memory. */
void rules_drop(struct instance *instance);

/* Return the filter of @event in @instance.  If the event has no filter, all members of
 * the result are zero. */
const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event);
/*
 * Method root_part.load, which runs before rules_load(): find the functions that
 * published filters name.  For this, the root's files are parsed.  Returns 0;
 * -ERESTART if that takes more time, so that the caller must call again later; or
 * -ENOMEM.
 */
int rules_load_names(struct root *root);
/* Method root_part.done: reset the counters by which the loaded rules of the root are limited. */
void rules_reset_limits(struct root *root);
/*
 * Remove the filter of the event in row @row, because the event is about to be removed.
 * The event must not be in soft mode in any instance.  The caller must call
 * apply_start().  Returns 0, or an error of rules_publish(): then the filter stays.
 */
int rules_forget_row(struct instance *instance, uint32_t row);
/* Make the arrays instance_rules.filters and instance_rules.softs large enough for @nr
 * rows.  New elements are zero.  Returns 0 or -ENOMEM. */
int rules_need_rows(struct instance *instance, uint32_t nr);
/*
 * Method instance_part.tick: give events of new modules the filters and triggers of
 * older events that have the same name.  Then publish the rules and notify the
 * processes.
 */
void rules_refresh(struct instance *instance);
/*
 * Publish all filters and triggers of @instance as a new block of rules in shared
 * memory, and retire the old block.  The caller must call apply_start() afterwards.
 * Returns 0, -ENOMEM, -ENOSPC or -EIO; after an error the old block stays in use.
 */
int rules_publish(struct instance *instance);

#endif
