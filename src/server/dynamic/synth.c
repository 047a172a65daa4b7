/* SPDX-License-Identifier: MIT */
/* Make, remove and list synthetic events. */
#include "server/dynamic/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "server/core/error_log.h"
#include "server/dynamic/dynamic_print.h"
#include "server/dynamic/synth_parse.h"
#include "server/dynamic/words.h"

/* Report a mistake in @command, which defines a synthetic event, and return @errnum. */
static int fail_synth(struct root *root, const char *command, enum synth_error_code code,
		uint32_t pos, int errnum)
{
	error_log_add(&root->top, "synthetic_events", synth_error_text(code), command, pos);
	return errnum;
}

static struct dynamic_event *find_synth(const struct root *root, const char *name)
{
	return dynamic_find(root, &dynamic_synth, SYNTH_SYSTEM, name);
}

const struct event *synth_find(const struct root *root, const char *name)
{
	const struct dynamic_event *event = find_synth(root, name);

	return event ? dynamic_row_of(root, event) : NULL;
}

/* Make the synthetic event @name with the fields @fields.  @command: the whole command,
 * for error_log. */
static int make_event(struct root *root, const char *command, const char *name,
		      const char *fields)
{
	struct synth_error error;
	struct synth *synth;
	int r;

	if (!*name)
		return fail_synth(root, command, SYNTH_ERR_INVALID_CMD, 0, -EINVAL);
	if (!word_is_name(name))
		return fail_synth(root, command, SYNTH_ERR_BAD_NAME, word_column(command, name),
				  -EINVAL);
	if (events_find(root, SYNTH_SYSTEM, name))
		return fail_synth(root, command, SYNTH_ERR_EVENT_EXISTS, word_column(command, name),
				  -EEXIST);
	r = synth_parse(command, name, fields, &synth, &error);
	if (r)
		return error.code ? fail_synth(root, command, error.code, error.pos, r) : r;
	r = dynamic_add(root, &dynamic_synth, synth);
	if (r)
		synth_free(synth);
	return r;
}

/* Return true if @text, up to the first semicolon, has a name, a type and a field. */
static bool has_field(const char *text)
{
	struct words words;
	bool has_three;

	if (words_split(text, strcspn(text, ";"), &words))
		return false;
	has_three = words.nr >= 3;
	words_free(&words);
	return has_three;
}

/* Return a copy of the name that ends at the first blank or tab of @text, and set *@ret_rest
 * to the text after the name.  Returns NULL if there is no memory. */
static char *take_name(const char *text, const char **ret_rest)
{
	size_t len = strcspn(text, " \t");

	*ret_rest = word_skip_spaces(text + len);
	return strndup(text, len);
}

static int remove_event(struct root *root, const char *name)
{
	struct dynamic_event *event = find_synth(root, name);

	return event ? dynamic_remove(root, event) : -ENOENT;
}

int synth_command(struct root *root, const char *line)
{
	const char *command = word_skip_spaces(line), *fields;
	char *name;
	int r;

	if (!*command)
		return 0;
	if (*command != '!' && (!has_field(command) || !strpbrk(command, " \t")))
		return fail_synth(root, command, SYNTH_ERR_INVALID_CMD, 0, -EINVAL);
	name = take_name(command, &fields);
	if (!name)
		return -ENOMEM;
	r = *name == '!' ? remove_event(root, name + 1) :
	    make_event(root, command, name, fields);
	free(name);
	return r;
}

void synth_list(const struct root *root, struct text *out)
{
	const struct dynamic_event *event;

	TAILQ_FOREACH(event, &root_dynamic(root)->list, link) {
		if (event->kind != &dynamic_synth)
			continue;
		synth_show(event->def, out);
		text_putc(out, '\n');
	}
}

/* ---- methods of the kind of synthetic events ---- */

/* Method create: handle the command "s:[synthetic/]NAME FIELDS". */
static int create_synth(struct root *root, const char *line)
{
	const char *command = word_skip_spaces(line), *start = command + 2, *fields;
	char *name;
	int r;

	if (!*command)
		return 0;
	if (strncmp(command, "s:", 2))
		return -ECANCELED;
	if (!strpbrk(command, " \t"))
		return fail_synth(root, command, SYNTH_ERR_INVALID_CMD, 0, -EINVAL);
	if (strchr(start, '/')) {
		if (strncmp(start, SYNTH_SYSTEM "/", strlen(SYNTH_SYSTEM "/")))
			return fail_synth(root, command, SYNTH_ERR_INVALID_DYN_CMD, 0, -EINVAL);
		start += strlen(SYNTH_SYSTEM "/");
	}
	if (*start != '!' && !has_field(start))
		return fail_synth(root, command, SYNTH_ERR_INVALID_CMD, 0, -EINVAL);
	name = take_name(start, &fields);
	if (!name)
		return -ENOMEM;
	r = make_event(root, command, name, fields);
	free(name);
	return r;
}

static void define_synth(const void *def, struct text *out)
{
	text_puts(out, "s:" SYNTH_SYSTEM "/");
	synth_show(def, out);
}

static int load_synth(const char *definition, void **ret_def)
{
	static const char start[] = "s:" SYNTH_SYSTEM "/";
	struct synth_error error;
	struct synth *synth;
	const char *fields;
	char *name;
	int r;

	if (strncmp(definition, start, strlen(start)))
		return -EINVAL;
	definition += strlen(start);
	name = take_name(definition, &fields);
	if (!name)
		return -ENOMEM;
	r = word_is_name(name) ? synth_parse(definition, name, fields, &synth, &error) :
	    -EINVAL;
	free(name);
	if (!r)
		*ret_def = synth;
	return r;
}

static struct event_format *format_synth(const void *def, uint32_t id)
{
	return synth_format(def, id);
}

static bool is_match(const struct event_format *of, const void *def, const char *system,
		     const char *name, const struct words *arguments)
{
	(void)def;
	(void)arguments;
	return !strcmp(of->name, name) && (!system || !strcmp(of->system, system));
}

static void free_def(void *def)
{
	synth_free(def);
}

const struct dynamic_kind dynamic_synth = {
	.letter = 's',
	.create = create_synth,
	.load = load_synth,
	.define = define_synth,
	.show = define_synth,
	.format = format_synth,
	.print = synth_print,
	.is_match = is_match,
	.free = free_def,
};
