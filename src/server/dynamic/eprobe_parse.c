/* SPDX-License-Identifier: MIT */
/*
 * Parse the definition of an event probe: its names, its target and its filter.  The
 * order of the checks is that of the kernel, because if there are several mistakes, the
 * order decides which of them is reported.
 */
#include "server/dynamic/eprobe_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "server/dynamic/eprobe_impl.h"

#define TEXT_MAX	(1u << 16)	/* limit of the length of a text that the parser
					 * makes, bytes */

const char *eprobe_error_text(enum eprobe_error_code code)
{
	static const char *const texts[EPROBE_NR_ERRORS] = {
#define X(code, text) [EPROBE_ERR_##code] = text,
		EPROBE_ERRORS(X)
#undef X
	};

	return texts[code];
}

int eprobe_fail(struct eprobe_parser *p, enum eprobe_error_code code, uint32_t offset,
		int errnum)
{
	uint32_t pos = 0, max = sizeof(p->errors->errors) / sizeof(p->errors->errors[0]);

	/* Compute the column as if the tokens were joined by one blank.  If @p->index is
	 * after the last token, ignore @offset. */
	for (uint32_t i = 0; i < p->index && i < p->words->nr; i++)
		pos += (uint32_t)strlen(p->words->word[i]) + 1;
	if (p->index < p->words->nr)
		pos += offset;
	if (p->errors->nr < max)
		p->errors->errors[p->errors->nr++] = (struct eprobe_error){ code, pos };
	return errnum;
}

/* ---- names ---- */

/* Return true if @name is a valid name of a group; unlike other names it may contain
 * hyphens. */
static bool is_group(const char *name)
{
	char copy[EPROBE_NAME_BYTES];

	strcpy(copy, name);
	for (char *at = copy; *at; at++)
		if (*at == '-' && at > copy)
			*at = '_';
	return word_is_name(copy);
}

/*
 * Parse "[GROUP/]NAME", with a slash or a dot.
 * @text: the names, @offset characters after the start of the token
 * @ret_group: the group; not set if there is none
 * @ret_name: the name, a part of @text; NULL if the text is only "GROUP/"
 */
static int parse_names(struct eprobe_parser *p, const char *text, uint32_t offset,
		       char ret_group[EPROBE_NAME_BYTES], const char **ret_name)
{
	const char *slash = strchr(text, '/');
	size_t len;

	if (!slash)
		slash = strchr(text, '.');
	if (slash) {
		len = (size_t)(slash - text);
		if (!len)
			return eprobe_fail(p, EPROBE_ERR_NO_GROUP_NAME, offset, -EINVAL);
		if (len >= EPROBE_NAME_BYTES)
			return eprobe_fail(p, EPROBE_ERR_GROUP_TOO_LONG, offset, -EINVAL);
		memcpy(ret_group, text, len);
		ret_group[len] = '\0';
		if (!is_group(ret_group))
			return eprobe_fail(p, EPROBE_ERR_BAD_GROUP_NAME, offset, -EINVAL);
		text = slash + 1;
		offset += (uint32_t)len + 1;
	}
	*ret_name = *text || !slash ? text : NULL;
	if (!*ret_name)
		return 0;
	if (!*text)
		return eprobe_fail(p, EPROBE_ERR_NO_EVENT_NAME, offset, -EINVAL);
	if (strlen(text) >= EPROBE_NAME_BYTES)
		return eprobe_fail(p, EPROBE_ERR_EVENT_TOO_LONG, offset, -EINVAL);
	if (!word_is_name(text))
		return eprobe_fail(p, EPROBE_ERR_BAD_EVENT_NAME, offset, -EINVAL);
	return 0;
}

/* Parse the first two tokens: the names of the probe and of its target. */
static int parse_head(struct eprobe_parser *p)
{
	char group[EPROBE_NAME_BYTES] = EPROBE_SYSTEM, system[EPROBE_NAME_BYTES] = "";
	const char *first = p->words->word[0], *colon = strchr(first + 1, ':');
	const char *name = NULL, *event = NULL;
	int r = 0;

	if (colon)
		r = parse_names(p, colon + 1, (uint32_t)(colon + 1 - first), group, &name);
	if (r)
		return r;
	p->index = 1;
	r = parse_names(p, p->words->word[1], 0, system, &event);
	if (r || !event || !*system)
		return eprobe_fail(p, EPROBE_ERR_NO_EVENT_INFO, 0, -EINVAL);
	p->eprobe->group = strdup(group);
	p->eprobe->name = strdup(name ? name : event);
	p->eprobe->system = strdup(system);
	p->eprobe->event = strdup(event);
	return p->eprobe->group && p->eprobe->name && p->eprobe->system && p->eprobe->event ?
	       0 : -ENOMEM;
}

static int find_target(struct eprobe_parser *p)
{
	const struct eprobe *eprobe = p->eprobe;

	if (!p->env)
		return 0;
	p->target = p->env->find_target(p->env->ctx, eprobe->system, eprobe->event);
	return p->target ? 0 : eprobe_fail(p, EPROBE_ERR_BAD_ATTACH_EVENT, 0, -ENODEV);
}

/* ---- functions that parse the filter and the arguments ---- */

/* Return the index of the token "if"; if there is none, the number of tokens. */
static uint32_t find_if(const struct words *words)
{
	uint32_t i = 2;

	while (i < words->nr && strcmp(words->word[i], "if"))
		i++;
	return i;
}

