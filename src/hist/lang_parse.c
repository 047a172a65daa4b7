/* SPDX-License-Identifier: MIT */
/* Parse the text of a `hist` trigger: attributes that are separated by colons. */
#include "event/clock.h"
#include "hist/lang_impl.h"

#define ENTRIES_DEFAULT		2048u

/* ---- text ---- */

const char *hist_after_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

char *hist_strip(char *text)
{
	size_t len;

	text += strspn(text, " \t\n\v\f\r");
	len = strlen(text);
	while (len && strchr(" \t\n\v\f\r", text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* ---- attributes ---- */

static int read_size(struct hist_def *def, const char *text)
{
	uint64_t size, entries = HIST_ENTRIES_MIN;
	int r = hist_parse_number(text, &size);

	if (r)
		return r;
	if (size <= HIST_ENTRIES_MIN / 2 || size > HIST_ENTRIES_MAX)
		return -EINVAL;
	while (entries < size)
		entries *= 2;
	def->nr_entries = (uint32_t)entries;
	return 0;
}

/* Parse "size=N". */
static int parse_size(struct hist_parser *p, const char *text, const char *value)
{
	int r = read_size(p->def, value);

	if (r)
		hist_error_set_reason(p->errors, "Invalid size of the histogram", text,
				      (size_t)(value - text));
	return r;
}

/* Returns the address at which the value of an attribute is stored, if the value is plain
 * text, such as name=N; else NULL. */
static char **text_attribute(struct hist_parser *p, const char *text, const char **ret_value)
{
	static const struct {
		const char *prefix;
		size_t member;
	} rows[] = {
		{ "key=", offsetof(struct hist_parser, keys) },
		{ "keys=", offsetof(struct hist_parser, keys) },
		{ "val=", offsetof(struct hist_parser, vals) },
		{ "vals=", offsetof(struct hist_parser, vals) },
		{ "values=", offsetof(struct hist_parser, vals) },
		{ "sort=", offsetof(struct hist_parser, sort) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*ret_value = hist_after_prefix(text, rows[i].prefix);
		if (*ret_value)
			return (char **)((char *)p + rows[i].member);
	}
	return NULL;
}

static int parse_assignment(struct hist_parser *p, char *text)
{
	const char *value;
	char **member = text_attribute(p, text, &value);

	if (member) {
		*member = (char *)value;
	} else if ((value = hist_after_prefix(text, "name="))) {
		p->def->name = (char *)value;
	} else if ((value = hist_after_prefix(text, "clock="))) {
		p->def->clock = hist_strip((char *)value);
	} else if ((value = hist_after_prefix(text, "size="))) {
		return parse_size(p, text, value);
	} else {
		if (p->nr_assigns == HIST_VARS_MAX)
			return parser_fail(p, HIST_ERR_TOO_MANY_VARS, text, -EINVAL);
		p->assigns[p->nr_assigns++] = text;
	}
	return 0;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
	return !strcmp(text, a) || !strcmp(text, b);
}

/* Parse an attribute without '='. */
static int parse_word(struct hist_parser *p, char *text)
{
	if (is_one_of(text, "nohitcount", "NOHC")) {
		p->def->is_nohitcount = true;
	} else if (!strcmp(text, "pause")) {
		p->def->is_pause = true;
	} else if (is_one_of(text, "cont", "continue")) {
		p->def->is_continue = true;
	} else if (!strcmp(text, "clear")) {
		p->def->is_clear = true;
	} else {
		if (p->nr_actions == HIST_ACTIONS_MAX)
			return parser_refuse(p, "Too many actions (8 max)", text);
		if (!hist_after_prefix(text, "onmatch(") && !hist_after_prefix(text, "onmax(") &&
		    !hist_after_prefix(text, "onchange("))
			return parser_refuse(p, "Unknown attribute or handler", text);
		p->actions[p->nr_actions++] = text;
	}
	return 0;
}

static int parse_attributes(struct hist_parser *p, char *text)
{
	char *part;
	int r = 0;

	while (!r && (part = strsep(&text, ":"))) {
		const char *equals = strchr(part, '=');

		if (!equals)
			r = parse_word(p, part);
		else if (!equals[1])
			r = parser_fail(p, HIST_ERR_EMPTY_ASSIGNMENT, part, -EINVAL);
		else
			r = parse_assignment(p, part);
	}
	return r || p->keys ? r : -EINVAL;
}

/* ---- variables ---- */

/* Split "a=x,b=y". */
static int split_vars(struct hist_parser *p, char *text)
{
	char *expr;

	while ((expr = strsep(&text, ","))) {
		const char *name = strsep(&expr, "=");

		if (!expr)
			return parser_fail(p, HIST_ERR_MALFORMED_ASSIGNMENT, name, -EINVAL);
		if (p->nr_vars == HIST_VARS_MAX)
			return parser_fail(p, HIST_ERR_TOO_MANY_VARS, name, -EINVAL);
		p->vars[p->nr_vars++] = (struct var_text){ name, expr };
	}
	return 0;
}

/*
 * Make the type of a node for common_pid.execname a string, because its value is the name of
 * the thread.
 */
static void node_make_execname(struct hist_node *node)
{
	if (node->modifier != HIST_MOD_EXECNAME)
		return;
	node->type = HIST_STR;
	node->type_name = "char[]";
	node->size = HIST_STR_BYTES;
	node->is_signed = false;
}

static bool var_can_have(enum hist_modifier modifier)
{
	return modifier != HIST_MOD_GRAPH && modifier != HIST_MOD_PERCENT &&
	       modifier != HIST_MOD_BUCKETS && modifier != HIST_MOD_LOG2;
}

static int parse_var(struct hist_parser *p, const struct var_text *var)
{
	struct hist_node *node;
	int r;

	if (hist_var_exists(p, var->name))
		return parser_fail(p, HIST_ERR_DUPLICATE_VAR, var->name, -EINVAL);
	r = hist_parse_expr(p, var->expr, HIST_ROLE_VAR, &node);
	if (r)
		return r;
	if (!var_can_have(node->modifier))
		return parser_fail(p, HIST_ERR_BAD_FIELD_MODIFIER, var->expr, -EINVAL);
	node_make_execname(node);
	r = hist_def_add_var(p->def, var->name, HIST_VAR_USER, node);
	return r < 0 ? r : 0;
}

static int parse_vars(struct hist_parser *p)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < p->nr_vars; i++)
		r = parse_var(p, &p->vars[i]);
	return r;
}

/* ---- values ---- */

static bool val_can_have(enum hist_modifier modifier)
{
	return modifier != HIST_MOD_BUCKETS && modifier != HIST_MOD_LOG2 &&
	       modifier != HIST_MOD_SYM && modifier != HIST_MOD_SYM_OFFSET &&
	       modifier != HIST_MOD_SYSCALL;
}

static int parse_val(struct hist_parser *p, const char *text)
{
	struct hist_node *node;
	int r = hist_parse_expr(p, text, HIST_ROLE_VAL, &node);

	if (r)
		return r;
	if (!val_can_have(node->modifier) || node->type == HIST_STACK)
		return parser_fail(p, HIST_ERR_BAD_FIELD_MODIFIER, text, -EINVAL);
	if (node->type == HIST_STR)
		return parser_fail(p, HIST_ERR_STR_VALUE, text, -EINVAL);
	p->def->vals[p->def->nr_vals++] = node;
	return 0;
}

/* Parse vals=.  The first plain "hitcount" adds no value, because each histogram has it. */
static int parse_vals(struct hist_parser *p)
{
	bool has_hitcount = false;
	char *text;

	while ((text = strsep(&p->vals, ","))) {
		int r;

		if (!strcmp(text, "hitcount") &&
		    (!has_hitcount || p->def->nr_vals == HIST_VALS_MAX)) {
			has_hitcount = true;
			continue;
		}
		if (p->def->nr_vals == HIST_VALS_MAX)
			return parser_refuse(p, "Too many values (16 max)", text);
		r = parse_val(p, text);
		if (r)
			return r;
	}
	return 0;
}

/* ---- keys ---- */

static bool has_ref(const struct hist_node *node)
{
	return node && (node->kind == HIST_NODE_REF || has_ref(node->left) ||
			has_ref(node->right));
}

static int parse_key(struct hist_parser *p, const char *text)
{
	struct hist_node *node;
	int r;

	if (!strcmp(text, "stacktrace"))
		text = "common_stacktrace";
	r = hist_parse_expr(p, text, HIST_ROLE_KEY, &node);
	if (r)
		return r;
	if (has_ref(node))
		return parser_fail(p, HIST_ERR_INVALID_REF_KEY, text, -EINVAL);
	p->def->keys[p->def->nr_keys++] = node;
	return 0;
}

static int parse_keys(struct hist_parser *p)
{
	char *text;

	while ((text = strsep(&p->keys, ","))) {
		int r;

		if (p->def->nr_keys == HIST_KEYS_MAX)
			return parser_refuse(p, "Too many keys (3 max)", text);
		r = parse_key(p, text);
		if (r)
			return r;
	}
	return 0;
}

/* ---- sort ---- */

/*
 * Return true if @node can be the sort field @name.  A reference system.event.$name has dots in
 * its name, so no sort field can name it.
 */
static bool has_name(const struct hist_node *node, const char *name)
{
	return !node->system && !strcmp(node->name, name);
}

/* Find a field to sort by.  Returns its number (hist_sort.field), or -ENOENT. */
static int find_sort_field(const struct hist_def *def, const char *name)
{
	if (!strcmp(name, "hitcount"))
		return 0;
	for (uint32_t i = 0; i < def->nr_vals; i++) {
		if (has_name(def->vals[i], name))
			return (int)(1 + i);
	}
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		if (has_name(def->keys[i], name))
			return (int)(1 + def->nr_vals + i);
	}
	return -ENOENT;
}

static int parse_direction(struct hist_parser *p, const char *text, struct hist_sort *sort)
{
	sort->is_descending = text && !strcmp(text, "descending");
	if (!text || sort->is_descending || !strcmp(text, "ascending"))
		return 0;
	return parser_fail(p, HIST_ERR_INVALID_SORT_MODIFIER, text, -EINVAL);
}

static int parse_sort_field(struct hist_parser *p, char *text)
{
	struct hist_sort *sort = &p->def->sort[p->def->nr_sort];
	const char *name;
	int field;

	if (!*text)
		return parser_fail(p, HIST_ERR_EMPTY_SORT_FIELD, "sort=", -EINVAL);
	if (p->def->nr_sort == HIST_SORT_MAX - 1 && p->sort)
		return parser_fail(p, HIST_ERR_TOO_MANY_SORT_FIELDS, "sort=", -EINVAL);
	name = strsep(&text, ".");
	if (!*name)
		return parser_fail(p, HIST_ERR_EMPTY_SORT_FIELD, "sort=", -EINVAL);
	field = find_sort_field(p->def, name);
	if (field < 0)
		return parser_fail(p, HIST_ERR_INVALID_SORT_FIELD, name, -EINVAL);
	sort->field = (uint32_t)field;
	p->def->nr_sort++;
	return parse_direction(p, text, sort);
}

static int parse_sort(struct hist_parser *p)
{
	char *text;
	int r = 0;

	if (!p->sort)
		p->def->nr_sort = 1;
	while (!r && (text = strsep(&p->sort, ",")))
		r = parse_sort_field(p, text);
	return r;
}

/* ---- the whole text ---- */

static int split_assigns(struct hist_parser *p)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < p->nr_assigns; i++)
		r = split_vars(p, p->assigns[i]);
	return r;
}

