/* SPDX-License-Identifier: MIT */
/*
 * A small server for tests of the language of histograms: it has events, synthetic events and
 * the histograms that were written so far, and does with a new text what the kernel does.
 */
#ifndef TESTS_HIST_WORLD_H
#define TESTS_HIST_WORLD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/text.h"
#include "event/clock.h"
#include "event/format.h"
#include "hist/lang.h"
#include "hist/run.h"

enum { WORLD_HISTS = 64, WORLD_EVENTS = 32 };

struct world_hist {
	char event[128];		/* system/name */
	struct hist_def *def;
	struct hist_table_ref table;
};

struct world {
	struct event_format *events[WORLD_EVENTS];
	uint32_t nr_events;
	struct world_hist hists[WORLD_HISTS];
	uint32_t nr_hists;
	/* the event that is written to */
	const struct event_format *format;
};

static inline bool world_is_event(const struct event_format *fmt, const char *system,
				  const char *event)
{
	return !strcmp(fmt->system, system) && !strcmp(fmt->name, event);
}

static inline const struct event_format *world_find_event(void *ctx, const char *system,
							  const char *event)
{
	struct world *world = ctx;

	for (uint32_t i = 0; i < world->nr_events; i++) {
		if (world_is_event(world->events[i], system, event))
			return world->events[i];
	}
	return NULL;
}

static inline const struct event_format *world_find_synth(void *ctx, const char *name,
							  uint32_t *ret_row)
{
	struct world *world = ctx;

	for (uint32_t i = 0; i < world->nr_events; i++) {
		*ret_row = i;
		if (world_is_event(world->events[i], "synthetic", name))
			return world->events[i];
	}
	return NULL;
}

static inline struct hist_def *world_find_var(void *ctx, const char *system, const char *event,
					      const char *name, uint32_t *ret_var,
					      bool *ret_is_ambiguous)
{
	struct world *world = ctx;
	struct world_hist *found = NULL;
	char path[128] = "";

	*ret_is_ambiguous = false;
	if (system)
		snprintf(path, sizeof(path), "%s/%s", system, event);
	for (uint32_t i = 0; i < world->nr_hists; i++) {
		struct world_hist *hist = &world->hists[i];
		int var = hist_def_find_var(hist->def, name);

		if (var < 0 || (system && strcmp(hist->event, path) != 0))
			continue;
		if (found && strcmp(found->event, hist->event) != 0) {
			*ret_is_ambiguous = true;
			return NULL;
		}
		if (!found) {
			found = hist;
			*ret_var = (uint32_t)var;
		}
	}
	return found ? found->def : NULL;
}

static inline int world_save_field(void *ctx, const struct hist_def *def, const char *system,
				   const char *event, const char *field,
				   struct hist_errors *errors);

static inline struct hist_env world_env(struct world *world, const struct event_format *format)
{
	return (struct hist_env){
		.ctx = world, .format = format, .find_event = world_find_event,
		.find_var = world_find_var, .save_field = world_save_field,
		.find_synth = world_find_synth,
	};
}

static inline struct world_hist *world_add(struct world *world, const struct event_format *fmt,
					   struct hist_def *def)
{
	struct world_hist *hist = &world->hists[world->nr_hists++];
	struct hist_layout layout;

	if (world->nr_hists > WORLD_HISTS)
		abort();
	snprintf(hist->event, sizeof(hist->event), "%s/%s", fmt->system, fmt->name);
	hist->def = def;
	hist_def_geometry(def, &hist->table.geometry);
	hist->table.geometry.nr_parts = 3;
	hist_layout_init(&hist->table.geometry, &layout);
	hist->table.off = 4096;
	hist->table.bytes = layout.bytes;
	return hist;
}

static inline int world_save_field(void *ctx, const struct hist_def *def, const char *system,
				   const char *event, const char *field,
				   struct hist_errors *errors)
{
	struct world *world = ctx;
	const struct event_format *fmt = world_find_event(ctx, system, event);
	struct hist_env env = world_env(world, fmt);
	struct hist_def *found = NULL, *made;
	char name[256], path[128];
	struct text text;
	bool is_ambiguous;
	uint32_t var;
	int r;

