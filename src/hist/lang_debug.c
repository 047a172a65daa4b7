/* SPDX-License-Identifier: MIT */
/* Print the internals of a histogram as the kernel's `hist_debug` file does. */
#include "hist/lang_impl.h"

/* The role of a field in a histogram, which hist_debug shows. */
enum debug_role { DEBUG_KEY, DEBUG_VAL, DEBUG_VAR, DEBUG_REF };

/* Append the lines of hist_debug about the role of a field.  @node: NULL for a hidden
 * variable. */
static void show_flags(const struct hist_node *node, enum debug_role role, struct text *out)
{
	static const char *const roles[] = {
		[DEBUG_KEY] = "HIST_FIELD_FL_KEY",
		[DEBUG_VAL] = "VAL: normal u64 value",
		[DEBUG_VAR] = "HIST_FIELD_FL_VAR",
		[DEBUG_REF] = "HIST_FIELD_FL_VAR_REF",
	};
	const char *name = roles[role];

	if (role == DEBUG_VAL && node->kind == HIST_NODE_HITCOUNT)
		name = "VAL: HIST_FIELD_FL_HITCOUNT";
	else if (role == DEBUG_VAL && node->kind == HIST_NODE_REF)
		name = roles[DEBUG_REF];
	text_printf(out, "      flags:\n        %s\n", name);
	if (node && node->kind == HIST_NODE_REF && role == DEBUG_VAR)
		text_puts(out, "        HIST_FIELD_FL_ALIAS\n");
	else if (node && node->kind == HIST_NODE_CONST)
		text_puts(out, "        HIST_FIELD_FL_CONST\n");
}

static void show_type(const char *type, uint32_t size, bool is_signed, struct text *out)
{
	text_printf(out, "      type: %s\n      size: %u\n      is_signed: %u\n", type, size,
		    is_signed);
}

static void show_var(const struct hist_def *def, uint32_t var, struct text *out)
{
	text_printf(out, "      var.name: %s\n"
		    "      var.idx (into tracing_map_elt.vars[]): %u\n",
		    def->vars[var].name, var);
}

static void show_id(const struct hist_def *def, struct text *out)
{
	text_printf(out, "%016lx\n", (unsigned long)def->debug_id);
}

static void show_ref(const struct hist_node *node, struct text *out)
{
	text_printf(out, "      name: %s\n"
		    "      var.idx (into tracing_map_elt.vars[]): %u\n"
		    "      var.hist_data: ", node->name, node->ref_var);
	show_id(node->ref, out);
	text_printf(out, "      var_ref_idx (into hist_data->var_refs[]): %u\n",
		    node->ref_index);
	if (node->system)
		text_printf(out, "      system: %s\n      event_name: %s\n", node->system,
			    node->event);
}

/* Append the lines of hist_debug about a value, a key or a reference. */
static void show_field(const struct hist_node *node, enum debug_role role, struct text *out)
{
	show_flags(node, role, out);
	if (node->field)
		text_printf(out, "      ftrace_event_field name: %s\n", node->field);
	if (node->kind == HIST_NODE_CONST)
		text_printf(out, "      constant: %llu\n", (unsigned long long)node->value);
	if (node->kind == HIST_NODE_REF)
		show_ref(node, out);
	/* in the kernel the size of each key is a multiple of 8 bytes */
	show_type(node->type_name, role == DEBUG_KEY ? (node->size + 7) & ~7u : node->size,
		  hist_node_is_signed(node), out);
}

static void show_user_var(const struct hist_def *def, uint32_t var, struct text *out)
{
	const struct hist_node *node = def->vars[var].expr;

	show_flags(node, DEBUG_VAR, out);
	if (node->field)
		text_printf(out, "      ftrace_event_field name: %s\n", node->field);
	show_var(def, var, out);
	if (node->kind == HIST_NODE_CONST)
		text_printf(out, "      constant: %llu\n", (unsigned long long)node->value);
	if (node->kind == HIST_NODE_REF)
		text_printf(out, "      var_ref_idx (into hist_data->var_refs[]): %u\n",
			    node->ref_index);
	show_type(node->type_name, node->size, node->is_signed, out);
}

