/* SPDX-License-Identifier: MIT */
/* Split a print fmt into tokens: the tokens of C that occur in expressions. */
#include "event/print_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void print_fail(struct compiler *c, int error, const char *message)
{
	if (c->error)
		return;
	c->error = error;
	c->where.message = message;
	c->where.remedy = NULL;
	c->where.pos = (c->tok.text ? c->tok.text : c->pos) - c->text;
	c->tok.kind = TOK_END;
}

void print_fail_unknown(struct compiler *c, struct token at, const char *message,
			const char *remedy)
{
	if (c->error)
		return;
	c->tok = at;
	print_fail(c, -EINVAL, message);
	c->where.remedy = remedy;
}

bool print_is_punct(const struct compiler *c, int punct)
{
	return c->tok.kind == TOK_PUNCT && c->tok.punct == punct;
}

bool print_is_name(const struct compiler *c, const char *name)
{
	return c->tok.kind == TOK_NAME && strlen(name) == c->tok.len &&
	       memcmp(name, c->tok.text, c->tok.len) == 0;
}

bool print_accept_punct(struct compiler *c, int punct)
{
	if (!print_is_punct(c, punct))
		return false;
	print_next_token(c);
	return true;
}

void print_expect_punct(struct compiler *c, int punct, const char *message)
{
	if (!print_accept_punct(c, punct))
		print_fail(c, -EINVAL, message);
}

static uint64_t read_digits(const char **pos, unsigned int base)
{
	uint64_t value = 0;
	int digit;

	while ((digit = hex_digit(**pos)) >= 0 && (unsigned int)digit < base) {
		value = value * base + digit;
		(*pos)++;
	}
	return value;
}

/* Returns the type that C gives to an integer literal: the first type in a list of types that
 * can hold the value. */
static struct value_type number_type(uint64_t value, bool is_decimal,
				     bool is_unsigned, bool is_long)
{
	if (!is_long) {
		if (!is_unsigned && value <= INT32_MAX)
			return print_type_int;
		if ((is_unsigned || !is_decimal) && value <= UINT32_MAX)
			return print_type_uint;
	}
	if (!is_unsigned && value <= INT64_MAX)
		return print_type_long;
	return print_type_ulong;
}

/* Read a floating-point number: 1.5, .5, 2e6 or 1.f.  Returns false if the number is an
 * integer.  Hexadecimal floats are not supported. */
static bool lex_float(struct compiler *c)
{
	const char *p = c->pos + strspn(c->pos, "0123456789");
	char *end;

	if (*p != '.' && *p != 'e' && *p != 'E')
		return false;
	c->tok.value = print_double_bits(strtod(c->pos, &end));
	if (*end == 'f' || *end == 'F') {
		c->tok.value = print_double_bits(
			(double)(float)print_double(c->tok.value));
		end++;
	}
	c->tok.kind = TOK_NUMBER;
	c->tok.type = print_type_double;
	c->pos = end;
	if (is_name_start(*end) || is_digit(*end) || *end == '.')
		print_fail(c, -EINVAL, "not a number");
	return true;
}

static void lex_number(struct compiler *c)
{
	bool is_unsigned = false, is_long = false;
	const char *p = c->pos;
	unsigned int base = 10;

	if (lex_float(c))
		return;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && hex_digit(p[2]) >= 0) {
		base = 16;
		p += 2;
	} else if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B')) {
		base = 2;
		p += 2;
	} else if (p[0] == '0') {
		base = 8;
	}
	c->tok.value = read_digits(&p, base);
	for (;; p++) {
		if (*p == 'u' || *p == 'U')
			is_unsigned = true;
		else if (*p == 'l' || *p == 'L')
			is_long = true;
		else
			break;
	}
	c->tok.kind = TOK_NUMBER;
	c->tok.type = number_type(c->tok.value, base == 10, is_unsigned, is_long);
	c->pos = p;
	if (is_name_start(*p) || is_digit(*p) || *p == '.')
		print_fail(c, -EINVAL, "not an integer");
}

