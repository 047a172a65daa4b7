/* SPDX-License-Identifier: MIT */
/*
 * Expressions of histograms: constants, fields and references, joined by + - * / and the
 * unary minus -(x).
 *
 * The only parentheses are those of the unary minus.  The text is split at the operator that
 * is applied last: the last + or -, else the last / or *.  Example: a-b*2-1 is split at the
 * second -, then a-b*2 is split at the first -.  A text that begins with its last - is a
 * unary minus.  So -(a-b) is split at the inner -, and is a mistake, as in the kernel.
 */
#include <ctype.h>

#include "hist/lang_impl.h"

/* ---- atoms ---- */

static int parse_const(struct hist_parser *p, const char *text, struct hist_node **ret_node)
{
	struct hist_node *node = hist_def_alloc(p->def, sizeof(*node));

	if (!node)
		return -ENOMEM;
	if (hist_parse_number(text, &node->value) != 0)
		return parser_fail(p, HIST_ERR_EXPECT_NUMBER, text, -EINVAL);
	node->kind = HIST_NODE_CONST;
	node->name = "";
	node->type_name = "u64";
	node->size = 8;
	*ret_node = node;
	return 0;
}

static bool is_var_name(const char *text)
{
	return text[0] == '$' && text[1];
}

/* Find the variable @name of this histogram, if its value is a plain field, and return the
 * text of the value.  The parser puts this text in place of the variable.  Returns NULL if
 * there is no such variable. */
static const char *find_own_field(const struct hist_parser *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_vars; i++) {
		const char *expr = p->vars[i].expr;

		if (!strcmp(p->vars[i].name, name) && !hist_has_operator(expr) &&
		    !is_var_name(expr))
			return expr;
	}
	return NULL;
}

/*
 * Parse $name.  Variables that this histogram has defined so far are searched first.  (The
 * kernel does not find such a variable, or uses the first operand of its value instead.)
 * Returns NULL and logs the mistake if there is no such variable.
 */
static struct hist_node *parse_ref(struct hist_parser *p, const char *system,
				   const char *event, const char *name)
{
	struct hist_node *node = NULL;
	struct hist_def *def = p->def;
	int own = -ENOENT;
	uint32_t var;

	if (p->can_refer_to_own && hist_is_own_event(p, system, event))
		own = hist_def_find_var(p->def, name);
	var = (uint32_t)own;
	if (own < 0)
		def = hist_find_event_var(p, system, event, name, &var);
	if (def)
		node = hist_add_ref(p, def, var, system, event);
	if (!node)
		hist_error_add(p->errors, HIST_ERR_VAR_NOT_FOUND, name);
	return node;
}

int hist_parse_atom(struct hist_parser *p, char *text, enum hist_role role,
		    struct hist_node **ret_node)
{
	const char *system = NULL, *event = NULL, *own = NULL;
	char *point, *copy;

	if (isdigit((unsigned char)text[0]))
		return parse_const(p, text, ret_node);
	point = strchr(text, '.');
	if (point && strchr(point + 1, '.')) {
		system = strsep(&text, ".");
		event = strsep(&text, ".");
	}
	if (is_var_name(text)) {
		if (hist_is_own_event(p, system, event))
			own = find_own_field(p, text + 1);
		if (!own) {
			*ret_node = parse_ref(p, system, event, text + 1);
			if (*ret_node)
				return 0;
		}
	}
	copy = hist_def_copy(p->def, own ? own : text);
	return copy ? hist_parse_field(p, copy, role, ret_node) : -ENOMEM;
}

/* ---- the texts of expressions ---- */

/* Append the text of an operand.  If the operand is an expression, the modifier of its first
 * operand is shown, too, as in the kernel. */
static void operand_text(const struct hist_node *node, struct text *out)
{
	const char *modifier = hist_modifier_name(node);

	if (node->kind == HIST_NODE_CONST)
		text_printf(out, "%llu", (unsigned long long)node->value);
	else if (node->kind == HIST_NODE_REF)
		hist_show_ref(node, out);
	else
		text_puts(out, node->name);
	if (modifier && node->kind != HIST_NODE_REF)
		text_printf(out, ".%s", modifier);
}

