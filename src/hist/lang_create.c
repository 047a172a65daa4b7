/* SPDX-License-Identifier: MIT */
/* Find the objects that the actions of a new histogram name: fields, variables and synthetic
 * events. */
#include "hist/lang_impl.h"

/* ---- fields as parameters of actions ---- */

/* Create a hidden variable for a field.  Returns the index of the variable, or -errno. */
static int create_field_var(struct hist_parser *p, const char *text, enum hist_var_use use)
{
	char *copy = hist_def_copy(p->def, text), *name = hist_def_copy(p->def, text);
	struct hist_node *node;
	int r;

	if (!copy || !name)
		return -ENOMEM;
	r = hist_parse_atom(p, copy, HIST_ROLE_VAR, &node);
	if (r)
		return parser_fail(p, HIST_ERR_FIELD_VAR_PARSE_FAIL, text, r);
	r = hist_var_exists(p, text) ? -EINVAL : hist_def_add_var(p->def, name, use, node);
	if (r < 0)
		hist_error_add(p->errors, HIST_ERR_VAR_CREATE_FIND_FAIL, text);
	return r;
}

/* A variable of a histogram: @def is the histogram, @var the index in its vars. */
struct var_place {
	struct hist_def *def;
	uint32_t var;
};

/* Save the field of another event in a variable synthetic_FIELD of that event's histogram.
 * Returns 0 or -EINVAL. */
static int save_other_field(struct hist_parser *p, const char *system, const char *event,
			    const char *field, struct var_place *ret)
{
	struct text name;
	int r;

	if (!p->env->find_event(p->env->ctx, system, event))
		return parser_fail(p, HIST_ERR_EVENT_FILE_NOT_FOUND, field, -EINVAL);
	r = p->env->save_field(p->env->ctx, p->def, system, event, field, p->errors);
	if (r)
		return parser_fail(p, r == -ENOENT ? HIST_ERR_HIST_NOT_FOUND :
				   HIST_ERR_HIST_CREATE_FAIL, field, -EINVAL);
	text_init(&name, 1 << 16);
	text_printf(&name, "synthetic_%s", field);
	ret->def = hist_find_event_var(p, system, event, text_str(&name), &ret->var);
	text_done(&name);
	if (!ret->def)
		return parser_fail(p, HIST_ERR_SYNTH_VAR_NOT_FOUND, field, -EINVAL);
	return 0;
}

/* The parts of a parameter system.event.name.  If the user has written only the name, @system
 * and @event are NULL. */
struct param_name {
	const char *system, *event, *name;
};

/* Find the field that a parameter of an action names: first in the trigger's event, then in
 * the event of onmatch(). */
static int find_param_field(struct hist_parser *p, const struct hist_action_def *action,
			    struct param_name param, struct var_place *ret)
{
	if (hist_is_own_event(p, param.system, param.event)) {
		int var = create_field_var(p, param.name, HIST_VAR_PARAM);

		if (var >= 0) {
			*ret = (struct var_place){ p->def, (uint32_t)var };
			return 0;
		}
	}
	if (!param.system && action->handler == HIST_ON_MATCH) {
		param.system = action->system;
		param.event = action->event;
	}
	if (!param.event)
		return -EINVAL;
	return save_other_field(p, param.system, param.event, param.name, ret);
}

/* Find the variable that a parameter $name of an action names: in this histogram, then in the
 * event of onmatch(), then in any event. */
static int find_param_var(struct hist_parser *p, const struct hist_action_def *action,
			  struct param_name param, struct var_place *ret)
{
	const char *name = param.name + 1;
	int var = -ENOENT;

	if (hist_is_own_event(p, param.system, param.event))
		var = hist_def_find_var(p->def, name);
	if (var >= 0) {
		*ret = (struct var_place){ p->def, (uint32_t)var };
		return 0;
	}
	if (!param.system && action->handler == HIST_ON_MATCH) {
		param.system = action->system;
		param.event = action->event;
	}
	ret->def = hist_find_event_var(p, param.system, param.event, name, &ret->var);
	if (!ret->def)
		return parser_fail(p, HIST_ERR_PARAM_NOT_FOUND, name, -EINVAL);
	return 0;
}

