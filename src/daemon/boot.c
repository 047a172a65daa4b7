/* SPDX-License-Identifier: MIT */
/*
 * Apply boot settings (event/boot.h).  The first server that finds a root applies
 * them, once in the root's life.  The server writes them to the files of the tree, so
 * each setting gets the checks of its file.  Mistakes are reported in error_log,
 * because no writer waits for an error.  A setting with a mistake is not applied at
 * all.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/boot.h"
#include "event/boot.h"
#include "event/format.h"
#include "event/option.h"
#include "server/core/apply.h"
#include "server/core/beat.h"
#include "server/core/budget.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_need.h"
#include "server/functions/functions.h"
#include "server/rings/rings.h"
#include "server/names/symbols.h"
#include "server/rings/options.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/print_triggers.h"
#include "symbols/function_name.h"
#include "tracefs/tracefs.h"

#define PATH_BYTES	1024u		/* maximum length of the path of a tracefs file,
					 * bytes */

static void log_error(struct root *root, const char *error,
		      const struct boot_token *word, const char *at)
{
	char command[ABI_BOOT_BYTES];

	memcpy(command, word->text, word->len);
	command[word->len] = '\0';
	error_log_add(&root->top, "boot", error, command,
		      (uint32_t)(at - word->text));
}

/* Write @value to the tracefs file @path of @root, as echo does.  Returns 0 or the -errno
 * of the write. */
static int write_path(struct root *root, const char *path,
		      const struct boot_token *value)
{
	struct tracefs_node *node;
	struct tracefs_file *file;
	size_t taken;
	ssize_t n;
	int r = tracefs_walk(root->server, path, &node);

	if (r)
		return r;
	r = tracefs_open(node, O_WRONLY | O_APPEND, &file);
	tracefs_node_put(node);
	if (r)
		return r;
	n = tracefs_write(file, value->text, value->len, getpid(), &taken);
	tracefs_close(file);
	/* -EINPROGRESS means that processes have not applied the setting yet.  This counts as
	 * success, because they apply the setting before the program continues. */
	return n < 0 && n != -EINPROGRESS ? (int)n : 0;
}

static int write_file(struct instance *instance, const char *name,
		      const struct boot_token *value)
{
	struct root *root = instance->root;
	char path[PATH_BYTES];

	if (instance->name)
		snprintf(path, sizeof(path), "%s/instances/%s/%s", root->name,
			 instance->name, name);
	else
		snprintf(path, sizeof(path), "%s/%s", root->name, name);
	return write_path(root, path, value);
}

static int set_size(struct instance *instance, const struct boot_token *value)
{
	struct boot_token kb;
	char text[32];
	uint64_t bytes;
	int r = boot_size(value, &bytes);

	if (r)
		return r;
	kb.text = text;
	kb.len = (size_t)snprintf(text, sizeof(text), "%" PRIu64,
				  bytes / 1024 + !!(bytes % 1024));
	return write_file(instance, "buffer_size_kb", &kb);
}

/* Set one option of an instance.  The file trace_options accepts the options of a tracer
 * only while that tracer is set, but the files options/NAME always accept them. */
static int set_option(struct instance *instance, const struct boot_token *item)
{
	bool is_off = !strncmp(item->text, "no", 2);
	const struct option_row *row;
	char file[PATH_BYTES];

	snprintf(file, sizeof(file), "options/%.*s", (int)item->len - 2 * is_off,
		 item->text + 2 * is_off);
	row = option_find(file + strlen("options/"));
	if (!row || row->tracer == TRACER_NOP)
		return write_file(instance, "trace_options", item);
	return write_file(instance, file,
			  &(struct boot_token){ is_off ? "0" : "1", 1 });
}

static int set_options(struct instance *instance, struct boot_token list)
{
	struct boot_token item;
	int r = 0;

	while (!r && boot_item(&list, &item))
		r = set_option(instance, &item);
	return r;
}

/* Get the next item of a list of functions. boot_item() is not used, because it would split names
 * of functions that contain commas. */
static bool next_function(struct boot_token *list, struct boot_token *ret_item)
{
	do {
		size_t len = list->len ? function_item_len(list->text, list->len) : 0;

		if (!list->len)
			return false;
		*ret_item = (struct boot_token){ list->text, len };
		len += len < list->len;
		list->text += len;
		list->len -= len;
	} while (!ret_item->len);
	return true;
}

static int find_function(struct root *root, const struct boot_token *item,
			 struct function_set *set);

/* Return true if the function that @item names exists, or if it is not known whether it
 * exists. */
