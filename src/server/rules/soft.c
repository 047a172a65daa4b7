/* SPDX-License-Identifier: MIT */
/* Soft mode of events, and the rule words that say whether an event in soft mode is
 * recorded. */
#include <errno.h>
#include <stdlib.h>

#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/rules/events.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/triggers.h"

/* ---- functions that allocate rule words ---- */

static bool is_used(const struct instance *instance, uint32_t slot)
{
	return instance_rules(instance)->slots[slot / 64] >> slot % 64 & 1;
}

void slot_use(struct instance *instance, uint32_t slot)
{
	instance_rules(instance)->slots[slot / 64] |= 1ull << slot % 64;
}

/*
 * Allocate a rule word.  The search begins after the word that was allocated last, so
 * that a freed word stays free as long as possible.  The reason: a process that has not
 * applied the change yet may still write to the freed word.
 */
int slot_alloc(struct instance *instance, uint64_t value, uint32_t *ret_slot)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t i = 0; i < ABI_SLOTS; i++) {
		uint32_t slot = (rules->next_slot + i) % ABI_SLOTS;
		int r;

		if (is_used(instance, slot))
			continue;
		r = root_reserve(instance->root, &instance->abi->slots[slot],
				 sizeof(value));
		if (r)
			return r;
		slot_use(instance, slot);
		rules->next_slot = slot + 1;
		shm_store(&instance->abi->slots[slot], value);
		*ret_slot = slot;
		return 0;
	}
	return -ENOSPC;
}

void slot_free(struct instance *instance, uint32_t slot)
{
	instance_rules(instance)->slots[slot / 64] &= ~(1ull << slot % 64);
}

uint64_t slot_value(const struct instance *instance, uint32_t slot)
{
	return shm_load(&instance->abi->slots[slot]);
}

uint32_t slots_used(const struct instance *instance)
{
	uint32_t nr = ABI_SLOTS;

	while (nr && !is_used(instance, nr - 1))
		nr--;
	return nr;
}

/* ---- functions that begin and end soft mode of events ---- */

struct soft_event *soft_find(const struct instance *instance,
			     const struct event *event)
{
	struct instance_rules *rules = instance_rules(instance);

	if (event->row == ABI_ROW_PRINT)
		return (struct soft_event *)&rules->print;
	return event->row < rules->nr_rows ?
	       rules->softs[event->row] : NULL;
}

bool soft_is_disabled(const struct instance *instance,
		      const struct soft_event *soft)
{
	return slot_value(instance, soft->slot);
}

bool event_is_recorded(const struct instance *instance,
		       const struct event *event)
{
	const struct soft_event *soft = soft_find(instance, event);

	return event_is_enabled(instance, event) &&
	       !(soft && soft_is_disabled(instance, soft));
}

void soft_set(struct instance *instance, const struct soft_event *soft,
	      bool is_on)
{
	shm_store(&instance->abi->slots[soft->slot], !is_on);
}

struct soft_event *soft_new(struct instance *instance, const struct event *event,
			    uint32_t slot)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct root *root = instance->root;
	struct soft_event *soft = calloc(1, sizeof(*soft));

	if (!soft)
		return NULL;
	soft->slot = slot;
	for (event = event_youngest(root, event); event; event = event_elder(root, event)) {
		if (event->row >= rules->nr_rows)
			continue;
		rules->softs[event->row] = soft;
		soft->row = event->row;
		soft->nr_rows++;
	}
	return soft;
}

int soft_get(struct instance *instance, const struct event *event,
	     struct soft_event **ret_soft)
{
	struct soft_event *soft;
	uint32_t slot;
	int r = rules_need_rows(instance, root_events(instance->root)->nr);

	if (r)
		return r;
	soft = soft_find(instance, event);
	if (!soft) {
		r = slot_alloc(instance, !event_is_enabled(instance, event),
			       &slot);
		if (r)
			return r;
		soft = soft_new(instance, event, slot);
		if (!soft) {
			slot_free(instance, slot);
			return -ENOMEM;
		}
	}
	soft->refs++;
	*ret_soft = soft;
	return 0;
}

/* Store in all rows of the event of @soft whether processes must register the event's
 * probe. */
static void want_event(struct instance *instance, const struct soft_event *soft,
		       bool is_on)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t row = soft->row; row < rules->nr_rows; row++)
		if (rules->softs[row] == soft)
			event_want(instance, row, is_on);
}

void soft_put(struct instance *instance, struct soft_event *soft)
{
	if (!--soft->refs && soft != &instance_rules(instance)->print &&
	    soft_is_disabled(instance, soft))
		want_event(instance, soft, false);
}

/* Return true if the setting of the event in row @row is on, even if a process has failed
 * to apply it: soft_settle() must not try to enable such an event again. */
static bool event_is_wanted(const struct instance *instance, uint32_t row)
{
	return shm_load(&instance->root->events_table[row].wanted) >>
	       instance->number & 1;
}

void soft_settle(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t row = rules->nr_rows; row--; ) {
		struct soft_event *soft = rules->softs[row];

		if (!soft)
			continue;
		if (soft->refs) {
			if (!event_is_wanted(instance, row))
				event_want(instance, row, true);
			continue;
		}
		rules->softs[row] = NULL;
		if (row == soft->row) {
			slot_free(instance, soft->slot);
			free(soft);
		}
	}
	/* While rules are being loaded, some of them are still missing, so do not call the
	 * method settle of the events yet. */
	if (rules->is_loaded)
		events_settle(instance);
}

void soft_done(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t row = rules->nr_rows; row--; ) {
		struct soft_event *soft = rules->softs[row];

		if (soft && row == soft->row) {
			triggers_free(soft->triggers);
			free(soft);
		}
	}
	free(rules->softs);
	rules->softs = NULL;
	triggers_free(rules->print.triggers);
	rules->print = (struct soft_event){ .triggers = NULL };
}