/* Set node->name to the text of the expression.  Returns 0; -E2BIG if the text is too long;
 * or -EINVAL for the unary minus of a value with buckets, which the kernel also refuses. */
static int node_set_name(struct hist_parser *p, struct hist_node *node)
{
	static const char signs[] = { '+', '-', '*', '/' };
	struct text text;
	int r = 0;

	text_init(&text, HIST_EXPR_BYTES - 1);
	if (node->kind == HIST_NODE_NEG) {
		text_puts(&text, "-(");
		if (hist_node_is_expr(node->left->kind))
			text_puts(&text, node->left->name);
		else
			operand_text(node->left, &text);
		text_putc(&text, ')');
		if (hist_node_is_bucketed(node->left))
			r = -EINVAL;
	} else {
		operand_text(node->left, &text);
		text_putc(&text, signs[node->kind - HIST_NODE_ADD]);
		operand_text(node->right, &text);
	}
	if (text.error)
		r = text.error;
	if (!r) {
		node->name = hist_def_copy(p->def, text_str(&text));
		r = node->name ? 0 : -ENOMEM;
	}
	text_done(&text);
	return r;
}

/* ---- operators ---- */

/* Returns the position of the operator that is applied last, or NULL if the text has no
 * operator. */
static const char *last_operator(const char *text)
{
	const char *minus = strrchr(text, '-'), *plus = strrchr(text, '+');
	const char *div = strrchr(text, '/'), *mul = strrchr(text, '*');

	if (minus == text && minus)
		return minus;
	if (minus || plus)
		return !plus || (minus && minus > plus) ? minus : plus;
	return !mul || (div && div > mul) ? div : mul;
}

bool hist_has_operator(const char *text)
{
	return last_operator(text);
}

/* Parse an expression.  @text is changed.  *@nr: number of operators that were parsed so far. */
static int parse_level(struct hist_parser *p, char *text, enum hist_role role, uint32_t *nr,
		       struct hist_node **ret_node);

/* Make the node for an operator.  Its type is that of the first operand. */
static int make_expr(struct hist_parser *p, enum hist_node_kind kind, struct hist_node *left,
		     struct hist_node *right, struct hist_node **ret_node)
{
	struct hist_node *node = hist_def_alloc(p->def, sizeof(*node));

	if (!node)
		return -ENOMEM;
	node->kind = kind;
	node->left = left;
	node->right = right;
	node->type_name = left->type_name;
	node->size = left->size;
	node->is_signed = hist_node_is_signed(left);
	node->is_time = left->is_time;
	node->is_usecs = left->is_usecs;
	*ret_node = node;
	return node_set_name(p, node);
}

/* Parse an operand of an expression.  The caret of a mistake points to @text. */
static int parse_operand(struct hist_parser *p, char *text, uint32_t *nr,
			 struct hist_node **ret_node)
{
	char *at = hist_def_copy(p->def, text);
	int r = at ? parse_level(p, text, HIST_ROLE_OPERAND, nr, ret_node) : -ENOMEM;

	if (!r && (*ret_node)->type != HIST_NUM)
		r = parser_fail(p, HIST_ERR_INVALID_STR_OPERAND, at, -EINVAL);
	return r;
}

/* Parse the unary minus -(x).  @text begins after the minus. */
static int parse_minus(struct hist_parser *p, char *text, uint32_t *nr,
		       struct hist_node **ret_node)
{
	struct hist_node *operand;
	char *end;
	int r;

	if (++*nr > HIST_SUBEXPRS_MAX)
		return parser_fail(p, HIST_ERR_TOO_MANY_SUBEXPR, text - 1, -EINVAL);
	if (!strchr(text, '('))
		return parser_refuse(p, "Unary minus needs parentheses, as in -(FIELD)", text - 1);
	text++;
	end = strrchr(text, ')');
	if (!end)
		return parser_refuse(p, "The closing parenthesis is missing", text - 1);
	if (end[1])
		return parser_fail(p, HIST_ERR_UNARY_MINUS_SUBEXPR, text, -EINVAL);
	*end = '\0';
	r = parse_operand(p, text, nr, &operand);
	return r ? r : make_expr(p, HIST_NODE_NEG, operand, NULL, ret_node);
}

