/* SPDX-License-Identifier: MIT */
/* Fields of events in the language of histograms, with their modifiers: pid.execname. */
#include <ctype.h>

#include "event/type.h"
#include "hist/lang_impl.h"
#include <ulf/record.h>

#define SUBLOG2_MAX		16u	/* maximum of N in .log2=N */

/* ---- numbers ---- */

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (isxdigit((unsigned char)c))
		return tolower((unsigned char)c) - 'a' + 10;
	return 16;
}

static int number_base(const char **text)
{
	const char *s = *text;

	if (s[0] != '0')
		return 10;
	if (tolower((unsigned char)s[1]) != 'x' || !isxdigit((unsigned char)s[2]))
		return 8;
	*text += 2;
	return 16;
}

int hist_parse_number(const char *text, uint64_t *ret_value)
{
	const char *s = text + (*text == '+');
	int base = number_base(&s);
	const char *start = s;
	bool is_too_large = false;
	uint64_t value = 0;

	for (; digit_value(*s) < base; s++) {
		is_too_large |= __builtin_mul_overflow(value, (uint64_t)base, &value) ||
			__builtin_add_overflow(value, (uint64_t)digit_value(*s), &value);
	}
	if (is_too_large)
		return -ERANGE;
	if (s == start || *s)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

/* ---- properties of the fields of events ---- */

static bool field_is_float(const struct event_field *field)
{
	struct value_type type;

	return field->kind == FIELD_PLAIN &&
	       type_lookup(field->type, strlen(field->type), &type) && type_is_float(type) &&
	       type.size == field->size;
}

/* Returns the instruction that loads a string, or HIST_OPS if the field is no string. */
static enum hist_op string_op(const struct event_field *field)
{
	bool is_char = strstr(field->type, "char");

	switch (field->filter) {
	case FILTER_OTHER:
		break;
	case FILTER_STATIC_STRING:
		return HIST_OP_STR_ARRAY;
	case FILTER_DYN_STRING:
		return HIST_OP_STR_LOC;
	case FILTER_RDYN_STRING:
		return HIST_OP_STR_REL;
	case FILTER_PTR_STRING:
		return HIST_OP_STR_PTR;
	default:
		return HIST_OPS;
	}
	if (!is_char)
		return HIST_OPS;
	switch (field->kind) {
	case FIELD_DATA_LOC:
		return HIST_OP_STR_LOC;
	case FIELD_REL_LOC:
		return HIST_OP_STR_REL;
	case FIELD_ARRAY:
		return HIST_OP_STR_ARRAY;
	default:
		return HIST_OPS;
	}
}

/* Returns false if the field has the wrong size for the instruction that loads it. */
static bool string_fits(const struct event_field *field, enum hist_op op)
{
	switch (op) {
	case HIST_OP_STR_ARRAY:
		return field->size <= UINT16_MAX;
	case HIST_OP_STR_PTR:
		return field->size == sizeof(uint64_t);
	default:
		/* a dynamic field has size 8 in the formats of the kernel's synthetic events */
		return field->size == sizeof(uint32_t) || field->size == sizeof(uint64_t);
	}
}

/* Returns the instruction that loads a number of @size bytes, or HIST_OPS if no number has
 * this size. */
static enum hist_op number_op(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? HIST_OP_LOAD_S8 : HIST_OP_LOAD_U8;
	case 2:
		return is_signed ? HIST_OP_LOAD_S16 : HIST_OP_LOAD_U16;
	case 4:
		return is_signed ? HIST_OP_LOAD_S32 : HIST_OP_LOAD_U32;
	case 8:
		return HIST_OP_LOAD_U64;
	default:
		return HIST_OPS;
	}
}

/* Return true if @field is an array of return addresses.  With .stacktrace, any dynamic array
 * of unsigned long is one; without it, only such an array in a synthetic event. */
static bool field_is_stack(const struct event_field *field, const char *system, bool is_stack)
{
	return field->kind == FIELD_DATA_LOC && strstr(field->type, "unsigned long[") &&
	       (is_stack || !strcmp(system, "synthetic"));
}

int hist_field_classify(const struct event_field *field, const char *system, bool is_stack,
			struct hist_field *ret)
{
	enum hist_op op = string_op(field);