/* ---- parameters of synthetic events ---- */

static bool synth_is_string(const struct event_field *field)
{
	return field->kind != FIELD_PLAIN && strstr(field->type, "char[");
}

static bool synth_is_stack(const struct event_field *field)
{
	return field->kind == FIELD_DATA_LOC && strstr(field->type, "unsigned long[");
}

/* Return true if the number @ref can be stored in @field, because both have the same type, or
 * the same size and sign. */
static bool number_fits(const struct hist_node *ref, const struct event_field *field)
{
	return !synth_is_string(field) && !synth_is_stack(field) &&
	       (!strcmp(field->type, ref->type_name) ||
		(field->size == ref->size && field->is_signed == ref->is_signed));
}

/* Return true if the string @ref can be stored in @field.  A dynamic string can hold any
 * string, an array only a string of its own size. */
static bool string_fits(const struct hist_node *ref, const struct event_field *field)
{
	return synth_is_string(field) &&
	       (field->kind == FIELD_DATA_LOC || field->size == ref->size);
}

/* Return true if the variable @ref can be stored in @field. */
static bool param_fits(const struct hist_node *ref, const struct event_field *field)
{
	switch (ref->type) {
	case HIST_STR:
		return string_fits(ref, field);
	case HIST_STACK:
		return synth_is_stack(field);
	default:
		return number_fits(ref, field);
	}
}

static struct hist_param make_store(const struct event_field *field, enum hist_kind kind)
{
	struct hist_param store = {
		.kind = (uint8_t)kind, .store = HIST_STORE_NUM,
		.offset = (uint16_t)field->offset, .size = (uint16_t)field->size,
	};

	if (field->kind == FIELD_DATA_LOC) {
		store.store = HIST_STORE_LOC;
		store.size = sizeof(uint32_t);
	} else if (kind == HIST_STR) {
		store.store = HIST_STORE_ARRAY;
	}
	return store;
}

/* ---- trace() ---- */

/* Split a parameter into its parts.  Returns false for the form "a.b". */
static bool split_param(char *text, struct param_name *ret)
{
	char *first = strsep(&text, "."), *second;

	*ret = (struct param_name){ .name = first };
	if (!text)
		return true;
	second = strsep(&text, ".");
	*ret = (struct param_name){ first, second, text };
	return text;
}

/* Find the field or variable that parameter @nth of an action names.  @field: the field of
 * the synthetic event that gets the value; NULL if the event has fewer fields. */
static int create_param(struct hist_parser *p, struct hist_action_def *action, uint32_t nth,
			const struct event_field *field)
{
	char *copy = hist_def_copy(p->def, action->params[nth]);
	struct param_name param;
	struct var_place place;
	struct hist_node *ref;
	int r;

	if (!copy)
		return -ENOMEM;
	if (!split_param(copy, &param))
		return -EINVAL;
	if (param.name[0] == '$')
		r = find_param_var(p, action, param, &place);
	else
		r = find_param_field(p, action, param, &place);
	if (r)
		return -EINVAL;
	ref = hist_add_ref(p, place.def, place.var, param.system, param.event);
	if (!ref)
		return -ENOMEM;
	if (!field || !param_fits(ref, field))
		return parser_fail(p, HIST_ERR_SYNTH_TYPE_MISMATCH, param.name, -EINVAL);
	action->values[nth] = ref;
	action->stores[nth] = make_store(field, ref->type);
	return 0;
}

/* Returns the size of the fixed part of a synthetic event's records, bytes. */
static uint32_t fixed_bytes(const struct event_format *fmt)
{
	uint32_t bytes = 8;

	for (size_t i = 0; i < fmt->nr_fields; i++) {
		uint32_t end = fmt->fields[i].offset + fmt->fields[i].size;

		if (end > bytes)
			bytes = end;
	}
	return bytes;
}

