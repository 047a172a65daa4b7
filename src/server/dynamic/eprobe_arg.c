/* SPDX-License-Identifier: MIT */
/*
 * Parse an argument of an event probe, NAME=FETCH[:TYPE].
 *
 * The kernel compiles an argument to at most FETCH_INSNS instructions, and refuses one that
 * needs more. ulf compiles differently.  So this parser only counts the instructions that the
 * kernel would make.  The parser refuses the same arguments as the kernel, with the caret at
 * the same place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "event/format.h"
#include "server/dynamic/eprobe_impl.h"
#include "server/dynamic/numbers_text.h"

#define ARG_NAME_MAX	32u		/* maximum length of the name of an event probe's
					 * argument */
#define ARG_BODY_MAX	63u		/* maximum length of an argument's text FETCH:TYPE */
#define ARRAY_MAX	64u		/* maximum number of elements of an argument that
					 * is an array */
#define FETCH_INSNS	16u

static const struct eprobe_type types[] = {
	{ "string", "__data_loc char[]", "\\\"%s\\\"", 4, true, EPROBE_STRING },
	{ "ustring", "__data_loc char[]", "\\\"%s\\\"", 4, true, EPROBE_STRING },
	{ "u8", "u8", "%u", 1, false, EPROBE_UNSIGNED },
	{ "u16", "u16", "%u", 2, false, EPROBE_UNSIGNED },
	{ "u32", "u32", "%u", 4, false, EPROBE_UNSIGNED },
	{ "u64", "u64", "%Lu", 8, false, EPROBE_UNSIGNED },
	{ "s8", "s8", "%d", 1, true, EPROBE_SIGNED },
	{ "s16", "s16", "%d", 2, true, EPROBE_SIGNED },
	{ "s32", "s32", "%d", 4, true, EPROBE_SIGNED },
	{ "s64", "s64", "%Ld", 8, true, EPROBE_SIGNED },
	{ "x8", "u8", "0x%x", 1, false, EPROBE_HEX },
	{ "x16", "u16", "0x%x", 2, false, EPROBE_HEX },
	{ "x32", "u32", "0x%x", 4, false, EPROBE_HEX },
	{ "x64", "u64", "0x%Lx", 8, false, EPROBE_HEX },
	{ "char", "u8", "'%c'", 1, false, EPROBE_CHAR },
	{ "symbol", "u64", "%pS", 8, false, EPROBE_SYMBOL },
};

/* How the value of an argument is found: the last step before the value is stored. */
enum step {
	STEP_NONE,			/* no step was parsed yet, so the argument has no
					 * value */
	STEP_VARIABLE, STEP_NUMBER, STEP_COMM, STEP_TEXT,
	STEP_DEREF,			/* memory is read */
	STEP_USER_DEREF,		/* memory is read: as STEP_DEREF, for the prefixes
					 * `+u' and `-u' */
};

/* The state of the parser of one argument of an event probe. */
struct arg_parser {
	struct eprobe_parser *p;
	struct eprobe_arg *arg;
	uint32_t offset;		/* offset, in the token, of the part that is being
					 * parsed */
	uint32_t insn;			/* number of the instruction that the kernel would
					 * have made last so far */
	enum step last;
};

static int fail_arg(const struct arg_parser *a, enum eprobe_error_code code, uint32_t offset,
		int errnum)
{
	return eprobe_fail(a->p, code, offset, errnum);
}

/* ---- types ---- */

