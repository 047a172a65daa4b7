/* SPDX-License-Identifier: MIT */
/*
 * Parse the arguments of USDT probes.  Compilers print them as operands of AT&T assembly, with
 * the size in front:
 *
 *	-4@%eax			register; the value is an int
 *	1@%ah			the second byte of a register
 *	4@$5			constant
 *	8@-24(%rbp)		memory
 *	8@8(%rax,%rbx,4)	memory at 8 + rax + 4 * rbx
 *	8@name+4(%rip)		memory of the object, at a symbol
 *	8@$name			address of a symbol
 *
 * Worked example, 8@-24(%rbp): size 8, not signed; the displacement -24; the registers in
 * parentheses: base 5 (rbp), no index.  So kind is USDT_MEMORY and value (uint64_t)-24.
 *
 * The parser refuses other registers (%xmm0, %st), segments (%fs:8), and numbers relative
 * to rip.
 */
#include "arch/x86_64/usdt_table.h"

#include <string.h>

#define SYMBOL_MAX	256u		/* maximum length of a symbol's name */

struct input {
	const char *at, *end;
};

static bool take(struct input *in, char wanted)
{
	if (in->at == in->end || *in->at != wanted)
		return false;
	in->at++;
	return true;
}

static bool is_at(const struct input *in, const char *set)
{
	return in->at < in->end && *in->at && strchr(set, *in->at);
}

