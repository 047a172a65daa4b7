/* SPDX-License-Identifier: MIT */
/*
 * Load the rules that the previous server has published: copy them from shared memory
 * to struct instance_rules.  The program can write to shared memory, so every value is
 * checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/ring.h"
#include "abi/rules.h"
#include "base/bits.h"
#include "filter/filter.h"
#include "filter/run.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/symbols.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/triggers.h"

/*
 * Limit of the number of rules that belong to parts (instance_part.load_rule) and are
 * loaded from one block.  A correct block has only one such rule.  A hostile block
 * could have many, and each takes long to load, because all functions of the program
 * may have to be sorted.
 */
#define PART_RULES_MAX		8u

/* maximum time for which loading a root waits for the functions that its filters name, ns */
#define NAMES_WAIT_NS		10000000000u

/* A private copy of the block of rules that the previous server has published. */
struct rules_copy {
	const char *data;		/* bytes of the block of rules; a NUL follows the
					 * last byte */
	uint32_t bytes;
	uint64_t left;			/* number of bytes that take_bytes() may still
					 * return: from a correct block, each byte is
					 * taken only once */
};

static const void *take_bytes(struct rules_copy *block, uint64_t at, uint32_t bytes)
{
	if (!bytes || at > block->bytes || bytes > block->bytes - at ||
	    bytes > block->left)
		return NULL;
	block->left -= bytes;
	return block->data + at;
}

static char *take_text(struct rules_copy *block, uint64_t at, uint32_t bytes)
{
	const char *text = bytes > FILTER_TEXT_MAX ? NULL : take_bytes(block, at, bytes);

	return text ? strndup(text, bytes) : NULL;
}

/* Copy a compiled filter from the block of rules.  Returns NULL if the filter is invalid,
 * or if there is no memory. */
static struct filter_program *take_program(struct rules_copy *block, uint32_t at,
					   uint32_t bytes)
{
	const void *program = at % ABI_RULES_ALIGN ? NULL : take_bytes(block, at, bytes);
	struct filter_program *copy;

	if (!program || filter_verify(program, bytes, UINT32_MAX))
		return NULL;
	copy = malloc(bytes);
	return copy ? memcpy(copy, program, bytes) : NULL;
}

static void load_filter(struct instance *instance, struct rules_copy *block,
			const struct abi_rule *rule)
{
	struct event_filter *filter = &instance_rules(instance)->filters[rule->row];

	if (filter->text || rule->error >= FILTER_NR_ERRORS)
		return;
	filter->text = take_text(block, rule->text, rule->text_bytes);
	if (filter->text && rule->program)
		filter->program = take_program(block, rule->program,
					       rule->program_bytes);
	filter->error = (struct filter_error){ rule->error, rule->error_pos };
	if (!filter->text || (rule->program && !filter->program))
		event_filter_done(filter);
}

/* Load the trigger @trigger of @event from the block of rules.  The event's list of
 * triggers begins at offset @start of the block. */
static void load_trigger(struct instance *instance, struct soft_event *soft,
			 const struct event *event, struct rules_copy *block,
			 uint32_t start, const struct abi_trigger *trigger)
{
	const void *more = NULL;
	char *filter = NULL;

	if (trigger->more && trigger->more % ABI_RULES_ALIGN == 0)
		more = take_bytes(block, (uint64_t)start + trigger->more,
				  trigger->more_bytes);
	if (trigger->text) {
		filter = take_text(block, (uint64_t)start + trigger->text,
				   trigger->text_bytes);
		if (!filter)
			return;
	}
	triggers_add_old(instance, soft, event, trigger, filter, more,
			 more ? trigger->more_bytes : 0);
	free(filter);
}

static void load_triggers(struct instance *instance, struct soft_event *soft,
			  const struct event *event, struct rules_copy *block,
			  uint32_t start)
{
	const struct abi_triggers *list = !start || start % ABI_RULES_ALIGN ?
		NULL : take_bytes(block, start, sizeof(*list));

	for (uint32_t i = 0; list && i < list->nr && i < TRIGGERS_MAX; i++) {
		const struct abi_trigger *trigger =
			take_bytes(block, start + sizeof(*list) + i * sizeof(*trigger),
				   sizeof(*trigger));

		if (!trigger)
			break;
		load_trigger(instance, soft, event, block, start, trigger);
	}
}

static void load_part_rule(const struct instance_part *part, struct instance *instance,
			   struct rules_copy *block, const struct abi_rule *rule)
{
	const void *triggers =
		!rule->triggers || rule->triggers % ABI_RULES_ALIGN ? NULL :
		take_bytes(block, rule->triggers, rule->triggers_bytes);
	const char *text = take_bytes(block, rule->text, rule->text_bytes);
	char *copy = text ? strndup(text, rule->text_bytes) : NULL;

	part->load_rule(instance, triggers, rule->triggers_bytes, copy);
	free(copy);
}

/* Load @rule if it belongs to a part (instance_part.rule_row) that has no rule yet.
 * Returns true if @rule was loaded. */
static bool load_rule_of_part(struct instance *instance, struct rules_copy *block,
			      const struct abi_rule *rule)
{
	const struct instance_part *part;

	for_each_instance_part(part, instance->root->parts, load_rule) {
		if (part->rule_row != rule->row || part->has_rule(instance))
			continue;
		load_part_rule(part, instance, block, rule);
		return true;
	}
	return false;
}

