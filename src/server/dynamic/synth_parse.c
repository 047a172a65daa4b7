/* SPDX-License-Identifier: MIT */
/*
 * Parse the definition of a synthetic event.  The order of the checks is that of the
 * kernel, because if there are several mistakes, the order decides which of them is
 * reported.
 */
#include "server/dynamic/synth_parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include "server/dynamic/words.h"
#include <ulf/record.h>

#define TEXT_MAX	(1u << 20)	/* limit of the length of a text that the parser
					 * makes, bytes */
#define LOC_BYTES	SYNTH_WORD_BYTES	/* size of the word in a record that
						 * refers to a dynamic string or a stack,
						 * as the kernel shows it in the format */

const char *synth_error_text(enum synth_error_code code)
{
	static const char *const texts[SYNTH_NR_ERRORS] = {
#define X(code, text) [SYNTH_ERR_##code] = text,
		SYNTH_ERRORS(X)
#undef X
	};

	return texts[code];
}

static const struct {
	const char *name;
	const char *spec;
	uint32_t size;
} number_types[] = {
	{ "s64", "%lld", 8 }, { "u64", "%llu", 8 }, { "s32", "%d", 4 }, { "u32", "%u", 4 },
	{ "s16", "%d", 2 }, { "u16", "%u", 2 }, { "s8", "%d", 1 }, { "u8", "%u", 1 },
	{ "char", "%d", 1 }, { "unsigned char", "%u", 1 },
	{ "int", "%d", 4 }, { "unsigned int", "%u", 4 },
	{ "long", "%ld", 8 }, { "unsigned long", "%lu", 8 },
	{ "bool", "%d", 1 }, { "pid_t", "%d", 4 }, { "gfp_t", "%x", 4 },
};

uint32_t synth_type(const char *type, const char **ret_spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(number_types); i++) {
		if (strcmp(number_types[i].name, type))
			continue;
		*ret_spec = number_types[i].spec;
		return number_types[i].size;
	}
	return 0;
}

/* ---- functions that parse one field ---- */

/* The state of synth_parse() while it parses one definition. */
struct parser {
	const char *command;
	struct synth *synth;
	struct synth_error *error;
};

/* Report the mistake @code.  The caret is at the first occurrence of @word in the
 * command, or at the start of the command if @word is NULL. */
static int fail_field(const struct parser *p, enum synth_error_code code, const char *word)
{
	*p->error = (struct synth_error){
		.code = code,
		.pos = word ? word_column(p->command, word) : 0,
	};
	return -EINVAL;
}

/*
 * Get the number N of the type char[N].  The type ends after the first `]'.  The
 * number has up to three characters, in the notation of C.  Returns 0, and stores N in
 * *@ret_size, or 0 for char[].  Returns -EINVAL if the type is wrong.
 */
static int string_size(const char *type, uint32_t *ret_size)
{
	const char *start = strstr(type, "char[") + strlen("char[");
	const char *end = strchr(type, ']');
	char digits[4] = "", *rest;
	size_t len = end ? (size_t)(end - start) : 0;
	const char *first = digits;

	*ret_size = 0;
	if (!end || end < start || end[1] || len > 3)
		return -EINVAL;
	if (!len)
		return 0;
	memcpy(digits, start, len);
	first += *first == '+';
	if (*first < '0' || *first > '9')
		return -EINVAL;
	*ret_size = (uint32_t)strtoul(first, &rest, 0);
	return *rest || *ret_size > SYNTH_STR_BYTES ? -EINVAL : 0;
}

/* Set the kind, size and conversion of @field from its type.  Returns 0; -EINVAL if the
 * array is wrong; -ENOENT if there is no such type. */
static int classify_field(struct synth_field *field)
{
	int r;

	field->size = synth_type(field->type, &field->spec);
	if (field->size)
		return 0;
	field->spec = "%s";
	if (strstr(field->type, "char[")) {
		r = string_size(field->type, &field->size);
		field->kind = field->size ? SYNTH_STRING : SYNTH_DYN_STRING;
	} else {
		r = strstr(field->type, "long[") ? 0 : -ENOENT;
		field->kind = SYNTH_STACK;
	}
	if (!r && !field->size)
		field->size = LOC_BYTES;
	return r;
}

