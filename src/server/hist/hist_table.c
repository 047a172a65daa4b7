/* SPDX-License-Identifier: MIT */
/*
 * Histograms and their tables.  A table is a block of the arena (core/block.h).
 * Shared memory refers to a table only in the block of rules, in programs and texts.
 * So a table is allocated before the rules that use it are published, and retired
 * after rules without it are published.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "event/format.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/dynamic/dynamic.h"
#include "server/hist/hist_impl.h"
#include "server/rules/events.h"
#include "server/rules/print_triggers.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

const struct event *hist_event(const struct hist_trigger *hist)
{
	return hist->row == ABI_ROW_PRINT ? &print_event :
	       root_events(hist->instance->root)->rows[hist->row];
}

/* ---- references ---- */

bool histogram_is_used(const struct root *root, const struct histogram *histogram)
{
	for (const struct histogram *h = root_hists(root)->first; h; h = h->next)
		if (h != histogram && hist_def_refers_to(h->def, histogram->def))
			return true;
	return false;
}

/* Take or release references of the dynamic events that @def records.  @change:
 * dynamic_get() or dynamic_put(). */
static void change_events(struct root *root, const struct hist_def *def,
			  void (*change)(struct root *root, uint32_t row))
{
	for (uint32_t i = 0; i < def->nr_actions; i++)
		if (def->actions[i].kind == HIST_DO_TRACE)
			change(root, def->actions[i].synth_row);
}

/* ---- functions for the list of histograms ---- */

struct histogram *histogram_new(struct root *root, struct hist_def *def, const char *text)
{
	struct root_hists *hists = root_hists(root);
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	struct histogram **end = &hists->first;

	if (histogram)
		histogram->text = strdup(text);
	if (!histogram || !histogram->text) {
		free(histogram);
		return NULL;
	}
	histogram->def = def;
	change_events(root, def, dynamic_get);
	histogram->serial = ++hists->next_serial;
	while (*end)
		end = &(*end)->next;
	*end = histogram;
	return histogram;
}

void histogram_release(struct histogram *histogram)
{
	if (!histogram->is_gone || histogram->readers)
		return;
	hist_def_free(histogram->def);
	free(histogram->text);
	free(histogram);
}

void histogram_free(struct root *root, struct histogram *histogram)
{
	struct histogram **at = &root_hists(root)->first;

	while (*at != histogram)
		at = &(*at)->next;
	*at = histogram->next;
	change_events(root, histogram->def, dynamic_put);
	histogram->is_gone = true;
	histogram_release(histogram);
}

void histogram_retire(struct root *root, struct histogram *histogram)
{
	block_retire(root, &histogram->block, NULL);
	block_retire(root, &histogram->stale, NULL);
	histogram_free(root, histogram);
}

/* Free the histograms that have no triggers, by calling @free_one: histogram_free() or
 * histogram_retire(). */
static void free_unused(struct root *root,
			void (*free_one)(struct root *root, struct histogram *histogram))
{
	struct histogram *unused;

	do {
		unused = NULL;
		for (struct histogram *h = root_hists(root)->first; h; h = h->next)
			if (!h->triggers)
				unused = h;
		if (unused)
			free_one(root, unused);
	} while (unused);
}

void hists_drop(struct instance *instance)
{
	free_unused(instance->root, histogram_retire);
}

void hists_done(struct root *root)
{
	free_unused(root, histogram_free);
	*root_hists(root) = (struct root_hists){ .first = NULL };
}

void hists_list_blocks(const struct root *root, struct extent_list *list)
{
	for (const struct histogram *h = root_hists(root)->first; h; h = h->next) {
		arena_list_block(list, &h->block);
		arena_list_block(list, &h->stale);
	}
}

bool hists_are_there(const struct root *root)
{
	return root_hists(root)->first;
}

struct histogram *histogram_find_name(const struct root *root, const char *name)
{
	struct histogram *h = root_hists(root)->first;

