/* SPDX-License-Identifier: MIT */
/* Decide which files must be analysed, and which libraries a tracer without a filter leaves
 * out; see function_need.h. */
#include <string.h>

#include "event/boot.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_need.h"
#include "server/functions/functions.h"

bool function_object_is_extra(const struct function_object *object)
{
	return object->is_moved && object->module;
}

bool functions_take_all(const struct instance *instance)
{
	return instance_options(instance) & OPTION_ALL_OBJECTS;
}

bool function_object_is_listed(const struct function_object *object,
			       const struct instance *instance)
{
	return object->is_there &&
	       (!function_object_is_extra(object) || functions_take_all(instance));
}

/* ---- functions that decide which files are analysed ---- */

static bool has_waiting_entry(const struct instance *instance, const char *module)
{
	for_each_function_mod(mod, instance)
		if (!strcmp(mod->module, module))
			return true;
	return false;
}

void functions_see_wants(struct root *root)
{
	bool wants = false;

	for (uint32_t slot = 0; slot < ABI_PROCESSES && !wants; slot++)
		wants = root->process[slot] && root->process[slot]->pidfd >= 0 &&
			shm_load(&root->processes[slot].flags) & ABI_PROCESS_TABLES;
	root_functions(root)->wants_tables = wants;
}

bool functions_want_all(const struct root *root)
{
	struct functions *functions = root_functions(root);
	char words[ABI_BOOT_BYTES];

	if (!functions->is_calls_known) {
		memcpy(words, root->control->boot, sizeof(words));
		words[sizeof(words) - 1] = '\0';
		functions->wants_calls = boot_has(words, BOOT_SYSCALLS);
		functions->is_calls_known = true;
	}
	return functions->wants_calls || functions->wants_tables;
}

bool functions_must_move(const struct root *root, const struct function_object *plain)
{
	const struct instance *instance;

	if (!plain->module || plain->is_needed || functions_want_all(root))
		return true;
	for_each_instance(instance, root)
		if (functions_take_all(instance) ||
		    has_waiting_entry(instance, plain->module))
			return true;
	return false;
}

bool function_object_must_be_analysed(const struct function_object *object)
{
	return object->is_there && object->can_move && !object->is_analysed;
}

bool functions_know_module(const struct root *root, const char *module)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (object->is_there && object->module && !strcmp(object->module, module) &&
		    !function_object_must_be_analysed(object))
			return true;
	}
	return false;
}
