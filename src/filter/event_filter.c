/* SPDX-License-Identifier: MIT */
/* The functions of the `filter` files: set and show the filters of events. */
#include <errno.h>
#include <stdlib.h>

#include "filter/compile.h"

void event_filter_done(struct event_filter *filter)
{
	free(filter->text);
	free(filter->program);
	*filter = (struct event_filter){ 0 };
}

/* Returns a copy of @data without trailing white space, or NULL if there is no
 * memory. */
static char *copy_stripped_text(const char *data, size_t bytes)
{
	char *text = strndup(data, bytes);
	size_t len;

	if (!text)
		return NULL;
	len = strlen(text);
	while (len && parser_is_space(text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* Returns true if the text is "0", with or without white space before it.  This
 * function must skip that white space, because the stored text has it: the file
 * `filter` shows it. */
static bool is_zero_text(const char *text)
{
	while (parser_is_space(*text))
		text++;
	return !strcmp(text, "0");
}

int event_filter_store(struct event_filter *filter,
		       const struct event_format *fmt, const char *data,
		       size_t bytes, const struct filter_env *env)
{
	struct event_filter new = { 0 };
	int r;

	if (bytes >= FILTER_TEXT_MAX)
		return -EINVAL;
	new.text = copy_stripped_text(data, bytes);
	if (!new.text)
		return -ENOMEM;
	if (is_zero_text(new.text)) {
		free(new.text);
		event_filter_done(filter);
		return 0;
	}
	r = filter_compile(fmt, new.text, env, &new.program, &new.error);
	if (r == -ENOMEM) {
		free(new.text);
		return r;
	}
	event_filter_done(filter);
	*filter = new;
	return r;
}

void event_filter_show(const struct event_filter *filter, struct text *out)
{
	size_t len, pos = filter->error.pos;

	if (!filter->text) {
		text_puts(out, "none\n");
		return;
	}
	text_puts(out, filter->text);
	text_putc(out, '\n');
	if (filter->program)
		return;
	if (filter->error.code == FILTER_ERR_NONE) {
		text_puts(out, "Error: (0)\n\n");
		return;
	}
	len = strlen(filter->text);
	text_fill(out, ' ', pos < len ? pos : len);
	text_printf(out, "^\nparse_error: %s\n\n",
		    filter_error_text(filter->error.code));
}

int system_filter_store(struct event_filter *const *filters,
			const struct event_format *const *formats, size_t nr,
			const char *data, size_t bytes,
			const struct filter_env *env)
{
	if (bytes >= FILTER_TEXT_MAX)
		return -EINVAL;
	if (!nr)
		return -ENODEV;
	for (size_t i = 0; i < nr; i++) {
		int r = event_filter_store(filters[i], formats[i], data, bytes,
					   env);

		if (r == -ENOMEM)
			return r;
		if (r)
			filters[i]->error = (struct filter_error){
				.code = FILTER_ERR_BAD_SUBSYS_FILTER,
			};
	}
	return 0;
}

void system_filter_show(struct text *out)
{
	text_puts(out,
		  "### global filter ###\n"
		  "# Use this to set filters for multiple events.\n"
		  "# Only events with the given fields will be affected.\n"
		  "# If no events are modified, an error message will be displayed here\n");
}
