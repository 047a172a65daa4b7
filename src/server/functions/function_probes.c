/* SPDX-License-Identifier: MIT */
/* Add, remove and show commands of functions.  After a wrong write, the errno is that of
 * the kernel. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "abi/functions.h"
#include "abi/rules.h"
#include "base/glob.h"
#include "base/text.h"
#include "event/format.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/functions/function_probes.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_words.h"
#include "server/rules/triggers.h"

/* A parsed command. */
struct spec {
	const struct trigger_cmd *cmd;
	const struct event *target;	/* target event of the command; NULL if the
					 * command has no target */
	bool is_counted;
	uint64_t count;			/* UINT64_MAX: no limit */
};

/* ---- functions that parse a command of set_ftrace_filter ---- */

/* Parse @number, the text of the command's count; NULL if the command has no count.  An
 * empty count means that there is no limit, as in the kernel. */
static int parse_count(struct spec *spec, char *number)
{
	spec->is_counted = number;
	spec->count = UINT64_MAX;
	if (spec->cmd->flags & CMD_NO_COUNT)
		spec->is_counted = false;
	if (spec->cmd->flags & CMD_ONCE) {
		spec->is_counted = true;
		spec->count = 1;
	}
	if (spec->cmd->flags & (CMD_NO_COUNT | CMD_ONCE) || !number || !*number || *number == ':')
		return 0;
	return trigger_parse_count(number, &spec->count);
}

static int parse_command(struct root *root, const char *command, char *param,
			 bool is_removal, struct spec *spec)
{
	char *system, *name;
	int r;

	*spec = (struct spec){ .cmd = trigger_cmd_find(command) };
	if (!spec->cmd || !(spec->cmd->scope & CMD_FUNCTION))
		return -EINVAL;
	if (spec->cmd->has_target) {
		system = param ? strsep(&param, ":") : NULL;
		name = param ? strsep(&param, ":") : NULL;
		spec->target = name ? trigger_find_event(root, system, name,
							 is_removal) : NULL;
		if (!spec->target)
			return -EINVAL;
		/* Refuse an empty count only if the command has a target, as the kernel
		 * does. */
		if (!is_removal && param && (!*param || *param == ':'))
			return -EINVAL;
	}
	r = parse_count(spec, param);
	/* When a command is removed, ignore an error of its count. */
	return is_removal ? 0 : r;
}

/* ---- functions that find commands and the functions that have them ---- */

/* Return the pointer in the list of commands that points to the command @cmd.  If there
 * is no such command, return the last pointer of the list, which is NULL. */
static struct function_probe **find_probe(struct instance *instance,
					  const struct trigger_cmd *cmd, bool is_counted)
{
	struct function_probe **at = &instance_functions(instance)->probes;

	while (*at && ((*at)->cmd != cmd || (*at)->is_counted != is_counted))
		at = &(*at)->next;
	return at;
}

