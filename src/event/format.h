/* SPDX-License-Identifier: MIT */
/*
 * What an event's record looks like: the fields, and the text of the `format`
 * file that tells them to tools.
 *
 * A field's type is kept as the kernel keeps it, with the array's brackets at
 * its end: "int", "char[16]", "__data_loc char[]", "__rel_loc char[]". The
 * format file moves the brackets behind the name, except for __data_loc.
 */
#ifndef EVENT_FORMAT_H
#define EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

enum field_kind {
	FIELD_PLAIN,		/* a number, a pointer, or a struct as a whole */
	FIELD_ARRAY,		/* in the record itself; size 0: to the record's end */
	FIELD_DATA_LOC,		/* u32 len << 16 | offset from the record's start */
	FIELD_REL_LOC,		/* the same, offset from the end of this field */
};

struct event_field {
	const char *type;
	const char *name;
	uint32_t offset;
	uint32_t size;
	uint32_t array_len;	/* elements; 0: no array, or of open length */
	bool is_signed;
	uint8_t filter;		/* FILTER_OTHER..., of __field_ext() */
	enum field_kind kind;
};

struct event_format {
	char *system;
	char *name;
	uint32_t id;
	struct event_field *fields;
	size_t nr_fields;
	char *print_fmt;
	int64_t *values;	/* of the rows of all tables in print_fmt, as the */
	size_t nr_values;	/* C compiler knew them; 0: look at the text */
};

enum { EVENT_NR_COMMON = 4 };
/* common_type, common_flags, common_preempt_count, common_pid */
extern const struct event_field event_common_fields[EVENT_NR_COMMON];

/* An event without fields; all texts are copied. NULL without memory. */
struct event_format *event_format_alloc(const char *system, const char *name,
					uint32_t id, const char *print_fmt);
void event_format_free(struct event_format *fmt);

/* Add a field behind the others; kind and array_len are read off the type. */
int event_format_add_field(struct event_format *fmt, const char *type,
			   const char *name, uint32_t offset, uint32_t size,
			   bool is_signed);

/* By name, the common fields too; NULL if there is none. */
const struct event_field *event_format_find(const struct event_format *fmt,
					    const char *name, size_t name_len);

/* Bytes of one element of an array, or of the field itself; at least 1. */
uint32_t event_field_elem_size(const struct event_field *field);

/* The text of the `format` file. */
void event_format_text(const struct event_format *fmt, struct text *out);

/*
 * Read such a text (of an event of `system`; the text does not say which).
 * -EINVAL if it is not one, -E2BIG if it is beyond all measure, -ENOMEM.
 */
int event_format_parse(const char *system, const char *text,
		       struct event_format **ret_fmt);

/* events/header_page for sub-buffers of that size, and events/header_event. */
void event_header_page_text(uint32_t subbuf_bytes, struct text *out);
void event_header_event_text(struct text *out);

#endif
