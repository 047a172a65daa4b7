/* SPDX-License-Identifier: MIT */
/* Events and functions of a root that are near to a wrong name. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "event/format.h"
#include "server/functions/function_name.h"
#include "server/functions/functions.h"
#include "server/names/objects.h"
#include "server/core/root.h"
#include "server/rules/suggest.h"

#define LOOKS		256u		/* names between two looks at the clock */
#define WRITTEN_LOOKS	16u		/* each has several */

/* Offer what @name_of gives for 0 ... @nr - 1; NULL is skipped. */
static void offer_all(struct root *root, struct nearest *near, uint32_t nr,
		      const char *(*name_of)(const struct root *root, uint32_t i))
{
	budget_start(&root->suggest_budget);
	for (uint32_t i = 0; i < nr; i++) {
		const char *name = name_of(root, i);

		if (i % LOOKS == 0 && budget_is_spent(&root->suggest_budget))
			break;
		if (name)
			nearest_offer(near, name);
	}
	budget_stop(&root->suggest_budget);
}

/* ---- events ---- */

/* Too long a name is ignored by nearest_offer(), not cut. */
static const char *whole_name(const struct root *root, uint32_t i)
{
	static char name[NEAREST_MAX + 2];	/* the server has one thread */
	const struct event_format *format = root->visible[i]->format;

	snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
	return name;
}

static const char *event_name(const struct root *root, uint32_t i)
{
	return root->visible[i]->format->name;
}

static const char *system_name(const struct root *root, uint32_t i)
{
	return events_has_system(root, root->systems[i]) ? root->systems[i] : NULL;
}

/* The first event of the name that @near has found, as SYSTEM:EVENT. */
static const char *with_system(const struct root *root, struct nearest *near)
{
	const char *name = nearest_name(near);

	for (uint32_t i = 0; name && i < root->nr_visible; i++) {
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
	const char *colon = strchr(word, ':');

	nearest_init(near, word, strlen(word));
	if (!colon) {
		offer_all(root, near, root->nr_visible, event_name);
		offer_all(root, near, root->nr_systems, system_name);
		return nearest_name(near);
	}
	if (is_any(colon + 1)) {
		nearest_init(near, word, (size_t)(colon - word));
		offer_all(root, near, root->nr_systems, system_name);
		return nearest_name(near);
	}
	offer_all(root, near, root->nr_visible, whole_name);
	if (nearest_name(near))
		return nearest_name(near);
	/* An event of another system? */
	nearest_init(near, colon + 1, strlen(colon + 1));
	offer_all(root, near, root->nr_visible, event_name);
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

/* ---- functions ---- */

static const char *present_function(const struct root *root, uint32_t i)
{
	const char *module;

	return function_is_there(&root->functions, i) ?
	       function_name(&root->functions, i, &module) : NULL;
}

static void offer_name(void *near, const char *name)
{
	nearest_offer(near, name);
}

/* Names of C++ as they are written, as far as they are known. */
static void offer_written(struct root *root, struct nearest *near)
{
	const struct functions *functions = &root->functions;
	bool is_spent = false;

	budget_start(&root->suggest_budget);
	for (uint32_t i = 0; !is_spent && i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];
		uint32_t nr = object->is_there && object->written ? object->sites.nr : 0;

		for (uint32_t at = 0; !is_spent && at < nr; at++) {
			if (object->written[at])
				function_name_each(object->written[at], offer_name, near);
			is_spent = at % WRITTEN_LOOKS == 0 &&
				   budget_is_spent(&root->suggest_budget);
		}
	}
	budget_stop(&root->suggest_budget);
}

const char *suggest_function(struct root *root, const char *word, size_t len,
			     struct nearest *near)
{
	nearest_init(near, word, function_name_len(word, len));
	offer_all(root, near, root->functions.nr, present_function);
	offer_written(root, near);
	return nearest_name(near);
}

const char *suggest_symbol(struct root *root, const char *word, size_t len,
			   struct nearest *near)
{
	struct object *object;
	bool is_spent = false;
	uint32_t at = 0;

	nearest_init(near, word, len);
	budget_start(&root->suggest_budget);
	while (!is_spent && (object = objects_next(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		for (uint32_t i = 0; !is_spent && i < symbols->nr; i++) {
			nearest_offer(near, symbols->rows[i].name);
			is_spent = i % LOOKS == 0 &&
				   budget_is_spent(&root->suggest_budget);
		}
	}
	budget_stop(&root->suggest_budget);
	return nearest_name(near);
}