static bool is_digit(const struct input *in)
{
	return in->at < in->end && *in->at >= '0' && *in->at <= '9';
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Parse a number without a sign: decimal, or hexadecimal after 0x.  A number above 64 bits
 * wraps around, as addresses do. */
static bool take_number(struct input *in, uint64_t *ret)
{
	uint32_t base = 10;
	const char *start;

	if (!is_digit(in))
		return false;
	if (in->end - in->at > 2 && in->at[0] == '0' && (in->at[1] | 0x20) == 'x') {
		base = 16;
		in->at += 2;
	}
	*ret = 0;
	for (start = in->at; in->at < in->end && (uint32_t)digit_of(*in->at) < base; in->at++)
		*ret = *ret * base + (uint32_t)digit_of(*in->at);
	return in->at > start;
}

/* ---- registers ---- */

struct register_name {
	char name[5];
	uint8_t number, bytes, shift;
};

static const struct register_name register_names[] = {
#define SIZES(number, name8, name4, name2, name1)				\
	{ name8, number, 8, 0 }, { name4, number, 4, 0 },			\
	{ name2, number, 2, 0 }, { name1, number, 1, 0 }
	SIZES(0, "rax", "eax", "ax", "al"), SIZES(1, "rcx", "ecx", "cx", "cl"),
	SIZES(2, "rdx", "edx", "dx", "dl"), SIZES(3, "rbx", "ebx", "bx", "bl"),
	SIZES(4, "rsp", "esp", "sp", "spl"), SIZES(5, "rbp", "ebp", "bp", "bpl"),
	SIZES(6, "rsi", "esi", "si", "sil"), SIZES(7, "rdi", "edi", "di", "dil"),
	SIZES(8, "r8", "r8d", "r8w", "r8b"), SIZES(9, "r9", "r9d", "r9w", "r9b"),
	SIZES(10, "r10", "r10d", "r10w", "r10b"), SIZES(11, "r11", "r11d", "r11w", "r11b"),
	SIZES(12, "r12", "r12d", "r12w", "r12b"), SIZES(13, "r13", "r13d", "r13w", "r13b"),
	SIZES(14, "r14", "r14d", "r14w", "r14b"), SIZES(15, "r15", "r15d", "r15w", "r15b"),
#undef SIZES
	{ "ah", 0, 1, 8 }, { "ch", 1, 1, 8 }, { "dh", 2, 1, 8 }, { "bh", 3, 1, 8 },
};

/* Parse a register with its %.  Returns NULL if there is none, or if its name is unknown. */
static const struct register_name *take_register(struct input *in)
{
	const char *start = in->at + 1;
	size_t len;

	if (!take(in, '%'))
		return NULL;
	while (in->at < in->end && ((*in->at >= 'a' && *in->at <= 'z') || is_digit(in)))
		in->at++;
	len = (size_t)(in->at - start);
	for (size_t i = 0; i < sizeof(register_names) / sizeof(register_names[0]); i++)
		if (strlen(register_names[i].name) == len &&
		    !memcmp(register_names[i].name, start, len))
			return &register_names[i];
	return NULL;
}

/* ---- displacements ---- */

static bool is_symbol_char(const struct input *in)
{
	return is_at(in, "_.$@") || is_digit(in) ||
	       (in->at < in->end && (*in->at | 0x20) >= 'a' && (*in->at | 0x20) <= 'z');
}

static bool take_symbol(struct input *in, const struct usdt_finder *finder, uint64_t *ret)
{
	const char *start = in->at;

	while (is_symbol_char(in))
		in->at++;
	return in->at > start && in->at - start <= (int)SYMBOL_MAX && finder &&
	       finder->find(finder, start, (uint32_t)(in->at - start), ret);
}

/* A displacement of an operand: a sum of numbers, and at most one symbol. */
struct sum {
	uint64_t value;
	bool has_symbol;
};

static bool take_term(struct input *in, const struct usdt_finder *finder, bool is_minus,
		      struct sum *sum)
{
	uint64_t value;

	if (is_digit(in)) {
		if (!take_number(in, &value))
			return false;
	} else if (is_minus || sum->has_symbol || !take_symbol(in, finder, &value)) {
		return false;
	} else {
		sum->has_symbol = true;
	}
	sum->value += is_minus ? -value : value;
	return true;
}

static bool take_sum(struct input *in, const struct usdt_finder *finder, struct sum *ret)
{
	bool is_minus = take(in, '-');

	*ret = (struct sum){ 0 };
	if (!is_minus)
		take(in, '+');
	if (!take_term(in, finder, is_minus, ret))
		return false;
	while (is_at(in, "+-")) {
		is_minus = *in->at++ == '-';
		if (!take_term(in, finder, is_minus, ret))
			return false;
	}
	return true;
}

/* ---- operands ---- */

/* Parse a register that is a part of an address, which must have 8 bytes. */
static bool take_base(struct input *in, uint8_t *ret)
{
	const struct register_name *name = take_register(in);

	if (!name || name->bytes != 8)
		return false;
	*ret = name->number;
	return true;
}

static bool take_scale(struct input *in, uint8_t *ret)
{
	uint64_t scale = 1;

	if (take(in, ',') && !take_number(in, &scale))
		return false;
	*ret = (uint8_t)scale;
	return scale == 1 || scale == 2 || scale == 4 || scale == 8;
}

/* Parse (BASE,INDEX,SCALE), where parts may be missing, or (%rip). */
static bool take_address(struct input *in, bool has_symbol, struct usdt_arg *arg)
{
	static const char rip[] = "%rip)";

	if (!take(in, '('))
		return false;
	if (in->end - in->at == sizeof(rip) - 1 && !memcmp(in->at, rip, sizeof(rip) - 1)) {
		in->at = in->end;
		arg->kind = USDT_OBJECT;
		return has_symbol;
	}
	arg->kind = USDT_MEMORY;
	if (has_symbol || (is_at(in, "%") && !take_base(in, &arg->base)))
		return false;
	if (take(in, ',') &&
	    (!take_base(in, &arg->index) || arg->index == USDT_RSP ||
	     !take_scale(in, &arg->scale)))
		return false;
	return (arg->base != USDT_NO_REGISTER || arg->index != USDT_NO_REGISTER) && take(in, ')');
}

static bool take_constant(struct input *in, const struct usdt_finder *finder,
			  struct usdt_arg *arg)
{
	struct sum sum;

	if (!take_sum(in, finder, &sum))
		return false;
	arg->value = sum.value;
	arg->kind = sum.has_symbol ? USDT_ADDRESS : USDT_CONSTANT;
	return true;
}

static bool take_operand(struct input *in, const struct usdt_finder *finder,
			 struct usdt_arg *arg)
{
	const struct register_name *name;
	struct sum sum = { 0 };

	if (take(in, '$'))
		return take_constant(in, finder, arg);
	if (is_at(in, "%")) {
		name = take_register(in);
		if (!name)
			return false;
		arg->kind = USDT_REGISTER;
		arg->base = name->number;
		arg->shift = name->shift;
		if (!arg->bytes || arg->bytes > name->bytes)
			arg->bytes = name->bytes;
		return true;
	}
	if (!is_at(in, "(") && !take_sum(in, finder, &sum))
		return false;
	arg->value = sum.value;
	if (is_at(in, "("))
		return take_address(in, sum.has_symbol, arg);
	/* An operand that is only a number or a name means the memory at this
	 * address. */
	arg->kind = USDT_OBJECT;
	return sum.has_symbol;
}

/* Parse the size N@, where N is 1, 2, 4 or 8, or one of these after a minus.  If there is
 * no size, *@arg is not changed.  Returns false if the size has another value. */
static bool take_size(struct input *in, struct usdt_arg *arg)
{
	struct input again = *in;
	bool is_signed = take(&again, '-');
	uint64_t bytes;

	if (!take_number(&again, &bytes) || !take(&again, '@'))
		return memchr(in->at, '@', (size_t)(in->end - in->at)) == NULL;
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return false;
	arg->bytes = (uint8_t)bytes;
	arg->is_signed = is_signed;
	*in = again;
	return true;
}

bool usdt_parse_arg(const char *text, uint32_t len, const struct usdt_finder *finder,
		    struct usdt_arg *ret)
{
	const struct usdt_arg nothing = {
		.base = USDT_NO_REGISTER, .index = USDT_NO_REGISTER, .scale = 1,
	};
	struct input in = { text, text + len };

	*ret = nothing;
	if (take_size(&in, ret) && take_operand(&in, finder, ret) && in.at == in.end) {
		if (!ret->bytes)
			ret->bytes = sizeof(uint64_t);
		return true;
	}
	*ret = nothing;
	return false;
}

const char *usdt_next_arg(const char **at, uint32_t *ret_len)
{
	const char *start = *at + strspn(*at, " \t");

	*ret_len = (uint32_t)strcspn(start, " \t");
	*at = start + *ret_len;
	return *ret_len ? start : NULL;
}