static bool is_known(struct root *root, const struct boot_token *item)
{
	struct function_set *set = function_set_new(root_functions(root));
	int nr = set ? find_function(root, item, set) : -ENOMEM;

	function_set_free(set);
	return nr;
}

/* Return true if @item is a command of a function: NAME:COMMAND. */
static bool is_command(const struct boot_token *item)
{
	const char *colon = function_word_colon(item->text, item->len);

	return colon && strncmp(colon, ":mod", strlen(":mod"));
}

/*
 * Get the next item of @list.  For a followed program, which possibly lacks some of the
 * functions, skip items that name no existing function.  If all functions of a filter were
 * skipped, set traces_none, so that nothing is traced.
 */
static bool next_known(struct root *root, const struct boot_word *word, struct boot_token *list,
		       struct boot_token *ret_item)
{
	bool is_first = list->text == word->value.text, has_names = false;

	while (next_function(list, ret_item)) {
		if (!root_boot(root)->is_followed || is_known(root, ret_item))
			return true;
		has_names |= !is_command(ret_item) && *ret_item->text != '!';
	}
	if (is_first && has_names && word->id != BOOT_NOTRACE && word->id != BOOT_GRAPH_NOTRACE)
		root_boot(root)->traces_none = true;
	return false;
}

static_assert(BOOT_UNKNOWN < 32, "root_boot.refused has a bit for each id");

/* Remember whether the file of @word has accepted @item, which limits a tracer unless it is a
 * command or removes a function. */
static void note_function(struct root *root, const struct boot_word *word,
			  const struct boot_token *item, bool is_accepted)
{
	struct root_boot *boot = root_boot(root);

	if (is_command(item) || *item->text == '!')
		return;
	if (is_accepted)
		boot->accepted |= 1u << word->id;
	else
		boot->refused |= 1u << word->id;
}

/*
 * Write the functions of a setting to @file, one by one.  As in the kernel, a function that
 * does not exist is reported, and the others are still set.  Returns true if all functions
 * were set.
 */
static bool set_functions(struct root *root, const char *file,
			  const struct boot_word *word)
{
	struct boot_token list = word->value, item;
	char line[ABI_BOOT_BYTES + 1];
	bool are_all = true;
	int r;

	while (list.text && next_known(root, word, &list, &item)) {
		struct boot_token whole = { line, item.len + 1 };

		/* Append a newline.  Without the newline, the file would wait for more
		 * text and would not report a mistake. */
		memcpy(line, item.text, item.len);
		line[whole.len - 1] = '\n';
		r = write_file(&root->top, file, &whole);
		if (r)
			log_error(root, strerrordesc_np(-r), &word->whole, item.text);
		note_function(root, word, &item, !r);
		are_all &= !r;
	}
	return are_all;
}

/* Apply trace_buf_size or trace_options to all instances, because these settings are not
 * only for the top instance, as in the kernel. */
static int set_all(struct root *root, const struct boot_word *word)
{
	struct instance *instance;
	int r = 0;

	for_each_instance(instance, root)
		if (!r)
			r = word->id == BOOT_BUF_SIZE ?
			    set_size(instance, &word->value) :
			    set_options(instance, word->value);
	return r;
}

/* Return the instance that a setting trace_instance names, or NULL if this instance does
 * not exist.  *@ret_boot is set to the parsed setting. */
static struct instance *find_instance(struct root *root, const struct boot_word *word,
				      struct boot_instance *ret_boot)
{
	struct instance *instance;
	const char *at;

	if (boot_instance(&word->value, ret_boot, &at))
		return NULL;
	for_each_instance(instance, root)
		if (instance->name && boot_token_is(&ret_boot->name, instance->name))
			return instance;
	return NULL;
}

static int set_instance(struct root *root, const struct boot_word *word)
{
	struct boot_instance boot;
	struct instance *instance = find_instance(root, word, &boot);

	if (!instance)
		return -ENOMEM;
	return boot.is_off ?
	       write_file(instance, "tracing_on", &(struct boot_token){ "0", 1 }) : 0;
}

static const char *const list_files[BOOT_UNKNOWN] = {
	[BOOT_FILTER] = "set_ftrace_filter",
	[BOOT_NOTRACE] = "set_ftrace_notrace",
	[BOOT_GRAPH_FILTER] = "set_graph_function",
	[BOOT_GRAPH_NOTRACE] = "set_graph_notrace",
	[BOOT_STACK_FILTER] = "stack_trace_filter",
};

/* Return true if the root has the instance from which `ulf run` prints records for the
 * setting tp_printk. */