	if (field->filter == FILTER_TRACE_FN)
		return -ENOMEM;
	if (op != HIST_OPS && string_fits(field, op)) {
		*ret = (struct hist_field){ .kind = HIST_STR, .op = op };
		ret->size = op == HIST_OP_STR_ARRAY ? field->size : HIST_STR_BYTES;
		return 0;
	}
	if (field_is_stack(field, system, is_stack)) {
		*ret = (struct hist_field){ .kind = HIST_STACK, .op = HIST_OP_STACK_LOC };
		ret->size = is_stack ? HIST_STACK_BYTES : HIST_STR_BYTES;
		return 0;
	}
	if (field_is_float(field))
		return -EDOM;
	op = number_op(field->size, field->is_signed);
	if (op == HIST_OPS)
		return -ENOMEM;
	*ret = (struct hist_field){
		.kind = HIST_NUM, .op = op, .size = field->size,
		.is_signed = field->is_signed,
	};
	return 0;
}

/* ---- modifiers ---- */

static int bad_modifier(struct hist_parser *p, const char *at)
{
	return parser_fail(p, HIST_ERR_BAD_FIELD_MODIFIER, at, -EINVAL);
}

/* Parse the number after "bucket": the size of a bucket. */
static int parse_buckets(struct hist_parser *p, const char *s, struct hist_node *node)
{
	s += *s == 's';
	if (*s != '=')
		return bad_modifier(p, s);
	s++;
	node->modifier = HIST_MOD_BUCKETS;
	if (hist_parse_number(s, &node->value) != 0 || !node->value)
		return bad_modifier(p, s);
	return 0;
}

/* Parse the number after "log2=": N, if each power of 2 has 2^N buckets. */
static int parse_sublog2(struct hist_parser *p, const char *s, struct hist_node *node)
{
	node->modifier = HIST_MOD_LOG2;
	if (hist_parse_number(s, &node->value) != 0 || !node->value ||
	    node->value > SUBLOG2_MAX)
		return bad_modifier(p, s);
	return 0;
}

/* Modifiers that have no number, and that are accepted for every field. */
static const struct {
	const char *name;
	enum hist_modifier modifier;
} modifiers[] = {
	{ "hex", HIST_MOD_HEX }, { "sym", HIST_MOD_SYM },
	/* this is "sym-offset": hist_parse() has replaced its - by an X, because - is an
	 * operator */
	{ "symXoffset", HIST_MOD_SYM_OFFSET }, { "syscall", HIST_MOD_SYSCALL },
	{ "stacktrace", HIST_MOD_STACKTRACE }, { "log2", HIST_MOD_LOG2 },
	{ "usecs", HIST_MOD_USECS },
};

static int parse_modifier(struct hist_parser *p, const char *name, const char *s,
			  enum hist_role role, struct hist_node *node)
{
	bool can_be_shown = role != HIST_ROLE_KEY && role != HIST_ROLE_VAR;

	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		if (!strcmp(s, modifiers[i].name)) {
			node->modifier = modifiers[i].modifier;
			return 0;
		}
	}
	if (!strncmp(s, "bucket", 6))
		return parse_buckets(p, s + 6, node);
	if (!strncmp(s, "log2=", 5))
		return parse_sublog2(p, s + 5, node);
	if (!strcmp(s, "execname") && !strcmp(name, "common_pid"))
		node->modifier = HIST_MOD_EXECNAME;
	else if (!strncmp(s, "percent", 7) && can_be_shown)
		node->modifier = HIST_MOD_PERCENT;
	else if (!strncmp(s, "graph", 5) && can_be_shown)
		node->modifier = HIST_MOD_GRAPH;
	else
		return bad_modifier(p, s);
	return 0;
}

/* ---- names ---- */

/* Set the type of a node that is not a field of the record. */
static void node_set_type(struct hist_node *node, enum hist_kind kind, const char *type_name,
			  uint32_t size)
{
	node->type = kind;
	node->type_name = type_name;
	node->size = size;
}

/* Parse a name that has the same meaning in every event.  This meaning takes precedence over
 * a field with this name. */
