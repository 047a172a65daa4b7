/* SPDX-License-Identifier: MIT */
/* Print the fields of a record by their types, without the print fmt. */
#include "event/print_impl.h"

#include <errno.h>

/* The record whose fields are printed. */
struct record {
	const uint8_t *rec;
	size_t len;
	const struct print_env *env;
	struct text *out;
};

static void put_record_string(const struct record *r, size_t offset, size_t len)
{
	const char *s = (const char *)r->rec + offset;

	text_write(r->out, s, strnlen(s, len));
}

static void put_hex_and_dec(const struct record *r, uint64_t hex, int64_t dec)
{
	text_write(r->out, "0x", 2);
	print_hex(r->out, hex, 1);
	text_write(r->out, " (", 2);
	print_dec(r->out, dec < 0 ? -(uint64_t)dec : (uint64_t)dec, dec < 0);
	text_putc(r->out, ')');
}

static void put_char_and_dec(const struct record *r, uint8_t byte)
{
	if (print_is_printable(byte)) {
		text_putc(r->out, '\'');
		text_putc(r->out, byte);
		text_putc(r->out, '\'');
	}
	text_putc(r->out, '(');
	print_dec(r->out, byte, false);
	text_putc(r->out, ')');
}

/* Print a number of 8 bytes.  If the number is the address of code, print the symbol first. */
static void put_symbol_or_number(const struct record *r, uint64_t word)
{
	int32_t low = (int32_t)word;

	if (word && r->env && r->env->symbol &&
	    r->env->symbol(r->env->ctx, word, PRINT_SYMBOL_OFFSET, r->out) == 0) {
		text_write(r->out, " (", 2);
		print_dec(r->out, low < 0 ? -(uint64_t)low : (uint64_t)low, low < 0);
		text_putc(r->out, ')');
		return;
	}
	put_hex_and_dec(r, word, (int64_t)word);
}

/* Print a float or double field as %g does.  Returns false if the field has another type. */
static bool put_float_field(const struct record *r, const struct event_field *field)
{
	const struct num_spec spec = { .width = -1, .prec = -1 };
	struct value_type type;

	if (field->kind != FIELD_PLAIN ||
	    !type_lookup(field->type, strlen(field->type), &type) ||
	    !type_is_float(type) || type.size != field->size)
		return false;
	print_float(r->out, 'g', spec, print_double_bits(
		print_load_float(r->rec + field->offset, type)));
	return true;
}

static void put_number_field(const struct record *r, const struct event_field *field)
{
	struct value_type type = { .size = field->size, .is_signed = false };
	uint64_t u = 0;

	if (field->size == 1 || field->size == 2 || field->size == 4 ||
	    field->size == 8)
		u = print_load(r->rec + field->offset, type);
	switch (field->size) {
	case 1:
		put_char_and_dec(r, u);
		break;
	case 2:
		put_hex_and_dec(r, u, (uint16_t)u);
		break;
	case 4:
		put_hex_and_dec(r, u, (int32_t)u);
		break;
	case 8:
		put_symbol_or_number(r, u);
		break;
	default:
		text_puts(r->out, "<INVALID-SIZE>");
		break;
	}
}

static bool is_char_ptr(const char *type)
{
	return strcmp(type, "char *") == 0 || strcmp(type, "const char *") == 0;
}

/* Print the string that a char * of the record points to.  The string is in the memory
 * of the traced program, which may no longer be readable. */
static void put_char_ptr_field(const struct record *r, const struct event_field *field)
{
	const struct value_type type = { .size = 8 };
	uint64_t address = print_load(r->rec + field->offset, type);
	size_t start;

	text_write(r->out, "(0x", 3);
	print_hex(r->out, address, 1);
	start = r->out->len;
	text_putc(r->out, ':');
	if (!r->env || !r->env->string ||
	    r->env->string(r->env->ctx, address, r->out) != 0)
		text_truncate(r->out, start);
	text_putc(r->out, ')');
}

static void put_dynamic_field(const struct record *r, const struct event_field *field)
{
	const struct value_type type = { .size = 4 };
	uint64_t loc, offset, len;

	/*
	 * In synthetic events a dynamic field has 8 bytes, of which 4 are used.  For a field
	 * with a stack, print <INVALID-TYPE>, as the kernel does.
	 */
	if (field->size == 8 && !strstr(field->type, "char")) {
		text_puts(r->out, "<INVALID-TYPE>");
		return;
	}
	if (field->size != 4 && field->size != 8) {
		text_puts(r->out, "<INVALID-SIZE>");
		return;
	}
	loc = print_load(r->rec + field->offset, type);
	offset = loc & 0xffff;
	len = loc >> 16;
	if (field->kind == FIELD_REL_LOC)
		offset += (uint64_t)field->offset + field->size;
	if (offset + len > r->len)
		text_puts(r->out, "<OVERFLOW>");
	else if (strstr(field->type, "char"))
		put_record_string(r, offset, len);
	else
		print_bytes(r->out, r->rec + offset, len, ',');
}

static void put_field(const struct record *r, const struct event_field *field)
{
	if ((uint64_t)field->offset + field->size > r->len)
		text_puts(r->out, "<OVERFLOW>");
	else if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC)
		put_dynamic_field(r, field);
	else if (strstr(field->type, "char["))
		put_record_string(r, field->offset, field->size ? field->size :
				  r->len - field->offset);
	else if (is_char_ptr(field->type) && field->size == 8)
		put_char_ptr_field(r, field);
	else if (!put_float_field(r, field))
		put_number_field(r, field);
}

int print_record_fields(const struct event_format *fmt, const void *rec,
			size_t len, const struct print_env *env,
			struct text *out)
{
	const struct record r = { .rec = rec, .len = len, .env = env,
				  .out = out };

	for (size_t i = 0; i < fmt->nr_fields; i++) {
		if (i)
			text_putc(out, ' ');
		text_puts(out, fmt->fields[i].name);
		text_putc(out, '=');
		put_field(&r, &fmt->fields[i]);
	}
	return out->error;
}
