/* SPDX-License-Identifier: MIT */
/* Read the values of fields of records for the formats. */
#include <inttypes.h>
#include <stdio.h>

#include "abi/control.h"
#include "event/print_impl.h"
#include "event/printk.h"
#include "event/type.h"
#include "export/export_impl.h"

#define ARRAY_MAX	64u		/* maximum number of elements of an array that the
					 * value shows */

/* ---- names ---- */

static bool is_of_ftrace(const struct datfile_event *event)
{
	return !strcmp(event->system, "ftrace");
}

bool export_is_message(const struct datfile_event *event)
{
	return event->id == ABI_EVENT_ID_PRINT || event->id == ABI_EVENT_ID_BPRINT ||
	       event->id == ABI_EVENT_ID_BPUTS;
}

bool export_is_call(const struct datfile_event *event)
{
	return event->id == ABI_EVENT_ID_GRAPH_ENTRY || event->id == ABI_EVENT_ID_GRAPH_EXIT ||
	       event->id == ABI_EVENT_ID_GRAPH_RETADDR;
}

static void put_address(const char *name, uint64_t addr, struct text *out)
{
	if (name)
		text_puts(out, name);
	else
		text_printf(out, "0x%" PRIx64, addr);
}

void export_call_name(const struct export_call *call, struct text *out)
{
	put_address(call->name, call->func, out);
}

void export_put_symbol(struct datfile *file, uint64_t addr, struct text *out)
{
	const struct datfile_symbol *symbol = datfile_symbol(file, addr);

	put_address(symbol ? symbol->name : NULL, addr, out);
}

/* ---- fields ---- */

static void end_text(struct export *ex, struct export_value *ret_value)
{
	ret_value->kind = EXPORT_TEXT;
	ret_value->len = ex->scratch.len;
	ret_value->text = text_str(&ex->scratch);
}

static bool is_char_type(const char *type)
{
	return strstr(type, "char") != NULL;
}

/* Return true if the field of an event of the system ftrace contains addresses of code. */
static bool is_code(const struct datfile_event *event, const struct event_field *field)
{
	static const char *const names[] = { "ip", "parent_ip", "func", "caller", "retaddr" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(field->name, names[i]))
			return is_of_ftrace(event);
	return false;
}

static void put_element(const uint8_t *at, struct value_type type, struct text *out)
{
	const struct num_spec spec = { .width = -1, .prec = -1 };

	if (type_is_float(type))
		print_float(out, 'g', spec, print_double_bits(print_load_float(at, type)));
	else if (type.is_signed)
		export_put_int(out, (int64_t)print_load(at, type));
	else
		export_put_uint(out, print_load(at, type));
}

/* Return the type of the field, or of an element if the field is an array.  If values of this
 * type have no size of 1, 2, 4 or 8 bytes, the type is a byte. */
static struct value_type element_type(const struct event_field *field)
{
	const char *type = field->type, *end = strchr(type, '[');
	struct value_type found;
	size_t len;

	if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC)
		type = strchr(type, ' ') ? strchr(type, ' ') + 1 : type;
	len = end && end > type ? (size_t)(end - type) : strlen(type);
	while (len && type[len - 1] == ' ')
		len--;
	if (!type_lookup(type, len, &found))
		found = (struct value_type){ .size = (uint8_t)event_field_elem_size(field),
					     .is_signed = field->is_signed };
	if (found.is_ptr)
		found = (struct value_type){ .size = 8 };
	return export_is_number_size(found.size) ? found : (struct value_type){ .size = 1 };
}

/* Return true if the field is a single float or double, and set *@ret_type. */
static bool is_float(const struct event_field *field, struct value_type *ret_type)
{
	return field->size >= 4 && strpbrk(field->type, "df") &&
	       type_lookup(field->type, strlen(field->type), ret_type) &&
	       type_is_float(*ret_type) && ret_type->size == field->size;
}

struct export_type export_type_of(const struct datfile_event *event,
				  const struct event_field *field)
{
	struct export_type type = { .shape = EXPORT_SINGLE };
	struct value_type found;

	if (field->kind != FIELD_PLAIN || !export_is_number_size(field->size)) {
		type.element = element_type(field);
		type.has_names = type.element.size == 8 && is_code(event, field);
		type.shape = field->kind != FIELD_PLAIN && is_char_type(field->type) ?
			     EXPORT_STRING : EXPORT_ARRAY;
	} else {
		type.element.size = (uint8_t)field->size;
		type.element.is_signed = field->is_signed;
		type.element.is_float = is_float(field, &found);
		type.has_names = field->size == 8 && is_code(event, field);
		if (type.has_names)
			type.shape = EXPORT_STRING;
	}
	return type;
}