static bool parse_builtin(struct hist_parser *p, struct hist_node *node)
{
	if (!strcmp(node->name, "common_timestamp")) {
		node->kind = HIST_NODE_TIME;
		node_set_type(node, HIST_NUM, "u64", 8);
		p->def->has_time = true;
		node->is_time = true;
		if (node->modifier == HIST_MOD_USECS)
			p->def->is_usecs = true;
	} else if (!strcmp(node->name, "common_stacktrace")) {
		node->kind = HIST_NODE_STACK;
	} else if (!strcmp(node->name, "common_cpu")) {
		node->kind = HIST_NODE_CPU;
		node_set_type(node, HIST_NUM, "unsigned int", 4);
	} else if (!strcmp(node->name, "hitcount")) {
		node->kind = HIST_NODE_HITCOUNT;
		node_set_type(node, HIST_NUM, "u64", 8);
		if (hist_node_is_bucketed(node))
			node->name = "";
	} else {
		return false;
	}
	return true;
}

/* Parse a name that has the same meaning in every event.  If the event has a field with this
 * name, the name stands for the field instead. */
static bool parse_generic(struct hist_node *node)
{
	if (!strcmp(node->name, "cpu") || !strcmp(node->name, "CPU")) {
		node->kind = HIST_NODE_CPU;
		node->field = node->name;
		node_set_type(node, HIST_NUM, "unsigned int", 4);
	} else if (!strcmp(node->name, "stacktrace") || !strcmp(node->name, "STACKTRACE")) {
		node->kind = HIST_NODE_STACK;
	} else {
		return false;
	}
	return true;
}

/* Report that a string or a stack cannot have buckets.  In the kernel no value and no
 * variable can have buckets, so for these the modifier itself is reported as wrong. */
static int bad_buckets(struct hist_parser *p, const char *text, enum hist_role role)
{
	if (role == HIST_ROLE_VAL || role == HIST_ROLE_VAR)
		return bad_modifier(p, text);
	return parser_fail(p, HIST_ERR_STR_MODIFIER, text, -EINVAL);
}

/* Set the type of a node that stands for @field.  @text: the field as it was written. */
static int parse_record_field(struct hist_parser *p, const struct event_field *field,
			      const char *text, enum hist_role role, struct hist_node *node)
{
	bool is_stack = node->modifier == HIST_MOD_STACKTRACE;
	struct hist_field info;
	int r = hist_field_classify(field, p->env->format->system, is_stack, &info);

	if (is_stack && (r || info.kind != HIST_STACK))
		return bad_modifier(p, text);
	if (r == -EDOM)
		return parser_fail(p, HIST_ERR_FLOAT_FIELD, text, -EINVAL);
	if (r)
		return r;
	if (info.kind != HIST_NUM && hist_node_is_bucketed(node))
		return bad_buckets(p, text, role);
	node->kind = HIST_NODE_FIELD;
	node->field = node->name;
	node->type = info.kind;
	node->type_name = hist_def_copy(p->def, is_stack ? "unsigned long[]" : field->type);
	node->size = info.size;
	node->is_signed = info.is_signed;
	return node->type_name ? 0 : -ENOMEM;
}

static int parse_name(struct hist_parser *p, const char *text, enum hist_role role,
		      struct hist_node *node)
{
	const struct event_field *field;
	int r = 0;

	if (!parse_builtin(p, node)) {
		field = event_format_find(p->env->format, node->name, strlen(node->name));
		if (field && field->size)
			r = parse_record_field(p, field, text, role, node);
		else if (!parse_generic(node))
			r = parser_fail(p, HIST_ERR_FIELD_NOT_FOUND, node->name, -EINVAL);
	}
	if (r)
		return r;
	if (node->modifier == HIST_MOD_STACKTRACE && node->kind != HIST_NODE_FIELD)
		return bad_modifier(p, text);
	if (node->kind == HIST_NODE_STACK) {
		node->name = "common_stacktrace";
		node_set_type(node, HIST_STACK, "unsigned long[]", HIST_STACK_BYTES);
	}
	return 0;
}

int hist_parse_field(struct hist_parser *p, char *text, enum hist_role role,
		     struct hist_node **ret_node)
{
	struct hist_node *node = hist_def_alloc(p->def, sizeof(*node));
	char *modifier = hist_def_copy(p->def, text), *name;
	int r = 0;

	if (!node || !modifier)
		return -ENOMEM;
	name = strsep(&modifier, ".");
	if (modifier)
		r = parse_modifier(p, name, modifier, role, node);
	if (r)
		return r;
	node->name = name;
	node->is_usecs = node->modifier == HIST_MOD_USECS;
	r = parse_name(p, text, role, node);
	if (!r)
		*ret_node = node;
	return r;
}
