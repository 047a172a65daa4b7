/* SPDX-License-Identifier: MIT */
/* Convert the description of an event (struct abi_format), as a program has stored it, to
 * struct event_format, and write such a description for a dynamic event. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/text.h"
#include "event/format.h"
#include "server/rules/event_blob.h"

#define BLOB_BYTES_MAX	(1u << 20)
#define FIELDS_MAX	4096u
#define VALUES_MAX	65536u
#define RECORD_MAX	65536u
#define FIELD_TEXT_MAX	1024u		/* maximum length of the text of a field's type or
					 * name in an event's description, bytes */
#define FIELD_BYTES	128u		/* estimate of the memory that the server needs
					 * for one field of an event, without the field's
					 * type and name, bytes */

/* A private copy of struct abi_format and the data after it, with a NUL appended. */
struct blob {
	char *data;
	uint64_t bytes;
};

/*
 * Return the string at offset @off of @blob, or NULL if @off lies outside of @blob.  A
 * string that the program has not ended with a NUL ends at the NUL that is appended to
 * the copy.
 */
static const char *blob_string(const struct blob *blob, uint32_t off)
{
	return off < blob->bytes ? blob->data + off : NULL;
}

/* Return true if @name, the name of an event or a system, can be the name of a file in
 * tracefs. */
static bool is_name(const char *name)
{
	return name && *name && *name != '.' && strlen(name) <= 128 &&
	       !strpbrk(name, "/: \t\n");
}

static bool take_bytes(uint64_t *left, uint64_t bytes)
{
	*left = *left > bytes ? *left - bytes : 0;
	return *left;
}

static int add_field(struct event_format *format, const struct blob *blob,
		     const struct abi_field *field, uint64_t *left)
{
	const char *type = blob_string(blob, field->type);
	const char *name = blob_string(blob, field->name);

	if (!type || !*type || !name || !*name || field->offset > RECORD_MAX ||
	    field->size > RECORD_MAX)
		return -1;
	if (strnlen(type, FIELD_TEXT_MAX) == FIELD_TEXT_MAX ||
	    strnlen(name, FIELD_TEXT_MAX) == FIELD_TEXT_MAX ||
	    !take_bytes(left, FIELD_BYTES + strlen(type) + strlen(name)))
		return -1;
	if (event_format_add_field(format, type, name, field->offset,
				   field->size, field->is_signed) < 0)
		return -1;
	format->fields[format->nr_fields - 1].filter = field->filter;
	return 0;
}

static int take_values(struct event_format *format, const char *data,
		       uint32_t nr)
{
	if (!nr)
		return 0;
	format->values = malloc(nr * sizeof(*format->values));
	if (!format->values)
		return -1;
	memcpy(format->values, data, nr * sizeof(*format->values));
	format->nr_values = nr;
	return 0;
}

static struct event_format *parse_format(const struct blob *blob, uint32_t id, uint64_t *left)
{
	struct abi_format head;
	struct event_format *format;
	const char *system, *name, *print_fmt;

	memcpy(&head, blob->data, sizeof(head));
	system = blob_string(blob, head.system);
	name = blob_string(blob, head.name);
	print_fmt = blob_string(blob, head.print_fmt);
	if (!is_name(system) || !is_name(name) || !print_fmt ||
	    head.nr_fields > FIELDS_MAX || head.nr_values > VALUES_MAX ||
	    head.nr_fields * sizeof(struct abi_field) +
	    head.nr_values * sizeof(int64_t) > blob->bytes - sizeof(head))
		return NULL;
	format = event_format_alloc(system, name, id, print_fmt);
	if (!format)
		return NULL;
	if (take_values(format, blob->data + sizeof(head) +
			head.nr_fields * sizeof(struct abi_field),
			head.nr_values) < 0) {
		event_format_free(format);
		return NULL;
	}
	for (uint32_t i = 0; i < head.nr_fields; i++) {
		struct abi_field field;

		memcpy(&field, blob->data + sizeof(head) + i * sizeof(field),
		       sizeof(field));
		if (add_field(format, blob, &field, left) < 0) {
			event_format_free(format);
			return NULL;
		}
	}
	return format;
}

struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id, uint64_t *left)
{
	struct event_format *format;
	struct blob blob = { .bytes = bytes };

	if (bytes < sizeof(struct abi_format) || bytes > BLOB_BYTES_MAX ||
	    !take_bytes(left, bytes))
		return NULL;
	blob.data = malloc(bytes + 1);
	if (!blob.data)
		return NULL;
	memcpy(blob.data, shared, bytes);
	blob.data[bytes] = '\0';
	format = parse_format(&blob, id, left);
	free(blob.data);
	return format;
}

/* Append @string with its NUL to @out.  Returns the offset of the string from the start
 * of the description, which begins at offset @start of @out. */
static uint32_t put_string(struct text *out, size_t start, const char *string)
{
	uint32_t at = (uint32_t)(out->len - start);

	text_write(out, string, strlen(string) + 1);
	return at;
}

/* Overwrite the bytes of @out at offset @at with @data. */
static void set_bytes(struct text *out, size_t at, const void *data, size_t bytes)
{
	if (!out->error)
		memcpy(out->data + at, data, bytes);
}

void blob_from_format(const struct event_format *format, struct text *out)
{
	size_t start = out->len, at = start + sizeof(struct abi_format);
	struct abi_format head = { .nr_fields = (uint32_t)format->nr_fields };

	text_fill(out, '\0', sizeof(head) + format->nr_fields * sizeof(struct abi_field));
	head.system = put_string(out, start, format->system);
	head.name = put_string(out, start, format->name);
	head.print_fmt = put_string(out, start, format->print_fmt);
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct event_field *field = &format->fields[i];
		struct abi_field to = {
			.type = put_string(out, start, field->type),
			.name = put_string(out, start, field->name),
			.offset = field->offset,
			.size = field->size,
			.is_signed = field->is_signed,
			.filter = field->filter,
		};

		if (field->offset + field->size > head.entry_bytes)
			head.entry_bytes = field->offset + field->size;
		set_bytes(out, at + i * sizeof(to), &to, sizeof(to));
	}
	set_bytes(out, start, &head, sizeof(head));
}
