/* SPDX-License-Identifier: MIT */
/*
 * Handle writes of `hist` triggers: add, update and remove histograms.  The steps, their order
 * and their errors are those of the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/clock.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/hist/hist_impl.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

#define BLANKS	" \t"

/* A `hist` trigger that is being written, while its histogram does not exist yet. */
struct draft {
	struct hist_def *def;		/* definition that must be freed; NULL if a
					 * histogram owns the definition already */
	struct trigger *trigger;	/* trigger that must be freed; NULL if an event
					 * owns the trigger already */
	const char *text;		/* text of the definition, without the filter */
};

/* ---- functions for triggers and their states ---- */

struct hist_trigger *hist_trigger_new(struct instance *instance, const struct event *event)
{
	struct hist_trigger *hist = calloc(1, sizeof(*hist));

	if (!hist)
		return NULL;
	hist->instance = instance;
	hist->row = event->row;
	root_hists(instance->root)->nr_triggers++;
	return hist;
}

void hist_free(struct trigger *trigger)
{
	struct hist_trigger *hist = trigger->state;

	if (!hist)
		return;
	histogram_remove_trigger(hist);
	root_hists(hist->instance->root)->nr_triggers--;
	free(hist->more);
	free(hist);
}

bool hist_is_paused(const struct hist_trigger *hist)
{
	return slot_value(hist->instance, hist->paused - 1);
}

void hist_show_trigger(const struct instance *instance, const struct trigger *trigger,
		       struct text *out)
{
	const struct hist_trigger *hist = trigger->state;

	(void)instance;
	hist_def_show(hist->histogram->def, out);
	if (trigger->filter)
		text_printf(out, " if %s", trigger->filter);
	text_puts(out, hist_is_paused(hist) ? " [paused]\n" : " [active]\n");
}

/* ---- parse ---- */

static bool is_blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* Return the address of the token "if" in @text, or NULL.  *@ret_r is set to -EINVAL if
 * "if" is the first or the last token. */
static char *find_if(char *text, int *ret_r)
{
	const char *end = text + strlen(text);
	char *at = text;

	*ret_r = 0;
	while ((at = strstr(at, "if"))) {
		if (at == text) {
			*ret_r = -EINVAL;
			return NULL;
		}
		if (is_blank(at[-1]) && at + strlen("if ") >= end) {
			*ret_r = -EINVAL;
			return NULL;
		}
		if (is_blank(at[-1]) && is_blank(at[2]))
			return at;
		at++;
	}
	return NULL;
}

/* Split @text, which is `DEFINITION if FILTER`.  *@ret_filter is set to the text after
 * the one blank that follows "if"; to NULL if there is no filter. */
static int split_filter(char *text, char **ret_filter)
{
	int r;
	char *at = find_if(text, &r);

	*ret_filter = NULL;
	if (r || !at)
		return r;
	*ret_filter = at + strlen("if ");
	while (at > text && is_blank(at[-1]))
		at--;
	*at = '\0';
	return 0;
}

static void draft_done(struct draft *draft)
{
	hist_def_free(draft->def);
	trigger_free(draft->trigger);
}

/* Make a draft of a trigger: parse the definition @text, and compile @filter. */
static int make_draft(struct hist_write *write, const char *text, const char *filter,
		      bool is_removal, struct draft *ret_draft)
{
	const struct trigger_cmd *cmd = trigger_cmd_of(COMMAND_HIST);
	struct hist_env env = hist_env_of(write);
	struct draft draft = { .text = text };
	struct trigger failed = { .state = NULL };
	int r = hist_parse(text, is_removal, &env, &write->errors, &draft.def);

	if (!hist_log(write) && r == -EINVAL)
		hist_log_silent(write);
	if (r)
		return r;
	failed.state = hist_trigger_new(write->instance, write->event);
	r = failed.state ? trigger_make(write->instance, write->event, cmd, filter,
					failed.state, &draft.trigger) : -ENOMEM;
	if (r) {
		hist_free(&failed);
		draft_done(&draft);
		return r;
	}
	((struct hist_trigger *)draft.trigger->state)->trigger = draft.trigger;
	*ret_draft = draft;
	return 0;
}