/* Store the tokens from index @first to the last as the filter, joined by blanks. */
static int parse_filter(struct eprobe_parser *p, uint32_t first)
{
	struct text text;
	int r;

	p->index = first;
	if (first >= p->words->nr)
		return eprobe_fail(p, EPROBE_ERR_NO_EP_FILTER, 0, -EINVAL);
	text_init(&text, TEXT_MAX);
	for (uint32_t i = first; i < p->words->nr; i++)
		text_printf(&text, "%s%s", i > first ? " " : "", p->words->word[i]);
	if (!text.error)
		p->eprobe->filter = strdup(text_str(&text));
	text_done(&text);
	if (!p->eprobe->filter)
		return -ENOMEM;
	r = p->env ? p->env->check_filter(p->env->ctx, p->eprobe->filter) : 0;
	return r && r != -ENOMEM ? -EINVAL : r;
}

static int parse_args(struct eprobe_parser *p, uint32_t end)
{
	int r = 0;

	p->eprobe->args = calloc(end, sizeof(*p->eprobe->args));
	if (!p->eprobe->args)
		return -ENOMEM;
	for (uint32_t i = 2; !r && i < end; i++) {
		p->index = i;
		r = eprobe_parse_arg(p, p->words->word[i]);
	}
	return r;
}

static int parse_all(struct eprobe_parser *p)
{
	uint32_t end = find_if(p->words);
	int r = parse_head(p);

	if (!r && end - 2 > EPROBE_ARGS_MAX)
		r = -E2BIG;
	if (!r)
		r = find_target(p);
	if (!r && end < p->words->nr)
		r = parse_filter(p, end + 1);
	if (!r)
		r = parse_args(p, end);
	if (!r && p->env && p->env->has_event(p->env->ctx, p->eprobe->group, p->eprobe->name)) {
		p->index = 0;
		r = eprobe_fail(p, EPROBE_ERR_EVENT_EXIST, 0, -EEXIST);
	}
	return r;
}

int eprobe_parse(const struct words *words, const struct eprobe_env *env,
		 struct eprobe **ret_eprobe, struct eprobe_errors *ret_errors)
{
	struct eprobe_parser p = { .words = words, .env = env, .errors = ret_errors };
	int r;

	ret_errors->nr = 0;
	if (words->nr < 2 || words->word[0][0] != 'e')
		return -ECANCELED;
	p.eprobe = calloc(1, sizeof(*p.eprobe));
	if (!p.eprobe)
		return -ENOMEM;
	p.eprobe->record_bytes = 8;
	r = parse_all(&p);
	if (r)
		eprobe_free(p.eprobe);
	else
		*ret_eprobe = p.eprobe;
	return r;
}

void eprobe_free(struct eprobe *eprobe)
{
	if (!eprobe)
		return;
	for (uint32_t i = 0; i < eprobe->nr_args; i++) {
		free(eprobe->args[i].name);
		free(eprobe->args[i].body);
		free(eprobe->args[i].text);
	}
	free(eprobe->args);
	free(eprobe->group);
	free(eprobe->name);
	free(eprobe->system);
	free(eprobe->event);
	free(eprobe->filter);
	free(eprobe);
}

void eprobe_show(const struct eprobe *eprobe, struct text *out)
{
	text_printf(out, "e:%s/%s %s.%s", eprobe->group, eprobe->name, eprobe->system,
		    eprobe->event);
	for (uint32_t i = 0; i < eprobe->nr_args; i++)
		text_printf(out, " %s=%s", eprobe->args[i].name, eprobe->args[i].body);
}

/* ---- the format ---- */

/* Append the first part of the print format: the text with the conversions of printf(). */
static void put_specs(const struct eprobe *eprobe, struct text *out)
{
	text_putc(out, '"');
	for (uint32_t i = 0; i < eprobe->nr_args; i++) {
		const struct eprobe_arg *arg = &eprobe->args[i];

		text_printf(out, " %s=%s%s", arg->name, arg->count ? "{" : "", arg->type->spec);
		for (uint32_t at = 1; at < arg->count; at++)
			text_printf(out, ",%s", arg->type->spec);
		if (arg->count)
			text_putc(out, '}');
	}
	text_putc(out, '"');
}

static void put_params(const struct eprobe *eprobe, struct text *out)
{
	for (uint32_t i = 0; i < eprobe->nr_args; i++) {
		const struct eprobe_arg *arg = &eprobe->args[i];
		bool is_string = arg->type->print == EPROBE_STRING;

		for (uint32_t at = 0; at < arg->count; at++)
			text_printf(out, is_string ? ", __get_str(%s[%u])" : ", REC->%s[%u]",
				    arg->name, at);
		if (!arg->count)
			text_printf(out, is_string ? ", __get_str(%s)" : ", REC->%s",
				    arg->name);
	}
}

static int add_field(struct event_format *format, const struct eprobe_arg *arg)
{
	struct text type;
	int r;

	/* Append the type without the number of elements, as the kernel does. */
	text_init(&type, TEXT_MAX);
	text_printf(&type, "%s%s", arg->type->field_type, arg->count ? "[]" : "");
	r = type.error ? -ENOMEM :
	    event_format_add_field(format, text_str(&type), arg->name, arg->offset,
				   arg->type->size * (arg->count ? arg->count : 1),
				   arg->type->is_signed);
	text_done(&type);
	return r;
}

struct event_format *eprobe_format(const struct eprobe *eprobe, uint32_t id)
{
	struct event_format *format = NULL;
	struct text print_fmt;
	int r = 0;

	text_init(&print_fmt, 16 * TEXT_MAX);
	put_specs(eprobe, &print_fmt);
	put_params(eprobe, &print_fmt);
	if (!print_fmt.error)
		format = event_format_alloc(eprobe->group, eprobe->name, id,
					    text_str(&print_fmt));
	text_done(&print_fmt);
	for (uint32_t i = 0; format && !r && i < eprobe->nr_args; i++)
		r = add_field(format, &eprobe->args[i]);
	if (r) {
		event_format_free(format);
		return NULL;
	}
	return format;
}
