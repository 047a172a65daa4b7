/* SPDX-License-Identifier: MIT */
/* Make, remove and match event probes. */
#include "server/dynamic/eprobe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hist.h"
#include "base/text.h"
#include "event/format.h"
#include "server/core/error_log.h"
#include "server/core/process.h"
#include "server/core/shm.h"
#include "server/dynamic/dynamic_print.h"
#include "server/dynamic/eprobe_compile.h"
#include "server/dynamic/words.h"

#define PLACE		"event_probe"	/* name in error_log */

/* ---- callbacks for the parser ---- */

/* Data for the callbacks of the parser, each of which gets the address of this struct. */
struct context {
	struct root *root;
	const struct event *target;	/* event that the last call of find_target() has
					 * returned */
};

static const struct event_format *find_target(void *ctx, const char *system, const char *name)
{
	struct context *context = ctx;
	const struct event *event = events_find(context->root, system, name);

	/* Refuse a target that is an event probe itself. */
	if (event && event_is_dynamic(event) &&
	    dynamic_of(context->root, event->row)->kind == &dynamic_eprobe)
		event = NULL;
	context->target = event;
	return event ? event->format : NULL;
}

static int check_filter(void *ctx, const char *filter)
{
	const struct context *context = ctx;

	return eprobe_check_filter(context->root, context->target, filter);
}

static bool has_event(void *ctx, const char *system, const char *name)
{
	const struct context *context = ctx;

	return events_find(context->root, system, name);
}

/* ---- functions that make an event probe ---- */

/* Report the mistake @code in error_log.  The text in error_log is the tokens joined by
 * blanks, and the caret is at column @pos. */
static void report_mistake(struct root *root, const struct words *words,
			   enum eprobe_error_code code, uint32_t pos)
{
	struct text command;

	text_init(&command, DYNAMIC_DEFINITION_MAX);
	for (uint32_t i = 0; i < words->nr; i++)
		text_printf(&command, "%s%s", i ? " " : "", words->word[i]);
	error_log_add(&root->top, PLACE, eprobe_error_text(code), text_str(&command), pos);
	text_done(&command);
}

/* Return true if the processes of the root allow event probes to read any of their
 * memory. */
static bool reads_memory(const struct root *root)
{
	bool is_allowed = true;

	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];

		if (process && process->pidfd >= 0)
			is_allowed &= shm_load(&root->processes[slot].reads_memory) == 1;
	}
	return is_allowed;
}

/* Check that the event probe @eprobe can be compiled for its target @target. */
static int check_compile(struct root *root, const struct words *words,
			 const struct eprobe *eprobe, const struct event *target)
{
	struct eprobe_refusal refusal;
	struct hist_program *program;
	int r = eprobe_compile(eprobe, target->format, 0, reads_memory(root), &program,
			       &refusal);
	uint32_t pos = 0;

	if (!r)
		free(program);
	if (!r || !refusal.code)
		return r;
	for (uint32_t i = 0; i < 2 + refusal.arg; i++)
		pos += (uint32_t)strlen(words->word[i]) + 1;
	report_mistake(root, words, refusal.code, pos);
	return r;
}

static int make_event(struct root *root, const struct words *words)
{
	struct context context = { .root = root };
	const struct eprobe_env env = {
		.ctx = &context, .find_target = find_target, .check_filter = check_filter,
		.has_event = has_event,
	};
	struct eprobe_errors errors;
	struct eprobe *eprobe;
	int r = eprobe_parse(words, &env, &eprobe, &errors);

	for (uint32_t i = 0; i < errors.nr; i++)
		report_mistake(root, words, errors.errors[i].code, errors.errors[i].pos);
	if (r)
		return r;
	r = check_compile(root, words, eprobe, context.target);
	if (!r)
		r = dynamic_add(root, &dynamic_eprobe, eprobe);
	if (r)
		eprobe_free(eprobe);
	return r;
}

