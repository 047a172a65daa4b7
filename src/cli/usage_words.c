/* SPDX-License-Identifier: MIT */
/* Parse the help texts of commands; see usage_words.h. */
#include "cli/usage_words.h"

#include <ctype.h>
#include <string.h>

#define NAME_CHARS	"abcdefghijklmnopqrstuvwxyz0123456789-"
#define OPERAND_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

bool usage_word_is(const struct usage_word *word, const char *text)
{
	return word->len == strlen(text) && !memcmp(word->text, text, word->len);
}

/* ---- options ---- */

/* Return the position of the option with which the line @line begins, after blanks; NULL if
 * it does not begin with an option. */
static const char *option_of_line(const char *line)
{
	const char *at = line + strspn(line, " ");

	if (at == line || *at != '-')
		return NULL;
	return isalpha((unsigned char)at[at[1] == '-' ? 2 : 1]) ? at : NULL;
}

/* Parse the value of an option: `=VALUE`, `[=VALUE]`, or ` VALUE` if the option has only a
 * letter.  Returns the position after the value. */
static const char *parse_value(const char *at, struct usage_option *option)
{
	bool has_blank = !option->name.len && *at == ' ' && isupper((unsigned char)at[1]);

	option->is_optional = *at == '[';
	at += option->is_optional;
	if (*at != '=' && !has_blank)
		return at;
	at++;
	option->value = (struct usage_word){ at, strcspn(at, " ,]\n") };
	at += option->value.len;
	return at + (*at == ']');
}

/* Parse the description of an option at @at, up to the end of the line or of a part of its
 * sentence. */
static void parse_summary(const char *at, struct usage_option *option)
{
	at += strspn(at, " ");
	option->summary = (struct usage_word){ at, strcspn(at, "\n;:,(") };
	while (option->summary.len && at[option->summary.len - 1] == ' ')
		option->summary.len--;
}

/* Parse the option at @at, which begins with a -.  Returns the position after the option. */
static const char *parse_option(const char *at, struct usage_option *ret_option)
{
	*ret_option = (struct usage_option){ 0 };
	if (at[1] != '-') {
		ret_option->letter = at[1];
		at += 2;
		if (strncmp(at, ", --", 4) == 0)
			at += 2;
	}
	if (strncmp(at, "--", 2) == 0) {
		at += 2;
		ret_option->name = (struct usage_word){ at, strspn(at, NAME_CHARS) };
		at += ret_option->name.len;
	}
	return parse_value(at, ret_option);
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

bool usage_option_next(const char **at, struct usage_option *ret_option)
{
	const char *text = *at, *found = NULL;

	if (strncmp(text, ", -", 3) == 0)	/* another option follows in the same line */
		found = text + 2;
	while (!found && *text) {
		found = option_of_line(text);
		if (!found)
			text = next_line(text);
	}
	if (!found)
		return false;
	text = parse_option(found, ret_option);
	parse_summary(text, ret_option);
	*at = strncmp(text, ", -", 3) == 0 ? text : next_line(text);
	return true;
}

/* ---- operands ---- */

/* The state while operands are parsed. */
struct parser {
	struct usage_operands *operands;
	unsigned int depth;		/* number of open [ */
	bool is_alternative;		/* true: there is a | before the next operand */
	bool needs_dashes;		/* true: there is a `--` before the next operand */
};

static struct usage_operand *last_operand(const struct parser *parser)
{
	struct usage_operands *operands = parser->operands;

	return operands->nr ? &operands->all[operands->nr - 1] : NULL;
}

/* Skip the group in [] at @at, and the dots that follow it.  Returns the position after them. */
static const char *skip_group(const char *at)
{
	unsigned int depth = 0;

	do {
		depth += *at == '[';
		depth -= *at == ']';
		at++;
	} while (*at && depth);
	return at + strspn(at, ".");
}

static void add_operand(struct parser *parser, const char *text, size_t len)
{
	const struct usage_operand *last = last_operand(parser);
	struct usage_operand operand = {
		.name = { text, strcspn(text, "_") < len ? strcspn(text, "_") : len },
		.place = last ? last->place + !parser->is_alternative : 0,
		.is_optional = parser->depth,
		.needs_dashes = parser->needs_dashes,
	};

	parser->is_alternative = parser->needs_dashes = false;
	if (usage_word_is(&operand.name, "OPTIONS") || usage_word_is(&operand.name, "SETTINGS"))
		return;
	if (parser->operands->nr < USAGE_OPERANDS_MAX)
		parser->operands->all[parser->operands->nr++] = operand;
}

/* Parse an option outside of [], or `--`.  Returns the position after it. */
static const char *parse_dashes(struct parser *parser, const char *at)
{
	if (strncmp(at, "-- ", 3) == 0)
		parser->needs_dashes = true;
	return at + strcspn(at, " ]");
}

static const char *parse_operand(struct parser *parser, const char *at)
{
	size_t len = strspn(at, OPERAND_CHARS);
	struct usage_operand *last = last_operand(parser);

	if (len) {
		add_operand(parser, at, len);
		return at + len;
	}
	if (*at == '-')
		return parse_dashes(parser, at);
	if (*at == '[' && at[1] == '-' && strncmp(at + 1, "--]", 3))
		return skip_group(at);
	if (*at == '.' && last)
		last->repeats = true;
	if (*at == '|')
		parser->is_alternative = true;
	parser->depth += *at == '[';
	parser->depth -= *at == ']';
	return at + 1;
}

void usage_operands_parse(const char *args, struct usage_operands *ret_operands)
{
	struct parser parser = { .operands = ret_operands };

	ret_operands->nr = 0;
	while (*args)
		args = parse_operand(&parser, args);
}

/* ---- places ---- */

/* Return @at with more places: if the operand at a place is optional, the next place is
 * possible, too. */
static usage_places add_optional(const struct usage_operands *operands, usage_places at)
{
	const struct usage_operand *operand;

	for (operand = operands->all; operand < operands->all + operands->nr; operand++) {
		if (operand->is_optional && at & 1u << operand->place)
			at |= 2u << operand->place;
	}
	return at;
}

usage_places usage_places_first(const struct usage_operands *operands)
{
	return add_optional(operands, 1);
}

usage_places usage_places_next(const struct usage_operands *operands, usage_places at)
{
	const struct usage_operand *operand;
	usage_places next = at << 1;

	for (operand = operands->all; operand < operands->all + operands->nr; operand++) {
		if (operand->repeats)
			next |= at & 1u << operand->place;
	}
	return add_optional(operands, next);
}