/* Decode an escape sequence.  *@pos points to the character after the backslash.  Returns
 * false if there is no valid escape sequence.  In this case the backslash remains in the
 * text. */
static bool read_escape(const char **pos, const char *end, char *ret_c)
{
	static const char names[] = "abfnrtv\\'\"?e0";
	static const char codes[] = "\a\b\f\n\r\t\v\\'\"?\033";
	const char *p = *pos, *name;
	unsigned int value = 0;
	int nr;

	if (p == end)
		return false;
	if (*p >= '0' && *p <= '7') {
		for (nr = 0; nr < 3 && p < end && *p >= '0' && *p <= '7'; nr++)
			value = value * 8 + (*p++ - '0');
	} else if (*p == 'x' && p + 1 < end && hex_digit(p[1]) >= 0) {
		for (p++; p < end && hex_digit(*p) >= 0; p++)
			value = (value << 4 | hex_digit(*p)) & 0xff;
	} else {
		name = memchr(names, *p, sizeof(names) - 2);
		if (!name)
			return false;
		value = codes[name - names];
		p++;
	}
	*ret_c = value;
	*pos = p;
	return true;
}

void print_string_decode(struct compiler *c, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	char ch;

	while (p < end) {
		ch = *p++;
		if (ch == '\\' && !read_escape(&p, end, &ch))
			ch = '\\';
		text_putc(&c->program->pool, ch);
	}
}

static void lex_char(struct compiler *c)
{
	const char *end = c->pos + strlen(c->pos), *p = c->pos + 1;
	char ch = *p;

	if (p == end || ch == '\'') {
		print_fail(c, -EINVAL, "not a character");
		return;
	}
	p++;
	if (ch == '\\' && !read_escape(&p, end, &ch))
		ch = '\\';
	if (*p != '\'') {
		print_fail(c, -EINVAL, "not a character");
		return;
	}
	c->tok.kind = TOK_NUMBER;
	c->tok.value = (uint64_t)(int64_t)(signed char)ch;
	c->tok.type = print_type_int;
	c->pos = p + 1;
}

static void lex_string(struct compiler *c)
{
	const char *p = c->pos + 1;

	while (*p && *p != '"')
		p += p[0] == '\\' && p[1] ? 2 : 1;
	if (!*p) {
		print_fail(c, -EINVAL, "string without an end");
		return;
	}
	c->tok.kind = TOK_STRING;
	c->pos = p + 1;
}

static void lex_punct(struct compiler *c)
{
	static const char pairs[][2] = {
		"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	};
	const char *p = c->pos;

	c->tok.kind = TOK_PUNCT;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (p[0] == pairs[i][0] && p[1] == pairs[i][1]) {
			c->tok.punct = PUNCT2(p[0], p[1]);
			c->pos += 2;
			return;
		}
	}
	c->tok.punct = (unsigned char)p[0];
	c->pos++;
	if (!strchr("()[]{}?:,;=.+-*/%&|^~!<>", p[0]))
		print_fail(c, -EINVAL, "not expected in an expression");
}

static bool is_c_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void print_next_token(struct compiler *c)
{
	if (c->error)
		return;
	while (is_c_space(*c->pos))
		c->pos++;
	c->tok.text = c->pos;
	if (!*c->pos) {
		c->tok.kind = TOK_END;
	} else if (is_name_start(*c->pos)) {
		c->tok.kind = TOK_NAME;
		while (is_name_start(*c->pos) || is_digit(*c->pos))
			c->pos++;
	} else if (is_digit(*c->pos) || (*c->pos == '.' && is_digit(c->pos[1]))) {
		lex_number(c);
	} else if (*c->pos == '"') {
		lex_string(c);
	} else if (*c->pos == '\'') {
		lex_char(c);
	} else {
		lex_punct(c);
	}
	c->tok.len = c->pos - c->tok.text;
}