static int create_trace(struct hist_parser *p, struct hist_action_def *action)
{
	const struct event_format *fmt;
	int r = 0;

	fmt = p->env->find_synth(p->env->ctx, action->synth, &action->synth_row);
	if (!fmt)
		return parser_fail(p, HIST_ERR_SYNTH_EVENT_NOT_FOUND, action->synth, -EINVAL);
	action->record_bytes = fixed_bytes(fmt);
	action->values = hist_def_alloc(p->def, HIST_PARAMS_MAX * sizeof(*action->values));
	action->stores = hist_def_alloc(p->def, HIST_PARAMS_MAX * sizeof(*action->stores));
	if (!action->values || !action->stores)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < action->nr_params; i++)
		r = create_param(p, action, i, i < fmt->nr_fields ? &fmt->fields[i] : NULL);
	if (!r && action->nr_params != fmt->nr_fields)
		r = parser_fail(p, HIST_ERR_SYNTH_COUNT_MISMATCH, action->synth, -EINVAL);
	return r;
}

/* ---- save() ---- */

static int create_save(struct hist_parser *p, struct hist_action_def *action)
{
	for (uint32_t i = 0; i < p->def->nr_vars; i++) {
		if (p->def->vars[i].use == HIST_VAR_SAVE)
			return parser_fail(p, HIST_ERR_TOO_MANY_SAVE_ACTIONS, NULL, -EEXIST);
	}
	action->first_save = p->def->nr_vars;
	for (uint32_t i = 0; i < action->nr_params; i++) {
		int r = create_field_var(p, action->params[i], HIST_VAR_SAVE);

		if (r < 0)
			return parser_fail(p, HIST_ERR_FIELD_VAR_CREATE_FAIL,
					   action->params[i], r);
	}
	return 0;
}

/* ---- the variables of onmax() and onchange() ---- */

static int create_track(struct hist_parser *p, struct hist_action_def *action)
{
	const char *track = action->handler == HIST_ON_MAX ? "__max" : "__change";
	struct hist_node *ref;
	int var;

	if (!action->has_dollar)
		return parser_fail(p, HIST_ERR_ONX_NOT_VAR, action->var, -EINVAL);
	var = hist_def_find_var(p->def, action->var);
	if (var < 0)
		return parser_fail(p, HIST_ERR_ONX_VAR_NOT_FOUND, action->var, -EINVAL);
	if (p->def->vars[var].kind != HIST_NUM)
		return parser_fail(p, HIST_ERR_INVALID_STR_OPERAND, action->var, -EINVAL);
	ref = hist_add_ref(p, p->def, (uint32_t)var, NULL, NULL);
	if (!ref)
		return -ENOMEM;
	action->watch_var = (uint32_t)var;
	action->watch_ref = ref->ref_index;
	var = hist_var_exists(p, track) ? -EINVAL :
		hist_def_add_var(p->def, track, HIST_VAR_TRACK, NULL);
	if (var < 0)
		return parser_fail(p, HIST_ERR_ONX_VAR_CREATE_FAIL, NULL, -EINVAL);
	action->track_var = (uint32_t)var;
	return 0;
}

static int create_action(struct hist_parser *p, struct hist_action_def *action)
{
	int r = action->handler == HIST_ON_MATCH ? 0 : create_track(p, action);

	if (r)
		return r;
	switch (action->kind) {
	case HIST_DO_TRACE:
		return create_trace(p, action);
	case HIST_DO_SAVE:
		return create_save(p, action);
	default:
		return 0;
	}
}

int hist_create_actions(struct hist_def *def, const struct hist_env *env,
			struct hist_errors *errors)
{
	struct hist_parser *p = calloc(1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	*p = (struct hist_parser){ .env = env, .errors = errors, .def = def };
	for (uint32_t i = 0; !r && i < def->nr_actions; i++)
		r = create_action(p, &def->actions[i]);
	free(p);
	return r;
}
