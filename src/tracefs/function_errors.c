/* SPDX-License-Identifier: MIT */
/*
 * Error messages for files with lists of functions (set_ftrace_filter ...).  A token
 * has the form [!]GLOB[:COMMAND[:PARAM]].  After a file has refused a token, the
 * functions here parse the token once more to find out why, and write the reason to
 * error_log.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "server/core/instance.h"
#include "server/functions/function_probes.h"
#include "server/functions/function_suggest.h"
#include "server/functions/functions.h"
#include "server/rules/trigger_errors.h"
#include "server/rules/triggers.h"
#include "symbols/function_name.h"
#include "tracefs/files.h"

/* Return the number of functions that the glob in the first @len bytes of @word selects,
 * or a negative number on failure. */
static int count_functions(struct instance *instance, const char *word, size_t len)
{
	struct function_set *set = function_set_new(root_functions(instance->root));
	char *copy = strndup(word, len);
	int r = -1;

	if (set && copy)
		r = functions_select(instance, copy, true, set);
	free(copy);
	function_set_free(set);
	return r;
}

static void log_function(const struct wrong_write *wrong, const char *at, size_t len)
{
	struct root *root = wrong->instance->root;
	struct nearest near;
	const char *error = "Function not found", *name = NULL;

	if (!functions_are_there(root))
		error = FUNCTIONS_NONE;
	else if (isdigit((unsigned char)*at))
		error = "No function has this number";
	else if (strcspn(at, GLOB_WILDCARDS) < len)
		error = "No function matches";
	else
		name = suggest_function(root, at, len, &near);
	wrong_write_log(wrong, at, error, name);
}

/* Write to error_log what is wrong with COMMAND[:PARAM] at @at.  Returns false if both
 * are correct. */
static bool log_command(const struct wrong_write *wrong, const char *at, bool is_removal)
{
	const struct trigger_cmd *cmd;
	size_t len = strcspn(at, ":");
	const char *param = at[len] ? at + len + 1 : NULL, *count = param;

	if (trigger_log_command(wrong, at, len, NULL, &cmd))
		return true;
	if (strcmp(wrong->place, "set_ftrace_filter")) {
		wrong_write_log(wrong, at, "Only set_ftrace_filter takes commands", NULL);
		return true;
	}
	if (cmd->has_target &&
	    trigger_log_target(wrong, param ? param : at + len,
			       param ? strlen(param) : 0, is_removal, &count))
		return true;
	return !is_removal && !(cmd->flags & (CMD_NO_COUNT | CMD_ONCE)) && count &&
	       (*count || cmd->has_target) &&
	       trigger_log_count(wrong, count, strlen(count));
}

/*
 * Return true if the file never accepts a token of this form, and write that to
 * error_log.  @at: the token, after its `!'.  @mod: the rest of the token from ":mod"
 * on, or NULL.
 */
static bool log_kind(const struct wrong_write *wrong, const char *at, const char *mod)
{
	bool is_graph = !strncmp(wrong->place, "set_graph_", strlen("set_graph_"));

	if (mod && strcmp(wrong->place, "set_ftrace_filter") &&
	    strcmp(wrong->place, "set_ftrace_notrace"))
		wrong_write_log(wrong, mod + 1, "Only set_ftrace_filter and "
				"set_ftrace_notrace take :mod:", NULL);
	else if (is_graph && isdigit((unsigned char)*at))
		wrong_write_log(wrong, at, "This list takes no numbers of functions", NULL);
	else
		return false;
	return true;
}

/*
 * Write to error_log why the command at @at cannot be removed.  A file distinguishes commands
 * with a count from commands without one, and no function has a command of the kind that the
 * token names.
 */
static void log_missing_command(const struct wrong_write *wrong, const char *at)
{
	const char *error = "No function has this command";
	size_t len = strcspn(at, ":");

	for_each_function_probe(probe, wrong->instance) {
		if (strlen(probe->cmd->name) == len && !memcmp(probe->cmd->name, at, len))
			error = probe->is_counted ?
				"The command has a count: remove it with :0 at the end" :
				"The command has no count: remove it without :0";
	}
	wrong_write_log(wrong, at, error, NULL);
}

void function_word_log(struct tracefs_file *file, const char *word, int error)
{
	const struct wrong_write wrong = {
		tracefs_instance(file->node), file->def->name, word,
	};
	bool is_removal = *word == '!', is_mod;
	const char *at = word + is_removal, *colon = function_word_colon(at, strlen(at));
	size_t len = colon ? (size_t)(colon - at) : strlen(at);

	is_mod = colon && (!strcmp(colon, ":mod") || !strncmp(colon, ":mod:", 5));
	if (log_kind(&wrong, at, is_mod ? colon : NULL) ||
	    (colon && !is_mod && log_command(&wrong, colon + 1, is_removal)))
		return;
	if (error == -ENODEV) {
		if (is_removal && colon && !is_mod)
			log_missing_command(&wrong, colon + 1);
		return;
	}
	if (!count_functions(wrong.instance, at, is_mod ? strlen(at) : len))
		log_function(&wrong, at, len);
	else if (colon && !is_mod)
		wrong_write_log(&wrong, at, is_removal ?
				"Function does not have this command" :
				"Function has this command already", NULL);
	else if (is_removal)
		wrong_write_log(&wrong, at, "Function is not in the list", NULL);
}
