/* SPDX-License-Identifier: MIT */
/* Print numbers as the kernel's printk() does, without the C library. */
#include "event/print_impl.h"

#include "base/digits.h"

enum { MAX_DIGITS = 24 };	/* maximum length of a number: the octal digits of 64
				 * bits, and a sign */

/* Write the digits of @value backwards from @end.  Returns the address of the first digit. */
static char *put_hex_or_octal(char *end, uint64_t value, unsigned int shift, bool is_upper)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--end = digits[value & ((1u << shift) - 1)];
		value >>= shift;
	} while (value);
	return end;
}

void print_dec(struct text *out, uint64_t value, bool is_negative)
{
	char buf[MAX_DIGITS], *start = digits_put(buf + sizeof(buf), value);

	if (is_negative)
		*--start = '-';
	text_write(out, start, buf + sizeof(buf) - start);
}

void print_hex(struct text *out, uint64_t value, unsigned int min_digits)
{
	char buf[MAX_DIGITS], *start = put_hex_or_octal(buf + sizeof(buf), value, 4, false);

	while (buf + sizeof(buf) - start < min_digits)
		*--start = '0';
	text_write(out, start, buf + sizeof(buf) - start);
}

static char sign_char(bool is_negative, unsigned int flags)
{
	if (is_negative)
		return '-';
	if (flags & FLAG_PLUS)
		return '+';
	return flags & FLAG_SPACE ? ' ' : '\0';
}

/*
 * Print a number as printk() does.  It differs from C in two ways: %#x prints a prefix
 * for 0, too; and the 0 flag is effective even if there is a precision.
 */
void print_num(struct text *out, uint64_t value, bool is_negative,
	       struct num_spec spec)
{
	char buf[MAX_DIGITS], *end = buf + sizeof(buf), *start;
	bool is_upper = spec.flags & FLAG_UPPER;
	char sign = spec.base == 10 ? sign_char(is_negative, spec.flags) : '\0';
	const char *prefix = "";
	int digits, zeros, width;

	if (spec.base == 10)
		start = digits_put(end, value);
	else
		start = put_hex_or_octal(end, value, spec.base == 16 ? 4 : 3, is_upper);
	if (spec.flags & FLAG_SPECIAL) {
		if (spec.base == 16)
			prefix = is_upper ? "0X" : "0x";
		else if (spec.base == 8 && value)
			prefix = "0";
	}
	digits = end - start;
	zeros = spec.prec > digits ? spec.prec - digits : 0;
	width = spec.width - digits - zeros - (int)strlen(prefix) - (sign != 0);

	if (width > 0 && !(spec.flags & (FLAG_ZEROPAD | FLAG_LEFT)))
		text_fill(out, ' ', width);
	if (sign)
		text_putc(out, sign);
	text_puts(out, prefix);
	if (width > 0 && (spec.flags & (FLAG_ZEROPAD | FLAG_LEFT)) == FLAG_ZEROPAD)
		text_fill(out, '0', width);
	text_fill(out, '0', zeros);
	text_write(out, start, digits);
	if (width > 0 && (spec.flags & FLAG_LEFT))
		text_fill(out, ' ', width);
}

void print_address(struct text *out, uint64_t address, struct num_spec spec)
{
	if (spec.width < 0) {
		spec.width = 16;
		spec.flags |= FLAG_ZEROPAD;
	}
	spec.base = 16;
	if (spec.width == 16 && spec.flags == FLAG_ZEROPAD)
		print_hex(out, address, 16);
	else
		print_num(out, address, false, spec);
}

void print_pad(struct text *out, size_t start, struct num_spec spec)
{
	size_t len = out->len - start, fill;

	if (spec.prec >= 0 && len > (size_t)spec.prec) {
		len = spec.prec;
		text_truncate(out, start + len);
	}
	if (spec.width < 0 || len >= (size_t)spec.width)
		return;
	fill = spec.width - len;
	text_fill(out, ' ', fill);
	if (!(spec.flags & FLAG_LEFT) && !out->error) {
		memmove(out->data + start + fill, out->data + start, len);
		memset(out->data + start, ' ', fill);
	}
}
