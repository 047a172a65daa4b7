/* SPDX-License-Identifier: MIT */
/* Methods of the functions as a part of roots and of instances; see core/part.h. */
#include "abi/rules.h"
#include "base/bits.h"
#include "base/text.h"
#include "server/core/instance.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_part.h"
#include "server/functions/function_probes.h"
#include "server/functions/functions.h"

void function_part_tick(struct root *root)
{
	functions_tick(root, FUNCTIONS_LINES_TICK);
}

bool function_part_answer(struct root *root)
{
	return functions_tick(root, FUNCTIONS_LINES_MAX) == 0;
}

void function_part_settled(struct root *root, bool is_awaited)
{
	if (!is_awaited && root_functions(root)->is_parsing)
		functions_tick(root, FUNCTIONS_LINES_TICK);
}

/*
 * Return true if the server has names of functions.  Such names count as unsaved data,
 * because the server possibly cannot read them again: their files may have been
 * removed since.
 */
bool function_part_has_unsaved(const struct root *root)
{
	return root_functions(root)->nr_objects;
}

const struct elf_symbols *function_part_made_symbols(const struct root *root,
						     const struct object *in)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = functions->nr_objects; i--; )
		if (function_object_is(functions->objects[i], in))
			return &functions->objects[i]->moved.made;
	return NULL;
}

void function_part_done(struct instance *instance)
{
	function_probes_done(instance);
	function_mods_done(instance);
}

void function_part_drop(struct instance *instance)
{
	function_part_done(instance);
	functions_leave(instance);
}

/* ---- the rule of this part: it stores commands of functions and waiting entries ---- */

bool function_part_has_rule(const struct instance *instance)
{
	struct instance_functions *functions = instance_functions(instance);

	return functions->probes || functions->mods;
}

void function_part_put_rule(const struct instance *instance, struct text *block,
			    struct abi_rule *ret_rule)
{
	*ret_rule = (struct abi_rule){ .triggers = (uint32_t)block->len };
	function_probes_put(instance, block);
	ret_rule->triggers_bytes = (uint32_t)block->len - ret_rule->triggers;
	if (!instance_functions(instance)->mods)
		return;
	ret_rule->text = (uint32_t)block->len;
	function_mods_put(instance, block);
	text_putc(block, '\0');
	ret_rule->text_bytes = (uint32_t)block->len - ret_rule->text;
	text_fill(block, '\0', ALIGN_UP(block->len, ABI_RULES_ALIGN) - block->len);
}

void function_part_load_rule(struct instance *instance, const void *triggers, uint32_t bytes,
			     char *text)
{
	const struct abi_probes *list = triggers;

	if (text)
		function_mods_load(instance, text);
	if (list && bytes >= sizeof(*list) &&
	    list->nr <= (bytes - sizeof(*list)) / sizeof(list->probes[0]))
		function_probes_load(instance, list);
}
