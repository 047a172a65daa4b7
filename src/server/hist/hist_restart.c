/* SPDX-License-Identifier: MIT */
/*
 * Survive a restart of the server: abi_trigger.more of a `hist` trigger has its
 * definition as text, and the offset of its table.  The next server parses the text
 * again, and continues with the contents of the table.
 *
 * The text comes from shared memory, where the program may have written anything.  So
 * the server uses a table only if it lies in the arena, and if its geometry is the one
 * that the server computes from the definition.  The contents of the table are checked
 * when they are read.
 *
 * A definition may refer to variables of older histograms, also of other events.  So the
 * triggers of an instance are collected first (hist_load()), and then parsed in the order in
 * which they were written (hist_link()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/arena.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/hist/hist_impl.h"
#include "server/rules/soft.h"
#include "server/rules/triggers.h"

#define MORE_MAGIC	0x316d7368u	/* the bytes "hsm1" */
#define TEXT_MAX	4096u		/* maximum length of the text of a definition,
					 * which is the length of one write */

/* Data of a `hist` trigger for the next server (abi_trigger.more). */
struct hist_more {
	uint32_t magic;			/* MORE_MAGIC */
	uint32_t paused;		/* hist_trigger.paused */
	uint64_t serial, owner;		/* values of histogram.serial and histogram.owner */
	struct hist_table_ref table;
	struct abi_ring_ref stale;	/* histogram.stale */
	char text[];			/* text of the definition (histogram.text), with
					 * its NUL */
};

void hist_put_more(const struct instance *instance, const struct trigger *trigger,
		   struct text *out)
{
	const struct hist_trigger *hist = trigger->state;
	const struct histogram *histogram = hist->histogram;
	const struct hist_more more = {
		.magic = MORE_MAGIC,
		.paused = hist->paused,
		.serial = histogram->serial,
		.owner = histogram->owner,
		.table = histogram->table,
		.stale = histogram->stale,
	};

	(void)instance;
	text_write(out, &more, sizeof(more));
	text_write(out, histogram->text, strlen(histogram->text) + 1);
}

static bool is_more(const struct hist_more *more, uint32_t bytes)
{
	return more && bytes > sizeof(*more) && bytes <= sizeof(*more) + TEXT_MAX &&
	       more->magic == MORE_MAGIC && !((const char *)more)[bytes - 1] && more->paused &&
	       more->paused <= ABI_SLOTS && more->serial && more->serial < UINT64_MAX / 2;
}

int hist_load(struct instance *instance, const struct event *event, struct trigger *trigger,
	      const void *more, uint32_t bytes)
{
	struct root_hists *hists = root_hists(instance->root);
	struct hist_trigger *hist;

	if (!is_more(more, bytes) || hists->nr_triggers == HIST_TRIGGERS_MAX)
		return -EINVAL;
	hist = hist_trigger_new(instance, event);
	if (!hist)
		return -ENOMEM;
	trigger->state = hist;
	hist->trigger = trigger;
	hist->more = malloc(bytes);
	if (!hist->more)
		return -ENOMEM;
	memcpy(hist->more, more, bytes);
	hist->paused = hist->more->paused;
	slot_use(instance, hist->paused - 1);
	hist->next = hists->loaded;
	hists->loaded = hist;
	return 0;
}

/* Return true if @more describes a valid table for @def: it lies in the arena, and has
 * the geometry that follows from @def. */
static bool is_table(const struct root *root, const struct hist_def *def,
		     const struct hist_more *more)
{
	const struct hist_geometry *is = &more->table.geometry;
	struct abi_ring_ref block = { more->table.off, ABI_PAGE_ALIGN(more->table.bytes) };
	struct hist_geometry must;

	hist_def_geometry(def, &must);
	must.nr_parts = root->nr_cpus + 1;
	must.seed = is->seed;
	return !memcmp(&must, is, sizeof(must)) &&
	       hist_geometry_is_valid(is, more->table.bytes) && arena_has(root, &block);
}

/* Make the histogram of the loaded trigger @hist, with the table of the previous server. */
static struct histogram *load_histogram(struct hist_trigger *hist)
{
	const struct hist_more *more = hist->more;
	struct root *root = hist->instance->root;
	struct hist_write write = {
		.instance = hist->instance, .event = hist_event(hist),
		.written = hist_event(hist), .errors.command = more->text,
		.is_loading = true,
	};
	struct hist_env env = hist_env_of(&write);
	struct histogram *histogram;
	struct hist_def *def;

	if (hist_parse(more->text, false, &env, &write.errors, &def))
		return NULL;
	histogram = !hist_create_actions(def, &env, &write.errors) &&
		    is_table(root, def, more) ? histogram_new(root, def, more->text) : NULL;
	if (!histogram) {
		hist_def_free(def);
		return NULL;
	}
	histogram->serial = more->serial;
	histogram->owner = more->owner == UINT64_MAX ? 0 : more->owner;
	histogram->table = more->table;
	histogram->block = (struct abi_ring_ref){
		more->table.off, ABI_PAGE_ALIGN(more->table.bytes),
	};
	if (arena_has(root, &more->stale))
		histogram->stale = more->stale;
	return histogram;
}

/* Return the histogram of @hist if it exists already, because another trigger of this
 * histogram was loaded before. */
static struct histogram *find_loaded(const struct hist_trigger *hist)
{
	struct histogram *h = histogram_find(hist->instance->root, hist->more->serial);

	return h && h->def->name && h->table.off == hist->more->table.off ? h : NULL;
}

/* Complete the loaded trigger @hist.  If its histogram cannot be made, the trigger loses
 * its state. */
static void link_trigger(struct hist_trigger *hist)
{
	struct root_hists *hists = root_hists(hist->instance->root);
	struct histogram *histogram = find_loaded(hist);
	struct trigger *trigger = hist->trigger;

	if (!histogram && !histogram_find(hist->instance->root, hist->more->serial))
		histogram = load_histogram(hist);
	if (!histogram) {
		slot_free(hist->instance, hist->paused - 1);
		hist_free(trigger);
		trigger->state = NULL;
		return;
	}
	if (histogram->serial > hists->next_serial)
		hists->next_serial = histogram->serial;
	histogram_add_trigger(histogram, hist);
	free(hist->more);
	hist->more = NULL;
}

/* Remove the oldest trigger from root_hists.loaded, and return it. */
static struct hist_trigger *take_oldest(struct root_hists *hists)
{
	struct hist_trigger **oldest = &hists->loaded, *hist;

	for (struct hist_trigger **at = oldest; *at; at = &(*at)->next)
		if ((*at)->more->serial < (*oldest)->more->serial)
			oldest = at;
	hist = *oldest;
	*oldest = hist->next;
	hist->next = NULL;
	return hist;
}

void hist_link(struct instance *instance)
{
	struct root_hists *hists = root_hists(instance->root);

	while (hists->loaded)
		link_trigger(take_oldest(hists));
}