/* ---- find a trigger ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Return the first trigger of the event that has the definition and the filter of @draft, as
 * the kernel compares them.  The write then changes this trigger.  @named: the histogram that
 * has the name in @draft, or NULL.
 */
static struct trigger *find_same(const struct hist_write *write, const struct draft *draft,
				 const struct histogram *named)
{
	struct trigger *t = hist_next(triggers_first(write->instance, write->event));

	for (; t; t = hist_next(t->next)) {
		const struct hist_trigger *hist = t->state;

		if (named ? hist->histogram != named : hist->histogram->def->name != NULL)
			continue;
		if (is_same_text(t->filter, draft->trigger->filter) &&
		    hist_def_is_same(draft->def, hist->histogram->def))
			return t;
	}
	return NULL;
}

static struct histogram *find_named(const struct hist_write *write, const struct draft *draft)
{
	return draft->def->name ?
	       histogram_find_name(write->instance->root, draft->def->name) : NULL;
}

/* ---- remove ---- */

static int remove_trigger(struct hist_trigger *hist, bool *ret_is_changed);

/*
 * Remove the histograms that were made to save fields for the histogram with the serial
 * number @owner.  A histogram stays if another one has begun to refer to it, as if a user
 * had written it.
 */
static void remove_saved(struct root *root, uint64_t owner, bool *ret_is_changed)
{
	struct histogram *h = root_hists(root)->first, *next;

	for (; h; h = next) {
		next = h->next;
		if (h->owner != owner)
			continue;
		h->owner = 0;
		if (h->triggers && !histogram_is_used(root, h))
			remove_trigger(h->triggers, ret_is_changed);
	}
}

/* Remove the trigger of @hist.  If its histogram has no other trigger, remove the
 * histogram, too. */
static int remove_trigger(struct hist_trigger *hist, bool *ret_is_changed)
{
	struct histogram *histogram = hist->histogram;
	struct instance *instance = hist->instance;
	const struct event *event = hist_event(hist);
	uint32_t paused = hist->paused;
	uint64_t serial = histogram->serial;
	int r;

	hist->is_leaving = true;
	r = hist_update_enablers(instance, event);
	if (!r)
		r = trigger_remove(instance, event, hist->trigger);
	if (r) {
		hist->is_leaving = false;
		hist_update_enablers(instance, event);
		return r;
	}
	*ret_is_changed = true;
	slot_free(instance, paused - 1);
	if (histogram->triggers)
		return 0;
	histogram_retire(instance->root, histogram);
	remove_saved(instance->root, serial, ret_is_changed);
	return 0;
}

static int remove_same(const struct hist_write *write, const struct draft *draft,
		       bool *ret_is_changed)
{
	const struct trigger *same = find_same(write, draft, find_named(write, draft));
	struct hist_trigger *hist = same ? same->state : NULL;

	if (!hist)
		return 0;
	if (histogram_is_used(write->instance->root, hist->histogram))
		return -EBUSY;
	return remove_trigger(hist, ret_is_changed);
}

static int remove_all(struct instance *instance, const struct event *event,
		      enum command_number command, bool *ret_is_changed)
{
	struct trigger *t = hist_next(triggers_first(instance, event));
	int r = 0;

	(void)command;
	for (; t; t = hist_next(t->next)) {
		const struct hist_trigger *hist = t->state;

		if (histogram_is_used(instance->root, hist->histogram))
			return 0;
	}
	while (!r && (t = hist_next(triggers_first(instance, event))))
		r = remove_trigger(t->state, ret_is_changed);
	return r;
}

/* ---- add ---- */

/* Prepare the instance for the histogram of a new trigger: set the clock that the definition
 * names, and make the spare side of the buffer if one of its actions is snapshot(). */
