/* SPDX-License-Identifier: MIT */
/*
 * Report mistakes in the definition of a histogram in error_log, with the kernel's
 * texts and carets.  Unlike the kernel, ulf also suggests a name that is similar to a
 * wrong name.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/nearest.h"
#include "event/format.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/hist/hist_impl.h"
#include "server/rules/events.h"

#define PLACE_MAX	300u		/* maximum length of the text "hist:SYSTEM:EVENT"
					 * in error_log */

/* ---- functions that find names that the user may have meant ---- */

static void offer_fields(const struct event_format *format, struct nearest *near)
{
	static const char *const others[] = {
		"common_timestamp", "common_cpu", "common_stacktrace", "hitcount",
	};

	for (size_t i = 0; i < format->nr_fields; i++)
		nearest_offer(near, format->fields[i].name);
	for (int i = 0; i < EVENT_NR_COMMON; i++)
		nearest_offer(near, event_common_fields[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		nearest_offer(near, others[i]);
}

static void offer_modifiers(struct nearest *near)
{
	static const char *const modifiers[] = {
		"hex", "sym", "sym-offset", "syscall", "execname", "log2", "buckets", "usecs",
		"percent", "graph", "stacktrace", "ascending", "descending",
	};

	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		nearest_offer(near, modifiers[i]);
}

static void offer_variables(const struct instance *instance, struct nearest *near)
{
	for (const struct histogram *h = root_hists(instance->root)->first; h; h = h->next)
		for (uint32_t i = 0; i < h->def->nr_vars; i++)
			if (h->def->vars[i].use == HIST_VAR_USER)
				nearest_offer(near, h->def->vars[i].name);
}

static void offer_synth(const struct root *root, struct nearest *near)
{
	const struct events *events = root_events(root);

	for (uint32_t row = 0; row < events->nr && row < ABI_DYNAMIC; row++)
		if (events->rows[row] && events->rows[row]->is_visible)
			nearest_offer(near, events->rows[row]->format->name);
}

/*
 * Compare the wrong name with each name that is possible in its place, for the mistake @code,
 * and keep the most similar one in @near.  @is_var: true if the wrong name has a $ before
 * it.  Returns false if no name is possible.
 */
static bool offer_names(const struct hist_write *write, enum hist_error_code code,
			bool is_var, struct nearest *near)
{
	switch (code) {
	case HIST_ERR_FIELD_NOT_FOUND:
	case HIST_ERR_INVALID_SORT_FIELD:
	case HIST_ERR_INVALID_PARAM:
	case HIST_ERR_PARAM_NOT_FOUND:
		if (is_var)
			offer_variables(write->instance, near);
		else
			offer_fields(write->written->format, near);
		return true;
	case HIST_ERR_BAD_FIELD_MODIFIER:
	case HIST_ERR_INVALID_SORT_MODIFIER:
		offer_modifiers(near);
		return true;
	case HIST_ERR_VAR_NOT_FOUND:
	case HIST_ERR_ONX_VAR_NOT_FOUND:
		offer_variables(write->instance, near);
		return true;
	case HIST_ERR_SYNTH_EVENT_NOT_FOUND:
		offer_synth(write->instance->root, near);
		return true;
	default:
		return false;
	}
}

/* Return a name that is similar to the wrong name at the caret of @error, or NULL if
 * there is none. */
static const char *find_near(const struct hist_write *write, const struct hist_error *error,
			     struct nearest *near)
{
	const char *word = write->errors.command + error->pos, *name;
	bool is_var = *word == '$';
	size_t len;

	word += is_var;
	len = strcspn(word, ".,:=()+-*/$ \t");
	nearest_init(near, word, len);
	if (!len || !offer_names(write, error->code, is_var, near))
		return NULL;
	name = nearest_name(near);
	/* Suggest nothing if the similar name equals the written one: it is a field that
	 * exists but cannot be used, such as `buf` of ftrace:print. */
	return name && (strlen(name) != len || memcmp(name, word, len)) ? name : NULL;
}

bool hist_log(struct hist_write *write)
{
	const struct event_format *format = write->written->format;
	struct hist_errors *errors = &write->errors;
	char place[PLACE_MAX];
	struct nearest near;

	if (!errors->nr)
		return false;
	snprintf(place, sizeof(place), "hist:%s:%s", format->system, format->name);
	for (uint32_t i = 0; i < errors->nr; i++)
		error_log_add_near(write->instance, place,
				   hist_error_text(errors->list[i].code), errors->command,
				   errors->list[i].pos,
				   find_near(write, &errors->list[i], &near));
	errors->nr = 0;
	return true;
}

void hist_log_silent(const struct hist_write *write)
{
	const char *command = write->errors.command;
	const char *error = write->errors.reason;
	uint32_t pos = write->errors.reason_pos;

	if (!error && !strstr(command, "key")) {
		error = "Keys are missing, as in hist:keys=FIELD";
		pos = (uint32_t)strlen(command);
	}
	error_log_add(write->instance, "trigger", error ? error : "Invalid histogram", command,
		      pos);
}
