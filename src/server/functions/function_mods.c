/* SPDX-License-Identifier: MIT */
/* Handle entries of function lists that wait for their module. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_need.h"
#include "server/functions/functions.h"
#include "server/rules/rules.h"

/* Letters that stand for lists of functions in the text that function_mods_put() writes. */
static const char letters[] = {
	[FUNCTION_FILTER] = 'f', [FUNCTION_NOTRACE] = 'n',
};

/*
 * Count a waiting entry as an entry of set_ftrace_filter.  So a filter that has only such
 * an entry selects no function.  If the filter counted as empty, it would select all
 * functions.
 */
static void count_entry(struct instance *instance, enum function_list list, int by)
{
	if (list == FUNCTION_FILTER)
		root_functions(instance->root)->in_list[list][instance->number] +=
			(uint32_t)by;
}

static void mod_free(struct function_mod *mod)
{
	free(mod->glob);
	free(mod->module);
	free(mod);
}

static int add_entry(struct instance *instance, struct function_mod **at,
		     enum function_list list, const char *glob, const char *module)
{
	struct function_mod *mod = calloc(1, sizeof(*mod));

	if (!mod)
		return -ENOMEM;
	mod->list = list;
	mod->glob = strdup(glob);
	mod->module = strdup(module);
	if (!mod->glob || !mod->module) {
		mod_free(mod);
		return -ENOMEM;
	}
	mod->next = *at;
	*at = mod;
	count_entry(instance, list, 1);
	return 0;
}

static void take_out(struct instance *instance, struct function_mod **at)
{
	struct function_mod *mod = *at;

	*at = mod->next;
	count_entry(instance, mod->list, -1);
	mod_free(mod);
}

/* ---- functions that add, remove and show waiting entries ---- */

/* Return true if @mod is an entry of @list with the glob @glob and the module @module.
 * @glob: "*" stands for any glob.  @module: NULL stands for any module. */
static bool is_meant(const struct function_mod *mod, enum function_list list,
		     const char *glob, const char *module)
{
	return mod->list == list && (!module || !strcmp(mod->module, module)) &&
	       (!strcmp(glob, "*") || !strcmp(mod->glob, glob));
}

/* Remove the matching entries from the instance, and return them as a list of their own,
 * in reverse order. */
static struct function_mod *free_entry(struct instance *instance, enum function_list list,
				       const char *glob, const char *module)
{
	struct function_mod **at = &instance_functions(instance)->mods;
	struct function_mod *mod, *gone = NULL;

	while ((mod = *at)) {
		if (!is_meant(mod, list, glob, module)) {
			at = &mod->next;
			continue;
		}
		*at = mod->next;
		count_entry(instance, list, -1);
		mod->next = gone;
		gone = mod;
	}
	return gone;
}

/* Publish the rules without the entries of @gone, and free these entries.  If publishing
 * fails, put the entries back. */
static int publish_without(struct instance *instance, struct function_mod *gone)
{
	struct instance_functions *functions = instance_functions(instance);
	int r = rules_publish(instance);

	while (gone) {
		struct function_mod *mod = gone;

		gone = mod->next;
		if (r) {
			mod->next = functions->mods;
			functions->mods = mod;
			count_entry(instance, mod->list, 1);
		} else {
			mod_free(mod);
		}
	}
	return r;
}

int function_mods_store(struct instance *instance, enum function_list list,
			const char *glob, const char *module)
{
	struct instance_functions *functions = instance_functions(instance);
	struct function_mod *gone;
	int r;

	if (*glob == '!') {
		gone = free_entry(instance, list, glob + 1, module);
		return gone ? publish_without(instance, gone) : -EINVAL;
	}
	if (functions_know_module(instance->root, module))
		return -EINVAL;
	r = add_entry(instance, &functions->mods, list, glob, module);
	if (r)
		return r;
	r = rules_publish(instance);
	if (r)
		take_out(instance, &functions->mods);
	return r;
}

int function_mods_clear(struct instance *instance, enum function_list list)
{
	struct function_mod *gone = free_entry(instance, list, "*", NULL);

	return gone ? publish_without(instance, gone) : 0;
}

void function_mods_done(struct instance *instance)
{
	struct instance_functions *functions = instance_functions(instance);

	while (functions->mods)
		take_out(instance, &functions->mods);
}

void function_mods_show(const struct instance *instance, enum function_list list,
			struct text *out)
{
	for_each_function_mod(m, instance)
		if (m->list == list)
			text_printf(out, "%s:mod:%s\n", m->glob, m->module);
}

/* ---- functions that apply waiting entries when their module was loaded ---- */

/* Add the functions that @mod selects to the list to which @mod belongs.  Returns
 * -ERESTART if names are still being demangled; then nothing was changed. */
static int apply_entry(struct instance *instance, const struct function_mod *mod)
{
	struct root *root = instance->root;
	struct function_set *set = function_set_new(root_functions(root));
	struct text word;
	int r;

	text_init(&word, strlen(mod->glob) + strlen(mod->module) + 16);
	text_printf(&word, "%s:mod:%s", mod->glob, mod->module);
	r = set ? word.error : -ENOMEM;
	if (!r) {
		functions_list_get(instance, mod->list, set);
		r = functions_select(instance, text_str(&word), true, set);
		if (r > 0)
			functions_list_set(instance, mod->list, set);
	}
	text_done(&word);
	function_set_free(set);
	return r == -ERESTART || r == -ENOMEM ? r : 0;
}

static int apply_loaded(struct instance *instance)
{
	struct function_mod **at = &instance_functions(instance)->mods;
	bool is_changed = false;
	int r = 0, published;

	while ((!r || r == -ERESTART) && *at) {
		int applied = functions_know_module(instance->root, (*at)->module) ?
			      apply_entry(instance, *at) : -ENOENT;

		if (applied == -ERESTART || applied == -ENOENT) {
			at = &(*at)->next;
		} else {
			take_out(instance, at);
			is_changed = true;
		}
		if (applied != -ENOENT && applied)
			r = applied;
	}
	published = is_changed ? rules_publish(instance) : 0;
	return published ? published : r;
}

int function_mods_come(struct root *root)
{
	struct instance *instance;
	int r = 0;

	for_each_instance(instance, root)
		if (!r && instance_functions(instance)->mods)
			r = apply_loaded(instance);
	return r;
}

/* ---- functions that save the waiting entries for the next server, and load them ---- */

void function_mods_put(const struct instance *instance, struct text *out)
{
	for_each_function_mod(m, instance)
		text_printf(out, "%c%s:mod:%s\n", letters[m->list], m->glob,
			    m->module);
}

void function_mods_load(struct instance *instance, char *text)
{
	struct function_mod **end = &instance_functions(instance)->mods;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *module = strstr(line, ":mod:");
		enum function_list list = *line == letters[FUNCTION_FILTER] ?
			FUNCTION_FILTER : FUNCTION_NOTRACE;

		if (!module || *line != letters[list])
			continue;
		*module = '\0';
		if (add_entry(instance, end, list, line + 1, module + strlen(":mod:")))
			break;
		end = &(*end)->next;
	}
}