static int prepare_instance(struct hist_write *write, const struct hist_def *def,
			    bool *ret_is_changed)
{
	int r = 0;

	for (uint32_t i = 0; i < def->nr_actions && !r; i++)
		if (def->actions[i].kind == HIST_DO_SNAPSHOT)
			r = instance_need_spare(write->instance);
	if (r || !def->has_time)
		return r;
	r = clock_find(def->clock);
	if (r >= 0) {
		*ret_is_changed = true;
		r = hists_set_clock(write->instance, (uint32_t)r);
	}
	if (r == -EINVAL)
		hist_error_add(&write->errors, HIST_ERR_SET_CLOCK_FAIL, def->clock);
	return r;
}

/* Let the new trigger of @draft count in the histogram @named, or in a new histogram with
 * an empty table.  A new histogram becomes the owner of the definition in @draft. */
static int take_histogram(struct root *root, struct histogram *named, struct draft *draft)
{
	struct histogram *histogram = named;
	int r;

	if (!named) {
		histogram = histogram_new(root, draft->def, draft->text);
		if (!histogram)
			return -ENOMEM;
		draft->def = NULL;
		r = histogram_alloc_table(root, histogram);
		if (r) {
			histogram_free(root, histogram);
			return r;
		}
	}
	histogram_add_trigger(histogram, draft->trigger->state);
	return 0;
}

/* Undo take_histogram(). */
static void leave_histogram(struct root *root, struct hist_trigger *hist)
{
	struct histogram *histogram = hist->histogram;

	histogram_remove_trigger(hist);
	if (!histogram->triggers)
		histogram_retire(root, histogram);
}

/* Add the new trigger of @draft to its event.  The trigger counts in the histogram
 * @named, or in a new one if @named is NULL. */
static int add_draft(struct hist_write *write, struct draft *draft,
		     struct histogram *named, bool *ret_is_changed)
{
	struct instance *instance = write->instance;
	struct hist_trigger *hist = draft->trigger->state;
	bool is_pause = draft->def->is_pause;
	uint32_t slot;
	int r;

	if (instance->root->state == SERVER_ROOT_DEAD)
		return -ENODEV;
	if (root_hists(instance->root)->nr_triggers > HIST_TRIGGERS_MAX)
		return -ENOSPC;
	r = prepare_instance(write, draft->def, ret_is_changed);
	if (!r)
		r = slot_alloc(instance, is_pause, &slot);
	if (r)
		return r;
	hist->paused = slot + 1;
	r = take_histogram(instance->root, named, draft);
	if (!r) {
		r = hist_update_enablers(instance, write->event);
		if (!r)
			r = trigger_add(instance, write->event, draft->trigger, UINT64_MAX);
		if (r)
			leave_histogram(instance->root, hist);
	}
	if (r) {
		hist_update_enablers(instance, write->event);
		slot_free(instance, slot);
		return r;
	}
	draft->trigger = NULL;
	*ret_is_changed = true;
	return 0;
}

/* Change an existing trigger: pause it, continue it, or clear its histogram.  Returns
 * false if the text orders none of these, or if there is no such trigger. */
static bool update_same(const struct hist_write *write, const struct draft *draft,
			const struct histogram *named, bool *ret_is_changed, int *ret_r)
{
	const struct hist_def *def = draft->def;
	const struct trigger *same;
	struct hist_trigger *hist;

	if (!def->is_pause && !def->is_continue && !def->is_clear)
		return false;
	if (def->name && (!named || !hist_def_is_same(def, named->def)))
		return false;
	same = find_same(write, draft, named);
	if (!same)
		return false;
	hist = same->state;
	*ret_r = 0;
	if (def->is_clear) {
		*ret_r = histogram_clear(write->instance->root, hist->histogram);
		*ret_is_changed = true;
	} else {
		shm_store(&write->instance->abi->slots[hist->paused - 1], def->is_pause);
	}
	return true;
}

/* Report in error_log that the histogram @name exists and has another definition. */
static void log_name(struct hist_write *write, const char *name)
{
	char *assignment;

	if (asprintf(&assignment, "name=%s", name) < 0)
		return;
	hist_error_add(&write->errors, HIST_ERR_NAMED_MISMATCH, assignment);
	free(assignment);
}

/* Add the trigger of @draft to the event as a new trigger. */
static int register_draft(struct hist_write *write, struct draft *draft,
			  struct histogram *named, bool *ret_is_changed)
{
	const struct hist_def *def = draft->def;

