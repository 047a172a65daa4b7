/* SPDX-License-Identifier: MIT */
/* Print the definition of a histogram as the kernel's `trigger` file does. */
#include "hist/lang_impl.h"

const char *hist_modifier_name(const struct hist_node *node)
{
	static const char *const names[] = {
		[HIST_MOD_HEX] = "hex", [HIST_MOD_SYM] = "sym",
		[HIST_MOD_SYM_OFFSET] = "sym-offset", [HIST_MOD_SYSCALL] = "syscall",
		[HIST_MOD_EXECNAME] = "execname", [HIST_MOD_LOG2] = "log2",
		[HIST_MOD_BUCKETS] = "buckets", [HIST_MOD_USECS] = "usecs",
		[HIST_MOD_PERCENT] = "percent", [HIST_MOD_GRAPH] = "graph",
		[HIST_MOD_STACKTRACE] = "stacktrace",
	};

	if (node->modifier != HIST_MOD_NONE)
		return names[node->modifier];
	return node->is_usecs ? "usecs" : NULL;
}

/* Append the number in a modifier, as in .buckets=N.  The kernel prints it as a signed
 * number. */
static void show_number(const struct hist_node *node, struct text *out)
{
	if ((node->modifier == HIST_MOD_BUCKETS || node->modifier == HIST_MOD_LOG2) &&
	    node->value)
		text_printf(out, "=%lld", (long long)node->value);
}

void hist_show_ref(const struct hist_node *node, struct text *out)
{
	if (node->system)
		text_printf(out, "%s.%s.", node->system, node->event);
	text_printf(out, "$%s", node->name);
}

/* Append a key, a value or the expression of a variable.  @is_var: true for a variable.  As
 * in the kernel, a variable whose expression is only a reference is shown with the modifier
 * of the variable to which it refers. */
static void show_node(const struct hist_node *node, bool is_var, struct text *out)
{
	const char *modifier = hist_modifier_name(node);

	if (node->kind == HIST_NODE_CPU)
		text_puts(out, "common_cpu");
	else if (node->kind == HIST_NODE_CONST)
		text_printf(out, "%llu", (unsigned long long)node->value);
	else if (node->kind == HIST_NODE_REF)
		hist_show_ref(node, out);
	else
		text_puts(out, node->name);
	if (hist_node_is_expr(node->kind) || node->type == HIST_STACK ||
	    node->kind == HIST_NODE_CONST || (node->kind == HIST_NODE_REF && !is_var))
		return;
	if (modifier)
		text_printf(out, ".%s", modifier);
	show_number(node, out);
}

static void show_keys(const struct hist_def *def, struct text *out)
{
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		const struct hist_node *key = def->keys[i];

		text_puts(out, i ? "," : "keys=");
		show_node(key, false, out);
		if (key->type == HIST_STACK && key->field)
			text_puts(out, ".stacktrace");
	}
}

static void show_vals(const struct hist_def *def, struct text *out)
{
	bool is_first = def->is_nohitcount;

	text_puts(out, def->is_nohitcount ? ":vals=" : ":vals=hitcount");
	for (uint32_t i = 0; i < def->nr_vals; i++) {
		if (!is_first)
			text_putc(out, ',');
		is_first = false;
		show_node(def->vals[i], false, out);
	}
}

static void show_vars(const struct hist_def *def, struct text *out)
{
	for (uint32_t i = 0; i < def->nr_user_vars; i++) {
		text_printf(out, "%c%s=", i ? ',' : ':', def->vars[i].name);
		show_node(def->vars[i].expr, true, out);
	}
}

static void show_sort(const struct hist_def *def, struct text *out)
{
	for (uint32_t i = 0; i < def->nr_sort; i++) {
		uint32_t field = def->sort[i].field;

		text_puts(out, i ? "," : ":sort=");
		if (!field)
			text_puts(out, "hitcount");
		else if (field <= def->nr_vals)
			show_node(def->vals[field - 1], false, out);
		else
			show_node(def->keys[field - 1 - def->nr_vals], false, out);
		if (def->sort[i].is_descending)
			text_puts(out, ".descending");
	}
}

static void show_params(const struct hist_action_def *action, struct text *out)
{
	bool is_first = true;

	if (action->kind == HIST_DO_SNAPSHOT)
		return;
	if (action->kind == HIST_DO_TRACE && action->is_trace_keyword) {
		text_puts(out, action->synth);
		is_first = false;
	}
	for (uint32_t i = 0; i < action->nr_params; i++) {
		if (!is_first)
			text_putc(out, ',');
		is_first = false;
		text_puts(out, action->params[i]);
	}
}

static void show_action(const struct hist_action_def *action, struct text *out)
{
	if (action->handler == HIST_ON_MATCH)
		text_printf(out, ":onmatch(%s.%s)", action->system, action->event);
	else
		text_printf(out, ":%s($%s)", action->handler == HIST_ON_MAX ? "onmax" :
			    "onchange", action->var);
	text_printf(out, ".%s(", action->name);
	show_params(action, out);
	text_putc(out, ')');
}

void hist_def_show(const struct hist_def *def, struct text *out)
{
	text_puts(out, "hist:");
	if (def->name)
		text_printf(out, "name=%s:", def->name);
	show_keys(def, out);
	show_vals(def, out);
	show_vars(def, out);
	show_sort(def, out);
	text_printf(out, ":size=%u", def->nr_entries);
	if (def->has_time)
		text_printf(out, ":clock=%s", def->clock);
	if (def->is_nohitcount)
		text_puts(out, ":nohitcount");
	for (uint32_t i = 0; i < def->nr_actions; i++)
		show_action(&def->actions[i], out);
}

/* Append a key in a form that hist_parse() can read. */
static void show_key_text(const struct hist_node *key, struct text *out)
{
	const char *modifier = hist_modifier_name(key);

	if (key->kind == HIST_NODE_CONST)
		text_printf(out, "%llu", (unsigned long long)key->value);
	text_puts(out, key->name);
	if (modifier && !hist_node_is_expr(key->kind))
		text_printf(out, ".%s", modifier);
	show_number(key, out);
}

void hist_def_field_text(const struct hist_def *def, const char *field, struct text *out)
{
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		text_puts(out, i ? "," : "keys=");
		show_key_text(def->keys[i], out);
	}
	text_printf(out, ":synthetic_%s=%s", field, field);
}