/* Return true if @field is printed with a sign.  As in the kernel, the first letter of the
 * type decides; for a dynamic field, this is the first letter of __data_loc. */
static bool is_signed(const struct synth_field *field)
{
	if (field->kind == SYNTH_DYN_STRING || field->kind == SYNTH_STACK)
		return true;
	return field->type[0] != 'u' && strcmp(field->type, "gfp_t");
}

/* The tokens of a field. */
struct field_words {
	const char *prefix;		/* "unsigned " or "" */
	const char *type, *name;
	const char *array;		/* rest of @name from its first `[' on; "" if
					 * @name has none */
};

/* Make the field @field from its tokens @words.  Returns 0, -EINVAL or -ENOMEM. */
static int make_field(const struct parser *p, const struct field_words *words,
		      struct synth_field *field)
{
	int r;

	field->name = strndup(words->name, strlen(words->name) - strlen(words->array));
	if (!field->name)
		return -ENOMEM;
	if (!word_is_name(field->name))
		return fail_field(p, SYNTH_ERR_BAD_NAME, words->name);
	if (asprintf(&field->type, "%s%s%s", words->prefix, words->type, words->array) < 0) {
		field->type = NULL;
		return -ENOMEM;
	}
	r = classify_field(field);
	if (r == -EINVAL && *words->array)
		return fail_field(p, SYNTH_ERR_INVALID_ARRAY_SPEC, words->name);
	if (r)
		return fail_field(p, SYNTH_ERR_INVALID_TYPE, words->type);
	field->is_signed = is_signed(field);
	return 0;
}

/* Get the tokens of one field from @word, an array that ends with NULL.  Returns the
 * number of tokens that belong to the field, or -EINVAL. */
static int take_words(const struct parser *p, char **word, struct field_words *ret_words)
{
	bool is_unsigned = !strcmp(word[0], "unsigned");

	if (is_unsigned && (!word[1] || !word[2]))
		return fail_field(p, SYNTH_ERR_INCOMPLETE_TYPE, word[0]);
	if (!word[1])
		return fail_field(p, SYNTH_ERR_INVALID_FIELD, word[0]);
	word += is_unsigned;
	*ret_words = (struct field_words){
		.prefix = is_unsigned ? "unsigned " : "",
		.type = word[0],
		.name = word[1],
		.array = strchr(word[1], '[') ? strchr(word[1], '[') : "",
	};
	return 2 + is_unsigned;
}

static void field_done(struct synth_field *field)
{
	free(field->type);
	free(field->name);
}

/* Parse the fields in @words, which are the tokens between two semicolons. */
static int parse_fields(const struct parser *p, const struct words *words)
{
	struct synth *synth = p->synth;

	for (uint32_t at = 0; at < words->nr; ) {
		struct synth_field field = { .kind = SYNTH_NUMBER };
		struct field_words tokens;
		int r = take_words(p, words->word + at, &tokens);

		if (r < 0)
			return r;
		at += (uint32_t)r;
		r = make_field(p, &tokens, &field);
		if (!r && synth->nr_fields == SYNTH_FIELDS_MAX)
			r = fail_field(p, SYNTH_ERR_TOO_MANY_FIELDS, NULL);
		if (r) {
			field_done(&field);
			return r;
		}
		synth->fields[synth->nr_fields++] = field;
	}
	return 0;
}

/* Compute the offset of each field in the event's record. */
static void place_fields(struct synth *synth)
{
	uint32_t offset = SYNTH_WORD_BYTES;	/* the common fields */

	for (uint32_t i = 0; i < synth->nr_fields; i++) {
		synth->fields[i].offset = offset;
		offset += synth->fields[i].kind == SYNTH_STRING ? SYNTH_STR_BYTES :
			  SYNTH_WORD_BYTES;
	}
}

