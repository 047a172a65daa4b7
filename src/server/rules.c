/* SPDX-License-Identifier: MIT */
/*
 * Filters from the server's tables into the shared memory and back.  Each
 * change makes a new piece with all of them; the old one goes when every
 * process has taken in the new.
 */
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

/* ---- the piece in shared memory ---- */

static uint32_t program_bytes(const struct event_filter *filter)
{
	return filter->program ?
	       (uint32_t)filter_program_bytes(filter->program) : 0;
}

static uint32_t text_bytes(const struct event_filter *filter)
{
	return (uint32_t)strlen(filter->text) + 1;
}

/* What a piece with all the filters takes; 0: there are none. */
static uint64_t piece_bytes(const struct instance *instance, uint32_t *ret_nr)
{
	uint64_t bytes = sizeof(struct abi_rules);

	*ret_nr = 0;
	for (uint32_t row = 0; row < instance->nr_filters; row++) {
		const struct event_filter *filter = &instance->filters[row];

		if (!filter->text)
			continue;
		++*ret_nr;
		bytes += sizeof(struct abi_rule) +
			 ALIGN_UP((uint64_t)program_bytes(filter) +
				  text_bytes(filter), ABI_RULES_ALIGN);
	}
	return *ret_nr ? bytes : 0;
}

static void piece_fill(const struct instance *instance, struct abi_rules *to,
		       uint32_t bytes, uint32_t nr)
{
	struct abi_rule *rule = to->rules;
	uint32_t at = (uint32_t)(sizeof(*to) + nr * sizeof(*rule));

	to->bytes = bytes;
	to->nr_rules = nr;
	to->magic = ABI_RULES_MAGIC;
	for (uint32_t row = 0; row < instance->nr_filters; row++) {
		const struct event_filter *filter = &instance->filters[row];

		if (!filter->text)
			continue;
		*rule = (struct abi_rule) {
			.row = row,
			.program = filter->program ? at : 0,
			.program_bytes = program_bytes(filter),
			.text = at + program_bytes(filter),
			.text_bytes = text_bytes(filter),
			.error = filter->error.code,
			.error_pos = filter->error.pos,
		};
		if (filter->program)
			memcpy((char *)to + at, filter->program,
			       rule->program_bytes);
		memcpy((char *)to + rule->text, filter->text, rule->text_bytes);
		at += ALIGN_UP(rule->program_bytes + rule->text_bytes,
			       ABI_RULES_ALIGN);
		rule++;
	}
}

static void use_piece(struct instance *instance, struct abi_ring_ref piece)
{
	struct root *root = instance->root;
	struct abi_ring_ref old = instance->rules;

	instance->rules = piece;
	shm_store(&instance->abi->rules, piece.off);
	/* It is still used until the change is known. */
	arena_free(root, &old, shm_load(&root->control->generation) + 1);
}

int rules_publish(struct instance *instance)
{
	struct root *root = instance->root;
	struct abi_ring_ref piece = { 0, 0 };
	struct mapping *map;
	uint32_t nr;
	uint64_t bytes = piece_bytes(instance, &nr);
	int r;

	if (bytes > ABI_RULES_BYTES_MAX)
		return -ENOMEM;
	if (bytes) {
		r = arena_alloc(root, bytes, &piece.off);
		if (r)
			return r;
		piece.bytes = ABI_PAGE_ALIGN(bytes);
		r = mapping_new(root->fd, piece.off, piece.bytes, &map);
		if (r)
			return r;
		piece_fill(instance, map->addr, (uint32_t)bytes, nr);
		r = map->is_lost ? -EIO : 0;
		mapping_put(map);
		if (r)
			return r;
		/* Processes look at buffers that are in use only. */
		shm_store(&instance->abi->used, 1);
	}
	use_piece(instance, piece);
	return 0;
}

/* ---- the server's table ---- */

int rules_need_filters(struct instance *instance, uint32_t nr)
{
	struct event_filter *filters;

	if (nr <= instance->nr_filters)
		return 0;
	filters = realloc(instance->filters, nr * sizeof(*filters));
	if (!filters)
		return -ENOMEM;
	memset(filters + instance->nr_filters, 0,
	       (nr - instance->nr_filters) * sizeof(*filters));
	instance->filters = filters;
	instance->nr_filters = nr;
	return 0;
}

const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event)
{
	static const struct event_filter none;

	return event->row < instance->nr_filters ?
	       &instance->filters[event->row] : &none;
}

void rules_done(struct instance *instance)
{
	for (uint32_t row = 0; row < instance->nr_filters; row++)
		event_filter_done(&instance->filters[row]);
	free(instance->filters);
	instance->filters = NULL;
	instance->nr_filters = 0;
}

void rules_drop(struct instance *instance)
{
	rules_done(instance);
	use_piece(instance, (struct abi_ring_ref) { 0, 0 });
}

/* ---- the last server's ---- */

static bool is_inside(uint32_t at, uint32_t bytes, uint32_t all)
{
	return bytes && at <= all && bytes <= all - at;
}

/* @piece is a private copy of @bytes, with a NUL behind it. */
static void load_rule(struct instance *instance, const char *piece,
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

/* The last server knew all rows up to the last with a rule; what is behind has
 * perhaps come since. */
static int load_piece(struct instance *instance, const char *piece,
		      uint32_t bytes)
{
	const struct abi_rules *rules = (const void *)piece;
	int r = 0;

	for (uint32_t i = 0; !r && i < rules->nr_rules; i++) {
		const struct abi_rule *rule = &rules->rules[i];

		if (sizeof(*rules) + (i + 1ull) * sizeof(*rule) > bytes)
			break;
		if (rule->row >= instance->root->nr_events)
			continue;
		r = rules_need_filters(instance, rule->row + 1);
		if (!r)
			load_rule(instance, piece, bytes, rule);
	}
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
