/* SPDX-License-Identifier: MIT */
/* The table of events with a print function of their own; see event_line.h. */
#include "event/event_line.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include "event/print_impl.h"

/* ---- system calls: sys_close(fd: 3), sys_close -> 0x0 ---- */

static const char number_field[] = "__syscall_nr";

/* Returns true if all fields but the first are numbers of 8 bytes, and the first is that of the
 * system call. */
static bool has_call_fields(const struct event_format *format)
{
	if (!format->nr_fields || strcmp(format->fields[0].name, number_field))
		return false;
	for (size_t i = 1; i < format->nr_fields; i++)
		if (format->fields[i].kind != FIELD_PLAIN || format->fields[i].size != 8)
			return false;
	return true;
}

static bool has_return_fields(const struct event_format *format)
{
	return has_call_fields(format) && format->nr_fields == 2;
}

/* Append the name of the system call: `sys_', then the name of the event without its prefix. */
static void put_call(const struct event_format *format, struct text *out)
{
	text_write(out, "sys_", 4);
	text_puts(out, format->name + strlen(format->line->prefix));
}

/* Append the value of @field as %lx does.  Returns 0 or -EINVAL. */
static int put_value(const struct event_field *field, const uint8_t *rec, size_t len,
		     struct text *out)
{
	const struct value_type type = { .size = 8 };

	if (field->offset > len || len - field->offset < field->size)
		return -EINVAL;
	print_hex(out, print_load(rec + field->offset, type), 1);
	return 0;
}

static int print_call(const struct event_format *format, const void *rec, size_t len,
		      bool is_verbose, struct text *out)
{
	int r = 0;

	put_call(format, out);
	text_putc(out, '(');
	for (size_t i = 1; i < format->nr_fields && !r; i++) {
		const struct event_field *field = &format->fields[i];

		if (i > 1)
			text_write(out, ", ", 2);
		if (is_verbose) {
			text_puts(out, field->type);
			text_putc(out, ' ');
		}
		text_puts(out, field->name);
		text_write(out, ": ", 2);
		r = put_value(field, rec, len, out);
	}
	text_putc(out, ')');
	return r;
}

static int print_return(const struct event_format *format, const void *rec, size_t len,
			bool is_verbose, struct text *out)
{
	(void)is_verbose;
	put_call(format, out);
	text_write(out, " -> 0x", 6);
	return put_value(&format->fields[1], rec, len, out);
}

/* ---- the table ---- */

static const struct event_line lines[] = {
	{ "syscalls", "sys_enter_", has_call_fields, print_call },
	{ "syscalls", "sys_exit_", has_return_fields, print_return },
};

const struct event_line *event_line_find(const char *system, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strcmp(lines[i].system, system) &&
		    !strncmp(name, lines[i].prefix, strlen(lines[i].prefix)))
			return &lines[i];
	return NULL;
}