	while (h && !(h->triggers && h->def->name && !strcmp(h->def->name, name)))
		h = h->next;
	return h;
}

struct histogram *histogram_find(const struct root *root, uint64_t serial)
{
	struct histogram *h = root_hists(root)->first;

	while (h && h->serial != serial)
		h = h->next;
	return h;
}

void histogram_add_trigger(struct histogram *histogram, struct hist_trigger *hist)
{
	struct hist_trigger **end = &histogram->triggers;

	while (*end)
		end = &(*end)->next;
	*end = hist;
	hist->next = NULL;
	hist->histogram = histogram;
}

void histogram_remove_trigger(struct hist_trigger *hist)
{
	struct hist_trigger **at;

	if (!hist->histogram)
		return;
	at = &hist->histogram->triggers;
	while (*at != hist)
		at = &(*at)->next;
	*at = hist->next;
	hist->histogram = NULL;
}

/* ---- tables ---- */

static uint64_t random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = server_now_ns();
	return seed;
}

/* Fill in the first bytes of a new table, in which all bytes are 0. */
static void table_init(struct hist_table *table, const struct hist_table_ref *ref)
{
	table->magic = HIST_TABLE_MAGIC;
	table->bytes = ref->bytes;
	table->geometry = ref->geometry;
}

int histogram_alloc_table(struct root *root, struct histogram *histogram)
{
	struct hist_table_ref table = { .off = 0 };
	struct block_draft draft;
	struct hist_layout layout;
	int r;

	hist_def_geometry(histogram->def, &table.geometry);
	table.geometry.nr_parts = root->nr_cpus + 1;
	table.geometry.seed = random_seed();
	hist_layout_init(&table.geometry, &layout);
	table.bytes = layout.bytes;
	if (table.bytes > HIST_TABLE_BYTES_MAX)
		return -ENOMEM;
	r = block_begin(root, table.bytes, sizeof(struct hist_table), &draft);
	if (r)
		return r;
	table.off = draft.ref.off;
	table_init(draft.map->addr, &table);
	if (draft.map->is_lost) {
		block_cancel(root, &draft);
		return -EIO;
	}
	mapping_put(draft.map);
	histogram->block = draft.ref;
	histogram->table = table;
	/* Mark the top instance's buffer as used.  Then the root is kept after the
	 * program has ended, so that the table can be read. */
	shm_store(&root->top.abi->used, 1);
	return 0;
}

/* Return the table of the histogram with the definition @def; callback for
 * hist_compile(). */
static const struct hist_table_ref *place_of(void *ctx, const struct hist_def *def)
{
	const struct root *root = ctx;
	const struct histogram *h = root_hists(root)->first;

	while (h && h->def != def)
		h = h->next;
	return h && h->block.off ? &h->table : NULL;
}

int hist_compile_for(struct instance *instance, const struct trigger *trigger,
		     const struct event *event, void **ret_data, uint32_t *ret_bytes)
{
	const struct hist_trigger *hist = trigger->state;
	struct hist_def *def = hist->histogram->def;
	struct hist_program *program;
	int r;

	def->is_clock_ns = hist_clock_counts_ns(instance);
	r = hist_compile(def, event->format, place_of, instance->root, hist->paused, &program);
	if (r)
		return r;
	*ret_data = program;
	*ret_bytes = program->bytes;
	return 0;
}

/* ---- functions that find `hist` triggers ---- */

/* Return true if @trigger is a `hist` trigger.  While the server loads triggers, a
 * trigger that has no histogram yet does not count. */
static bool is_hist(const struct trigger *trigger)
{
	const struct hist_trigger *hist = trigger->state;

	return trigger->cmd->command == COMMAND_HIST && hist && hist->histogram;
}

struct trigger *hist_next(struct trigger *trigger)
{
	while (trigger && !is_hist(trigger))
		trigger = trigger->next;
	return trigger;
}

const struct hist_def *hist_def_of(const struct trigger *trigger)
{
	const struct hist_trigger *hist = trigger->state;

	return hist->histogram->def;
}
