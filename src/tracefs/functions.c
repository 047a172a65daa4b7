/* SPDX-License-Identifier: MIT */
/* The files that list functions (available_filter_functions ...), the files that select
 * them (set_ftrace_filter ...), max_graph_depth and tracing_thresh. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "server/core/error_log.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_need.h"
#include "server/functions/function_probes.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/names/symbols.h"
#include "server/print/latency.h"
#include "server/rings/rings.h"
#include "server/rules/triggers.h"
#include "symbols/function_name.h"
#include "tracefs/files.h"

/* ---- functions for files that show which functions can be traced or are traced ---- */

static void print_name(const struct tracefs_node *node, uint32_t nr, struct text *out)
{
	const char *module, *name = function_shown(tracefs_instance(node), nr, &module);
	size_t start = out->len;

	text_puts(out, name ? name : "[unknown]");
	if (module)
		text_printf(out, " [%s]", module);
	text_one_line(out, start);
}

int available_functions_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	const struct instance *instance = tracefs_instance(node);
	int r = functions_refresh_listed(instance);

	if (!r)
		r = function_shown_prepare(tracefs_instance(node));
	for (uint32_t nr = 0; !r && nr < functions->nr; nr++) {
		uint32_t at;

		if (!function_object_is_listed(function_object(functions, nr, &at), instance))
			continue;
		print_name(node, nr, out);
		text_putc(out, '\n');
	}
	return r;
}

int available_addrs_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	const struct instance *instance = tracefs_instance(node);
	int r = functions_refresh_listed(instance);

	if (!r)
		r = function_shown_prepare(tracefs_instance(node));
	for (uint32_t nr = 0; !r && nr < functions->nr; nr++) {
		uint32_t at;
		const struct function_object *object =
			function_object(functions, nr, &at);

		if (!function_object_is_listed(object, instance))
			continue;
		text_printf(out, "%" PRIx64 " ",
			    object->bias + object->sites.addrs[at]);
		print_name(node, nr, out);
		text_putc(out, '\n');
	}
	return r;
}

/*
 * Blanks after the number of users in a line of enabled_functions.  In this column the
 * kernel prints letters that say how a function is traced.  Linux 6.12 prints these
 * blanks if there are no letters.
 */
#define NO_LETTERS	"           "

/* Show the functions that are traced, and how many users (tracers and others) each function
 * has.  @is_touched: true to show also functions that were traced and have no user now. */
static int show_users(struct tracefs_node *node, bool is_touched, struct text *out)
{
	const struct function_tracers tracers = functions_tracers(node->root);
	const struct functions *functions = root_functions(node->root);
	int r = function_shown_prepare(tracefs_instance(node));

	for (uint32_t nr = 0; !r && nr < functions->nr; nr++) {
		uint32_t users = function_users(functions, &tracers, nr);
		uint32_t sum = function_probes_of(node->root, nr) +
			(uint32_t)__builtin_popcount(users);

		if (!(sum || (is_touched && functions->is_touched[nr])) ||
		    !function_is_there(functions, nr))
			continue;
		print_name(node, nr, out);
		text_printf(out, " (%" PRIu32 ")" NO_LETTERS "\n", sum);
	}
	return r;
}

int enabled_functions_show(struct tracefs_node *node, struct text *out)
{
	return show_users(node, false, out);
}

int touched_functions_show(struct tracefs_node *node, struct text *out)
{
	return show_users(node, true, out);
}

/*
 * Show how many functions there are, and how much memory their list takes.  The kernel
 * prints how many memory pages its list has. ulf computes this number from the
 * addresses of the functions.
 */
int functions_info_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	const struct instance *instance = tracefs_instance(node);
	uint32_t nr = 0, nr_pages = 0, nr_groups = 0;
	int r = functions_refresh_listed(instance);

	for (uint32_t i = 0; !r && i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (!function_object_is_listed(object, instance) || !object->sites.nr)
			continue;
		nr += object->sites.nr;
		nr_pages += (uint32_t)(ABI_PAGE_ALIGN(object->sites.nr * 8ull) / ABI_ALIGN);
		nr_groups++;
	}
	text_printf(out, "%" PRIu32 " pages:%" PRIu32 " groups: %" PRIu32 "\n", nr,
		    nr_pages, nr_groups);
	return r;
}

