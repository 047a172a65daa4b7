/* SPDX-License-Identifier: MIT */
/* Find traceable functions whose names are similar to a wrong name. */
#include "server/core/budget.h"
#include "server/functions/function_suggest.h"
#include "server/functions/functions.h"
#include "server/rules/suggest.h"
#include "symbols/function_name.h"

#define CHECK_EVERY		16u	/* number of names of functions that are compared
					 * between two checks of the budget */

static const char *present_function(const struct root *root, uint32_t i)
{
	struct functions *functions = root_functions(root);
	const char *module;

	return function_is_there(functions, i) ?
	       function_name(functions, i, &module) : NULL;
}

static void offer_name(void *near, const char *name)
{
	nearest_offer(near, name);
}

/* Compare the wrong name with the written C++ names of all functions whose names were
 * demangled, and keep the most similar one in @near. */
static void offer_written(struct root *root, struct nearest *near)
{
	struct root_suggest *suggest = root_suggest(root);
	const struct functions *functions = root_functions(root);
	bool is_spent = false;

	budget_start(&suggest->budget);
	for (uint32_t i = 0; !is_spent && i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];
		uint32_t nr = object->is_there && object->written ? object->sites.nr : 0;

		for (uint32_t at = 0; !is_spent && at < nr; at++) {
			if (object->written[at])
				function_name_each(object->written[at], offer_name, near);
			is_spent = at % CHECK_EVERY == 0 &&
				   budget_is_spent(&suggest->budget);
		}
	}
	budget_stop(&suggest->budget);
}

const char *suggest_function(struct root *root, const char *word, size_t len,
			     struct nearest *near)
{
	nearest_init(near, word, function_name_len(word, len));
	suggest_offer_all(root, near, root_functions(root)->nr, present_function);
	offer_written(root, near);
	return nearest_name(near);
}
