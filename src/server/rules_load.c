/* SPDX-License-Identifier: MIT */
/* The rules that the last server left behind, from the shared memory into our
 * tables.  Nothing of it is believed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/rules.h"
#include "base/bits.h"
#include "filter/filter.h"
#include "filter/run.h"
#include "server/mapping.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/rules.h"
#include "server/shm.h"
#include "server/soft.h"
#include "server/triggers.h"

static bool is_inside(uint32_t at, uint32_t bytes, uint32_t all)
{
	return bytes && at <= all && bytes <= all - at;
}

/* @piece is a private copy of @bytes, with a NUL behind it. */
static void load_filter(struct instance *instance, const char *piece,
			uint32_t bytes, const struct abi_rule *rule)
{
	struct event_filter *filter = &instance->filters[rule->row];
	const char *program = piece + rule->program;

	if (filter->text || !is_inside(rule->text, rule->text_bytes, bytes) ||
	    rule->error >= FILTER_NR_ERRORS)
		return;
	if (rule->program) {
		if (rule->program % ABI_RULES_ALIGN ||
		    !is_inside(rule->program, rule->program_bytes, bytes) ||
		    filter_verify(program, rule->program_bytes, UINT32_MAX))
			return;
		filter->program = malloc(rule->program_bytes);
		if (!filter->program)
			return;
		memcpy(filter->program, program, rule->program_bytes);
	}
	filter->text = strndup(piece + rule->text, rule->text_bytes);
	filter->error = (struct filter_error) { rule->error, rule->error_pos };
	if (!filter->text)
		event_filter_done(filter);
}

/* @triggers: what is there of them, @bytes. */
static void load_triggers(struct instance *instance, struct soft_event *soft,
			  const char *triggers, uint32_t bytes)
{
	const struct abi_triggers *list = (const void *)triggers;

	for (uint32_t i = 0; i < list->nr; i++) {
		const struct abi_trigger *trigger = &list->triggers[i];
		char *filter = NULL;

		if (sizeof(*list) + (i + 1ull) * sizeof(*trigger) > bytes)
			break;
		if (trigger->text) {
			if (!is_inside(trigger->text, trigger->text_bytes, bytes))
				continue;
			filter = strndup(triggers + trigger->text,
					 trigger->text_bytes);
			if (!filter)
				continue;
		}
		triggers_add_old(instance, soft, trigger, filter);
		free(filter);
	}
}

/* Its rows have the same triggers: those of the first are taken. */
static void load_soft(struct instance *instance, const char *piece,
		      uint32_t bytes, const struct abi_rule *rule)
{
	const struct event *event = instance->root->events[rule->row];
	struct soft_event *soft;

	if (!event || !rule->soft || rule->soft > ABI_SLOTS ||
	    instance->softs[rule->row])
		return;
	soft = soft_new(instance, event, rule->soft - 1);
	if (!soft)
		return;
	slot_use(instance, soft->slot);
	if (rule->triggers % ABI_RULES_ALIGN == 0 &&
	    is_inside(rule->triggers, rule->triggers_bytes, bytes) &&
	    rule->triggers_bytes >= sizeof(struct abi_triggers))
		load_triggers(instance, soft, piece + rule->triggers,
			      rule->triggers_bytes);
}

/* The last server knew all rows up to the last with a rule; what is behind has
 * perhaps come since. */
static int load_piece(struct instance *instance, const char *piece,
		      uint32_t bytes)
{
	const struct abi_rules *rules = (const void *)piece;
	uint64_t room = (bytes - sizeof(*rules)) / sizeof(rules->rules[0]);
	uint32_t nr = (uint32_t)min_u64(rules->nr_rules, room);
	int r = 0;

	for (uint32_t i = 0; !r && i < nr; i++)
		if (rules->rules[i].row < instance->root->nr_events)
			r = rules_need_rows(instance, rules->rules[i].row + 1);
	for (uint32_t i = 0; !r && i < nr; i++) {
		const struct abi_rule *rule = &rules->rules[i];

		if (rule->row >= instance->root->nr_events)
			continue;
		load_filter(instance, piece, bytes, rule);
		load_soft(instance, piece, bytes, rule);
	}
	triggers_link_old(instance);
	soft_settle(instance);
	return r;
}

/* What cannot be read is not there for us; the processes decide for
 * themselves. */
int rules_load(struct instance *instance)
{
	struct root *root = instance->root;
	struct abi_ring_ref ref = {
		.off = shm_load(&instance->abi->rules),
		.bytes = ABI_PAGE_BYTES_MIN,
	};
	struct mapping *map;
	uint32_t bytes;
	char *copy;
	int r;

	if (!ref.off || !arena_has(root, &ref) ||
	    mapping_new(root->fd, ref.off, ref.bytes, &map))
		return 0;
	bytes = shm_load(&((struct abi_rules *)map->addr)->bytes);
	mapping_put(map);
	ref.bytes = ABI_PAGE_ALIGN((uint64_t)bytes);
	if (bytes < sizeof(struct abi_rules) || bytes > ABI_RULES_BYTES_MAX ||
	    !arena_has(root, &ref) ||
	    mapping_new(root->fd, ref.off, ref.bytes, &map))
		return 0;
	instance->rules = ref;
	copy = calloc(1, bytes + 1ul);
	if (copy)
		memcpy(copy, map->addr, bytes);
	mapping_put(map);
	r = copy ? load_piece(instance, copy, bytes) : -ENOMEM;
	free(copy);
	return r;
}