static const struct eprobe_type *find_type(const char *name)
{
	char number[8];

	if (*name == 'b') {		/* a bit field is written as bWIDTH@OFFSET/SIZE */
		uint64_t bits = 0;

		name = strchr(name, '/');
		if (!name || number_parse_unsigned(name + 1, &bits) ||
		    (bits != 8 && bits != 16 && bits != 32 && bits != 64))
			return NULL;
		snprintf(number, sizeof(number), "u%u", (unsigned int)bits);
		name = number;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

/* Parse "N]", the rest of the type TYPE[N].  @at: offset of @text in the token. */
static int parse_count(struct arg_parser *a, char *text, uint32_t at)
{
	char *end = strchr(text, ']');
	uint64_t count;

	if (!end)
		return fail_arg(a, EPROBE_ERR_ARRAY_NO_CLOSE, at + (uint32_t)strlen(text), -EINVAL);
	if (end[1])
		return fail_arg(a, EPROBE_ERR_BAD_ARRAY_SUFFIX, at + (uint32_t)(end + 1 - text),
				-EINVAL);
	*end = '\0';
	if (number_parse_unsigned(text, &count) || count > UINT32_MAX || !count)
		return fail_arg(a, EPROBE_ERR_BAD_ARRAY_NUM, at, -EINVAL);
	if (count > ARRAY_MAX)
		return fail_arg(a, EPROBE_ERR_ARRAY_TOO_BIG, at, -EINVAL);
	a->arg->count = (uint32_t)count;
	return 0;
}

/* Cut the type off @body, which is FETCH[:TYPE].  *@ret_type is set to the type, or to
 * NULL if @body has none. */
static int split_type(struct arg_parser *a, char *body, char **ret_type)
{
	char *type = strchr(body, ':'), *bracket = NULL;
	int r = 0;

	if (type) {
		*type++ = '\0';
		bracket = strchr(type, '[');
	}
	if (bracket) {
		*bracket++ = '\0';
		r = parse_count(a, bracket, a->offset + (uint32_t)(bracket - body));
	}
	if (r)
		return r;
	*ret_type = type;
	a->arg->type = find_type(type ? type : "x64");
	if (a->arg->type)
		return 0;
	return fail_arg(a, EPROBE_ERR_BAD_TYPE, a->offset + (uint32_t)(type ? type - body : 0),
			-EINVAL);
}

/* ---- values ---- */

/* Count one more instruction that the kernel would make for the argument. */
static int next_insn(struct arg_parser *a)
{
	if (++a->insn == FETCH_INSNS - 1)
		return fail_arg(a, EPROBE_ERR_TOO_MANY_OPS, a->offset, -EINVAL);
	return 0;
}

static int set_text(struct arg_parser *a, enum eprobe_base base, const char *text, size_t len)
{
	a->arg->base = base;
	a->arg->text = strndup(text, len);
	return a->arg->text ? 0 : -ENOMEM;
}

static int add_deref(struct arg_parser *a, enum step step, int64_t offset)
{
	int r = next_insn(a);

	if (r)
		return r;
	a->arg->derefs[a->arg->nr_derefs++] = offset;
	a->last = step;
	return 0;
}

/* Return true if the target event has the field @name, and this is not a common field. */
static bool has_field(const struct event_format *target, const char *name)
{
	for (size_t i = 0; i < target->nr_fields; i++)
		if (!strcmp(target->fields[i].name, name))
			return true;
	return false;
}

/* Parse $NAME: a field of the target, or the name of the thread. */
static int parse_variable(struct arg_parser *a, const char *name)
{
	bool is_comm = !strcmp(name, "comm") || !strcmp(name, "COMM");
	const struct event_format *target = a->p->target;
	bool is_field = target ? has_field(target, name) : !is_comm;

	if (!is_field && !is_comm)
		return fail_arg(a, EPROBE_ERR_BAD_VAR, a->offset, -EINVAL);
	a->last = is_field ? STEP_VARIABLE : STEP_COMM;
	return set_text(a, EPROBE_VARIABLE, name, strlen(name));
}

/* Parse the address after an `@' in an argument: a number, or the name of a symbol. */
static int parse_address(struct arg_parser *a, const char *text)
{
	int r;

	if (*text == '+')
		return fail_arg(a, EPROBE_ERR_FILE_ON_KPROBE, a->offset, -EINVAL);
	if (*text >= '0' && *text <= '9') {
		r = number_parse_unsigned(text, &a->arg->number);
		if (r)
			return fail_arg(a, EPROBE_ERR_BAD_MEM_ADDR, a->offset, r);
		a->arg->base = EPROBE_NUMBER;
	} else {
		r = set_text(a, EPROBE_ADDRESS_OF, text, strlen(text));
		if (!r)
			r = next_insn(a);
		if (r)
			return r;
	}
	return add_deref(a, STEP_DEREF, 0);
}

/* Parse the value after a backslash in an argument: a number or a text. */
static int parse_immediate(struct arg_parser *a, const char *text)
{
	size_t len = strlen(text);
	int64_t number;
	int r = -EINVAL;

	if (*text == '"') {
		if (len < 2 || text[len - 1] != '"')
			return fail_arg(a, EPROBE_ERR_IMMSTR_NO_CLOSE,
					a->offset + 1 + (uint32_t)len, -EINVAL);
		a->last = STEP_TEXT;
		return set_text(a, EPROBE_TEXT, text + 1, len - 2);
	}
	if (*text >= '0' && *text <= '9') {
		r = number_parse_unsigned(text, &a->arg->number);
	} else if (*text == '-' || *text == '+') {
		r = number_parse_signed(text + (*text == '+'), &number);
		a->arg->number = (uint64_t)number;
	}
	if (r)
		return fail_arg(a, EPROBE_ERR_BAD_IMM, a->offset + 1, r);
	a->arg->base = EPROBE_NUMBER;
	a->last = STEP_NUMBER;
	return 0;
}

static int parse_value(struct arg_parser *a, char *text);

/* Parse a dereference: "+OFFSET(VALUE)", "-OFFSET(VALUE)", "+uOFFSET(VALUE)" or
 * "-uOFFSET(VALUE)". */
static int parse_deref(struct arg_parser *a, char *text)
{
	bool is_user = text[1] == 'u';
	char *brace, *end;
	uint32_t inside;
	int64_t offset;
	int r;

	if (is_user) {
		text[1] = text[0];
		text++;
	}
	text += *text == '+';
	brace = strchr(text, '(');
	if (!brace)
		return fail_arg(a, EPROBE_ERR_DEREF_NEED_BRACE, a->offset, -EINVAL);
	*brace = '\0';
	r = number_parse_signed(text, &offset);
	if (r)
		return fail_arg(a, EPROBE_ERR_BAD_DEREF_OFFS, a->offset, r);
	a->offset += (uint32_t)(brace + 1 - text) + (*text != '-');
	text = brace + 1;
	end = strrchr(text, ')');
	if (!end)
		return fail_arg(a, EPROBE_ERR_DEREF_OPEN_BRACE, a->offset + (uint32_t)strlen(text),
				-EINVAL);
	*end = '\0';
	inside = a->offset;
	r = parse_value(a, text);
	a->offset = inside;
	if (r)
		return r;
	if (a->last == STEP_COMM || a->last == STEP_TEXT)
		return fail_arg(a, EPROBE_ERR_COMM_CANT_DEREF, a->offset, -EINVAL);
	return add_deref(a, is_user ? STEP_USER_DEREF : STEP_DEREF, offset);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Parse the value of an argument (FETCH).  Changes @text. */
static int parse_value(struct arg_parser *a, char *text)
{
	switch (*text) {
	case '$':
		return parse_variable(a, text + 1);
	case '@':
		return parse_address(a, text + 1);
	case '+':
	case '-':
		return parse_deref(a, text);
	case '\\':
		return parse_immediate(a, text + 1);
	case '%':			/* a register, such as %ax: the kernel reports
					 * this mistake twice */
		fail_arg(a, EPROBE_ERR_BAD_VAR, a->offset, -EINVAL);
		break;
	}
	if (is_letter(*text))
		return fail_arg(a, EPROBE_ERR_NOSUP_BTFARG, a->offset, -EINVAL);
	return fail_arg(a, EPROBE_ERR_BAD_FETCH_ARG, a->offset, -EINVAL);
}

/* ---- functions that check how the value is stored ---- */

/* Count one more instruction that the kernel would make: the one that stores the value. */
static int store_insn(struct arg_parser *a, int errnum)
{
	if (++a->insn >= FETCH_INSNS - 1)
		return fail_arg(a, EPROBE_ERR_TOO_MANY_OPS, a->offset, errnum);
	return 0;
}

/* Parse bWIDTH@OFFSET/SIZE, the type of a bit field. */
static int parse_bitfield(struct arg_parser *a, const char *type, uint32_t at)
{
	uint32_t bits = a->arg->type->size * 8;
	const char *end, *start;
	uint64_t width = number_scan(type + 1, &end), offset = 0;
	bool is_valid = width && *end == '@';

	start = end + 1;
	if (is_valid)
		offset = number_scan(start, &end);
	is_valid = is_valid && end != start && *end == '/' && width <= bits &&
		   offset <= bits - width;
	if (!is_valid || ++a->insn >= FETCH_INSNS - 1)
		return fail_arg(a, EPROBE_ERR_BAD_BITFIELD, at, -EINVAL);
	a->arg->is_bitfield = true;
	a->arg->left = (uint8_t)(bits - width - offset);
	a->arg->right = (uint8_t)(bits - width);
	return 0;
}

/* Check that the argument's value can be stored as its type.  @type: the type as it was
 * written, at offset @at of the token; NULL if none was written. */
static int check_store(struct arg_parser *a, const char *type, uint32_t at)
{
	bool is_string = a->arg->type->print == EPROBE_STRING;
	bool is_deref = a->last == STEP_DEREF || a->last == STEP_USER_DEREF;
	int r = 0;

	if (is_string && (!is_deref || a->arg->count))
		r = store_insn(a, -EINVAL);
	else if (!is_string && !is_deref)
		r = store_insn(a, -E2BIG);
	if (!r && type && *type == 'b')
		r = parse_bitfield(a, type, at);
	if (r || !a->arg->count)
		return r;
	if (!is_string && a->last != STEP_DEREF)
		return fail_arg(a, EPROBE_ERR_BAD_STRING, at, -EINVAL);
	return store_insn(a, -E2BIG);
}

/* ---- the argument ---- */

/* Parse FETCH[:TYPE], and choose the argument's offset in the record.  Changes @body. */
static int parse_body(struct arg_parser *a, char *body)
{
	struct eprobe *eprobe = a->p->eprobe;
	struct eprobe_arg *arg = a->arg;
	uint32_t type_at;
	char *type;
	int r = split_type(a, body, &type);

	if (r)
		return r;
	type_at = type ? (uint32_t)(type - body) : 0;
	r = parse_value(a, body);
	if (r)
		return r;
	arg->offset = eprobe->record_bytes;
	eprobe->record_bytes += arg->type->size * (arg->count ? arg->count : 1);
	if (eprobe->record_bytes - 8 > EPROBE_RECORD_MAX)
		return fail_arg(a, EPROBE_ERR_EVENT_TOO_BIG, a->offset, -E2BIG);
	return check_store(a, type, a->offset + type_at);
}

/* Return true if the name @name is not available for an argument of @eprobe. */
static bool is_used(const struct eprobe *eprobe, const char *name)
{
	static const char *const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func",
	};

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (!strcmp(reserved[i], name))
			return true;
	/* The last argument is the one that is being parsed, so do not compare its name. */
	for (uint32_t i = 0; i + 1 < eprobe->nr_args; i++)
		if (!strcmp(eprobe->args[i].name, name))
			return true;
	return false;
}

/* Return a name for an argument that was written without a name: the name of its field,
 * or argN. */
static char *make_name(const char *word, uint32_t number)
{
	char *name = strndup(word, strcspn(word, ":"));

	if (name && word_is_name(name))
		return name;
	free(name);
	return asprintf(&name, "arg%u", number) < 0 ? NULL : name;
}

/* Set the argument's name from its token @word.  *@ret_body is set to the text of @word
 * after the name. */
static int parse_name(struct arg_parser *a, const char *word, const char **ret_body)
{
	const char *equal = strchr(word, '=');
	struct eprobe_arg *arg = a->arg;

	if (equal && equal - word > ARG_NAME_MAX)
		return fail_arg(a, EPROBE_ERR_ARG_NAME_TOO_LONG, 0, -EINVAL);
	if (equal == word)
		return fail_arg(a, EPROBE_ERR_NO_ARG_NAME, 0, -EINVAL);
	*ret_body = equal ? equal + 1 : word;
	arg->name = equal ? strndup(word, (size_t)(equal - word)) :
		    make_name(word, a->p->eprobe->nr_args);
	if (!arg->name)
		return -ENOMEM;
	if (!word_is_name(arg->name))
		return fail_arg(a, EPROBE_ERR_BAD_ARG_NAME, 0, -EINVAL);
	if (is_used(a->p->eprobe, arg->name))
		return fail_arg(a, EPROBE_ERR_USED_ARG_NAME, 0, -EINVAL);
	return 0;
}

int eprobe_parse_arg(struct eprobe_parser *p, const char *word)
{
	struct arg_parser a = { .p = p, .arg = &p->eprobe->args[p->eprobe->nr_args++] };
	const char *body = word;
	char *copy;
	int r = parse_name(&a, word, &body);

	if (r)
		return r;
	a.offset = (uint32_t)(body - word);
	if (strlen(body) > ARG_BODY_MAX)
		return fail_arg(&a, EPROBE_ERR_ARG_TOO_LONG, a.offset, -E2BIG);
	if (!*body)
		return fail_arg(&a, EPROBE_ERR_NO_ARG_BODY, a.offset, -EINVAL);
	a.arg->body = strdup(body);
	copy = strdup(body);
	r = a.arg->body && copy ? parse_body(&a, copy) : -ENOMEM;
	free(copy);
	return r;
}
