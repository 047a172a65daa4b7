/* SPDX-License-Identifier: MIT */
/*
 * Publish filters and triggers: copy them from struct instance_rules to shared memory.
 * Each change makes a new block with all rules of the instance.  The old block is freed
 * after every process has applied the new one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "abi/rules.h"
#include "base/bits.h"
#include "base/text.h"
#include "filter/filter.h"
#include "server/core/apply.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

/* ---- functions that write the block of rules ---- */

/*
 * Append @data to the block, with padding to ABI_RULES_ALIGN.  Returns the offset of
 * the data in the block.  Only the head of the block has offset 0, so an offset of 0
 * can mean that there are no data.
 */
static uint32_t put_bytes(struct text *block, const void *data, size_t bytes)
{
	uint32_t at = (uint32_t)block->len;

	text_write(block, data, bytes);
	text_fill(block, '\0', ALIGN_UP(bytes, ABI_RULES_ALIGN) - bytes);
	return at;
}

/* Overwrite bytes at offset @at of the block, which put_bytes() has appended before. */
static void set_bytes(struct text *block, uint32_t at, const void *data, size_t bytes)
{
	if (!block->error)
		memcpy(block->data + at, data, bytes);
}

static uint32_t put_program(struct text *block,
			    const struct filter_program *program,
			    uint32_t *ret_bytes)
{
	if (!program)
		return 0;
	*ret_bytes = (uint32_t)filter_program_bytes(program);
	return put_bytes(block, program, *ret_bytes);
}

static uint32_t put_text(struct text *block, const char *text,
			 uint32_t *ret_bytes)
{
	if (!text)
		return 0;
	*ret_bytes = (uint32_t)strlen(text) + 1;
	return put_bytes(block, text, *ret_bytes);
}

/* Append the data that the language of @trigger needs to load the trigger after a restart
 * of the server. */
static uint32_t put_more(struct text *block, const struct instance *instance,
			 const struct trigger *trigger, uint32_t *ret_bytes)
{
	uint32_t at = (uint32_t)block->len;

	if (!trigger->lang || !trigger->lang->put_more)
		return 0;
	trigger->lang->put_more(instance, trigger, block);
	*ret_bytes = (uint32_t)block->len - at;
	text_fill(block, '\0', ALIGN_UP(*ret_bytes, ABI_RULES_ALIGN) - *ret_bytes);
	return *ret_bytes ? at : 0;
}

/*
 * Append the compiled filter, the data and the texts of @trigger to @block, and store
 * a struct abi_trigger for it at offset @at.  The offsets in abi_trigger count from
 * @start, where the event's list of triggers begins.
 */
static void put_trigger(struct text *block, uint32_t start, uint32_t at,
			const struct instance *instance, const struct trigger *trigger,
			const struct trigger_program *program)
{
	struct abi_trigger to = {
		.command = trigger->cmd->command,
		.counter = trigger->counter,
		.target = trigger->target ? trigger->target->slot + 1 : 0,
		.target_row = trigger->target_row,
		.data_bytes = program->data_bytes,
	};

	to.program = put_program(block, program->filter, &to.program_bytes);
	to.text = put_text(block, trigger->filter, &to.text_bytes);
	if (program->data)
		to.data = put_bytes(block, program->data, program->data_bytes);
	to.more = put_more(block, instance, trigger, &to.more_bytes);
	to.program -= to.program ? start : 0;
	to.text -= to.text ? start : 0;
	to.data -= to.data ? start : 0;
	to.more -= to.more ? start : 0;
	set_bytes(block, at, &to, sizeof(to));
}

/* Append to @block the triggers that can act on records of @row: first an array of
 * struct abi_trigger, then the compiled filters, the data and the texts. */
static void put_triggers(struct text *block, const struct instance *instance,
			 const struct soft_event *soft, uint32_t row,
			 struct abi_rule *rule)
{
	static const struct abi_trigger none;
	struct abi_triggers list = { .nr = 0 };
	const struct trigger_program *program;
	uint32_t at;

