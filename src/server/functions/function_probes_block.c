/* SPDX-License-Identifier: MIT */
/*
 * Write the commands of functions to shared memory, and load the commands of the previous
 * server.  In shared memory a function is identified by its address.
 */
#include <errno.h>
#include <stdlib.h>

#include "abi/rules.h"
#include "base/text.h"
#include "server/core/instance.h"
#include "server/functions/function_probes.h"
#include "server/functions/functions.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/triggers.h"

/* ---- functions that sort the entries of commands ---- */

/* A reference to element @nr of a list, with two keys by which such references are
 * sorted. */
struct place {
	uint64_t key, second;		/* keys for sorting: first @key, then @second */
	const struct function_probe *probe;	/* command whose array @entries is the
						 * list; NULL if the caller's own list is
						 * meant */
	uint32_t nr;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->second < other->second ? -1 : one->second > other->second;
}

static uint32_t count_entries(const struct instance *instance)
{
	uint32_t nr = 0;

	for_each_function_probe(p, instance)
		nr += p->nr;
	return nr;
}

/* ---- functions that write the commands of functions to the block of rules ---- */

/* Fill @places with the entries of all commands, sorted by the address of the function.
 * Commands of one function are in the order newest first, as in the kernel.  Functions
 * whose object is not loaded are left out, because other functions may be at their
 * addresses now.
 * Returns the number of elements of @places. */
static uint32_t fill_places(const struct instance *instance, struct place *places)
{
	const struct functions *functions = root_functions(instance->root);
	uint32_t nr = 0, order = 0;

	for_each_function_probe(p, instance) {
		order++;
		for (uint32_t i = 0; i < p->nr; i++) {
			uint32_t function = p->entries[i].function;

			if (function_is_there(functions, function))
				places[nr++] = (struct place){
					.key = function_ip(functions, function),
					.second = order, .probe = p, .nr = i,
				};
		}
	}
	qsort(places, nr, sizeof(*places), compare_places);
	return nr;
}

static void put_probe(const struct place *place, struct text *block)
{
	const struct function_probe_entry *entry =
		&place->probe->entries[place->nr];
	struct abi_probe probe = {
		.ip = place->key,
		.order = (uint32_t)place->second,
		.trigger = {
			.command = place->probe->cmd->command,
			.counter = entry->counter,
			.target = entry->target ? entry->target->slot + 1 : 0,
			.target_row = entry->target_row,
		},
	};

	text_write(block, &probe, sizeof(probe));
}

void function_probes_put(const struct instance *instance, struct text *block)
{
	struct place *places = calloc(count_entries(instance) + 1ul, sizeof(*places));
	struct abi_probes head = { .nr = 0 };

	if (!places) {
		block->error = -ENOMEM;
		return;
	}
	head.nr = fill_places(instance, places);
	text_write(block, &head, sizeof(head));
	for (uint32_t i = 0; i < head.nr; i++)
		put_probe(&places[i], block);
	free(places);
}

/* ---- functions that load the commands of the previous server ---- */

static struct place *index_functions(const struct functions *functions)
{
	struct place *places = calloc(functions->nr + 1ul, sizeof(*places));

	for (uint32_t nr = 0; places && nr < functions->nr; nr++)
		places[nr] = (struct place){
			.key = function_ip(functions, nr), .nr = nr,
		};
	if (places)
		qsort(places, functions->nr, sizeof(*places), compare_places);
	return places;
}

static int compare_key(const void *key, const void *place)
{
	uint64_t one = *(const uint64_t *)key;
	uint64_t other = ((const struct place *)place)->key;

	return one < other ? -1 : one > other;
}

/* Fill @sorted with the elements of @list whose functions are known, sorted by command,
 * then by function.  Returns the number of these elements. */
static uint32_t sort_probes(const struct functions *functions,
			    const struct abi_probes *list, struct place *sorted)
{
	struct place *all = index_functions(functions);
	uint32_t nr = 0;

	for (uint32_t i = 0; all && i < list->nr; i++) {
		const struct place *function =
			bsearch(&list->probes[i].ip, all, functions->nr,
				sizeof(*all), compare_key);

		if (function)
			sorted[nr++] = (struct place){
				.key = list->probes[i].order,
				.second = function->nr, .nr = i,
			};
	}
	free(all);
	qsort(sorted, nr, sizeof(*sorted), compare_places);
	return nr;
}

static void load_probe(struct instance *instance, const struct abi_trigger *from,
		       uint32_t function)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct trigger_cmd *cmd = trigger_cmd_of(from->command);
	struct function_probe_entry entry = {
		.function = function, .counter = from->counter,
		.target_row = from->target_row,
	};

	if (!cmd || !(cmd->scope & CMD_FUNCTION) || entry.counter > ABI_SLOTS)
		return;
	if (cmd->has_target && entry.target_row < rules->nr_rows)
		entry.target = *(rules->softs + entry.target_row);
	if ((cmd->has_target && !entry.target) ||
	    function_probes_add_old(instance, cmd, &entry))
		return;
	if (entry.target)
		entry.target->refs++;
	if (entry.counter)
		slot_use(instance, entry.counter - 1);
}

void function_probes_load(struct instance *instance,
			  const struct abi_probes *list)
{
	struct place *sorted = calloc(list->nr + 1ul, sizeof(*sorted));
	uint32_t nr = 0;

	if (sorted)
		nr = sort_probes(root_functions(instance->root), list, sorted);
	for (uint32_t i = 0; i < nr; i++)
		load_probe(instance, &list->probes[sorted[i].nr].trigger,
			   (uint32_t)sorted[i].second);
	free(sorted);
}