static bool has_console(const struct root *root)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		if (instance->name &&
		    !strcmp(instance->name, boot_table[BOOT_TP_PRINTK].name))
			return true;
	return false;
}

static int set_word(struct root *root, const struct boot_word *word)
{
	bool are_all = !list_files[word->id] ||
		       set_functions(root, list_files[word->id], word);

	switch (word->id) {
	case BOOT_BUF_SIZE:
	case BOOT_OPTIONS:
		return set_all(root, word);
	case BOOT_CLOCK:
		return write_file(&root->top, "trace_clock", &word->value);
	case BOOT_GRAPH_DEPTH:
		return write_file(&root->top, "max_graph_depth", &word->value);
	case BOOT_INSTANCE:
		return set_instance(root, word);
	case BOOT_STACK:
	case BOOT_STACK_FILTER:	/* both settings, stacktrace and stack_trace_filter, turn
				 * the stack tracer on, as in the kernel */
		return are_all && !root_boot(root)->traces_none ?
		       write_file(&root->top, "stack_tracer_enabled",
				  &(struct boot_token){ "1", 1 }) : 0;
	case BOOT_TP_PRINTK:	/* tp_printk: nothing to set, because `ulf run` prints the
				 * records to its terminal */
		return has_console(root) ? 0 : -EOPNOTSUPP;
	default:
		return 0;
	}
}

/* Make the rings of @instance, unless it has some. */
static int make_rings(struct instance *instance)
{
	struct apply apply;
	int r;

	if (instance_has_rings(instance))
		return 0;
	r = instance_need_rings(instance);
	if (!r)
		apply_start(instance->root, &apply);
	return r;
}

/* Return true if the user has limited the tracer @tracer to functions, and none of them was
 * accepted.  The tracer would trace all functions then. */
static bool has_lost_limit(const struct root *root, const struct boot_token *tracer)
{
	const struct root_boot *boot = root_boot(root);
	uint32_t limits = 1u << BOOT_FILTER;

	if (boot_token_is(tracer, "nop"))
		return false;
	if (boot_token_is(tracer, "function_graph"))
		limits |= 1u << BOOT_GRAPH_FILTER;
	return boot->refused & ~boot->accepted & limits;
}

/*
 * Set the tracer.  In contrast to the kernel, a tracer whose limit was refused is not set: the
 * user would get records of all functions instead of few.  The rings are still made, because a
 * root without rings is removed when its program ends, and with it error_log.
 */
static int begin_tracer(struct root *root, const struct boot_word *word)
{
	if (root_boot(root)->traces_none)
		return 0;
	if (!has_lost_limit(root, &word->value))
		return write_file(&root->top, "current_tracer", &word->value);
	log_error(root, "Not set, so it records nothing: none of the functions to which it is "
		  "limited exists", &word->whole, word->value.text);
	return make_rings(&root->top);
}

/*
 * Start recording, after set_word() has set all sizes and filters: make the rings, also
 * those of the snapshot, and set the tracer.  The program itself enables its events when
 * it registers them.
 */
static int begin_word(struct root *root, const struct boot_word *word)
{
	struct instance *instance = NULL;
	struct boot_instance boot;
	struct apply apply;
	int r;

	if (word->id == BOOT_TRACER)
		return begin_tracer(root, word);
	if (word->id == BOOT_SNAPSHOT)
		return write_file(&root->top, "snapshot",
				  &(struct boot_token){ "1", 1 });
	if (word->id == BOOT_USDT)	/* set only the option: the method prepare() of the
					 * part USDT is called next and acts on it */
		instance_set_option(&root->top, OPTION_USDT, true);
	if (word->id == BOOT_SYSCALLS) {
		r = functions_publish(root);
		if (!r)
			apply_start(root, &apply);
		return r;
	}
	if (word->id == BOOT_EVENT)
		instance = &root->top;
	else if (word->id == BOOT_INSTANCE)
		instance = find_instance(root, word, &boot);
	if (!instance || (instance->name && !boot.events.len))
		return 0;
	return make_rings(instance);
}

static void apply_words(struct root *root, const char *words, bool is_first,
			int (*apply)(struct root *root, const struct boot_word *word))
{
	struct boot_word word;
	const char *error, *at;
	int r;

	while (boot_next(&words, &word)) {
		error = boot_check(&word, &at);
		if (error) {
			if (is_first)
				log_error(root, error, &word.whole, at);
			continue;
		}
		beat();
		r = apply(root, &word);
		if (r)
			log_error(root, strerrordesc_np(-r), &word.whole,
				  word.value.text ? word.value.text :
						    word.whole.text);
	}
}