	rule->triggers = put_bytes(block, &list, sizeof(list));
	at = (uint32_t)block->len;
	for (const struct trigger *t = soft->triggers; t; t = t->next) {
		if (trigger_program(t, row)) {
			put_bytes(block, &none, sizeof(none));
			list.nr++;
		}
	}
	for (const struct trigger *t = soft->triggers; t; t = t->next) {
		program = trigger_program(t, row);
		if (program) {
			put_trigger(block, rule->triggers, at, instance, t, program);
			at += (uint32_t)sizeof(none);
		}
	}
	set_bytes(block, rule->triggers, &list, sizeof(list));
	rule->triggers_bytes = (uint32_t)block->len - rule->triggers;
}

static void put_rule(struct text *block, const struct instance *instance,
		     uint32_t row, struct abi_rule *rule)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct event_filter *filter = &rules->filters[row];
	const struct soft_event *soft = rules->softs[row];

	*rule = (struct abi_rule){
		.row = row,
		.error = filter->error.code,
		.error_pos = filter->error.pos,
		.soft = soft ? soft->slot + 1 : 0,
	};
	rule->program = put_program(block, filter->program,
				    &rule->program_bytes);
	rule->text = put_text(block, filter->text, &rule->text_bytes);
	if (soft && soft->triggers)
		put_triggers(block, instance, soft, row, rule);
}

static void put_print_rule(struct text *block, const struct instance *instance,
			   struct abi_rule *rule)
{
	*rule = (struct abi_rule){ .row = ABI_ROW_PRINT };
	put_triggers(block, instance, &instance_rules(instance)->print, ABI_ROW_PRINT, rule);
}

static bool has_rule(const struct instance *instance, uint32_t row)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct soft_event *soft = rules->softs[row];

	return rules->filters[row].text || (soft && soft->refs);
}

/* Write all rules of @instance to @block.  If there are no rules, the block stays empty. */
static void put_rules(struct text *block, const struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);
	struct abi_rules head = {
		.magic = ABI_RULES_MAGIC,
		.nr_slots = slots_used(instance),
	};
	const struct server_parts *parts = instance->root->parts;
	const struct instance_part *part;
	struct abi_rule rule = { .row = 0 };
	uint32_t at = sizeof(head);

	for (uint32_t row = 0; row < rules->nr_rows; row++)
		head.nr_rules += has_rule(instance, row);
	for_each_instance_part(part, parts, has_rule)
		head.nr_rules += part->has_rule(instance);
	head.nr_rules += rules->print.triggers != NULL;
	if (!head.nr_rules)
		return;
	put_bytes(block, &head, sizeof(head));
	for (uint32_t i = 0; i < head.nr_rules; i++)
		put_bytes(block, &rule, sizeof(rule));
	for (uint32_t row = 0; row < rules->nr_rows; row++) {
		if (!has_rule(instance, row))
			continue;
		put_rule(block, instance, row, &rule);
		set_bytes(block, at, &rule, sizeof(rule));
		at += (uint32_t)sizeof(rule);
	}
	for_each_instance_part(part, parts, has_rule) {
		if (!part->has_rule(instance))
			continue;
		part->put_rule(instance, block, &rule);
		rule.row = part->rule_row;
		set_bytes(block, at, &rule, sizeof(rule));
		at += (uint32_t)sizeof(rule);
	}
	if (rules->print.triggers) {
		put_print_rule(block, instance, &rule);
		set_bytes(block, at, &rule, sizeof(rule));
	}
	head.bytes = (uint32_t)block->len;
	set_bytes(block, 0, &head, sizeof(head));
}

static int publish_rules(struct instance *instance, const struct text *block)
{
	struct root *root = instance->root;
	struct block_draft draft;
	int r = block_begin(root, block->len, block->len, &draft);

	if (r)
		return r;
	memcpy(draft.map->addr, block->data, block->len);
	/* Mark the instance's buffer as used, because processes ignore the rules of
	 * buffers that are not used. */
	shm_store(&instance->abi->used, 1);
	return block_publish(root, &draft, &instance_rules(instance)->block,
			     &instance->abi->rules);
}

static void retire_rules(struct instance *instance)
{
	block_retire(instance->root, &instance_rules(instance)->block, &instance->abi->rules);
}