static const struct {
	const char *file;		/* name of the file */
	const char *empty;		/* text that the file shows if the list is empty */
	bool has_commands;		/* true: the file accepts commands of functions, and
					 * FUNCTIONS:mod:MODULE */
	bool is_graph;			/* true: the list belongs to the function_graph tracer */
} lists[FUNCTION_LISTS] = {
	[FUNCTION_FILTER] = {
		"set_ftrace_filter", "#### all functions enabled ####\n", true, false
	},
	[FUNCTION_NOTRACE] = {
		"set_ftrace_notrace", "#### no functions disabled ####\n", true, false
	},
	[FUNCTION_GRAPH] = {
		"set_graph_function", "#### all functions enabled ####\n", false, true
	},
	[FUNCTION_GRAPH_NOTRACE] = {
		"set_graph_notrace", "#### no functions disabled ####\n", false, true
	},
	[FUNCTION_STACK] = {
		"stack_trace_filter", "#### all functions enabled ####\n", false, false
	},
};

/* Return the list (enum function_list) that belongs to a file, by the file's name. */
static enum function_list list_of(const struct tracefs_def *def)
{
	enum function_list list = 0;

	while (strcmp(def->name, lists[list].file))
		list++;
	return list;
}

int function_list_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	struct instance *instance = tracefs_instance(node);
	enum function_list list = list_of(node->def);
	int r;

	/* Update what the server knows about functions and lists, because objects may
	 * have been loaded or unloaded. */
	if (functions_tick(node->root, FUNCTIONS_LINES_MAX))
		return -ERESTART;
	r = function_shown_prepare(instance);
	if (r)
		return r;
	if (!functions->in_list[list][instance->number])
		text_puts(out, lists[list].empty);
	for (uint32_t nr = 0; nr < functions->nr; nr++) {
		if (!function_is_in(instance, list, nr) ||
		    !function_is_there(functions, nr))
			continue;
		print_name(node, nr, out);
		text_putc(out, '\n');
	}
	function_mods_show(instance, list, out);
	if (list == FUNCTION_FILTER)
		function_probes_show(instance, out);
	return 0;
}

static int publish_list(struct tracefs_file *file)
{
	int r = functions_publish(file->node->root);

	if (!r)
		tracefs_file_apply(file);
	return r;
}

/*
 * Get the current functions of the processes, once for each call of store, truncate or
 * flush.  These methods must call this function before they change anything, because it
 * may return -ERESTART.  Returns 0, -ERESTART or -errno.
 */
static int refresh_functions(struct tracefs_file *file)
{
	int r = file->is_fresh ? 0 : functions_refresh(file->node->root);

	file->is_fresh = !r;
	return r;
}

/*
 * Begin a new, empty list of functions in file->functions.  The next writes change
 * this list.  When the file is flushed, the new list replaces the old one.  So no
 * process ever uses an incomplete list.
 */
static int begin_list(struct tracefs_file *file)
{
	int r = refresh_functions(file);

	if (r)
		return r;
	file->functions = function_set_new(root_functions(file->node->root));
	return file->functions ? 0 : -ENOMEM;
}

/*
 * Select functions for the graph tracer's lists, as functions_select() does.  As in the
 * kernel, there are two differences: these lists do not accept numbers of functions;
 * and the result of a removal is the number of functions that were in the list.
 */
static int select_graph(struct instance *instance, const char *word, bool is_in,
			struct function_set *set)
{
	uint32_t before = set->nr_has;
	int r = isdigit((unsigned char)*word) ? 0 :
		functions_select(instance, word, is_in, set);

	return is_in || r < 0 ? r : (int)(before - set->nr_has);
}

/* Shorten the file name of a module to the module's name: libfoo.so.1 to libfoo. */
static void cut_module(char *module)
{
	module += *module == '!';
	module[symbols_module_len(module)] = '\0';
}

/*
 * Apply the token @word, [!]GLOB[:mod[:[!]MODULE]], to the new list file->functions.
 * @module: the rest of @word from ":mod" on, or NULL
 *
 * If the module is not loaded, the token is stored at once and waits for the module.
 * Returns 0; -EINVAL if @word selects no function; -ERESTART or another -errno.
 */
static int change_list(struct tracefs_file *file, char *word, char *module)
{
	struct instance *instance = tracefs_instance(file->node);
	enum function_list list = list_of(file->def);
	bool is_in = *word != '!';
	int r;

	if (module && module[strlen(":mod")])
		cut_module(module + strlen(":mod:"));
	if (!file->functions) {
		r = begin_list(file);
		if (r)
			return r;
		functions_list_get(instance, list, file->functions);
	}
	r = (lists[list].is_graph ? select_graph : functions_select)(
		instance, word + !is_in, is_in, file->functions);
	if (r)
		return r > 0 ? 0 : r;
	if (!module || !module[strlen(":mod")])
		return -EINVAL;
	*module = '\0';
	return function_mods_store(instance, list, word, module + strlen(":mod:"));
}