static void copy_words(const struct root *root, char words[ABI_BOOT_BYTES])
{
	memcpy(words, root->control->boot, ABI_BOOT_BYTES);
	words[ABI_BOOT_BYTES - 1] = '\0';
}

/* ---- functions that set the triggers and filters of events that exist ---- */

static void set_trigger(struct root *root, const struct event *event,
			const struct boot_token *item)
{
	struct boot_trigger trigger;
	char path[PATH_BYTES];
	int r;

	if (!boot_trigger(item, &trigger) ||
	    !boot_trigger_fits(&trigger, event->format->system, event->format->name))
		return;
	if (snprintf(path, sizeof(path), "%s/events/%s/%s/trigger", root->name,
		     event->format->system, event->format->name) >= (int)sizeof(path))
		return;
	r = write_path(root, path, &trigger.command);
	if (r)
		log_error(root, strerrordesc_np(-r), item, trigger.command.text);
}

static void set_triggers(struct root *root, const struct event *event,
			 const char *words)
{
	struct boot_token item;
	struct boot_word word;

	while (boot_next(&words, &word))
		while (word.id == BOOT_TRIGGER && boot_item(&word.value, &item))
			set_trigger(root, event, &item);
}

static void set_filter(struct root *root, const struct event *event, const struct boot_word *word)
{
	struct boot_filter filter;
	char path[PATH_BYTES];
	int r;

	if (!boot_filter(&word->value, &filter) ||
	    !boot_list_fits(filter.events, event->format->system, event->format->name))
		return;
	if (snprintf(path, sizeof(path), "%s/events/%s/%s/filter", root->name,
		     event->format->system, event->format->name) >= (int)sizeof(path))
		return;
	r = write_path(root, path, &filter.filter);
	if (r)
		log_error(root, strerrordesc_np(-r), &word->whole, filter.filter.text);
}

/* Set the boot filter of an event.  If several settings name the event, the last one is in
 * force. */
static void set_filters(struct root *root, const struct event *event, const char *words)
{
	struct boot_word word;

	while (boot_next(&words, &word))
		if (word.id == BOOT_EVENT_FILTER && word.value.text)
			set_filter(root, event, &word);
}

/* Return true if the boot settings @words contain a trigger or a filter. */
static bool has_rules(const char *words)
{
	return boot_has(words, BOOT_TRIGGER) || boot_has(words, BOOT_EVENT_FILTER);
}

/*
 * Return true if an older event with the name of @event has got its boot triggers and filter.
 * The new event then inherits the current triggers and filter of the older one
 * (rules_refresh()), and needs none from the boot settings.
 */
static bool is_heir(const struct root *root, const struct event *event)
{
	while ((event = event_elder(root, event)))
		if (event->is_booted)
			return true;
	return false;
}

static void boot_event(struct root *root, struct event *event, const char *words)
{
	if (!event || !event->is_visible || is_heir(root, event))
		return;
	event->is_booted = true;
	set_filters(root, event, words);
	set_triggers(root, event, words);
}

/* Return true if one of the boot settings @words names functions or traces all
 * functions. */
