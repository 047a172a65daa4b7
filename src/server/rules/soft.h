/* SPDX-License-Identifier: MIT */
/*
 * Soft mode: while triggers need an event, its probe stays registered, and whether
 * it is recorded is a word in shared memory that triggers can switch.
 */
#ifndef ULF_SERVER_SOFT_H
#define ULF_SERVER_SOFT_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct instance;
struct trigger;

/* An event in soft mode; all rows of its name have it. */
struct soft_event {
	uint32_t nr_rows;		/* that have it, when it was made */
	uint32_t row;			/* the first of them */
	uint32_t slot;			/* not 0: soft disabled */
	uint32_t refs;			/* 1 if it has triggers, and 1 for each
					 * that switches it */
	struct trigger *triggers;	/* the newest first */
};

/* A slot (abi/rules.h) with a value; -ENOSPC. */
int slot_alloc(struct instance *instance, uint64_t value, uint32_t *ret_slot);
void slot_free(struct instance *instance, uint32_t slot);
/* It is in use: so the last server says. */
void slot_use(struct instance *instance, uint32_t slot);
uint64_t slot_value(const struct instance *instance, uint32_t slot);
/* How many there are, up to the last in use. */
uint32_t slots_used(const struct instance *instance);

/* NULL: it is not in soft mode. */
struct soft_event *soft_find(const struct instance *instance,
			     const struct event *event);
bool soft_is_disabled(const struct instance *instance,
		      const struct soft_event *soft);
/* Has it a probe, and is it not soft disabled? */
bool event_is_recorded(const struct instance *instance,
		       const struct event *event);
/* What a write to `enable` does in soft mode. */
void soft_set(struct instance *instance, const struct soft_event *soft,
	      bool is_on);

/*
 * Into soft mode, and out of it when the last has put it.  Between the two halves
 * of a change, get or put and settle, the rules are to be published: an event is
 * switched on after the processes can know that it is soft disabled, and off
 * before they forget.  A put that is not to be is taken back with another get.
 */
int soft_get(struct instance *instance, const struct event *event,
	     struct soft_event **ret_soft);
void soft_put(struct instance *instance, struct soft_event *soft);
void soft_settle(struct instance *instance);

/* One that the last server had, without references. */
struct soft_event *soft_new(struct instance *instance, const struct event *event,
			    uint32_t slot);
void soft_done(struct instance *instance);

#endif
