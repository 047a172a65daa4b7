/* SPDX-License-Identifier: MIT */
/* Parse references to variables: $name, system.event.$name. */
#include "hist/lang_impl.h"

/* Find a variable in the events that onmatch() handlers name.  Returns 0; -ENOENT; or
 * -EINVAL, with the mistake logged, if two of these events have the variable. */
static int find_match_var(struct hist_parser *p, const char *name, struct hist_def **ret_def,
			  uint32_t *ret_var)
{
	struct hist_def *found = NULL;

	for (uint32_t i = 0; i < p->def->nr_actions; i++) {
		const struct hist_action_def *action = &p->def->actions[i];
		struct hist_def *def;
		bool is_ambiguous;
		uint32_t var;

		if (action->handler != HIST_ON_MATCH)
			continue;
		def = p->env->find_var(p->env->ctx, action->system, action->event, name, &var,
				       &is_ambiguous);
		if (def && found)
			return parser_fail(p, HIST_ERR_VAR_NOT_UNIQUE, name, -EINVAL);
		if (def) {
			found = def;
			*ret_var = var;
		}
	}
	*ret_def = found;
	return found ? 0 : -ENOENT;
}

struct hist_def *hist_find_event_var(struct hist_parser *p, const char *system,
				     const char *event, const char *name, uint32_t *ret_var)
{
	struct hist_def *def = NULL;
	bool is_ambiguous = false;

	if (!system || !event) {
		int r = find_match_var(p, name, &def, ret_var);

		if (r != -ENOENT)
			return r ? NULL : def;
	}
	def = p->env->find_var(p->env->ctx, system, system ? event : NULL, name, ret_var,
			       &is_ambiguous);
	if (is_ambiguous) {
		hist_error_add(p->errors, HIST_ERR_VAR_NOT_UNIQUE, name);
		return NULL;
	}
	/* cppcheck-suppress returnDanglingLifetime ; find_var() returns none of its arguments */
	return def;
}

bool hist_is_own_event(const struct hist_parser *p, const char *system, const char *event)
{
	if (!system)
		return true;
	return event && !strcmp(system, p->env->format->system) &&
	       !strcmp(event, p->env->format->name);
}

bool hist_var_exists(struct hist_parser *p, const char *name)
{
	const struct event_format *fmt = p->env->format;
	bool is_ambiguous;
	uint32_t var;

	if (p->is_remove)
		return false;
	return hist_def_find_var(p->def, name) >= 0 ||
	       p->env->find_var(p->env->ctx, fmt->system, fmt->name, name, &var,
				&is_ambiguous);
}

/* Copy the type of a variable to the reference @node.  Texts are copied, too, because the
 * histogram with the variable may be freed before the reference. */
static bool ref_set_type(struct hist_def *def, struct hist_node *node,
			 const struct hist_var_def *var)
{
	const struct hist_node *expr = var->expr;

	node->type = var->kind;
	node->type_name = hist_def_copy(def, expr ? expr->type_name : "u64");
	node->size = expr ? expr->size : 8;
	/* the hidden variable of a parameter is unsigned in the kernel */
	node->is_signed = expr && hist_node_is_signed(expr) && var->use == HIST_VAR_USER;
	node->is_time = expr && expr->is_time && var->use == HIST_VAR_USER;
	node->is_usecs = expr && expr->is_usecs && var->use == HIST_VAR_USER;
	return node->type_name;
}

static struct hist_node *make_ref(struct hist_def *def, struct hist_def *other, uint32_t var,
				  const char *system, const char *event)
{
	struct hist_node *node = hist_def_alloc(def, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = HIST_NODE_REF;
	node->ref = other;
	node->ref_var = var;
	node->ref_index = def->nr_refs;
	node->name = hist_def_copy(def, other->vars[var].name);
	if (system) {
		node->system = hist_def_copy(def, system);
		node->event = hist_def_copy(def, event);
	}
	if (!node->name || (system && (!node->system || !node->event)) ||
	    !ref_set_type(def, node, &other->vars[var]))
		return NULL;
	return node;
}

struct hist_node *hist_add_ref(struct hist_parser *p, struct hist_def *other, uint32_t var,
			       const char *system, const char *event)
{
	struct hist_def *def = p->def;
	uint32_t nr_others = 0;
	struct hist_node *node;

	for (uint32_t i = 0; i < def->nr_refs; i++) {
		if (def->refs[i]->ref == other && def->refs[i]->ref_var == var)
			return def->refs[i];
		nr_others += def->refs[i]->ref != def;
	}
	if (def->nr_refs == HIST_DEF_REFS_MAX ||
	    (other != def && nr_others == HIST_REFS_MAX))
		return NULL;
	node = make_ref(def, other, var, system, event);
	if (node)
		def->refs[def->nr_refs++] = node;
	return node;
}