static bool has_functions(const char *words)
{
	static const enum boot_id ids[] = {
		BOOT_FILTER, BOOT_NOTRACE, BOOT_GRAPH_FILTER, BOOT_GRAPH_NOTRACE,
		BOOT_STACK, BOOT_STACK_FILTER, BOOT_TRACER, BOOT_SYSCALLS,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (boot_has(words, ids[i]))
			return true;
	return false;
}

static bool is_option(const struct boot_token *item, uint64_t bit)
{
	for (size_t i = 0; i < option_table_rows; i++)
		if (option_table[i].bit == bit)
			return boot_token_is(item, option_table[i].name);
	return false;
}

/* Return true if the boot settings @words turn the option all-objects on. */
static bool has_all_objects(const char *words)
{
	struct boot_token item;
	struct boot_word word;

	while (boot_next(&words, &word))
		while (word.id == BOOT_OPTIONS && boot_item(&word.value, &item))
			if (is_option(&item, OPTION_ALL_OBJECTS))
				return true;
	return false;
}

/* Find the objects whose functions the boot settings @words may trace. */
static int find_objects(struct root *root, const char *words)
{
	return has_all_objects(words) ? functions_refresh_all(root) : functions_refresh(root);
}

/*
 * Find the functions that @item names; @item has the form [!]NAME[:COMMAND].  Returns
 * -ERESTART if the caller must try again later, because names are still being
 * demangled or searched.
 */
static int find_function(struct root *root, const struct boot_token *item,
			 struct function_set *set)
{
	const char *colon = function_word_colon(item->text, item->len);
	bool is_not = *item->text == '!';
	char name[ABI_BOOT_BYTES + 1];
	size_t len = item->len;

	if (colon && strncmp(colon, ":mod", strlen(":mod")))
		len = (size_t)(colon - item->text);
	memcpy(name, item->text, len);
	name[len] = '\0';
	return functions_select(&root->top, name + is_not, true, set);
}

static int find_functions(struct root *root, const char *words)
{
	struct function_set *set = function_set_new(root_functions(root));
	struct boot_token item;
	struct boot_word word;
	int r = 0;

	while (set && r != -ERESTART && boot_next(&words, &word)) {
		enum boot_id id = word.id;

		if (id == BOOT_UNKNOWN || !list_files[id] || !word.value.text)
			continue;
		while (r != -ERESTART && next_function(&word.value, &item))
			r = find_function(root, &item, set);
	}
	function_set_free(set);
	return r == -ERESTART ? r : 0;
}

/* Search for the functions that are named by trace_filter and by filters in trace_trigger.
 * Returns 0, or -ERESTART if the caller must call again later. */
static int find_filtered(struct root *root, const char *words)
{
	struct boot_token item;
	struct boot_word word;
	int r = 0;

	symbols_functions_begin(root);
	while (r != -ERESTART && boot_next(&words, &word)) {
		if (word.id == BOOT_EVENT_FILTER && word.value.text)
			r = filters_parse_more(root, word.value.text, word.value.len);
		while (word.id == BOOT_TRIGGER && r != -ERESTART && boot_item(&word.value, &item))
			r = filters_parse_more(root, item.text, item.len);
	}
	return r == -ERESTART ? r : 0;
}

static int boot_apply(struct root *root)
{
	struct abi_control *control = root->control;
	uint32_t state = shm_load(&control->boot_state);	/* [boot.state] */
	char words[ABI_BOOT_BYTES];

	if (state == ABI_BOOT_DONE || state == ABI_BOOT_LATER)
		return 0;
	/* Apply the boot settings only once per root.  Without this check, a program that
	 * writes boot_state in shared memory again and again could keep the server busy. */
	if (root_boot(root)->is_applied) {
		shm_store(&control->boot_state, ABI_BOOT_DONE);
		return 0;
	}
	copy_words(root, words);
	if ((has_functions(words) && (find_objects(root, words) == -ERESTART ||
				      find_functions(root, words))) ||
	    find_filtered(root, words))
		return -ERESTART;
	root_boot(root)->is_applied = true;
	root_boot(root)->is_followed = boot_has(words, BOOT_FOLLOW);
	if (state == ABI_BOOT_TOO_LONG)
		error_log_add(&root->top, "boot", "Too long: none of it is in force",
			      "ULF_TRACE and ulf.conf", 0);
	if (state == ABI_BOOT_NO_CONFIG)
		error_log_add(&root->top, "boot", "The file cannot be read",
			      "ULF_CONFIG", 0);
	apply_words(root, words, true, set_word);
	apply_words(root, words, false, begin_word);
	set_triggers(root, &print_event, words);
	shm_store(&control->boot_state, ABI_BOOT_DONE);
	return 0;
}

int boot_init(struct root *root)
{
	struct root_boot *boot = root_boot(root);
	struct events *events = root_events(root);

	if (shm_load(&root->control->boot_state) != ABI_BOOT_DONE)
		return 0;
	for (; boot->nr_rows < events->nr; boot->nr_rows++)
		if (events->rows[boot->nr_rows])
			events->rows[boot->nr_rows]->is_booted = true;
	return 0;
}

static int apply_new_events(struct root *root)
{
	struct root_boot *boot = root_boot(root);
	struct events *events = root_events(root);
	char words[ABI_BOOT_BYTES];
	uint32_t row = boot->nr_rows;

	if (events_refresh(root) || row == events->nr)
		return 0;
	copy_words(root, words);
	if (find_filtered(root, words))
		return -ERESTART;
	if (!has_rules(words)) {
		boot->nr_rows = events->nr;
		return 0;
	}
	budget_start(&boot->budget);
	for (; row < events->nr && !budget_is_spent(&boot->budget); row++)
		boot_event(root, events->rows[row], words);
	boot->nr_rows = row;
	budget_stop(&boot->budget);
	return 0;
}

int boot_prepare(struct root *root)
{
	int r = boot_apply(root);

	return r ? r : apply_new_events(root);
}

void boot_tick(struct root *root)
{
	apply_new_events(root);
}

void boot_done(struct root *root)
{
	root_boot(root)->nr_rows = 0;
}
