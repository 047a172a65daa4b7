/* SPDX-License-Identifier: MIT */
/* Find a field by name, and decide how a filter uses it. */
#include <string.h>

#include "base/nearest.h"
#include "event/format.h"
#include "event/type.h"
#include "filter/term.h"
#include <ulf/record.h>

/* Names that the filter of every event can use like fields.  The record does not contain
 * them. */
static const struct {
	const char *name;
	enum field_use use;
} generic[] = {
	{ "CPU", USE_CPU }, { "cpu", USE_CPU }, { "common_cpu", USE_CPU },
	{ "COMM", USE_COMM }, { "comm", USE_COMM },
};

/* Returns how a filter uses a field, according to the text of the field's C type.  The kernel
 * uses the same rules. */
static enum field_use field_use_by_type(const struct event_field *field)
{
	const char *type = field->type;
	bool is_char = strstr(type, "char");
	struct value_type value;
	bool is_mask = strstr(type, "cpumask_t") || strstr(type, "unsigned long");

	switch (field->kind) {
	case FIELD_DATA_LOC:
		return is_char ? USE_LOC : is_mask ? USE_MASK_LOC : USE_NUMBER;
	case FIELD_REL_LOC:
		return is_char ? USE_REL : is_mask ? USE_MASK_REL : USE_NUMBER;
	case FIELD_ARRAY:
		return is_char ? USE_ARRAY : USE_NUMBER;
	case FIELD_PLAIN:
		break;
	}
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return USE_PTR;
	if (type_lookup(type, strlen(type), &value) && type_is_float(value) &&
	    value.size == field->size)
		return USE_FLOAT;
	return USE_NUMBER;
}

/* Returns how a filter uses a field.  The field's filter type (__field_ext()) decides if
 * there is one; else the field's C type. */
static enum field_use field_use_of(const struct event_field *field)
{
	switch (field->filter) {
	case FILTER_OTHER:
		return field_use_by_type(field);
	case FILTER_STATIC_STRING:
		return USE_ARRAY;
	case FILTER_DYN_STRING:
		return USE_LOC;
	case FILTER_RDYN_STRING:
		return USE_REL;
	case FILTER_PTR_STRING:
		return USE_PTR;
	case FILTER_COMM:
		return USE_COMM;
	case FILTER_CPU:
		return USE_CPU;
	default:
		return USE_NUMBER;
	}
}

/* Returns false if a field of @size bytes cannot be used in the way @use. */
static bool field_use_fits(enum field_use use, uint32_t size)
{
	switch (use) {
	case USE_LOC:
		/* In synthetic events a dynamic string has 8 bytes in the record, of which 4
		 * are used. */
		return size == sizeof(uint32_t) || size == sizeof(uint64_t);
	case USE_REL:
	case USE_MASK_LOC:
	case USE_MASK_REL:
		return size == sizeof(uint32_t);
	case USE_PTR:
		return size == sizeof(uint64_t);
	default:
		return true;
	}
}

static uint32_t field_bits(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 ? size * 8 : 0;
}

static struct term_field make_generic_field(enum field_use use)
{
	return (struct term_field){
		.use = use, .bits = 32, .is_signed = true,
	};
}

static struct term_field make_record_field(const struct event_field *field)
{
	enum field_use use = field_use_of(field);

	if (use == USE_CPU || use == USE_COMM)
		return make_generic_field(use);
	return (struct term_field){
		.use = field_use_fits(use, field->size) ? use : USE_NUMBER,
		.offset = field->offset,
		.size = field->size,
		.bits = field_bits(field->size),
		.is_signed = field->is_signed,
	};
}

bool term_find_field(const struct event_format *fmt, const char *name,
		     size_t len, struct term_field *ret_field)
{
	const struct event_field *field = event_format_find(fmt, name, len);

	if (field) {
		*ret_field = make_record_field(field);
		return true;
	}
	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
		if (strlen(generic[i].name) == len &&
		    !memcmp(generic[i].name, name, len)) {
			*ret_field = make_generic_field(generic[i].use);
			return true;
		}
	}
	return false;
}

void term_offer_fields(const struct event_format *fmt, struct nearest *near)
{
	for (size_t i = 0; i < fmt->nr_fields; i++)
		nearest_offer(near, fmt->fields[i].name);
	for (size_t i = 0; i < EVENT_NR_COMMON; i++)
		nearest_offer(near, event_common_fields[i].name);
	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
		nearest_offer(near, generic[i].name);
}
