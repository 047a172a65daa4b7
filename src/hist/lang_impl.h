/* SPDX-License-Identifier: MIT */
/* Declarations for the files of the language of histograms: the state of the parser, and
 * functions that several files call. */
#ifndef HIST_LANG_IMPL_H
#define HIST_LANG_IMPL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "hist/lang.h"

#define HIST_STACK_BYTES	(HIST_STACK_DEPTH * sizeof(uint64_t))
#define HIST_EXPR_BYTES		256u	/* maximum length of an expression's text, bytes, with
					 * the NUL */
#define HIST_SUBEXPRS_MAX	3u	/* maximum number of operators in an expression */

/* The parts of NAME=EXPR, the text of a variable. */
struct var_text {
	const char *name, *expr;
};

/* The state of hist_parse() and hist_create_actions().  @def owns the texts. */
struct hist_parser {
	const struct hist_env *env;
	struct hist_errors *errors;
	struct hist_def *def;
	bool is_remove;
	bool can_refer_to_own;		/* true: a reference $name may name a variable of this
					 * histogram, too */
	char *keys, *vals, *sort;	/* values of the attributes keys, vals and sort; NULL:
					 * not written */
	char *assigns[HIST_VARS_MAX];	/* parts of the trigger's text that define variables:
					 * NAME=EXPR */
	uint32_t nr_assigns;
	char *actions[HIST_ACTIONS_MAX];
	uint32_t nr_actions;
	struct var_text vars[HIST_VARS_MAX];
	uint32_t nr_vars;
};

/* The properties of an event's field that histograms use. */
struct hist_field {
	enum hist_kind kind;
	enum hist_op op;		/* instruction that loads the field */
	uint32_t size;			/* size of the field as the kernel's error checks
					 * count it, bytes */
	bool is_signed;
};

/* The role that a field or an expression has in the trigger's text. */
enum hist_role { HIST_ROLE_KEY, HIST_ROLE_VAL, HIST_ROLE_VAR, HIST_ROLE_OPERAND };

/* Returns true if values of @node are put into buckets. */
static inline bool hist_node_is_bucketed(const struct hist_node *node)
{
	return node->modifier == HIST_MOD_LOG2 || node->modifier == HIST_MOD_BUCKETS;
}

/* Returns true if the kernel treats @node as signed.  It treats buckets as unsigned. */
static inline bool hist_node_is_signed(const struct hist_node *node)
{
	return node->is_signed && !hist_node_is_bucketed(node);
}

/* Log a mistake of the trigger's text with the caret at @at.  Returns @errnum. */
static inline int parser_fail(struct hist_parser *p, enum hist_error_code code,
			      const char *at, int errnum)
{
	hist_error_add(p->errors, code, at);
	return errnum;
}

/* Refuse the trigger's text for a reason that the kernel does not log.  Returns -EINVAL. */
static inline int parser_refuse(struct hist_parser *p, const char *reason, const char *at)
{
	hist_error_set_reason(p->errors, reason, at, 0);
	return -EINVAL;
}

/* ---- lang_def.c ---- */

/* Allocate zeroed memory that hist_def_free() frees.  Returns NULL if there is no memory. */
void *hist_def_alloc(struct hist_def *def, size_t bytes);
/* Copy a string to memory from hist_def_alloc().  Returns NULL if there is no memory. */
char *hist_def_copy(struct hist_def *def, const char *s);
/* Append a variable to a definition.  Returns its index, or -EINVAL if there are too many
 * variables. */
int hist_def_add_var(struct hist_def *def, const char *name, enum hist_var_use use,
		     const struct hist_node *expr);

/* ---- lang_field.c ---- */

/*
 * Find out how histograms use @field of an event of @system.
 * @is_stack: true if the user has written the field with .stacktrace Returns 0; -ENOMEM (no
 * number has its size; the kernel returns this error, too); or -EDOM (a floating-point
 * number).
 */
int hist_field_classify(const struct event_field *field, const char *system, bool is_stack,
			struct hist_field *ret);
/*
 * Parse a field and its modifier, such as "pid.hex".  @text is changed.  Returns 0 or -errno.
 */
int hist_parse_field(struct hist_parser *p, char *text, enum hist_role role,
		     struct hist_node **ret_node);
/* Parse a number as the kernel does: decimal, hexadecimal (0x) or octal (0).  Returns 0,
 * -EINVAL or -ERANGE. */
int hist_parse_number(const char *text, uint64_t *ret_value);

/* ---- lang_ref.c ---- */

/*
 * Find a variable of another event, as the kernel does: first among the events of onmatch(),
 * then among all events.  @system, @event: as the user has written them, or NULL.  Returns
 * NULL if there is no such variable.
 */
struct hist_def *hist_find_event_var(struct hist_parser *p, const char *system,
				     const char *event, const char *name, uint32_t *ret_var);
/* Return the reference of @def to a variable; make it if there is none.  A definition has
 * only one reference to each variable.  Returns NULL if there are too many references, or no
 * memory. */
struct hist_node *hist_add_ref(struct hist_parser *p, struct hist_def *def, uint32_t var,
			       const char *system, const char *event);
/* Return true if this histogram, or another histogram of the same event, has the variable
 * @name.  Returns false while a trigger is removed, because its text may define variables
 * that exist. */
bool hist_var_exists(struct hist_parser *p, const char *name);
/* Return true if @system and @event name the event of this histogram, or if both are NULL. */
bool hist_is_own_event(const struct hist_parser *p, const char *system, const char *event);

/* ---- lang_expr.c ---- */

/* Parse a constant, a field or a reference.  @text is changed.  Returns 0 or -errno. */
int hist_parse_atom(struct hist_parser *p, char *text, enum hist_role role,
		    struct hist_node **ret_node);
/* Parse an expression.  @text is not changed.  Returns 0 or -errno. */
int hist_parse_expr(struct hist_parser *p, const char *text, enum hist_role role,
		    struct hist_node **ret_node);
/* Return true if @text contains an operator. */
bool hist_has_operator(const char *text);

/* ---- lang_parse.c ---- */

/* Return the text after @prefix, or NULL if @text does not begin with @prefix. */
const char *hist_after_prefix(const char *text, const char *prefix);
/* Remove white space at both ends of @text.  Returns the new start. */
char *hist_strip(char *text);

/* ---- lang_action.c ---- */

/* Parse the texts of the actions in p->actions.  Returns 0 or -errno. */
int hist_parse_actions(struct hist_parser *p);

/* ---- lang_show.c ---- */

/* Return the suffix of @node's modifier without the dot, or NULL if @node has none. */
const char *hist_modifier_name(const struct hist_node *node);
/* Append a reference to a variable: "$name" or "system.event.$name". */
void hist_show_ref(const struct hist_node *node, struct text *out);

#endif
