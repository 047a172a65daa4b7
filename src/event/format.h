/* SPDX-License-Identifier: MIT */
/*
 * The layout of an event's record: its fields, and the text of the `format` file that
 * describes them to tools.
 *
 * A field's type is stored as the kernel stores it, with the brackets of an array at
 * the end: "int", "char[16]", "__data_loc char[]", "__rel_loc char[]".  In the format
 * file the brackets come after the name, except for __data_loc.
 */
#ifndef EVENT_FORMAT_H
#define EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_line;
struct text;

enum field_kind {
	FIELD_PLAIN,		/* the field is a number, a pointer, or a whole struct */
	FIELD_ARRAY,		/* the field is an array in the record; if its size is 0, the
				 * array extends to the record's end */
	FIELD_DATA_LOC,		/* the field is a u32 that says where the field's data is:
				 * length << 16 | offset from the record's start */
	FIELD_REL_LOC,		/* the field is a u32 that says where the field's data is:
				 * length << 16 | offset from the end of this u32 */
};

/* A field of an event. */
struct event_field {
	const char *type;
	const char *name;
	uint32_t offset;	/* offset of the field from the record's start, bytes */
	uint32_t size;		/* size of the field in the record, bytes */
	uint32_t array_len;	/* number of elements; 0 if the field is not an array, or
				 * the array has no fixed length */
	bool is_signed;
	uint8_t filter;		/* filter type of the field, if __field_ext() has set one:
				 * FILTER_OTHER ... */
	enum field_kind kind;
};

/* The format of an event. */
struct event_format {
	char *system;
	char *name;
	uint32_t id;
	struct event_field *fields;
	size_t nr_fields;
	char *print_fmt;	/* the print fmt: the arguments of TP_printk() as C text */
	int64_t *values;	/* values in the tables of print_fmt (__print_symbolic() and
				 * others), in the order of the rows; the C compiler of the
				 * program has computed these values */
	size_t nr_values;	/* number of @values; 0: the values must be computed from
				 * the text of print_fmt */
	const struct event_line *line;	/* how records are printed; NULL: by print_fmt */
};

enum { EVENT_NR_COMMON = 4 };
/* The fields of every record: common_type, common_flags, common_preempt_count and
 * common_pid. */
extern const struct event_field event_common_fields[EVENT_NR_COMMON];

/*
 * Make a format without fields.  The format has copies of all texts.
 * Returns NULL if there is no memory.
 */
struct event_format *event_format_alloc(const char *system, const char *name,
					uint32_t id, const char *print_fmt);
/* Free @fmt and all its texts.  @fmt may be NULL. */
void event_format_free(struct event_format *fmt);

/*
 * Add a field after all others.  Members kind and array_len of the field are computed from
 * @type.  Returns 0 or -ENOMEM.
 */
int event_format_add_field(struct event_format *fmt, const char *type,
			   const char *name, uint32_t offset, uint32_t size,
			   bool is_signed);

/*
 * Find a field by name, also among the common fields.  Returns NULL if there is no such
 * field.
 */
const struct event_field *event_format_find(const struct event_format *fmt,
					    const char *name, size_t name_len);

/* Returns the size of one element of an array in bytes.  For a field that is not an array,
 * returns the size of the field.  The result is at least 1. */
uint32_t event_field_elem_size(const struct event_field *field);

/* Append the text of the `format` file to @out. */
void event_format_text(const struct event_format *fmt, struct text *out);

/*
 * Parse the text of a `format` file.  @system: the event's system, because the text does
 * not contain it.
 * Returns 0, -EINVAL (the text is not a format), -E2BIG (a limit of format_parse.c is
 * exceeded) or -ENOMEM.
 */
int event_format_parse(const char *system, const char *text,
		       struct event_format **ret_fmt);

/* event_header_page_text() appends the text of events/header_page, for sub-buffers of
 * @subbuf_bytes.  event_header_event_text() appends the text of events/header_event. */
void event_header_page_text(uint32_t subbuf_bytes, struct text *out);
void event_header_event_text(struct text *out);

#endif
