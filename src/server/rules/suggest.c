/* SPDX-License-Identifier: MIT */
/* Find events and symbols of a root that are similar to a wrong name. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "event/format.h"
#include "server/core/budget.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/names/objects.h"
#include "server/rules/events.h"
#include "server/rules/suggest.h"
#include "symbols/function_name.h"
#include "symbols/parse_result.h"

#define CHECK_EVERY		256u		/* number of names that
						 * suggest_offer_all() compares between
						 * two checks of the budget */
#define SYMBOL_LOOKS	16u		/* number of symbols that are compared between two
					 * checks of the budget; small, because a symbol
					 * of C++ has many names */

void suggest_offer_all(struct root *root, struct nearest *near, uint32_t nr,
		       const char *(*name_of)(const struct root *root, uint32_t i))
{
	struct root_suggest *suggest = root_suggest(root);

	budget_start(&suggest->budget);
	for (uint32_t i = 0; i < nr; i++) {
		const char *name = name_of(root, i);

		if (i % CHECK_EVERY == 0 && budget_is_spent(&suggest->budget))
			break;
		if (name)
			nearest_offer(near, name);
	}
	budget_stop(&suggest->budget);
}

/* ---- functions that find similar events ---- */

/* Return SYSTEM:EVENT of the visible event @i.  If the name is too long, return its
 * first NEAREST_MAX + 1 bytes: nearest_offer() ignores a name of this length. */
static const char *whole_name(const struct root *root, uint32_t i)
{
	static char name[NEAREST_MAX + 2];	/* a static buffer is safe, because the
						 * server has one thread */
	const struct event_format *format = root_events(root)->visible[i]->format;

	snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
	return name;
}

static const char *event_name(const struct root *root, uint32_t i)
{
	return root_events(root)->visible[i]->format->name;
}

static const char *system_name(const struct root *root, uint32_t i)
{
	struct events *events = root_events(root);

	return events_has_system(root, events->systems[i]) ? events->systems[i] : NULL;
}

/* Replace the name of an event in near->best by SYSTEM:EVENT, of the first event with
 * this name.  Returns NULL if @near has found no name, or if SYSTEM:EVENT is too long. */
static const char *with_system(const struct root *root, struct nearest *near)
{
	const char *name = nearest_name(near);

	for (uint32_t i = 0; name && i < root_events(root)->nr_visible; i++) {
		const char *whole = whole_name(root, i);

		if (!strcmp(event_name(root, i), name))
			return strlen(whole) <= NEAREST_MAX ?
			       strcpy(near->best, whole) : NULL;
	}
	return NULL;
}

static bool is_any(const char *part)
{
	return !*part || !strcmp(part, "*");
}

const char *suggest_event(struct root *root, const char *word, struct nearest *near)
{
	struct events *events = root_events(root);
	const char *colon = strchr(word, ':');

	nearest_init(near, word, strlen(word));
	if (!colon) {
		suggest_offer_all(root, near, events->nr_visible, event_name);
		suggest_offer_all(root, near, events->nr_systems, system_name);
		return nearest_name(near);
	}
	if (is_any(colon + 1)) {
		nearest_init(near, word, (size_t)(colon - word));
		suggest_offer_all(root, near, events->nr_systems, system_name);
		return nearest_name(near);
	}
	suggest_offer_all(root, near, events->nr_visible, whole_name);
	if (nearest_name(near))
		return nearest_name(near);
	/* No SYSTEM:EVENT is similar to the wrong name, so look for a similar EVENT in
	 * all systems. */
	nearest_init(near, colon + 1, strlen(colon + 1));
	suggest_offer_all(root, near, events->nr_visible, event_name);
	if (!with_system(root, near))
		near->rank = UINT32_MAX;
	return nearest_name(near);
}

void suggest_log_event(struct instance *instance, const char *place,
		       const char *command, const char *at, size_t len)
{
	char word[SUGGEST_WORD_MAX + 1];
	struct nearest near;
	char *colon;
	bool is_system = false;

	if (len > SUGGEST_WORD_MAX)
		len = SUGGEST_WORD_MAX;
	memcpy(word, at, len);
	word[len] = '\0';
	suggest_event(instance->root, word, &near);
	colon = strchr(word, ':');
	if (colon) {
		*colon = '\0';
		is_system = is_any(word) || events_has_system(instance->root, word);
	}
	error_log_add_near(instance, place, "Event not found", command,
			   (uint32_t)(at - command) +
			   (is_system ? (uint32_t)(colon + 1 - word) : 0),
			   nearest_name(&near));
}

/* ---- functions that find similar symbols ---- */

static void offer_name(void *near, const char *name)
{
	nearest_offer(near, name);
}

/* Compare the wrong name with the symbol's raw name and, if it can be demangled, with all
 * names that users may write for the function.  Keep the most similar one in @near. */
static void offer_symbol(const struct elf_symbols *symbols, const struct elf_symbol *symbol,
			 struct nearest *near)
{
	const char *plain = parsed_plain(symbols, symbol);

	nearest_offer(near, symbol->name);
	if (plain)
		function_name_each(function_name_shown(plain), offer_name, near);
}

const char *suggest_symbol(struct root *root, const char *word, size_t len,
			   struct nearest *near)
{
	struct root_suggest *suggest = root_suggest(root);
	struct object *object;
	bool is_spent = false;
	uint32_t at = 0;

	nearest_init(near, word, function_name_len(word, len));
	budget_start(&suggest->budget);
	while (!is_spent && (object = objects_next(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		for (uint32_t i = 0; !is_spent && i < symbols->nr; i++) {
			offer_symbol(symbols, &symbols->rows[i], near);
			is_spent = i % SYMBOL_LOOKS == 0 &&
				   budget_is_spent(&suggest->budget);
		}
	}
	budget_stop(&suggest->budget);
	return nearest_name(near);
}