static void put_array(struct export *ex, const struct datfile_record *record,
		      const struct event_field *field, const uint8_t *data, uint32_t bytes)
{
	struct value_type type = element_type(field);
	uint32_t size = type.size;
	bool has_names = size == 8 && is_code(record->event, field);
	struct text *out = &ex->scratch;

	text_putc(out, '{');
	for (uint32_t i = 0; i < bytes / size; i++) {
		uint64_t addr;

		if (i)
			text_putc(out, ',');
		if (i == ARRAY_MAX) {
			text_puts(out, "...");
			break;
		}
		memcpy(&addr, data + i * size, has_names ? sizeof(addr) : 0);
		if (has_names)
			export_put_symbol(record->file, addr, out);
		else
			put_element(data + i * size, type, out);
	}
	text_putc(out, '}');
}

static bool read_array(struct export *ex, const struct datfile_record *record,
		       const struct event_field *field, struct export_value *ret_value)
{
	uint32_t bytes;
	const void *data = datfile_field_bytes(record, field, &bytes);

	if (!data)
		return false;
	if (field->kind != FIELD_PLAIN && is_char_type(field->type)) {
		ret_value->kind = EXPORT_TEXT;
		ret_value->text = data;
		ret_value->len = strnlen(data, bytes);
		return true;
	}
	put_array(ex, record, field, data, bytes);
	end_text(ex, ret_value);
	return true;
}

bool export_value(struct export *ex, const struct datfile_record *record,
		  const struct event_field *field, struct export_value *ret_value)
{
	struct value_type type;

	text_reset(&ex->scratch);
	if (field->kind != FIELD_PLAIN || !export_is_number_size(field->size))
		return read_array(ex, record, field, ret_value);
	if (!datfile_field_number(record, field, &ret_value->number))
		return false;
	ret_value->kind = field->is_signed ? EXPORT_INT : EXPORT_UINT;
	if (field->size == 8 && is_code(record->event, field)) {
		export_put_symbol(record->file, (uint64_t)ret_value->number, &ex->scratch);
		end_text(ex, ret_value);
	} else if (is_float(field, &type)) {
		ret_value->kind = EXPORT_DOUBLE;
		ret_value->real = print_load_float(record->data + field->offset, type);
	}
	return true;
}

/* ---- messages ---- */

/* Print a pointer that is an argument of trace_printk(): as a number, or as the name of a
 * function. */
static void print_pointer(void *ctx, char letter, uint64_t value, struct num_spec spec,
			  struct text *out)
{
	(void)spec;
	if (letter && strchr("sSfFBR", letter))
		export_put_symbol(ctx, value, out);
	else
		text_printf(out, "0x%" PRIx64, value);
}

static uint64_t load_word(const struct datfile_record *record, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, record->data + offset, sizeof(word));
	return word;
}

/* Append a message of trace_printk().  The record contains the arguments, the file contains
 * the format. */
static void put_formatted(const struct datfile_record *record, struct text *out)
{
	const uint32_t head = 24;	/* number of bytes of the record before the arguments */
	const char *format = record->bytes < head ? NULL :
			     datfile_printk(record->file, load_word(record, 16));

	if (!format)
		text_puts(out, "[no format]");
	else if (record->event->id == ABI_EVENT_ID_BPUTS)
		text_puts(out, format);
	else
		printk_text(format, record->data + head, record->bytes - head, print_pointer,
			    record->file, out);
}

void export_message(struct export *ex, const struct datfile_record *record,
		    struct export_value *ret_value)
{
	const uint32_t head = 16;	/* number of bytes of the record before the text */
	struct text *out = &ex->scratch;

	text_reset(out);
	if (record->event->id != ABI_EVENT_ID_PRINT)
		put_formatted(record, out);
	else if (record->bytes > head)
		text_write(out, record->data + head,
			   strnlen((const char *)record->data + head, record->bytes - head));
	if (out->len && out->data[out->len - 1] == '\n')
		text_truncate(out, out->len - 1);
	end_text(ex, ret_value);
}
