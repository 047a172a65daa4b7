/* SPDX-License-Identifier: MIT */
/* Write event descriptions as bytes for the shared memory (struct abi_format). */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "runtime/event/eval.h"
#include "runtime/event/event.h"
#include "runtime/event/format.h"
#include <ulf/event.h>

/* A writer appends bytes to @blob.  If @blob is NULL, it only counts the
 * bytes. */
struct writer {
	char *blob;
	uint32_t bytes;
	const struct ulf_module *module;
	const char *system;
};

static void put_text(void *arg, const char *data, size_t bytes)
{
	struct writer *w = arg;

	if (w->blob)
		memcpy(w->blob + w->bytes, data, bytes);
	w->bytes += (uint32_t)bytes;
}

static uint32_t put_string(struct writer *w, const char *s)
{
	uint32_t at = w->bytes;

	put_text(w, s, strlen(s) + 1);
	return at;
}

/* Write the print format as the kernel does, with one difference: quotes and backslashes in
 * the format string are escaped, so that it is always a valid literal.
 * @s: the format string, the byte \1, the text of the arguments.  If @s has no byte \1,
 * only the literal is written. */
static uint32_t put_print_fmt(struct writer *w, const char *s)
{
	uint32_t at = w->bytes;

	put_text(w, "\"", 1);
	for (; *s && *s != '\1'; s++) {
		if (*s == '"' || *s == '\\')
			put_text(w, "\\", 1);
		put_text(w, s, 1);
	}
	put_text(w, "\", ", *s ? 3 : 1);
	eval_resolve(w->module, w->system, *s ? s + 1 : s, put_text, w);
	put_text(w, "", 1);
	return at;
}

/* Write the type of a field.  An array gets its length between the brackets: char[16]. */
static uint32_t put_type(struct writer *w, const struct ulf_field *field)
{
	uint32_t at = w->bytes;
	size_t len = strlen(field->type);
	char number[16];

	if (!field->len)
		return put_string(w, field->type);
	put_text(w, field->type, len - 1);
	put_text(w, number, (size_t)snprintf(number, sizeof(number), "%u",
					field->len));
	put_text(w, "]", 2);
	return at;
}

/* Returns the next table of __print_flags() or __print_symbolic() after @last in the
 * print format @print, or NULL if there are no more.  @last NULL: return the first
 * table. */
static const struct ulf_table *next_table(const struct ulf_module *module,
					  const void *print,
					  const struct ulf_table *last)
{
	const struct ulf_table *next = NULL;

	for (const struct ulf_table **t = module->tables;
	     t < module->tables_end; t++) {
		if ((*t)->print == print &&
		    (!last || (*t)->number > last->number) &&
		    (!next || (*t)->number < next->number))
			next = *t;
	}
	return next;
}

/* Write the values in all tables of __print_flags() and __print_symbolic() of the print
 * format @print.  Returns the number of values. */
static uint32_t put_values(struct writer *w, const void *print)
{
	const struct ulf_table *table = NULL;
	uint32_t nr = 0;

	while ((table = next_table(w->module, print, table))) {
		for (uint32_t i = 0; i < table->nr; i++) {
			int64_t value = (int64_t)table->symbols[i].value;

			put_text(w, (const char *)&value, sizeof(value));
		}
		nr += table->nr;
	}
	return nr;
}

uint32_t format_blob(const struct ulf_module *module,
		     const struct ulf_event *event, void *blob)
{
	const struct ulf_field *fields = event_fields(event);
	struct writer w = { blob, 0, module, event->system };
	struct abi_format format = { 0 };
	uint32_t nr = 0;

	while (fields[nr].name)
		nr++;
	format.nr_fields = nr;
	format.entry_bytes = fields[nr].size;
	w.bytes = sizeof(format) + nr * (uint32_t)sizeof(struct abi_field);
	format.nr_values = put_values(&w, event->print());
	format.system = put_string(&w, event->system);
	format.name = put_string(&w, event->name);
	format.print_fmt = put_print_fmt(&w, event->print_fmt);
	for (uint32_t i = 0; i < nr; i++) {
		struct abi_field field = {
			.type = put_type(&w, &fields[i]),
			.name = put_string(&w, fields[i].name),
			.offset = fields[i].offset,
			.size = fields[i].size,
			.is_signed = fields[i].is_signed,
			.filter = fields[i].filter,
		};

		if (blob)
			memcpy((char *)blob + sizeof(format) +
			       i * sizeof(field), &field, sizeof(field));
	}
	if (blob)
		memcpy(blob, &format, sizeof(format));
	return w.bytes;
}

uint32_t format_names(const struct ulf_module *module, const char *system, void *blob)
{
	struct writer w = { blob, 0, module, system };

	eval_names(module, system, put_text, &w);
	return w.bytes;
}