/* Returns @node if it is a constant.  If it refers to a variable whose value is a constant, returns
 * that constant.  Else returns NULL. */
static const struct hist_node *node_const(const struct hist_node *node)
{
	if (node->kind == HIST_NODE_REF)
		node = node->ref->vars[node->ref_var].expr;
	return node && node->kind == HIST_NODE_CONST ? node : NULL;
}

static uint64_t fold_constants(enum hist_node_kind kind, uint64_t a, uint64_t b)
{
	switch (kind) {
	case HIST_NODE_ADD:
		return a + b;
	case HIST_NODE_SUB:
		return a - b;
	case HIST_NODE_MUL:
		return a * b;
	default:
		return a / b;
	}
}

static int make_folded(struct hist_parser *p, uint64_t value, struct hist_node **ret_node)
{
	struct hist_node *node = hist_def_alloc(p->def, sizeof(*node));

	if (!node)
		return -ENOMEM;
	*node = (struct hist_node){
		.kind = HIST_NODE_CONST, .value = value, .name = "", .type_name = "u64",
		.size = 8,
	};
	*ret_node = node;
	return 0;
}

/* Make the node of a binary operator, or a constant if both operands are constants.
 * @right_text: the second operand as it was written */
static int make_binary(struct hist_parser *p, enum hist_node_kind kind,
		       struct hist_node *left, struct hist_node *right,
		       const char *right_text, struct hist_node **ret_node)
{
	const struct hist_node *a = node_const(left), *b = node_const(right);

	if (left->is_usecs != right->is_usecs)
		return parser_fail(p, HIST_ERR_TIMESTAMP_MISMATCH, NULL, -EINVAL);
	left->is_once = true;
	right->is_once = true;
	if (kind == HIST_NODE_DIV && b && !b->value)
		return parser_fail(p, HIST_ERR_DIVISION_BY_ZERO, right_text, -EDOM);
	if (a && b)
		return make_folded(p, fold_constants(kind, a->value, b->value), ret_node);
	return make_expr(p, kind, left, right, ret_node);
}

static enum hist_node_kind operator_kind(char c)
{
	switch (c) {
	case '+':
		return HIST_NODE_ADD;
	case '-':
		return HIST_NODE_SUB;
	case '*':
		return HIST_NODE_MUL;
	default:
		return HIST_NODE_DIV;
	}
}

static int parse_level(struct hist_parser *p, char *text, enum hist_role role, uint32_t *nr,
		       struct hist_node **ret_node)
{
	struct hist_node *left, *right;
	enum hist_node_kind kind;
	char *sign, *right_text;
	int r;

	if (*nr > HIST_SUBEXPRS_MAX)
		return parser_fail(p, HIST_ERR_TOO_MANY_SUBEXPR, text, -EINVAL);
	sign = (char *)last_operator(text);
	if (!sign)
		return hist_parse_atom(p, text, role, ret_node);
	if (sign == text && *sign == '-')
		return parse_minus(p, text + 1, nr, ret_node);
	++*nr;
	kind = operator_kind(*sign);
	if (sign == text || !sign[1])
		return parser_refuse(p, "An operand is missing", text);
	*sign = '\0';
	r = parse_operand(p, text, nr, &left);
	if (r)
		return r;
	right_text = hist_def_copy(p->def, sign + 1);
	if (!right_text)
		return -ENOMEM;
	r = parse_operand(p, sign + 1, nr, &right);
	return r ? r : make_binary(p, kind, left, right, right_text, ret_node);
}

int hist_parse_expr(struct hist_parser *p, const char *text, enum hist_role role,
		    struct hist_node **ret_node)
{
	char *copy = hist_def_copy(p->def, text);
	uint32_t nr = 0;

	return copy ? parse_level(p, copy, role, &nr, ret_node) : -ENOMEM;
}
