/* SPDX-License-Identifier: MIT */
/* Parse the formats of trace_printk(). */
#include "event/printk.h"

#include <string.h>

#include "event/print_impl.h"

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static const char *decode_flags(const char *s, struct printk_conv *conv)
{
	for (;; s++) {
		switch (*s) {
		case '-': conv->flags |= FLAG_LEFT; break;
		case '+': conv->flags |= FLAG_PLUS; break;
		case ' ': conv->flags |= FLAG_SPACE; break;
		case '#': conv->flags |= FLAG_SPECIAL; break;
		case '0': conv->flags |= FLAG_ZEROPAD; break;
		default: return s;
		}
	}
}

static const char *decode_number(const char *s, int32_t *ret_number)
{
	int32_t number = 0;

	if (*s == '*') {
		*ret_number = PRINTK_STAR;
		return s + 1;
	}
	for (; *s >= '0' && *s <= '9'; s++) {
		number = number * 10 + (*s - '0');
		if (number > PRINT_MAX_WIDTH)
			number = PRINT_MAX_WIDTH;
	}
	*ret_number = number;
	return s;
}

/* Parse the length modifier of a conversion: h hh l ll L z t j.  *@ret_qualifier is the
 * modifier's letter; 'H' for hh, 'L' for ll. */
static const char *decode_qualifier(const char *s, char *ret_qualifier)
{
	*ret_qualifier = *s && strchr("hlLztj", *s) ? *s++ : '\0';
	if (*ret_qualifier == 'h' && *s == 'h') {
		*ret_qualifier = 'H';
		s++;
	} else if (*ret_qualifier == 'l' && *s == 'l') {
		*ret_qualifier = 'L';
		s++;
	}
	return s;
}

static void set_int_conv(struct printk_conv *conv, char letter, char qualifier)
{
	conv->kind = PRINTK_INT;
	conv->is_signed = letter == 'd' || letter == 'i';
	conv->base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
	if (letter == 'X')
		conv->flags |= FLAG_UPPER;
	conv->bytes = qualifier == 'H' ? 1 : qualifier == 'h' ? 2 :
		      qualifier ? 8 : 4;
}

static const char *decode_pointer(const char *s, struct printk_conv *conv)
{
	conv->kind = PRINTK_PTR;
	conv->bytes = 8;
	if (is_alnum(*s)) {
		conv->letter = *s;
		if (!strchr("SsxKe", *s))
			conv->kind = PRINTK_PTR_TEXT;
	}
	while (is_alnum(*s))
		s++;
	return s;
}

/* Parse the letter of the conversion.  Wide strings (%ls) and wide characters (%lc) are not
 * supported. */
static const char *decode_letter(const char *s, char qualifier,
				 struct printk_conv *conv)
{
	bool is_wide = qualifier == 'l' || qualifier == 'L';

	switch (*s) {
	case '%':
		conv->kind = PRINTK_PERCENT;
		break;
	case 'c':
		conv->kind = is_wide ? PRINTK_INVALID : PRINTK_CHAR;
		conv->bytes = 1;
		break;
	case 's':
		conv->kind = is_wide ? PRINTK_INVALID : PRINTK_STR;
		break;
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
		set_int_conv(conv, *s, qualifier);
		break;
	case 'a': case 'e': case 'f': case 'g':
	case 'A': case 'E': case 'F': case 'G':
		conv->kind = PRINTK_FLOAT;
		conv->bytes = 8;
		conv->letter = *s;
		conv->is_long = qualifier == 'L';
		break;
	case 'p':
		return decode_pointer(s + 1, conv);
	default:
		return s;
	}
	return s + 1;
}

const char *printk_decode(const char *fmt, struct printk_conv *ret_conv)
{
	const char *s;
	char qualifier;

	*ret_conv = (struct printk_conv){ .width = -1, .prec = -1 };
	s = decode_flags(fmt + 1, ret_conv);
	if ((*s >= '0' && *s <= '9') || *s == '*')
		s = decode_number(s, &ret_conv->width);
	if (*s == '.')
		s = decode_number(s + 1, &ret_conv->prec);
	s = decode_qualifier(s, &qualifier);
	return decode_letter(s, qualifier, ret_conv);
}

/* Describe the arguments of one conversion in @args: at most two for `*`, then the value to
 * print.  Returns the number of these arguments. */
static uint32_t list_conv_args(const struct printk_conv *conv,
			       struct printk_arg args[3])
{
	const struct printk_arg star = { .kind = PRINTK_INT, .bytes = 4 };
	uint32_t nr = 0;

	if (conv->kind == PRINTK_INVALID)
		return 0;
	if (conv->width == PRINTK_STAR)
		args[nr++] = star;
	if (conv->prec == PRINTK_STAR) {
		args[nr] = star;
		args[nr++].is_limit = conv->kind == PRINTK_STR;
	}
	if (conv->kind == PRINTK_PERCENT)
		return nr;
	args[nr++] = (struct printk_arg){
		.kind = conv->kind, .bytes = conv->bytes,
		.is_long = conv->is_long,
		.limit = conv->prec < 0 || conv->prec == PRINTK_STAR ?
			 UINT32_MAX : (uint32_t)conv->prec,
	};
	return nr;
}

uint32_t printk_args(const char *fmt, struct printk_arg args[PRINTK_ARGS_MAX])
{
	struct printk_conv conv = { .kind = PRINTK_PERCENT };
	struct printk_arg some[3];
	uint32_t nr = 0, nr_some;

	while (conv.kind != PRINTK_INVALID && (fmt = strchr(fmt, '%'))) {
		fmt = printk_decode(fmt, &conv);
		nr_some = list_conv_args(&conv, some);
		if (nr + nr_some >= PRINTK_ARGS_MAX)
			break;
		memcpy(args + nr, some, nr_some * sizeof(*args));
		nr += nr_some;
	}
	args[nr++] = (struct printk_arg){ .kind = PRINTK_INVALID };
	return nr;
}
