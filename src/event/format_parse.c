/* SPDX-License-Identifier: MIT */
/* Parse the text of a `format` file. */
#include "event/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits that keep a hostile text from taking much time or memory.  The formats of real
 * events are far below these limits. */
enum {
	FORMAT_MAX_BYTES = 1 << 20,
	FORMAT_MAX_FIELDS = 4096,
	FORMAT_MAX_DECL = 512,
};

/* The rest of the text of a `format` file, which is not parsed yet. */
struct reader {
	const char *pos;
	const char *end;
};

/* If the rest of the text begins with @s, skip @s and return true. */
static bool accept_text(struct reader *rd, const char *s)
{
	size_t len = strlen(s);

	if ((size_t)(rd->end - rd->pos) < len || memcmp(rd->pos, s, len))
		return false;
	rd->pos += len;
	return true;
}

static bool read_decimal(struct reader *rd, uint32_t *ret_value)
{
	uint64_t value = 0;
	const char *start = rd->pos;

	while (rd->pos < rd->end && *rd->pos >= '0' && *rd->pos <= '9') {
		value = value * 10 + (*rd->pos++ - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*ret_value = value;
	return rd->pos > start;
}

/* Copy the text before the next @stop to @buf, and skip the text and this @stop.  Returns
 * false if the text is too long or contains a newline. */
static bool read_until(struct reader *rd, char stop, char *buf, size_t size)
{
	const char *end = memchr(rd->pos, stop, rd->end - rd->pos);
	size_t len;

	if (!end)
		return false;
	len = end - rd->pos;
	if (len >= size || memchr(rd->pos, '\n', len))
		return false;
	memcpy(buf, rd->pos, len);
	buf[len] = '\0';
	rd->pos = end + 1;
	return true;
}

/* One line of a `format` text: the description of a field. */
struct field_line {
	char decl[FORMAT_MAX_DECL];	/* the declaration of the field: the text up to the
					 * first ';' */
	char type[FORMAT_MAX_DECL];
	char name[FORMAT_MAX_DECL];
	uint32_t offset, size, is_signed;
};

/* Split the declaration of a field: "char comm[16]" has the type "char[16]" and the name
 * "comm". */
static bool split_declaration(struct field_line *line)
{
	char *bracket = NULL, *space;

	if (strncmp(line->decl, "__data_loc ", 11) != 0)
		bracket = strchr(line->decl, '[');
	if (bracket)
		*bracket = '\0';
	space = strrchr(line->decl, ' ');
	if (!space || space == line->decl || !space[1])
		return false;
	*space = '\0';
	snprintf(line->name, sizeof(line->name), "%s", space + 1);
	strcpy(line->type, line->decl);
	if (bracket) {
		*bracket = '[';
		strcat(line->type, bracket);
	}
	return true;
}

static bool read_field_line(struct reader *rd, struct field_line *line)
{
	return accept_text(rd, "\tfield:") &&
	       read_until(rd, ';', line->decl, sizeof(line->decl)) &&
	       split_declaration(line) &&
	       accept_text(rd, "\toffset:") && read_decimal(rd, &line->offset) &&
	       accept_text(rd, ";\tsize:") && read_decimal(rd, &line->size) &&
	       accept_text(rd, ";\tsigned:") && read_decimal(rd, &line->is_signed) &&
	       line->is_signed <= 1 && accept_text(rd, ";\n");
}

static bool is_common_field(const struct field_line *line,
			    const struct event_field *field)
{
	return strcmp(line->type, field->type) == 0 &&
	       strcmp(line->name, field->name) == 0 &&
	       line->offset == field->offset && line->size == field->size &&
	       line->is_signed == field->is_signed;
}

static bool read_common_fields(struct reader *rd, struct field_line *line)
{
	for (size_t i = 0; i < EVENT_NR_COMMON; i++) {
		if (!read_field_line(rd, line) ||
		    !is_common_field(line, &event_common_fields[i]))
			return false;
	}
	return accept_text(rd, "\n");
}

static int read_fields(struct reader *rd, struct event_format *fmt,
		       struct field_line *line)
{
	int ret;

	while (!accept_text(rd, "\n")) {
		if (fmt->nr_fields == FORMAT_MAX_FIELDS)
			return -E2BIG;
		if (!read_field_line(rd, line))
			return -EINVAL;
		ret = event_format_add_field(fmt, line->type, line->name,
					     line->offset, line->size,
					     line->is_signed);
		if (ret)
			return ret;
	}
	return 0;
}

/* Read the print format.  It consists of the whole rest of the text, because its strings may
 * contain newlines. */
static int read_print_fmt(struct reader *rd, struct event_format *fmt)
{
	char *print_fmt;

	if (!accept_text(rd, "print fmt: ") || rd->pos == rd->end ||
	    rd->end[-1] != '\n')
		return -EINVAL;
	print_fmt = strndup(rd->pos, rd->end - rd->pos - 1);
	if (!print_fmt)
		return -ENOMEM;
	free(fmt->print_fmt);
	fmt->print_fmt = print_fmt;
	return 0;
}

int event_format_parse(const char *system, const char *text,
		       struct event_format **ret_fmt)
{
	struct reader rd = { .pos = text, .end = text + strlen(text) };
	struct event_format *fmt;
	struct field_line line;
	uint32_t id;
	int ret;

	if (rd.end - rd.pos > FORMAT_MAX_BYTES)
		return -E2BIG;
	if (!accept_text(&rd, "name: ") ||
	    !read_until(&rd, '\n', line.name, sizeof(line.name)) ||
	    !accept_text(&rd, "ID: ") || !read_decimal(&rd, &id) ||
	    !accept_text(&rd, "\nformat:\n"))
		return -EINVAL;
	fmt = event_format_alloc(system, line.name, id, "");
	if (!fmt)
		return -ENOMEM;

	ret = read_common_fields(&rd, &line) ? 0 : -EINVAL;
	if (!ret)
		ret = read_fields(&rd, fmt, &line);
	if (!ret)
		ret = read_print_fmt(&rd, fmt);
	if (ret) {
		event_format_free(fmt);
		return ret;
	}
	*ret_fmt = fmt;
	return 0;
}