	if (named && !hist_def_is_same(def, named->def)) {
		log_name(write, def->name);
		return -EINVAL;
	}
	if ((named || !def->name) && find_same(write, draft, named)) {
		hist_error_add(&write->errors, HIST_ERR_TRIGGER_EEXIST, NULL);
		return -EEXIST;
	}
	if (def->is_continue || def->is_clear) {
		hist_error_add(&write->errors, HIST_ERR_TRIGGER_ENOENT_CLEAR, NULL);
		return -ENOENT;
	}
	return add_draft(write, draft, named, ret_is_changed);
}

/* Add the trigger of @draft, or change an existing trigger if the text says so. */
static int store_draft(struct hist_write *write, struct draft *draft, bool *ret_is_changed)
{
	struct histogram *named = find_named(write, draft);
	struct hist_env env = hist_env_of(write);
	int r;

	if (update_same(write, draft, named, ret_is_changed, &r))
		return r;
	r = hist_create_actions(draft->def, &env, &write->errors);
	if (!r)
		r = register_draft(write, draft, named, ret_is_changed);
	hist_log(write);
	return r;
}

int hist_add(struct hist_write *write, const char *text, const char *filter, uint64_t owner,
	     struct histogram **ret_histogram)
{
	const struct hist_trigger *hist;
	bool is_changed = false;
	struct draft draft;
	int r = make_draft(write, text, filter, false, &draft);

	if (r)
		return r;
	hist = draft.trigger->state;
	r = store_draft(write, &draft, &is_changed);
	if (!r) {
		*ret_histogram = hist->histogram;
		hist->histogram->owner = owner;
	}
	draft_done(&draft);
	return r;
}

/* Note that the histogram of @hist owns the histograms that @write has made to save
 * fields.  If @hist is NULL, remove these histograms. */
static void settle_saved(const struct hist_write *write, const struct hist_trigger *hist,
			 bool *ret_is_changed)
{
	struct root *root = write->instance->root;

	for (uint32_t i = 0; i < write->nr_saved; i++) {
		struct histogram *saved = histogram_find(root, write->saved[i]);

		if (saved)
			saved->owner = hist ? hist->histogram->serial : UINT64_MAX;
		*ret_is_changed = true;
	}
	if (!hist && write->nr_saved)
		remove_saved(root, UINT64_MAX, ret_is_changed);
}

/* Handle a `hist` trigger in @write, with the definition @text and the filter @filter. */
static int store_text(struct hist_write *write, const char *text, const char *filter,
		      bool is_removal, bool *ret_is_changed)
{
	const struct hist_trigger *hist;
	struct draft draft;
	bool is_added;
	int r = make_draft(write, text, filter, is_removal, &draft);

	if (r) {
		settle_saved(write, NULL, ret_is_changed);
		return r;
	}
	hist = draft.trigger->state;
	r = is_removal ? remove_same(write, &draft, ret_is_changed) :
			 store_draft(write, &draft, ret_is_changed);
	is_added = !draft.trigger;
	draft_done(&draft);
	settle_saved(write, is_added ? hist : NULL, ret_is_changed);
	return r;
}

static int store_hist(struct instance *instance, const struct event *event, char *params,
		      bool is_removal, bool *ret_is_changed)
{
	struct hist_write write = {
		.instance = instance, .event = event, .written = event,
	};
	char *command, *filter;
	int r;

	if (asprintf(&command, "hist:%s", params ? params : "") < 0)
		return -ENOMEM;
	write.errors.command = command;
	r = params ? split_filter(params, &filter) : -EINVAL;
	if (r)
		hist_log_silent(&write);
	else
		r = store_text(&write, params, filter, is_removal, ret_is_changed);
	free(command);
	return r;
}

const struct trigger_lang hist_lang = {
	.is_last = true,
	.store = store_hist,
	.show = hist_show_trigger,
	.compile = hist_compile_for,
	.put_more = hist_put_more,
	.load = hist_load,
	.link = hist_link,
	.remove_all = remove_all,
	.mark = hist_mark,
	.free = hist_free,
};
