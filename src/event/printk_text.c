/* SPDX-License-Identifier: MIT */
/*
 * Print a format with its recorded arguments.  Format and arguments may be malformed: this
 * code reads nothing outside of them.
 */
#include "event/printk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/print_impl.h"

#define FLOAT_PREC	64		/* maximum precision with which a floating-point
					 * number is printed */
/* Size of the text of a floating-point number: "-", the 309 digits of DBL_MAX, ".",
 * FLOAT_PREC digits, and some spare bytes. */
#define FLOAT_BYTES	(312 + FLOAT_PREC + 8)

/* A reader of the recorded arguments.  The next argument begins at start + at, rounded up
 * to its alignment. */
struct reader {
	const uint8_t *start;
	size_t at, bytes;
};

/* Read a recorded number of @bytes bytes.  Returns false if the recorded arguments end before
 * the number does. */
static bool read_number_arg(struct reader *reader, uint8_t bytes, uint64_t *ret_value)
{
	const struct value_type type = { .size = bytes };
	size_t at = ALIGN_UP(reader->at, bytes < 4 ? (size_t)bytes : 4);

	if (at > reader->bytes || bytes > reader->bytes - at)
		return false;
	*ret_value = print_load(reader->start + at, type);
	reader->at = at + bytes;
	return true;
}

/* Read a recorded string.  Returns NULL if the recorded arguments end before the
 * string's NUL. */
static const char *read_string_arg(struct reader *reader, size_t *ret_len)
{
	const char *s = (const char *)reader->start + reader->at;
	size_t left = reader->bytes - reader->at;
	size_t len = strnlen(s, left);

	if (len == left)
		return NULL;
	reader->at += len + 1;
	*ret_len = len;
	return s;
}

/* Append @s to @out.  If @out has too little space, which is possible in the runtime, only
 * the beginning of @s is appended. */
static void append_clipped(struct text *out, const char *s, size_t len)
{
	size_t room = out->max - out->len;

	text_write(out, s, len < room ? len : room);
	if (len > room && !out->error)
		out->error = -E2BIG;
}

static int32_t clamp_width(uint64_t value)
{
	int32_t number = (int32_t)value;

	if (number > PRINT_MAX_WIDTH)
		return PRINT_MAX_WIDTH;
	return number < -PRINT_MAX_WIDTH ? -PRINT_MAX_WIDTH : number;
}

/* Set width and precision of a conversion.  If they are written as `*`, read their arguments,
 * which precede the argument to print. */
static bool read_num_spec(struct reader *reader, const struct printk_conv *conv,
			  struct num_spec *ret_spec)
{
	struct num_spec spec = { .base = conv->base, .flags = conv->flags,
				 .width = conv->width, .prec = conv->prec };
	uint64_t value;

	if (conv->width == PRINTK_STAR) {
		if (!read_number_arg(reader, 4, &value))
			return false;
		spec.width = clamp_width(value);
		if (spec.width < 0) {
			spec.width = -spec.width;
			spec.flags |= FLAG_LEFT;
		}
	}
	if (conv->prec == PRINTK_STAR) {
		if (!read_number_arg(reader, 4, &value))
			return false;
		spec.prec = clamp_width(value);
		/* A negative precision counts as 0, as in the kernel.  For floats it
		 * counts as "no precision", as in C. */
		if (spec.prec < 0)
			spec.prec = conv->kind == PRINTK_FLOAT ? -1 : 0;
	}
	*ret_spec = spec;
	return true;
}

static void print_int_conv(struct text *out, const struct printk_conv *conv,
			   struct num_spec spec, uint64_t value)
{
	const struct value_type type = { .size = conv->bytes,
					 .is_signed = conv->is_signed };
	bool is_negative;

	value = print_load((const uint8_t *)&value, type);
	is_negative = conv->is_signed && value >> 63;
	if (!conv->is_signed)
		spec.flags &= (uint8_t)~(FLAG_PLUS | FLAG_SPACE);
	print_num(out, is_negative ? -value : value, is_negative, spec);
}

/* Returns the number of characters that must come before padding zeroes: the sign, and the
 * 0x of %a. */
