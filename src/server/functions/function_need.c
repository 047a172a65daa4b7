/* SPDX-License-Identifier: MIT */
/* Find out whether there is anything to trace, and apply the option all-objects. */
#include "server/functions/function_need.h"

#include <errno.h>
#include <string.h>

#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"

int functions_option_changed(struct instance *instance)
{
	struct root *root = instance->root;
	int r;

	if (!functions_are_wanted(root) || !root->nr_live)
		return 0;
	r = functions_refresh(root);
	return r ? r : functions_publish(root);
}

/* ---- functions that find out whether there is anything to trace ---- */

/* Return true if there is a function that can be traced.  @has_extra: true if functions
 * of libraries that no compiler has prepared count, too. */
static bool has_functions(const struct root *root, bool has_extra)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (object->is_there && object->sites.nr &&
		    (has_extra || !function_object_is_extra(object)))
			return true;
	}
	return functions->round.is_hidden;
}

bool functions_are_there(const struct root *root)
{
	return has_functions(root, true);
}

int functions_check(struct instance *instance, const char *file, const char *command)
{
	const struct root *root = instance->root;
	uint32_t state = shm_load(&root->control->boot_state);
	bool has_filter =
		root_functions(root)->in_list[FUNCTION_FILTER][instance->number];

	if (has_functions(root, has_filter || functions_take_all(instance)) ||
	    (state != ABI_BOOT_DONE && state != ABI_BOOT_LATER))
		return 0;
	for_each_function_mod(mod, instance)
		if (mod->list == FUNCTION_FILTER)
			return 0;
	error_log_add(instance, file, FUNCTIONS_NONE, command, 0);
	return -EOPNOTSUPP;
}
