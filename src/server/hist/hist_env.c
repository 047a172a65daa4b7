/* SPDX-License-Identifier: MIT */
/*
 * Functions of the parser's environment (struct hist_env): they find the events,
 * variables and synthetic events that the definition of a histogram names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "event/ftrace_event.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/hist/hist_impl.h"
#include "server/rules/events.h"
#include "server/rules/print_triggers.h"
#include "server/rules/triggers.h"

#define SAVED_TEXT_MAX	256u		/* maximum length of the definition that is made
					 * to save a field, with its NUL, as in the kernel */

/* Find the event @system:@event, if it is one that can have histograms. */
static const struct event *find_hist_event(const struct hist_write *write, const char *system,
				const char *event)
{
	if (!strcmp(system, "ftrace"))
		return strcmp(event, "print") ? NULL : &print_event;
	return events_find(write->instance->root, system, event);
}

static const struct event_format *find_event(void *ctx, const char *system,
					     const char *event)
{
	const struct event *found = find_hist_event(ctx, system, event);

	if (found)
		return found->format;
	for (size_t i = 0; i < nr_ftrace_events && !strcmp(system, "ftrace"); i++)
		if (!strcmp(ftrace_events[i].name, event))
			return &ftrace_events[i];
	return NULL;
}

static const struct event_format *find_synth(void *ctx, const char *name, uint32_t *ret_row)
{
	const struct event *found = find_hist_event(ctx, "synthetic", name);

	if (!found || !event_is_dynamic(found))
		return NULL;
	*ret_row = found->row;
	return found->format;
}

/* ---- variables ---- */

/* Find the variable @name in the histograms of @event, in the order of the file
 * `trigger`.  Returns the first histogram that has it. */
static struct hist_def *find_var_of(const struct instance *instance,
				    const struct event *event, const char *name,
				    uint32_t *ret_var)
{
	struct trigger *t = hist_next(triggers_first(instance, event));

	for (; t; t = hist_next(t->next)) {
		const struct hist_trigger *hist = t->state;
		int var = hist_def_find_var(hist->histogram->def, name);

		if (var < 0)
			continue;
		*ret_var = (uint32_t)var;
		return hist->histogram->def;
	}
	return NULL;
}

/* Return the first trigger that @histogram has in @instance, or NULL. */
static const struct hist_trigger *first_in(const struct histogram *histogram,
					   const struct instance *instance)
{
	const struct hist_trigger *hist = histogram->triggers;

	while (hist && hist->instance != instance)
		hist = hist->next;
	return hist;
}

static bool is_one_event(const struct event *a, const struct event *b)
{
	return a == b || (a->row != ABI_ROW_PRINT && b->row != ABI_ROW_PRINT &&
			  event_is_named_as(a, b));
}

/* Find the event whose histograms have the variable @name.  *@ret_is_ambiguous is set to
 * true if several events have it. */
static const struct event *find_event_with(const struct instance *instance,
					   const char *name, bool *ret_is_ambiguous)
{
	const struct event *found = NULL;

	*ret_is_ambiguous = false;
	for (const struct histogram *h = root_hists(instance->root)->first; h; h = h->next) {
		const struct hist_trigger *hist = first_in(h, instance);

		if (!hist || hist_def_find_var(h->def, name) < 0)
			continue;
		if (found && !is_one_event(found, hist_event(hist)))
			*ret_is_ambiguous = true;
		found = hist_event(hist);
	}
	return *ret_is_ambiguous ? NULL : found;
}

static struct hist_def *find_var(void *ctx, const char *system, const char *event,
				 const char *name, uint32_t *ret_var,
				 bool *ret_is_ambiguous)
{
	const struct hist_write *write = ctx;
	const struct event *found;

	*ret_is_ambiguous = false;
	if (!system || !event)
		found = find_event_with(write->instance, name, ret_is_ambiguous);
	else
		found = find_hist_event(write, system, event);
	return found ? find_var_of(write->instance, found, name, ret_var) : NULL;
}

/* ---- functions that save a field of another event ---- */

/* Find the first `hist` trigger of @event whose keys have the types of the keys of @def. */
static struct trigger *find_like(const struct instance *instance, const struct event *event,
				 const struct hist_def *def)
{
	struct trigger *t = hist_next(triggers_first(instance, event));

	while (t && !hist_def_has_keys_of(hist_def_of(t), def))
		t = hist_next(t->next);
	return t;
}

/* Add to @event a new histogram with the keys of @like, which saves the field @field in a
 * variable. */
static int add_saved(struct hist_write *write, const struct event *event,
		     const struct trigger *like, const char *field,
		     struct hist_errors *errors)
{
	struct hist_write inner = {
		.instance = write->instance, .event = event, .written = write->written,
		.errors = *errors,
	};
	struct histogram *histogram;
	struct text text;
	size_t filter_len = like->filter ? strlen(" if ") + strlen(like->filter) : 0;
	int r = -E2BIG;

	if (filter_len >= SAVED_TEXT_MAX)
		return r;
	text_init(&text, SAVED_TEXT_MAX - 1 - filter_len);
	hist_def_field_text(hist_def_of(like), field, &text);
	if (!text.error)
		r = hist_add(&inner, text_str(&text), like->filter, UINT64_MAX, &histogram);
	*errors = inner.errors;
	text_done(&text);
	if (!r)
		write->saved[write->nr_saved++] = histogram->serial;
	return r;
}

static int save_field(void *ctx, const struct hist_def *def, const char *system,
		      const char *event, const char *field, struct hist_errors *errors)
{
	struct hist_write *write = ctx;
	const struct event *of = find_hist_event(write, system, event);
	const struct trigger *like = of ? find_like(write->instance, of, def) : NULL;
	char name[SAVED_TEXT_MAX];
	uint32_t var;

	if (!like)
		return -ENOENT;
	if (snprintf(name, sizeof(name), "synthetic_%s", field) >= (int)sizeof(name))
		return -E2BIG;
	if (find_var_of(write->instance, of, name, &var))
		return 0;
	if (write->is_loading || write->nr_saved == HIST_SAVED_MAX)
		return -EINVAL;
	return add_saved(write, of, like, field, errors);
}

struct hist_env hist_env_of(struct hist_write *write)
{
	return (struct hist_env){
		.ctx = write,
		.format = write->event->format,
		.find_event = find_event,
		.find_var = find_var,
		.save_field = save_field,
		.find_synth = find_synth,
	};
}