/*
 * Add or remove a command for the functions of @globs.  @param: text COMMAND[:PARAM],
 * in which a NUL is stored in place of the colon.  After success the caller must call
 * tracefs_file_apply().
 */
static int store_command(struct tracefs_file *file, const struct probe_globs *globs,
			 char *param)
{
	const char *command = strsep(&param, ":");
	int r = 0;

	if (list_of(file->def) != FUNCTION_FILTER)
		return -EINVAL;
	if (*globs->first != '!')
		r = apply_check(tracefs_instance(file->node), file->def->name);
	if (!r)
		r = refresh_functions(file);
	if (!r)
		r = function_probes_store(tracefs_instance(file->node), globs,
					  command, param);
	return r;
}

/* Return the error for a command in stack_trace_filter.  This file accepts no commands,
 * because the stack tracer has no buffer that a command could change. */
static int refuse_command(char *command)
{
	const char *name = strsep(&command, ":");

	return !strcmp(name, "mod") || trigger_cmd_find(name) ? -ENODEV : -EINVAL;
}

static bool is_mod(const char *colon)
{
	return !strcmp(colon, ":mod") || !strncmp(colon, ":mod:", strlen(":mod:"));
}

/* Apply a complete token to the list or to the commands of @file.  Changes @word: NULs
 * replace its colons. */
static int use_word(struct tracefs_file *file, char *word)
{
	const char *found = function_word_colon(word, strlen(word));
	char *colon = found ? word + (found - word) : NULL;
	enum function_list list = list_of(file->def);
	int r;

	if (colon && list == FUNCTION_STACK)
		return refuse_command(colon + 1);
	if (colon && !lists[list].has_commands)
		return -EINVAL;
	if (!colon || is_mod(colon))
		return change_list(file, word, colon);
	*colon = '\0';
	r = store_command(file, &(struct probe_globs){ word, colon + 1 }, colon + 1);
	if (!r)
		tracefs_file_apply(file);
	return r;
}

/* Return the length of the token that begins with the bytes in file->word, which earlier
 * writes have left, and continues at the start of @buf. */
static size_t whole_len(const struct tracefs_file *file, const char *buf, size_t size)
{
	size_t len = file->word.len;
	struct text all;

	if (!len)
		return function_word_len(buf, size);
	text_init(&all, len + size + 1);
	text_write(&all, file->word.data, len);
	text_write(&all, buf, size);
	if (!all.error)
		len = function_word_len(all.data, all.len);
	text_done(&all);
	return len;
}

/* Return how many bytes of @buf belong to the first token.  An earlier write may have
 * begun this token.  If the result is less than @size, the token ends there: the next
 * byte is a blank or a NUL. */
static size_t word_len(const struct tracefs_file *file, const char *buf, size_t size)
{
	size_t len = whole_len(file, buf, size);

	return len > file->word.len ? len - file->word.len : 0;
}

/* Apply the token in file->word, and then clear file->word.  After -ERESTART file->word
 * keeps the token. */
static int end_word(struct tracefs_file *file)
{
	char copy[TRACEFS_FUNCTION_MAX + 1];
	struct text *word = &file->word;
	int r;

	if (word->error || !word->len)
		return 0;
	memcpy(copy, word->data, word->len);
	copy[word->len] = '\0';
	r = use_word(file, copy);
	if (r != -ERESTART)
		text_reset(word);
	return r;
}

/* Apply the token in file->word.  If it is refused, write the reason to error_log. */
static int end_word_or_log(struct tracefs_file *file)
{
	char *copy = file->word.len ? strdup(text_str(&file->word)) : NULL;
	int r = end_word(file);

	if ((r == -EINVAL || r == -ENODEV) && copy)
		function_word_log(file, copy, r);
	free(copy);
	return r;
}

/*
 * split_word - if file->word turns out to be two tokens, apply the first one
 *
 * C++ names may contain a blank.  After a write that ends with `f(int) con`, the token could
 * become `f(int) const`.  But if the next write @buf begins with `nect`, the token is
 * `f(int)`, and the next token is `connect`.  After -ERESTART nothing was changed.
 */
static int split_word(struct tracefs_file *file, const char *buf, size_t size)
{
	char left[TRACEFS_FUNCTION_MAX + 1], *rest;
	struct text *word = &file->word;
	size_t len = whole_len(file, buf, size), before = word->len;
	int r;

	if (word->error || len >= before)
		return 0;
	memcpy(left, word->data, before);
	left[before] = '\0';
	rest = left + len;
	text_truncate(word, len);
	r = end_word_or_log(file);
	while (r != -ERESTART && isspace((unsigned char)*rest))
		rest++;
	text_puts(word, rest);
	return r;
}