int rules_publish(struct instance *instance)
{
	struct text block;
	int r;

	text_init(&block, ABI_RULES_BYTES_MAX);
	put_rules(&block, instance);
	r = block.error ? -ENOMEM : 0;
	if (!r && block.len)
		r = publish_rules(instance, &block);
	else if (!r)
		retire_rules(instance);
	text_done(&block);
	return r;
}

/* ---- functions that grow and free struct instance_rules ---- */

static void *grow_table(void *table, size_t row_bytes, uint32_t old, uint32_t new)
{
	char *grown = realloc(table, new * row_bytes);

	if (grown)
		memset(grown + old * row_bytes, 0, (new - old) * row_bytes);
	return grown;
}

int rules_need_rows(struct instance *instance, uint32_t nr)
{
	struct instance_rules *rules = instance_rules(instance);
	uint32_t old = rules->nr_rows;
	void *filters, *softs;

	if (nr <= old)
		return 0;
	filters = grow_table(rules->filters, sizeof(*rules->filters), old, nr);
	if (filters)
		rules->filters = filters;
	softs = grow_table(rules->softs, sizeof(struct soft_event *), old, nr);
	if (softs)
		rules->softs = softs;
	if (!filters || !softs)
		return -ENOMEM;
	rules->nr_rows = nr;
	return 0;
}

const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event)
{
	struct instance_rules *rules = instance_rules(instance);

	static const struct event_filter none;

	return event->row < rules->nr_rows ?
	       &rules->filters[event->row] : &none;
}

void rules_done(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);

	soft_done(instance);
	for (uint32_t row = 0; row < rules->nr_rows; row++)
		event_filter_done(&rules->filters[row]);
	free(rules->filters);
	rules->filters = NULL;
	rules->nr_rows = 0;
	rules->is_loaded = false;
	free(rules->slots);
	rules->slots = NULL;
}

void rules_list_blocks(const struct instance *instance, struct extent_list *list)
{
	arena_list_block(list, &instance_rules(instance)->block);
}

void rules_drop(struct instance *instance)
{
	rules_done(instance);
	retire_rules(instance);
}

int rules_forget_row(struct instance *instance, uint32_t row)
{
	struct instance_rules *rules = instance_rules(instance);
	struct event_filter filter;
	int r;

	if (row >= rules->nr_rows || !rules->filters[row].text)
		return 0;
	filter = rules->filters[row];
	rules->filters[row] = (struct event_filter){ .text = NULL };
	r = rules_publish(instance);
	if (r)
		rules->filters[row] = filter;
	else
		event_filter_done(&filter);
	return r;
}

/* ---- functions that copy rules to events of new modules ---- */

static uint32_t nr_triggers(const struct soft_event *soft)
{
	uint32_t nr = 0;

	for (const struct trigger *t = soft->triggers; t; t = t->next)
		nr++;
	return nr;
}

/* Copy the filter and the triggers of the event @older to @event, a new row with the same
 * name.  Returns true if there was a filter or a trigger to copy. */
static bool inherit_rules(struct instance *instance, const struct event *event,
			  const struct event *older)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct event_filter *filter = &rules->filters[older->row];
	struct soft_event *soft = rules->softs[older->row];
	struct filter_env env = filters_env(instance);

	if (filter->text)
		event_filter_store(&rules->filters[event->row], event->format,
				   filter->text, strlen(filter->text), &env);
	if (soft && !triggers_may_add(instance->root, nr_triggers(soft)))
		soft = NULL;
	if (soft) {
		rules->softs[event->row] = soft;
		triggers_compile(instance, soft, event);
	}
	return filter->text || soft;
}

void rules_refresh(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);
	struct root *root = instance->root;
	struct events *events = root_events(root);
	uint32_t row = rules->nr_rows;
	bool is_changed = false;
	struct apply apply;

	if (!rules->block.off || row >= events->nr ||
	    rules_need_rows(instance, events->nr))
		return;
	for (; row < events->nr; row++) {
		const struct event *event = events->rows[row];
		const struct event *older = event ? event_elder(root, event) : NULL;

		if (older && inherit_rules(instance, event, older))
			is_changed = true;
	}
	if (is_changed && !rules_publish(instance)) {
		soft_settle(instance);
		apply_start(root, &apply);
	}
}