	snprintf(path, sizeof(path), "%s/%s", system, event);
	for (uint32_t i = 0; !found && i < world->nr_hists; i++) {
		if (!strcmp(world->hists[i].event, path) &&
		    hist_def_has_keys_of(world->hists[i].def, def))
			found = world->hists[i].def;
	}
	if (!found)
		return -ENOENT;
	snprintf(name, sizeof(name), "synthetic_%s", field);
	if (world_find_var(ctx, system, event, name, &var, &is_ambiguous))
		return 0;
	text_init(&text, 4096);
	hist_def_field_text(found, field, &text);
	r = hist_parse(text_str(&text), false, &env, errors, &made);
	text_done(&text);
	if (!r)
		world_add(world, fmt, made);
	return r;
}

/* Returns the histogram of the event that the text is about, or NULL. */
static inline struct hist_def *world_find_same(struct world *world,
					       const struct event_format *fmt,
					       const struct hist_def *def)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fmt->system, fmt->name);
	for (uint32_t i = 0; i < world->nr_hists; i++) {
		struct hist_def *other = world->hists[i].def;

		if (!strcmp(world->hists[i].event, path) && hist_def_is_same(def, other) &&
		    !def->name == !other->name &&
		    (!def->name || !strcmp(def->name, other->name)))
			return other;
	}
	return NULL;
}

/* Returns false if another histogram has the name, but not the definition. */
static inline bool world_name_is_free(const struct world *world, const struct hist_def *def)
{
	for (uint32_t i = 0; def->name && i < world->nr_hists; i++) {
		const struct hist_def *other = world->hists[i].def;

		if (other->name && !strcmp(other->name, def->name) &&
		    !hist_def_is_same(def, other))
			return false;
	}
	return true;
}

/* Check what the kernel checks after the actions.  @same: see world_find_same() */
static inline int world_check(const struct world *world, const struct hist_def *def,
			      const struct hist_def *same, struct hist_errors *errors)
{
	char name[256];

	if (!world_name_is_free(world, def)) {
		snprintf(name, sizeof(name), "name=%s", def->name);
		hist_error_add(errors, HIST_ERR_NAMED_MISMATCH, name);
		return -EINVAL;
	}
	if (same) {
		hist_error_add(errors, HIST_ERR_TRIGGER_EEXIST, NULL);
		return -EEXIST;
	}
	if (def->is_continue || def->is_clear) {
		hist_error_add(errors, HIST_ERR_TRIGGER_ENOENT_CLEAR, NULL);
		return -ENOENT;
	}
	if (def->has_time && clock_find(def->clock) < 0) {
		hist_error_add(errors, HIST_ERR_SET_CLOCK_FAIL, def->clock);
		return -EINVAL;
	}
	return 0;
}

/*
 * Write a text to the event of @fmt.  Returns 0 and the new histogram, or NULL if the text
 * pauses, continues or clears one; or -errno.
 */
static inline int world_write(struct world *world, const struct event_format *fmt,
			      const char *text, struct hist_errors *errors,
			      struct world_hist **ret_hist)
{
	struct hist_env env = world_env(world, fmt);
	struct hist_def *def, *same;
	int r = hist_parse(text, false, &env, errors, &def);

	*ret_hist = NULL;
	if (r)
		return r;
	same = world_find_same(world, fmt, def);
	if (same && (def->is_pause || def->is_continue || def->is_clear)) {
		hist_def_free(def);
		return 0;
	}
	r = hist_create_actions(def, &env, errors);
	if (!r)
		r = world_check(world, def, same, errors);
	if (r)
		hist_def_free(def);
	else
		*ret_hist = world_add(world, fmt, def);
	return r;
}

/* Free the histograms after the first @nr. */
static inline void world_forget(struct world *world, uint32_t nr)
{
	while (world->nr_hists > nr)
		hist_def_free(world->hists[--world->nr_hists].def);
}

/* Free all histograms and events. */
static inline void world_done(struct world *world)
{
	world_forget(world, 0);
	while (world->nr_events)
		event_format_free(world->events[--world->nr_events]);
}

/* The table of a histogram, for hist_compile(). */
static inline const struct hist_table_ref *world_place(void *ctx, const struct hist_def *def)
{
	struct world *world = ctx;

	for (uint32_t i = 0; i < world->nr_hists; i++) {
		if (world->hists[i].def == def)
			return &world->hists[i].table;
	}
	return NULL;
}

/* Returns the size of the fixed part of a record. */
static inline uint32_t world_record_bytes(const struct event_format *fmt)
{
	uint32_t bytes = 8;

	for (size_t i = 0; i < fmt->nr_fields; i++) {
		uint32_t end = fmt->fields[i].offset + fmt->fields[i].size;

		if (end > bytes)
			bytes = end;
	}
	return bytes;
}

#endif