/*
 * Take the first token of @buf, and apply it if it is complete.  As in the kernel, a
 * token at the end of a write continues with the first byte of the next write, even if
 * this byte is a letter.  After a token that was too long, all further writes fail.
 * Returns the number of bytes used, or -errno.  -ERESTART means that nothing was
 * changed.
 */
static ssize_t take_word(struct tracefs_file *file, const char *buf, size_t size)
{
	struct text *word = &file->word;
	size_t start = 0, before, end;
	int r = split_word(file, buf, size);

	if (r)
		return r;
	before = word->len;
	while (!word->len && start < size && isspace((unsigned char)buf[start]))
		start++;
	end = start + word_len(file, buf + start, size - start);
	text_write(word, buf + start, end - start);
	if (word->error)
		return word->error == -E2BIG ? -EINVAL : word->error;
	if (end == size)
		return (ssize_t)size;
	r = end_word_or_log(file);
	if (r == -ERESTART)
		text_truncate(word, before);
	return r ? r : (ssize_t)end + 1;
}

/* Return true if the token of @len bytes at @word can be applied without a slow search.
 * This is so if it is empty, a number, or a [!]NAME that an index finds. */
static bool is_quick(const struct tracefs_file *file, const char *word, size_t len)
{
	size_t is_not = len && *word == '!';

	if (!len)
		return true;
	if (isdigit((unsigned char)word[is_not]))
		return !memchr(word, ':', len);
	return function_written_has(root_functions(file->node->root), word + is_not,
				    len - is_not);
}

/*
 * Take one more token of @buf, if it is complete, quick (is_quick()) and correct.
 * Returns the number of bytes used, including the blank after the token, or 0 if no token
 * was taken.
 */
static size_t take_name(struct tracefs_file *file, const char *buf, size_t size)
{
	struct text *word = &file->word;
	size_t len = word_len(file, buf, size);

	if (len == size || !is_quick(file, buf, len))
		return 0;
	text_write(word, buf, len);
	if (!word->error && !end_word(file))
		return len + 1;
	text_reset(word);
	return 0;
}

/* A series of tokens NAME:COMMAND that have one and the same command. */
struct command_words {
	struct text names;		/* texts NAME of the tokens, each followed by a
					 * NUL */
	const char *command;		/* text ":COMMAND" in the bytes that were written;
					 * NULL if there is no token yet */
	size_t command_len;		/* length of @command */
	uint32_t nr;			/* number of texts in @names */
};

/* Add the token NAME:COMMAND of @len bytes at @word to @words.  Returns false, and adds
 * nothing, if NAME has wildcards or a !, or if COMMAND differs from the command of
 * @words. */
static bool add_command(struct command_words *words, const char *word, size_t len)
{
	const char *colon = function_word_colon(word, len);
	size_t name_len = colon ? (size_t)(colon - word) : 0;

	if (!name_len || *word == '!' || len > TRACEFS_FUNCTION_MAX)
		return false;
	for (size_t i = 0; i < name_len; i++)
		if (strchr(GLOB_WILDCARDS, word[i]))
			return false;
	if (!words->command) {
		words->command = colon;
		words->command_len = len - name_len;
	}
	if (words->command_len != len - name_len ||
	    memcmp(words->command, colon, words->command_len))
		return false;
	text_write(&words->names, word, name_len);
	text_putc(&words->names, '\0');
	words->nr++;
	return true;
}

static int store_commands(struct tracefs_file *file, const struct command_words *words)
{
	char command[TRACEFS_FUNCTION_MAX + 1];
	struct probe_globs globs = {
		words->names.data, words->names.data + words->names.len,
	};

	memcpy(command, words->command, words->command_len);
	command[words->command_len] = '\0';
	return words->names.error || is_mod(command) ? -EINVAL :
	       store_command(file, &globs, command + 1);
}

/* Collect in @words the tokens at the start of @buf that all have one command, but at
 * most @most tokens.  Returns the number of bytes used. */
static size_t find_commands(const char *buf, size_t size, uint32_t most,
			    struct command_words *words)
{
	size_t found = 0, len;

	for (size_t at = 0; at < size && words->nr < most; at += len + 1) {
		len = function_word_len(buf + at, size - at);
		if (at + len == size || (len && !add_command(words, buf + at, len)))
			break;
		found = at + len + 1;
	}
	return found;
}

/*
 * Take the tokens NAME:COMMAND at the start of @buf that all have one command, and
 * apply them together.  If one of the tokens is wrong, or there is no space for all,
 * try the first half of them, then the first quarter, and so on.  Returns the number
 * of bytes used, or -ERESTART.  Returns 0 if there are fewer than two such tokens:
 * then the caller must take tokens one by one.
 */