/* Method create: handle the command "e[:[GROUP/][NAME]] SYSTEM.EVENT ...". */
static int create_eprobe(struct root *root, const char *command)
{
	struct words words;
	int r = words_split(command, strlen(command), &words);

	if (r)
		return r;
	r = make_event(root, &words);
	words_free(&words);
	return r;
}

/* ---- the other methods of the kind of event probes ---- */

static int load_eprobe(const char *definition, void **ret_def)
{
	struct eprobe_errors errors;
	struct eprobe *eprobe;
	struct words words;
	int r = words_split(definition, strlen(definition), &words);

	if (r)
		return r;
	r = eprobe_parse(&words, NULL, &eprobe, &errors);
	words_free(&words);
	if (!r)
		*ret_def = eprobe;
	return r;
}

static void show_eprobe(const void *def, struct text *out)
{
	eprobe_show(def, out);
}

static void define_eprobe(const void *def, struct text *out)
{
	const struct eprobe *eprobe = def;

	eprobe_show(eprobe, out);
	if (eprobe->filter)
		text_printf(out, " if %s", eprobe->filter);
}

static struct event_format *format_eprobe(const void *def, uint32_t id)
{
	return eprobe_format(def, id);
}

/* Return true if @word is "SYSTEM/EVENT" or "SYSTEM.EVENT" and names the target of
 * @eprobe. */
static bool is_target(const struct eprobe *eprobe, const char *word)
{
	const char *slash = strchr(word, '/');
	size_t len = strlen(eprobe->system);

	if (!slash)
		slash = strchr(word, '.');
	return slash && (size_t)(slash - word) == len && !strncmp(word, eprobe->system, len) &&
	       !strcmp(slash + 1, eprobe->event);
}

/* Return true if @word is "NAME=BODY" and describes the argument @arg. */
static bool is_arg(const struct eprobe_arg *arg, const char *word)
{
	size_t len = strlen(arg->name);

	return !strncmp(word, arg->name, len) && word[len] == '=' &&
	       !strcmp(word + len + 1, arg->body);
}

static bool is_match(const struct event_format *of, const void *def, const char *system,
		     const char *name, const struct words *arguments)
{
	const struct eprobe *eprobe = def;

	if ((system && strcmp(of->system, system)) || (*name && strcmp(of->name, name)))
		return false;
	if (!arguments->nr)
		return true;
	if (!is_target(eprobe, arguments->word[0]) || arguments->nr - 1 > eprobe->nr_args)
		return false;
	for (uint32_t i = 1; i < arguments->nr; i++)
		if (!is_arg(&eprobe->args[i - 1], arguments->word[i]))
			return false;
	return true;
}

/* Method link: if the target of the event probe is a dynamic event, count the probe in
 * the target's nr_probes, so that the target cannot be removed before the probe. */
static void link_target(struct root *root, struct dynamic_event *event)
{
	const struct eprobe *eprobe = event->def;
	const struct event *target = events_find_any(root, eprobe->system, eprobe->event);

	if (!target || !event_is_dynamic(target))
		return;
	event->has_target = true;
	event->target_row = target->row;
	dynamic_of(root, target->row)->nr_probes++;
}

static int unlink_target(struct root *root, struct dynamic_event *event)
{
	int r = eprobe_detach_all(root, dynamic_row_of(root, event));

	if (!r && event->has_target)
		dynamic_of(root, event->target_row)->nr_probes--;
	return r;
}

static void free_def(void *def)
{
	eprobe_free(def);
}

const struct dynamic_kind dynamic_eprobe = {
	.letter = 'e',
	.create = create_eprobe,
	.load = load_eprobe,
	.define = define_eprobe,
	.show = show_eprobe,
	.format = format_eprobe,
	.print = eprobe_print,
	.settle = eprobe_settle,
	.link = link_target,
	.unlink = unlink_target,
	.is_match = is_match,
	.free = free_def,
};