static void show_fields(const struct hist_def *def, struct text *out)
{
	uint32_t nth = 1;

	text_puts(out, "\n  val fields:\n\n    hist_data->fields[0]:\n      flags:\n"
		  "        VAL: HIST_FIELD_FL_HITCOUNT\n");
	show_type("u64", 8, false, out);
	for (uint32_t i = 0; i < def->nr_vals; i++) {
		text_printf(out, "\n    hist_data->fields[%u]:\n", nth++);
		show_field(def->vals[i], DEBUG_VAL, out);
	}
	for (uint32_t i = 0; i < def->nr_user_vars; i++) {
		text_printf(out, "\n    hist_data->fields[%u]:\n", nth++);
		show_user_var(def, i, out);
	}
	text_puts(out, "\n  key fields:\n");
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		text_printf(out, "\n    hist_data->fields[%u]:\n", nth++);
		show_field(def->keys[i], DEBUG_KEY, out);
	}
}

/*
 * Append the lines of hist_debug about all hidden variables that have the use @use, with @title
 * above them.
 */
static void show_hidden_vars(const struct hist_def *def, enum hist_var_use use,
			     const char *title, const char *name, struct text *out)
{
	uint32_t nth = 0;

	for (uint32_t i = 0; i < def->nr_vars; i++) {
		const struct hist_node *node = def->vars[i].expr;

		if (def->vars[i].use != use)
			continue;
		if (!nth)
			text_printf(out, "\n  %s:\n", title);
		text_printf(out, "\n    hist_data->%s[%u]:\n\n      %s[%u].var:\n", name,
			    nth, name, nth);
		show_flags(NULL, DEBUG_VAR, out);
		show_var(def, i, out);
		text_printf(out, "\n      %s[%u].val:\n", name, nth++);
		if (node->field)
			text_printf(out, "      ftrace_event_field name: %s\n", node->field);
		show_type(node->type_name, node->size, node->is_signed, out);
	}
}

static void show_refs(const struct hist_def *def, struct text *out)
{
	if (def->nr_refs)
		text_puts(out, "\n  variable reference fields:\n");
	for (uint32_t i = 0; i < def->nr_refs; i++) {
		text_printf(out, "\n    hist_data->var_refs[%u]:\n", i);
		show_field(def->refs[i], DEBUG_REF, out);
	}
}

static void show_action(const struct hist_def *def, uint32_t nth, struct text *out)
{
	const struct hist_action_def *action = &def->actions[nth];

	if (action->handler == HIST_ON_MATCH) {
		text_printf(out, "\n    hist_data->actions[%u].match_data.event_system: %s\n"
			    "    hist_data->actions[%u].match_data.event: %s\n", nth,
			    action->system, nth, action->event);
		return;
	}
	text_printf(out, "\n    hist_data->actions[%u].track_data.var_ref:\n", nth);
	show_field(def->refs[action->watch_ref], DEBUG_REF, out);
	text_printf(out, "\n    hist_data->actions[%u].track_data.track_var:\n", nth);
	show_flags(NULL, DEBUG_VAR, out);
	show_var(def, action->track_var, out);
	show_type("u64", 8, false, out);
}

void hist_def_show_debug(const struct hist_def *def, struct text *out)
{
	text_puts(out, "hist_data: ");
	show_id(def, out);
	text_printf(out, "\n  n_vals: %u\n  n_keys: %u\n  n_fields: %u\n",
		    1 + def->nr_vals + def->nr_user_vars, def->nr_keys,
		    1 + def->nr_vals + def->nr_user_vars + def->nr_keys);
	show_fields(def, out);
	show_refs(def, out);
	show_hidden_vars(def, HIST_VAR_PARAM, "field variables", "field_vars", out);
	if (def->nr_actions)
		text_puts(out, "\n  action tracking variables (for onmax()/onchange()/"
			  "onmatch()):\n");
	for (uint32_t i = 0; i < def->nr_actions; i++)
		show_action(def, i, out);
	show_hidden_vars(def, HIST_VAR_SAVE, "save action variables (save() params)",
			 "save_vars", out);
}
