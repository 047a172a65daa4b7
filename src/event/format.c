/* SPDX-License-Identifier: MIT */
/* Event formats: build an event's format, and write the text of its `format` file. */
#include "event/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/event_line.h"
#include "event/type.h"

const struct event_field event_common_fields[EVENT_NR_COMMON] = {
	{ .type = "unsigned short", .name = "common_type",
	  .offset = 0, .size = 2 },
	{ .type = "unsigned char", .name = "common_flags",
	  .offset = 2, .size = 1 },
	{ .type = "unsigned char", .name = "common_preempt_count",
	  .offset = 3, .size = 1 },
	{ .type = "int", .name = "common_pid",
	  .offset = 4, .size = 4, .is_signed = true },
};

static const char data_loc[] = "__data_loc ";
static const char rel_loc[] = "__rel_loc ";

static bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

struct event_format *event_format_alloc(const char *system, const char *name,
					uint32_t id, const char *print_fmt)
{
	struct event_format *fmt = calloc(1, sizeof(*fmt));

	if (!fmt)
		return NULL;
	fmt->id = id;
	fmt->system = strdup(system);
	fmt->name = strdup(name);
	fmt->print_fmt = strdup(print_fmt);
	if (!fmt->system || !fmt->name || !fmt->print_fmt) {
		event_format_free(fmt);
		return NULL;
	}
	fmt->line = event_line_find(system, name);
	return fmt;
}

void event_format_free(struct event_format *fmt)
{
	if (!fmt)
		return;
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		free((char *)fmt->fields[i].type);
		free((char *)fmt->fields[i].name);
	}
	free(fmt->fields);
	free(fmt->system);
	free(fmt->name);
	free(fmt->print_fmt);
	free(fmt->values);
	free(fmt);
}

/* Returns the size in bytes of a value of the type @type, or 0 if the type is not known. */
static uint32_t named_type_bytes(const char *type, size_t len)
{
	struct value_type vt;

	if (!type_lookup(type, len, &vt))
		return 0;
	return vt.is_ptr ? 8 : vt.size;
}

/* Returns the number of elements of an array: the number in the brackets of @type.  If the
 * brackets contain no number, returns @size divided by the size of an element. */
static uint32_t array_elements(const char *type, const char *bracket,
			       uint32_t size)
{
	uint32_t elem = named_type_bytes(type, bracket - type);
	unsigned long n;
	char *end;

	n = strtoul(bracket + 1, &end, 0);
	if (end != bracket + 1 && *end == ']' && n <= size)
		return n;
	return elem ? size / elem : 0;
}

/* Set the members kind and array_len of @field according to its type. */
static void classify_field(struct event_field *field)
{
	const char *bracket = strchr(field->type, '[');

	if (starts_with(field->type, data_loc)) {
		field->kind = FIELD_DATA_LOC;
	} else if (starts_with(field->type, rel_loc)) {
		field->kind = FIELD_REL_LOC;
	} else if (bracket) {
		field->kind = FIELD_ARRAY;
		field->array_len = array_elements(field->type, bracket,
						  field->size);
	} else {
		field->kind = FIELD_PLAIN;
	}
}

int event_format_add_field(struct event_format *fmt, const char *type,
			   const char *name, uint32_t offset, uint32_t size,
			   bool is_signed)
{
	struct event_field *fields, *field;

	/* The allocated size of the array of fields is always a power of two.  So the array
	 * is full if nr_fields is 0 or a power of two. */
	if (!(fmt->nr_fields & (fmt->nr_fields - 1))) {
		fields = reallocarray(fmt->fields, fmt->nr_fields ? fmt->nr_fields * 2 : 1,
				      sizeof(*fields));
		if (!fields)
			return -ENOMEM;
		fmt->fields = fields;
	}
	field = &fmt->fields[fmt->nr_fields];
	*field = (struct event_field){
		.type = strdup(type),
		.name = strdup(name),
		.offset = offset,
		.size = size,
		.is_signed = is_signed,
	};
	if (!field->type || !field->name) {
		free((char *)field->type);
		free((char *)field->name);
		return -ENOMEM;
	}
	classify_field(field);
	fmt->nr_fields++;
	return 0;
}

static bool is_field_named(const struct event_field *field, const char *name,
			   size_t len)
{
	return strncmp(field->name, name, len) == 0 && !field->name[len];
}

const struct event_field *event_format_find(const struct event_format *fmt,
					    const char *name, size_t name_len)
{
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		if (is_field_named(&fmt->fields[i], name, name_len))
			return &fmt->fields[i];
	}
	for (size_t i = 0; i < EVENT_NR_COMMON; i++) {
		if (is_field_named(&event_common_fields[i], name, name_len))
			return &event_common_fields[i];
	}
	return NULL;
}

/* Returns the size of one element of a __data_loc or __rel_loc array, in bytes. */
static uint32_t loc_elem_size(const char *type)
{
	const char *elem = strchr(type, ' ') + 1;
	uint32_t bytes = named_type_bytes(elem, strcspn(elem, "["));

	return bytes ? bytes : 1;
}

uint32_t event_field_elem_size(const struct event_field *field)
{
	uint32_t bytes = 0;

	switch (field->kind) {
	case FIELD_DATA_LOC:
	case FIELD_REL_LOC:
		return loc_elem_size(field->type);
	case FIELD_ARRAY:
		if (field->array_len)
			return field->size / field->array_len;
		bytes = named_type_bytes(field->type, strcspn(field->type, "["));
		break;
	case FIELD_PLAIN:
		bytes = field->size;
		break;
	}
	return bytes ? bytes : 1;
}

static void append_field_line(const struct event_field *field, struct text *out)
{
	const char *bracket = strchr(field->type, '[');
	size_t type_len;

	if (field->kind == FIELD_DATA_LOC || !bracket)
		bracket = "";
	type_len = strlen(field->type) - strlen(bracket);
	text_printf(out, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		    (int)type_len, field->type, field->name, bracket,
		    field->offset, field->size, field->is_signed);
}

void event_format_text(const struct event_format *fmt, struct text *out)
{
	text_printf(out, "name: %s\nID: %u\nformat:\n", fmt->name, fmt->id);
	for (size_t i = 0; i < EVENT_NR_COMMON; i++)
		append_field_line(&event_common_fields[i], out);
	text_putc(out, '\n');
	for (size_t i = 0; i < fmt->nr_fields; i++)
		append_field_line(&fmt->fields[i], out);
	text_puts(out, "\nprint fmt: ");
	text_puts(out, fmt->print_fmt);
	text_putc(out, '\n');
}

void event_header_page_text(uint32_t subbuf_bytes, struct text *out)
{
	text_puts(out,
		  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
	/* The data of a page begins at offset 16, after the time stamp and the commit word. */
	text_printf(out, "\tfield: char data;\toffset:16;\tsize:%u;\tsigned:0;\n",
		    subbuf_bytes - 16);
}

void event_header_event_text(struct text *out)
{
	text_puts(out,
		  "# compressed entry header\n"
		  "\ttype_len    :    5 bits\n"
		  "\ttime_delta  :   27 bits\n"
		  "\tarray       :   32 bits\n"
		  "\n"
		  "\tpadding     : type == 29\n"
		  "\ttime_extend : type == 30\n"
		  "\ttime_stamp : type == 31\n"
		  "\tdata max type_len  == 28\n");
}