static bool probe_has(const struct function_probe *probe, uint32_t function)
{
	uint32_t low = 0, high = probe->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (probe->entries[middle].function == function)
			return true;
		if (probe->entries[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

uint32_t function_probes_of(const struct root *root, uint32_t nr)
{
	const struct instance *instance;
	uint32_t sum = 0;

	for_each_instance(instance, root)
		for_each_function_probe(p, instance)
			sum += probe_has(p, nr);
	return sum;
}

bool function_probes_are_in(const struct instance *instance,
			    const struct function_object *object)
{
	for_each_function_probe(p, instance)
		for (uint32_t i = 0; i < p->nr; i++)
			if (p->entries[i].function - object->first < object->sites.nr)
				return true;
	return false;
}

void function_probes_mark(const struct root *root,
			  const struct function_object *object, uint32_t *users)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		for_each_function_probe(p, instance)
			for (uint32_t i = 0; i < p->nr; i++) {
				uint32_t at = p->entries[i].function - object->first;

				if (at < object->sites.nr)
					users[object->sites.rows[at]] |=
						ABI_FUNCTIONS_PROBES;
			}
}

/* ---- functions that append and merge arrays of struct function_probe_entry ---- */

/* A growing array of struct function_probe_entry. */
struct entries {
	struct function_probe_entry *entries;
	uint32_t nr;
};

static int append_entry(struct entries *to, const struct function_probe_entry *entry)
{
	/* The array is full when its number of elements is a power of two.  Then double
	 * it. */
	if (!(to->nr & (to->nr - 1))) {
		size_t capacity = to->nr ? 2ul * to->nr : 1;
		void *grown = realloc(to->entries, capacity * sizeof(*entry));

		if (!grown)
			return -ENOMEM;
		to->entries = grown;
	}
	to->entries[to->nr++] = *entry;
	return 0;
}

/* Merge the entries of a command with new ones.  Both arrays are sorted by function, and
 * no function is in both. */
static int merge_entries(const struct function_probe *old, const struct entries *new,
			 struct entries *ret_all)
{
	uint32_t i = 0, j = 0;
	int r = 0;

	*ret_all = (struct entries){ NULL, 0 };
	while (!r && (i < old->nr || j < new->nr)) {
		bool is_old = j == new->nr ||
			(i < old->nr &&
			 old->entries[i].function < new->entries[j].function);

		r = append_entry(ret_all, is_old ? &old->entries[i++] :
					     &new->entries[j++]);
	}
	if (r)
		free(ret_all->entries);
	return r;
}

/* ---- functions that take and release the counters and target events of entries ---- */

static const struct event *target_of(const struct instance *instance,
				     const struct function_probe_entry *entry)
{
	return entry->target ? root_events(instance->root)->rows[entry->target_row] : NULL;
}

static int hold_target(struct instance *instance,
		       struct function_probe_entry *entry)
{
	return soft_get(instance, root_events(instance->root)->rows[entry->target_row],
			&entry->target);
}

static int hold_entry(struct instance *instance, const struct spec *spec,
		      struct function_probe_entry *entry)
{
	uint32_t slot;
	int r;

	if (spec->is_counted) {
		r = slot_alloc(instance, spec->count, &slot);
		if (r)
			return r;
		entry->counter = slot + 1;
	}
	if (!spec->target)
		return 0;
	entry->target_row = spec->target->row;
	r = hold_target(instance, entry);
	if (r && entry->counter)
		slot_free(instance, entry->counter - 1);
	return r;
}

/* Take the references to target events again, which release_targets() has just released. */
static void hold_targets(struct instance *instance, const struct entries *entries)
{
	for (uint32_t i = 0; i < entries->nr; i++)
		if (entries->entries[i].target)
			hold_target(instance, &entries->entries[i]);
}

static void release_targets(struct instance *instance,
			    const struct entries *entries)
{
	for (uint32_t i = 0; i < entries->nr; i++)
		if (entries->entries[i].target)
			soft_put(instance, entries->entries[i].target);
}

static void release_counters(struct instance *instance,
			     const struct entries *entries)
{
	for (uint32_t i = 0; i < entries->nr; i++)
		if (entries->entries[i].counter)
			slot_free(instance, entries->entries[i].counter - 1);
}

/* ---- functions that add a command to functions ---- */

/* Add the functions that match @globs to @set.  Returns -EINVAL if one of the globs adds
 * no function. */
static int select_all(struct instance *instance, const struct probe_globs *globs,
		      struct function_set *set)
{
	for (const char *glob = globs->first; glob < globs->end; glob += strlen(glob) + 1) {
		uint32_t before = set->nr_has;
		int r = functions_select(instance, glob, true, set);

		if (r < 0 || set->nr_has == before)
			return r < 0 ? r : -EINVAL;
	}
	return 0;
}

/* Get the functions that match @globs and do not have the command @probe yet.  Returns
 * -EINVAL if one of the globs matches no such function. */
static int find_new(struct instance *instance, const struct probe_globs *globs,
		    const struct function_probe *probe, struct entries *ret_new)
{
	const struct functions *functions = root_functions(instance->root);
	struct function_set *set = function_set_new(functions);
	int r;

	if (!set)
		return -ENOMEM;
	for (uint32_t i = 0; probe && i < probe->nr; i++)
		set->has[probe->entries[i].function] = true;
	set->nr_has = probe ? probe->nr : 0;
	r = select_all(instance, globs, set);
	for (uint32_t i = 0; probe && i < probe->nr; i++)
		set->has[probe->entries[i].function] = false;
	for (uint32_t nr = 0; !r && nr < set->nr; nr++) {
		struct function_probe_entry entry = { .function = nr };

		if (set->has[nr])
			r = append_entry(ret_new, &entry);
	}
	function_set_free(set);
	return r;
}

static int hold_all(struct instance *instance, const struct spec *spec,
		    struct entries *entries)
{
	uint32_t nr = entries->nr;
	int r = 0;

	/* If hold_entry() fails for an entry, the loop ends with entries->nr = the number of
	 * entries before it, for which hold_entry() has succeeded. */
	for (entries->nr = 0; !r && entries->nr < nr; entries->nr += !r)
		r = hold_entry(instance, spec, &entries->entries[entries->nr]);
	return r;
}

/* Add the entries @new to the command, and publish the rules. The caller has already taken
 * the counters and target events of these entries (hold_all()). */
static int attach_entries(struct instance *instance, const struct spec *spec,
			  const struct entries *new)
{
	struct instance_functions *functions = instance_functions(instance);
	struct function_probe **at = find_probe(instance, spec->cmd, spec->is_counted);
	struct function_probe *probe = *at, old;
	struct entries all;
	int r;

	if (!probe) {
		probe = calloc(1, sizeof(*probe));
		if (!probe)
			return -ENOMEM;
		probe->cmd = spec->cmd;
		probe->is_counted = spec->is_counted;
		probe->next = functions->probes;
		functions->probes = probe;
	}
	old = *probe;
	r = merge_entries(&old, new, &all);
	if (!r) {
		probe->entries = all.entries;
		probe->nr = all.nr;
		r = functions_publish(instance->root);
		if (!r)
			r = rules_publish(instance);
		free(r ? all.entries : old.entries);
	}
	if (r) {
		*probe = old;
		if (!old.nr) {
			functions->probes = probe->next;
			free(probe);
		}
		functions_publish_off(instance->root);
	}
	return r;
}

static int add_command(struct instance *instance, const struct probe_globs *globs,
		       const struct spec *spec)
{
	struct entries new = { NULL, 0 };
	int r = find_new(instance, globs,
			 *find_probe(instance, spec->cmd, spec->is_counted), &new);

	if (!r && instance->root->state == SERVER_ROOT_DEAD)
		r = -ENODEV;
	if (!r && spec->cmd->need)
		r = spec->cmd->need(instance);
	if (!r)
		r = instance_need_rings(instance);
	if (!r) {
		r = hold_all(instance, spec, &new);
		if (!r)
			r = attach_entries(instance, spec, &new);
		if (r) {
			release_targets(instance, &new);
			release_counters(instance, &new);
		}
		soft_settle(instance);
	}
	free(new.entries);
	return r;
}

/* ---- functions that remove a command from functions ---- */

static bool is_match(const struct root *root, const char *glob, uint32_t nr)
{
	const char *module, *name = function_name(root_functions(root), nr, &module);

	return !*glob || !strcmp(glob, "*") ||
	       (name && glob_match_n(glob, strlen(glob), name));
}

/*
 * Add the functions of @probe whose raw name matches @glob to @set.  If no raw name
 * matches, add the functions that functions_select() finds.  Returns 0; -EINVAL if
 * there are no such functions; or another -errno.
 */
static int find_gone(struct instance *instance, const char *glob,
		     const struct function_probe *probe, struct function_set *set)
{
	int r;

	for (uint32_t i = 0; i < probe->nr; i++)
		function_set_put(set, probe->entries[i].function,
				 is_match(instance->root, glob, probe->entries[i].function));
	if (set->nr_has)
		return 0;
	r = isdigit((unsigned char)*glob) ? 0 :
	    functions_select(instance, glob, true, set);
	return r > 0 ? 0 : r ? r : -EINVAL;
}

static int split_entries(struct instance *instance, const char *glob,
			 const struct function_probe *probe, struct entries *ret_kept,
			 struct entries *ret_gone)
{
	struct function_set *set = function_set_new(root_functions(instance->root));
	int r = set ? find_gone(instance, glob, probe, set) : -ENOMEM;

	for (uint32_t i = 0; !r && i < probe->nr; i++) {
		const struct function_probe_entry *entry = &probe->entries[i];

		r = append_entry(set->has[entry->function] ? ret_gone : ret_kept, entry);
	}
	if (!r && !ret_gone->nr)
		r = -EINVAL;
	function_set_free(set);
	return r;
}

static int detach_entries(struct instance *instance, struct function_probe **at,
			  const struct entries *kept, const struct entries *gone)
{
	struct function_probe *probe = *at, old = *probe;
	int r;

	release_targets(instance, gone);
	probe->entries = kept->entries;
	probe->nr = kept->nr;
	if (!kept->nr)
		*at = probe->next;
	r = rules_publish(instance);
	if (r) {
		*probe = old;
		*at = probe;
		hold_targets(instance, gone);
	} else {
		release_counters(instance, gone);
		functions_publish_off(instance->root);
	}
	soft_settle(instance);
	free(r ? kept->entries : old.entries);
	if (!r && !kept->nr)
		free(probe);
	return r;
}

static int take_away(struct instance *instance, const char *glob,
		     const struct spec *spec)
{
	struct function_probe **at = find_probe(instance, spec->cmd, spec->is_counted);
	struct entries kept = { NULL, 0 }, gone = { NULL, 0 };
	int r;

	if (!*at)
		return -ENODEV;
	r = split_entries(instance, glob, *at, &kept, &gone);
	if (r)
		free(kept.entries);
	else
		r = detach_entries(instance, at, &kept, &gone);
	free(gone.entries);
	return r;
}

int function_probes_store(struct instance *instance, const struct probe_globs *globs,
			  const char *command, char *param)
{
	bool is_removal = *globs->first == '!';
	struct spec spec;
	int r = parse_command(instance->root, command, param, is_removal, &spec);

	if (r)
		return r;
	rules_refresh(instance);
	return is_removal ? take_away(instance, globs->first + 1, &spec) :
			    add_command(instance, globs, &spec);
}

void function_probes_done(struct instance *instance)
{
	struct instance_functions *functions = instance_functions(instance);

	while (functions->probes) {
		struct function_probe *probe = functions->probes;

		functions->probes = probe->next;
		free(probe->entries);
		free(probe);
	}
}

/* ---- functions that load the commands of the previous server ---- */

int function_probes_add_old(struct instance *instance,
			    const struct trigger_cmd *cmd,
			    const struct function_probe_entry *entry)
{
	struct function_probe **at = find_probe(instance, cmd, entry->counter);
	struct function_probe *probe = *at;
	struct entries entries;
	int r;

	if (!probe) {
		probe = calloc(1, sizeof(*probe));
		if (!probe)
			return -ENOMEM;
		probe->cmd = cmd;
		probe->is_counted = entry->counter;
		*at = probe;
	}
	if (probe->nr && probe->entries[probe->nr - 1].function >= entry->function)
		return -EINVAL;
	entries = (struct entries){ probe->entries, probe->nr };
	r = append_entry(&entries, entry);
	probe->entries = entries.entries;
	probe->nr = entries.nr;
	return r;
}

/* ---- functions that show the commands ---- */

static void show_probe(const struct instance *instance, const struct trigger_cmd *cmd,
		       const struct function_probe_entry *entry, struct text *out)
{
	const char *module;
	const char *name = function_shown(instance, entry->function, &module);
	size_t start = out->len;

	text_printf(out, "%s:%s", name ? name : "[unknown]", cmd->name);
	text_one_line(out, start);
	trigger_show_rest(instance, cmd, target_of(instance, entry),
			  entry->counter, out);
	text_putc(out, '\n');
}

void function_probes_show(const struct instance *instance, struct text *out)
{
	const struct functions *functions = root_functions(instance->root);

	for_each_function_probe(p, instance)
		for (uint32_t i = 0; i < p->nr; i++)
			if (function_is_there(functions, p->entries[i].function))
				show_probe(instance, p->cmd, &p->entries[i], out);
}