static ssize_t take_commands(struct tracefs_file *file, const char *buf, size_t size)
{
	uint32_t most = UINT32_MAX;
	ssize_t taken = 0;

	while (!taken && most > 1 && !file->word.len && !file->word.error) {
		struct command_words words = { .command = NULL };
		size_t found;
		int r;

		text_init(&words.names, size + 1);
		found = find_commands(buf, size, most, &words);
		r = words.nr > 1 ? store_commands(file, &words) : -EINVAL;
		if (!r)
			tracefs_file_apply(file);
		if (!r || r == -ERESTART)
			taken = r ? r : (ssize_t)found;
		text_done(&words.names);
		most = words.nr / 2;
	}
	return taken;
}

/* Return true if the write of @buf cannot be handled without the current functions of the
 * processes.  Then the caller must call refresh_functions() before it takes a token. */
static bool needs_refresh(const struct tracefs_file *file, const char *buf, size_t size)
{
	return !file->functions || memchr(buf, ':', size) ||
	       (file->word.len && memchr(file->word.data, ':', file->word.len));
}

/*
 * Handle a write to a list of functions.  The kernel takes only one token of a write,
 * and the writer writes the rest again.  Through FUSE, each such write would transfer
 * the whole rest.  So a write to ulf also takes names after the first token, if the
 * writer cannot notice a difference.  The write stops before a token that is wrong,
 * has a command, or continues in the next write.  The writer begins its next write
 * there.  The write also stops before a token with wildcards: the search for them is
 * slow, and other clients must not wait for many such searches.  Names with the same
 * command are applied together, because each change of commands makes all processes
 * apply new settings.
 */
ssize_t function_list_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	ssize_t taken;
	size_t len;
	int r = needs_refresh(file, buf, size) ? refresh_functions(file) : 0;

	(void)tid;
	if (r)
		return r;
	taken = take_commands(file, buf, size);
	if (!taken)
		taken = take_word(file, buf, size);
	while (taken >= 0 && !file->apply.root &&
	       (len = take_name(file, buf + taken, size - (size_t)taken)))
		taken += (ssize_t)len;
	file->is_fresh = false;
	return taken;
}

int function_list_truncate(struct tracefs_file *file)
{
	int r = begin_list(file);

	file->is_fresh = false;
	return r ? r : function_mods_clear(tracefs_instance(file->node),
					   list_of(file->def));
}

int function_list_flush(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	enum function_list list = list_of(file->def);
	struct function_set *old;
	int r = -ENOMEM;

	if (file->word.len) {
		r = refresh_functions(file);
		if (r == -ERESTART)
			return r;
	}
	/* If the last token is wrong, report this only in error_log, because close() does
	 * not return this error, as in the kernel. */
	r = split_word(file, "\n", 1);
	if (r != -ERESTART)
		r = end_word_or_log(file);
	file->is_fresh = false;
	if (r == -ERESTART)
		return r;
	r = -ENOMEM;
	if (!file->functions)
		return 0;
	old = function_set_new(root_functions(file->node->root));
	if (old) {
		functions_list_get(instance, list, old);
		functions_list_set(instance, list, file->functions);
		r = publish_list(file);
		if (r)
			functions_list_set(instance, list, old);
	}
	function_set_free(old);
	function_set_free(file->functions);
	file->functions = NULL;
	return r;
}

/* ---- methods of max_graph_depth and tracing_thresh ---- */

int graph_depth_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu32 "\n", root_functions(node->root)->graph_depth);
	return 0;
}

ssize_t graph_depth_store(struct tracefs_file *file, const char *buf, size_t size,
			  pid_t tid)
{
	uint32_t *depth = &root_functions(file->node->root)->graph_depth, old = *depth;
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	/* Keep only the low 32 bits of the number, as the kernel does. */
	*depth = (uint32_t)value;
	r = publish_list(file);
	if (r)
		*depth = old;
	return r ? r : (ssize_t)size;
}

int tracing_thresh_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu64 "\n", root_functions(node->root)->thresh_ns / 1000);
	return 0;
}

ssize_t tracing_thresh_store(struct tracefs_file *file, const char *buf, size_t size,
			     pid_t tid)
{
	uint64_t *thresh = &root_functions(file->node->root)->thresh_ns, old = *thresh;
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	*thresh = value * 1000;
	r = publish_list(file);
	if (r)
		*thresh = old;
	else
		latency_set_thresh(file->node->root, value);
	return r ? r : (ssize_t)size;
}
