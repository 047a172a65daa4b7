/* SPDX-License-Identifier: MIT */
#include "server/dynamic/inject_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include "server/dynamic/numbers_text.h"
#include "server/dynamic/words.h"
#include <ulf/record.h>

#define HEAD_BYTES	8u		/* size of the common fields at the start of a
					 * record, bytes */

/* How a field of an injected record gets its value from the text. */
enum field_use {
	USE_NUMBER,
	USE_ARRAY,			/* the value is a string of fixed size in the
					 * record */
	USE_LOC, USE_REL,		/* the value is a string after the fixed part of
					 * the record */
	USE_POINTER,			/* the field points to a string outside of the
					 * record, which the text cannot set */
	USE_NOTHING,			/* a field that the kernel refuses to set */
};

static enum field_use use_of(const struct event_field *field)
{
	bool is_char = strstr(field->type, "char");

	switch (field->filter) {
	case FILTER_STATIC_STRING:
		return USE_ARRAY;
	case FILTER_DYN_STRING:
		return USE_LOC;
	case FILTER_RDYN_STRING:
		return USE_REL;
	case FILTER_PTR_STRING:
		return USE_POINTER;
	case FILTER_TRACE_FN:
	case FILTER_COMM:
	case FILTER_CPU:
		return USE_NOTHING;
	}
	if (is_char && field->kind == FIELD_DATA_LOC)
		return USE_LOC;
	if (is_char && field->kind == FIELD_REL_LOC)
		return USE_REL;
	if (is_char && field->kind == FIELD_ARRAY)
		return USE_ARRAY;
	return !strcmp(field->type, "char *") || !strcmp(field->type, "const char *") ?
	       USE_POINTER : USE_NUMBER;
}

/* ---- the record ---- */

/* Overwrite bytes at offset @at of the record.  All fields must already have their space
 * in the record. */
static void set_bytes(struct text *record, uint32_t at, const void *data, uint32_t bytes)
{
	if (!record->error)
		memcpy(record->data + at, data, bytes);
}

/* Store in @field where its string is: @bytes bytes at offset @at of the record. */
static void set_loc(struct text *record, const struct event_field *field, uint32_t at,
		    uint32_t bytes)
{
	uint32_t word;

	if (use_of(field) == USE_REL)
		at -= field->offset + field->size;
	word = bytes << 16 | (at & 0xffff);
	if (field->size >= sizeof(word))
		set_bytes(record, field->offset, &word, sizeof(word));
}

/* Append an empty record, in which all fields are 0.  A NUL follows the fields; the words
 * of dynamic strings refer to this NUL. */
static void start_record(const struct event_format *format, const void *head,
			 struct text *record)
{
	uint32_t bytes = HEAD_BYTES;

	for (size_t i = 0; i < format->nr_fields; i++)
		bytes = (uint32_t)max_u64(bytes, (uint64_t)format->fields[i].offset +
					  format->fields[i].size);
	text_fill(record, '\0', bytes + 1);
	set_bytes(record, 0, head, HEAD_BYTES);
	for (size_t i = 0; i < format->nr_fields; i++) {
		enum field_use use = use_of(&format->fields[i]);

		if (use == USE_LOC || use == USE_REL)
			set_loc(record, &format->fields[i], bytes, 0);
	}
}

/* Store the string @value, which has @len bytes, as the value of @field. */
static void put_string(const struct event_field *field, const char *value, uint32_t len,
		       struct text *record)
{
	uint32_t at = (uint32_t)record->len, bytes = min_u32(len, field->size - !!field->size);

	switch (use_of(field)) {
	case USE_ARRAY:
		if (!field->size)
			break;
		set_bytes(record, field->offset, value, bytes);
		set_bytes(record, field->offset + bytes, "", 1);
		break;
	case USE_LOC:
	case USE_REL:
		text_write(record, value, len);
		text_putc(record, '\0');
		set_loc(record, field, at, len + 1);
		break;
	default:			/* refuse this field: its string is in memory of the
					 * program, outside of the record */
		break;
	}
}

/* ---- the text ---- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Parse the number at @text, and store it as the value of @field.  *@ret_end is set to
 * the text after the number. */
static int take_number(const struct event_field *field, const char *text, struct text *record,
		       const char **ret_end)
{
	size_t len = *text == '-';
	uint64_t value = 0;
	char *copy;
	int r;

	if (use_of(field) != USE_NUMBER)
		return -EINVAL;
	while (is_name_char(text[len]) && text[len] != '_')
		len++;
	if (text[len] && !word_is_space(text[len]))
		return -EINVAL;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	r = field->is_signed ? number_parse_signed(copy, (int64_t *)&value) :
	    number_parse_unsigned(copy, &value);
	free(copy);
	*ret_end = text + len;
	if (r)
		return r;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return -EINVAL;
	set_bytes(record, field->offset, &value, field->size);
	return 0;
}

/*
 * Parse the quoted string at @text, and store it in @field.  A quote after a backslash
 * belongs to the string, and so does the backslash.  *@ret_end is set to the text
 * after the string.
 */
static int take_string(const struct event_field *field, const char *text, struct text *record,
		       const char **ret_end)
{
	enum field_use use = use_of(field);
	size_t len = 0;
	char quote = *text++;

	if (use == USE_NUMBER || use == USE_NOTHING)
		return -EINVAL;
	while (text[len] && text[len] != quote)
		len += text[len] == '\\' && text[len + 1] ? 2 : 1;
	if (!text[len] || len > INJECT_STRING_MAX)
		return -EINVAL;
	put_string(field, text, (uint32_t)len, record);
	*ret_end = text + len + 1;
	return 0;
}

/* Return true if @name is a name that filters know for each event, such as CPU, but is no
 * field. */
static bool is_generic(const char *name, size_t len)
{
	static const char *const names[] = {
		"CPU", "cpu", "common_cpu", "COMM", "comm", "stacktrace", "STACKTRACE",
		"common_stacktrace",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

/* Parse "FIELD = VALUE" at @text.  *@ret_end is set to the text after the value. */
static int take_field(const struct event_format *format, const char *text,
		      struct text *record, const char **ret_end)
{
	const struct event_field *field;
	size_t len = 0;

	text = word_skip_spaces(text);
	while (is_name_char(text[len]))
		len++;
	if (!len)
		return -EINVAL;
	field = event_format_find(format, text, len);
	if (!field)
		return is_generic(text, len) ? -EINVAL : -ENOENT;
	text = word_skip_spaces(text + len);
	if (*text != '=')
		return -EINVAL;
	text = word_skip_spaces(text + 1);
	if ((*text >= '0' && *text <= '9') || *text == '-')
		return take_number(field, text, record, ret_end);
	if (*text == '\'' || *text == '"')
		return take_string(field, text, record, ret_end);
	return -EINVAL;
}

int inject_parse(const struct event_format *format, const char *text, const void *head,
		 struct text *record)
{
	int r = 0;

	start_record(format, head, record);
	while (!r && *text)
		r = take_field(format, text, record, &text);
	return r;
}