static int parse_fields(struct hist_parser *p)
{
	int r = split_assigns(p);

	if (!r)
		r = parse_vals(p);
	if (!r && !p->def->nr_vals && p->def->is_nohitcount)
		r = parser_fail(p, HIST_ERR_NEED_NOHC_VAL, NULL, -ENOENT);
	if (!r)
		r = parse_vars(p);
	if (!r)
		r = parse_keys(p);
	return r ? r : parse_sort(p);
}

/* Replace the '-' of the modifier .sym-offset by an X, so that it is not taken for an
 * operator. */
static void hide_sym_offset(char *text)
{
	for (char *s = text; (s = strstr(s, ".sym-offset")); s += 11)
		s[4] = 'X';
}

static int parse_text(struct hist_parser *p, const char *text)
{
	char *copy = hist_def_copy(p->def, text);
	int clock, r;

	p->def->vars = hist_def_alloc(p->def, HIST_VARS_MAX * sizeof(*p->def->vars));
	p->def->actions = hist_def_alloc(p->def, HIST_ACTIONS_MAX * sizeof(*p->def->actions));
	if (!copy || !p->def->vars || !p->def->actions)
		return -ENOMEM;
	hide_sym_offset(copy);
	p->def->nr_entries = ENTRIES_DEFAULT;
	p->def->clock = "global";
	r = parse_attributes(p, copy);
	if (!r)
		r = hist_parse_actions(p);
	if (!r)
		r = parse_fields(p);
	if (r)
		return r;
	clock = clock_find(p->def->clock);
	p->def->is_clock_ns = clock >= 0 && clock_is_in_ns(clock_get((uint32_t)clock));
	return 0;
}

int hist_parse(const char *text, bool is_remove, const struct hist_env *env,
	       struct hist_errors *errors, struct hist_def **ret_def)
{
	static uint32_t nr_defs;
	struct hist_parser *p = calloc(1, sizeof(*p));
	struct hist_def *def = calloc(1, sizeof(*def));
	int r = -ENOMEM;

	if (p && def) {
		*p = (struct hist_parser){
			.env = env, .errors = errors, .def = def, .is_remove = is_remove,
			.can_refer_to_own = true,
		};
		/* Multiply by an odd number, so that each definition gets a different id. */
		def->debug_id = ++nr_defs * 2654435761u;
		r = parse_text(p, text);
	}
	free(p);
	if (r)
		hist_def_free(def);
	else
		*ret_def = def;
	return r;
}
