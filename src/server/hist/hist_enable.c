/* SPDX-License-Identifier: MIT */
/*
 * The commands enable_hist and disable_hist let all histograms of another event count, or
 * pause.  The data of such a trigger are an array with the numbers of rule words, one for
 * each `hist` trigger of that event (hist_trigger.paused).
 */
#include <errno.h>
#include <stdlib.h>

#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/hist/hist_impl.h"
#include "server/rules/events.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

static const struct event *target_of(const struct instance *instance,
				     const struct trigger *trigger)
{
	return root_events(instance->root)->rows[trigger->target_row];
}

/* Return the first trigger of a histogram, from @hist on, that belongs to @event in
 * @instance and is not being removed. */
static const struct hist_trigger *next_of_event(const struct hist_trigger *hist,
						const struct instance *instance,
						const struct event *event)
{
	while (hist && (hist->is_leaving || hist->instance != instance ||
			hist->row == ABI_ROW_PRINT ||
			!event_is_named_as(hist_event(hist), event)))
		hist = hist->next;
	return hist;
}

/* Store the rule words that pause the histograms of @event in @ret_words, which has space
 * for @max of them.  Returns the number of these words, which may be greater than @max. */
static uint32_t find_words(const struct instance *instance, const struct event *event,
			   uint32_t *ret_words, uint32_t max)
{
	uint32_t nr = 0;

	for (const struct histogram *h = root_hists(instance->root)->first; h; h = h->next) {
		const struct hist_trigger *hist = next_of_event(h->triggers, instance, event);

		for (; hist; hist = next_of_event(hist->next, instance, event)) {
			if (nr < max)
				/* cppcheck-suppress nullPointer ; @max is 0 then */
				ret_words[nr] = hist->paused;
			nr++;
		}
	}
	return nr;
}

/* Make the data of a trigger that enables or disables histograms.  The data are the same
 * for all rows of the trigger's event. */
static int compile_enable(struct instance *instance, const struct trigger *trigger,
			  const struct event *event, void **ret_data, uint32_t *ret_bytes)
{
	const struct event *target = target_of(instance, trigger);
	uint32_t nr = find_words(instance, target, NULL, 0);
	uint32_t *words = calloc(nr + 1, sizeof(*words));

	(void)event;
	if (!words)
		return -ENOMEM;
	*ret_data = words;
	*ret_bytes = find_words(instance, target, words, nr) * (uint32_t)sizeof(*words);
	return 0;
}

static int update_soft(struct instance *instance, struct soft_event *soft,
		       const struct event *of, const struct event *target)
{
	int r = 0;

	for (struct trigger *t = soft->triggers; t && !r; t = t->next)
		if (t->lang == &enable_hist_lang &&
		    event_is_named_as(target_of(instance, t), target))
			r = trigger_recompile(instance, of, t);
	return r;
}

int hist_update_enablers(struct instance *instance, const struct event *event)
{
	struct instance_rules *rules = instance_rules(instance);
	int r = 0;

	if (event->row == ABI_ROW_PRINT)
		return 0;		/* ftrace:print cannot be the target of
					 * enable_hist or disable_hist */
	for (uint32_t row = 0; row < rules->nr_rows && !r; row++) {
		struct soft_event *soft = rules->softs[row];

		if (soft && soft->row == row)
			r = update_soft(instance, soft,
					root_events(instance->root)->rows[row], event);
	}
	return r ? r : update_soft(instance, &rules->print, &print_event, event);
}

/* Run enable_hist or disable_hist for a record that the server itself has written. */
static bool mark_enable(struct instance *instance, const struct trigger *trigger,
			struct trigger_mark *mark)
{
	const struct trigger_program *program = trigger_program(trigger, mark->row);
	const uint32_t *words = program->data;
	bool is_pause = trigger->cmd->command == COMMAND_DISABLE_HIST;

	for (uint32_t i = 0; i < program->data_bytes / sizeof(*words); i++)
		shm_store(&instance->abi->slots[words[i] - 1], is_pause);
	return true;
}

/* Remove the enable_hist and disable_hist triggers of @event.  Both commands are of one
 * kind, and in the kernel each of them removes all triggers of this kind. */
static int remove_all(struct instance *instance, const struct event *event,
		      enum command_number command, bool *ret_is_changed)
{
	struct trigger *next;
	int r = 0;

	(void)command;
	for (struct trigger *t = triggers_first(instance, event); t && !r; t = next) {
		next = t->next;
		if (t->lang != &enable_hist_lang)
			continue;
		r = trigger_remove(instance, event, t);
		*ret_is_changed |= !r;
	}
	return r;
}

const struct trigger_lang enable_hist_lang = {
	.compile = compile_enable,
	.remove_all = remove_all,
	.mark = mark_enable,
};