static size_t number_prefix_len(const char *number, char letter)
{
	size_t len = strchr("+- ", *number) ? 1 : 0;

	return len + (letter == 'a' || letter == 'A' ? 2 : 0);
}

/*
 * Print a floating-point number with libc.  The width is not passed to libc, and the
 * precision is limited to FLOAT_PREC, because libc is slow otherwise: snprintf() of 0.5
 * with `%.32767g` takes a quarter of a millisecond to write three bytes.
 */
void print_float(struct text *out, char letter, struct num_spec spec, uint64_t bits)
{
	static const char flags[] = "+ #";	/* characters of the flags from FLAG_PLUS
						 * on, in the order of their bits */
	char fmt[sizeof(flags) + 4] = "%", *end = fmt + 1;
	char number[FLOAT_BYTES];
	size_t start = out->len, fill = 0, len, prefix;
	double value;

	for (unsigned int i = 0; flags[i]; i++)
		if (spec.flags & FLAG_PLUS << i)
			*end++ = flags[i];
	memcpy(end, ".*", 2);
	end[2] = letter;
	memcpy(&value, &bits, sizeof(value));
	len = (size_t)snprintf(number, sizeof(number), fmt,
			       spec.prec < FLOAT_PREC ? spec.prec : FLOAT_PREC, value);
	if (spec.flags & FLAG_ZEROPAD && !(spec.flags & FLAG_LEFT) &&
	    spec.width > (int32_t)len && __builtin_isfinite(value))
		fill = (size_t)spec.width - len;
	prefix = fill ? number_prefix_len(number, letter) : 0;
	append_clipped(out, number, prefix);
	text_fill(out, '0', fill);
	append_clipped(out, number + prefix, len - prefix);
	spec.prec = -1;
	print_pad(out, start, spec);
}

static void print_padded_string(struct text *out, const char *s, size_t len,
				struct num_spec spec)
{
	size_t start = out->len;

	append_clipped(out, s, spec.prec >= 0 && len > (size_t)spec.prec ?
		       (size_t)spec.prec : len);
	print_pad(out, start, spec);
}

static bool print_string_conv(struct text *out, struct reader *reader,
			      struct num_spec spec)
{
	size_t len;
	const char *s = read_string_arg(reader, &len);

	if (s)
		print_padded_string(out, s, len, spec);
	return s;
}

/* Print one conversion.  Returns false if there are too few recorded arguments. */
static bool print_conv(struct text *out, struct reader *reader,
		       const struct printk_conv *conv, printk_pointer *pointer,
		       void *ctx)
{
	const struct num_spec as_it_is = { .width = -1, .prec = -1 };
	struct num_spec spec;
	uint64_t value;
	char c;

	if (!read_num_spec(reader, conv, &spec))
		return false;
	if (conv->kind == PRINTK_PERCENT) {
		append_clipped(out, "%", 1);
		return true;
	}
	if (conv->kind == PRINTK_STR)
		return print_string_conv(out, reader, spec);
	if (conv->kind == PRINTK_PTR_TEXT)
		return print_string_conv(out, reader, as_it_is);
	if (!read_number_arg(reader, conv->bytes, &value))
		return false;
	switch (conv->kind) {
	case PRINTK_CHAR:
		c = (char)value;
		spec.prec = -1;
		print_padded_string(out, &c, 1, spec);
		break;
	case PRINTK_FLOAT:
		print_float(out, conv->letter, spec, value);
		break;
	case PRINTK_PTR:
		pointer(ctx, conv->letter, value, spec, out);
		break;
	default:
		print_int_conv(out, conv, spec, value);
		break;
	}
	return true;
}

int printk_text(const char *fmt, const void *args, size_t bytes,
		printk_pointer *pointer, void *ctx, struct text *out)
{
	struct reader reader = { .start = args, .bytes = bytes };
	struct printk_conv conv;

	while (*fmt && !out->error) {
		size_t len = strcspn(fmt, "%");

		append_clipped(out, fmt, len);
		fmt += len;
		if (!*fmt)
			break;
		fmt = printk_decode(fmt, &conv);
		if (conv.kind == PRINTK_INVALID)
			return -EINVAL;
		if (!print_conv(out, &reader, &conv, pointer, ctx))
			return -EBADMSG;
	}
	return 0;
}