static int parse_all(const struct parser *p, const char *fields)
{
	int r = 0;

	while (!r) {
		size_t len = strcspn(fields, ";");
		struct words words;

		r = words_split(fields, len, &words);
		if (r)
			break;
		r = parse_fields(p, &words);
		words_free(&words);
		if (!fields[len])
			break;
		fields += len + 1;
	}
	if (!r && !p->synth->nr_fields)
		r = fail_field(p, SYNTH_ERR_INVALID_CMD, NULL);
	return r;
}

int synth_parse(const char *command, const char *name, const char *fields,
		struct synth **ret_synth, struct synth_error *ret_error)
{
	struct synth *synth = calloc(1, sizeof(*synth));
	const struct parser p = { command, synth, ret_error };
	int r = -ENOMEM;

	*ret_error = (struct synth_error){ .code = SYNTH_ERR_NONE };
	if (!synth)
		return -ENOMEM;
	synth->name = strdup(name);
	synth->fields = calloc(SYNTH_FIELDS_MAX, sizeof(*synth->fields));
	if (synth->name && synth->fields)
		r = parse_all(&p, fields);
	if (r) {
		synth_free(synth);
		return r;
	}
	place_fields(synth);
	*ret_synth = synth;
	return 0;
}

void synth_free(struct synth *synth)
{
	if (!synth)
		return;
	for (uint32_t i = 0; i < synth->nr_fields; i++)
		field_done(&synth->fields[i]);
	free(synth->fields);
	free(synth->name);
	free(synth);
}

/* ---- the format ---- */

static void put_print_fmt(const struct synth *synth, struct text *out)
{
	text_putc(out, '"');
	for (uint32_t i = 0; i < synth->nr_fields; i++)
		text_printf(out, "%s%s=%s", i ? ", " : "", synth->fields[i].name,
			    synth->fields[i].spec);
	text_putc(out, '"');
	for (uint32_t i = 0; i < synth->nr_fields; i++) {
		const struct synth_field *field = &synth->fields[i];

		if (field->kind == SYNTH_DYN_STRING)
			text_printf(out, ", __get_str(%s)", field->name);
		else if (field->kind == SYNTH_STACK)
			text_printf(out, ", __get_stacktrace(%s)", field->name);
		else
			text_printf(out, ", REC->%s", field->name);
	}
}

static int add_field(struct event_format *format, const struct synth_field *field)
{
	bool is_loc = field->kind == SYNTH_DYN_STRING || field->kind == SYNTH_STACK;
	/* In the event's format, the type of a string has no size in its brackets, as in
	 * the kernel. */
	size_t len = field->kind == SYNTH_STRING ? strcspn(field->type, "[") :
		     strlen(field->type);
	char *type;
	int r;

	if (asprintf(&type, "%s%.*s%s", is_loc ? "__data_loc " : "", (int)len, field->type,
		     field->kind == SYNTH_STRING ? "[]" : "") < 0)
		return -ENOMEM;
	r = event_format_add_field(format, type, field->name, field->offset, field->size,
				   field->is_signed);
	free(type);
	if (!r && field->kind == SYNTH_STACK)
		format->fields[format->nr_fields - 1].filter = FILTER_STACKTRACE;
	return r;
}

struct event_format *synth_format(const struct synth *synth, uint32_t id)
{
	struct event_format *format = NULL;
	struct text print_fmt;
	int r = 0;

	text_init(&print_fmt, TEXT_MAX);
	put_print_fmt(synth, &print_fmt);
	if (!print_fmt.error)
		format = event_format_alloc(SYNTH_SYSTEM, synth->name, id,
					    text_str(&print_fmt));
	text_done(&print_fmt);
	for (uint32_t i = 0; format && !r && i < synth->nr_fields; i++)
		r = add_field(format, &synth->fields[i]);
	if (r) {
		event_format_free(format);
		return NULL;
	}
	return format;
}

void synth_show(const struct synth *synth, struct text *out)
{
	text_printf(out, "%s\t", synth->name);
	for (uint32_t i = 0; i < synth->nr_fields; i++)
		text_printf(out, "%s%s %s", i ? "; " : "", synth->fields[i].type,
			    synth->fields[i].name);
}