/* Load the soft mode and the triggers of an event.  All rows of an event have the same
 * triggers, so only those of the first row are loaded. */
static void load_soft(struct instance *instance, struct rules_copy *block,
		      const struct abi_rule *rule)
{
	const struct event *event = root_events(instance->root)->rows[rule->row];
	struct soft_event *soft;

	if (!event || !rule->soft || rule->soft > ABI_SLOTS ||
	    instance_rules(instance)->softs[rule->row])
		return;
	soft = soft_new(instance, event, rule->soft - 1);
	if (!soft)
		return;
	slot_use(instance, soft->slot);
	load_triggers(instance, soft, event, block, rule->triggers);
}

/*
 * Load all rules of the block @data.  The previous server possibly did not know the events
 * above the highest row that has a rule.  So instance_rules.nr_rows does not include these
 * rows, and rules_refresh() handles them later.
 */
static int load_rules(struct instance *instance, const char *data,
		      uint32_t bytes)
{
	struct rules_copy block = { .data = data, .bytes = bytes, .left = bytes };
	const struct abi_rules *rules = (const void *)data;
	uint64_t nr_max = (bytes - sizeof(*rules)) / sizeof(rules->rules[0]);
	uint32_t nr = (uint32_t)min_u64(rules->nr_rules, nr_max);
	uint32_t left = PART_RULES_MAX;
	int r = 0;

	for (uint32_t i = 0; !r && i < nr; i++)
		if (rules->rules[i].row < root_events(instance->root)->nr)
			r = rules_need_rows(instance, rules->rules[i].row + 1);
	for (uint32_t i = 0; !r && i < nr; i++) {
		const struct abi_rule *rule = &rules->rules[i];

		if (left)
			left -= load_rule_of_part(instance, &block, rule);
		if (rule->row == ABI_ROW_PRINT && !instance_rules(instance)->print.triggers)
			load_triggers(instance, &instance_rules(instance)->print,
				      &print_event, &block, rule->triggers);
		if (rule->row >= root_events(instance->root)->nr)
			continue;
		load_filter(instance, &block, rule);
		load_soft(instance, &block, rule);
	}
	triggers_link_old(instance);
	soft_settle(instance);
	return r;
}

/* Make a private copy of the block of rules to which @abi refers (block_copy()). */
static int copy_rules(const struct root *root, const struct abi_buffer *abi,
		      struct abi_ring_ref *ret_block, void **ret_copy, uint32_t *ret_bytes)
{
	const struct block_size size = {
		.at = offsetof(struct abi_rules, bytes),
		.min = sizeof(struct abi_rules),
		.max = ABI_RULES_BYTES_MAX - root_rules(root)->rules_taken,
	};

	return block_copy(root, shm_load(&abi->rules), &size, ret_block, ret_copy, ret_bytes);
}

/*
 * Return -ERESTART if the load of @root must wait for searches for functions; @r is
 * the result of the last search.  The wait is limited to NAMES_WAIT_NS, because a
 * program that keeps changing its tables could make the searches begin again and
 * again.
 */
static int end_names_wait(struct root *root, int r)
{
	uint64_t *since_ns = &root_rules(root)->names_since_ns;

	if (r == -ERESTART && !*since_ns)
		*since_ns = server_now_ns();
	if (r == -ERESTART && server_now_ns() - *since_ns < NAMES_WAIT_NS)
		return r;
	*since_ns = 0;
	return r == -ERESTART || r == -E2BIG ? 0 : r;
}

int rules_load_names(struct root *root)
{
	uint32_t taken = 0;
	int ret = 0;

	symbols_functions_begin(root);
	for (uint32_t i = 0; !ret && i < ABI_BUFFERS; i++) {
		struct abi_ring_ref block;
		uint32_t bytes;
		void *copy;
		int r = copy_rules(root, root->top.abi + i, &block, &copy, &bytes);

		if (r)
			return r;
		/* Limit the sum of the sizes of all loaded blocks of rules: all buffers of a
		 * hostile program may refer to one large block. */
		if (copy && bytes > ABI_RULES_BYTES_MAX - taken) {
			free(copy);
			break;
		}
		taken += copy ? bytes : 0;
		if (copy)
			ret = filters_parse_more(root, copy, bytes);
		free(copy);
	}
	return end_names_wait(root, ret);
}

void rules_reset_limits(struct root *root)
{
	struct root_rules *limits = root_rules(root);

	limits->rules_taken = limits->filters_taken = limits->triggers_taken = 0;
}

/* Load the rules of @instance.  The server ignores invalid rules.  Invalid rules stay in the
 * block, but each process checks the rules itself. */
int rules_load(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);
	uint32_t bytes = 0;
	void *copy;
	int r;

	rules->slots = calloc(ABI_SLOTS / 64, sizeof(*rules->slots));
	if (!rules->slots)
		return -ENOMEM;
	r = copy_rules(instance->root, instance->abi, &rules->block, &copy, &bytes);
	/* Count a block for each instance that refers to it, because a hostile program
	 * can let all instances refer to one large block. */
	root_rules(instance->root)->rules_taken += bytes;
	if (copy)
		r = load_rules(instance, copy, bytes);
	free(copy);
	rules->is_loaded = !r;
	return r;
}
