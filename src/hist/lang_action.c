/* SPDX-License-Identifier: MIT */
/* Parse the actions of a histogram: the handlers onmatch(), onmax() and onchange(), and the
 * actions that they run. */
#include "hist/lang_impl.h"

#define PARAM_BYTES_MIN		2u	/* minimum length of a parameter, which is the
					 * kernel's, bytes */

/* Parse the parameters "a,b,c" of an action.  For trace() the first parameter names the
 * synthetic event. */
static int parse_params(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	char *param;

	action->params = hist_def_alloc(p->def, HIST_PARAMS_MAX * sizeof(*action->params));
	if (!action->params)
		return -ENOMEM;
	while ((param = strsep(&text, ","))) {
		param = hist_strip(param);
		if (action->nr_params == HIST_PARAMS_MAX)
			return parser_fail(p, HIST_ERR_TOO_MANY_PARAMS, NULL, -EINVAL);
		if (strlen(param) < PARAM_BYTES_MIN)
			return parser_fail(p, HIST_ERR_INVALID_PARAM, param, -EINVAL);
		if (action->is_trace_keyword && !action->synth)
			action->synth = param;
		else
			action->params[action->nr_params++] = param;
	}
	return 0;
}

/* Check that save() and snapshot() are used only with onmax() and onchange(). */
static int check_handler(struct hist_parser *p, const struct hist_action_def *action)
{
	if (action->handler != HIST_ON_MATCH)
		return 0;
	return parser_fail(p, HIST_ERR_ACTION_MISMATCH, action->name, -EINVAL);
}

static int parse_save(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	int r = parse_params(p, strsep(&text, ")"), action);

	action->kind = HIST_DO_SAVE;
	return r ? r : check_handler(p, action);
}

static int parse_snapshot(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	const char *params = strsep(&text, ")");

	action->kind = HIST_DO_SNAPSHOT;
	if (!text)
		return parser_fail(p, HIST_ERR_NO_CLOSING_PAREN, params, -EINVAL);
	return check_handler(p, action);
}

static int parse_trace(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	action->kind = HIST_DO_TRACE;
	action->is_trace_keyword = hist_after_prefix(action->name, "trace");
	if (!action->is_trace_keyword)
		action->synth = action->name;
	return parse_params(p, strsep(&text, ")"), action);
}

/* Parse the action after the handler: ".save(a,b)".  As in the kernel, a word that begins
 * with "save", "trace" or "snapshot" stands for that action. */
static int parse_action(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	(void)strsep(&text, ".");
	if (text)
		action->name = strsep(&text, "(");
	if (!text)
		return parser_fail(p, HIST_ERR_ACTION_NOT_FOUND, NULL, -EINVAL);
	if (hist_after_prefix(action->name, "save"))
		return parse_save(p, text, action);
	if (hist_after_prefix(action->name, "snapshot"))
		return parse_snapshot(p, text, action);
	return parse_trace(p, text, action);
}

/* Parse the text after "onmatch(". */
static int parse_onmatch(struct hist_parser *p, char *text, struct hist_action_def *action)
{
	char *event = strsep(&text, ")");

	action->handler = HIST_ON_MATCH;
	if (!text)
		return parser_fail(p, HIST_ERR_NO_CLOSING_PAREN, event, -EINVAL);
	action->system = strsep(&event, ".");
	if (!event)
		return parser_fail(p, HIST_ERR_SUBSYS_NOT_FOUND, action->system, -EINVAL);
	action->event = event;
	if (!p->env->find_event(p->env->ctx, action->system, event))
		return parser_fail(p, HIST_ERR_INVALID_SUBSYS_EVENT, event, -EINVAL);
	return parse_action(p, text, action);
}

/* Parse the text after "onmax(" or "onchange(". */
static int parse_track(struct hist_parser *p, char *text, enum hist_handler handler,
		       struct hist_action_def *action)
{
	action->handler = handler;
	action->var = strsep(&text, ")");
	action->has_dollar = action->var[0] == '$';
	action->var += action->has_dollar;
	return text ? parse_action(p, text, action) : -EINVAL;
}

int hist_parse_actions(struct hist_parser *p)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < p->nr_actions; i++) {
		struct hist_action_def *action = &p->def->actions[i];
		char *text = strchr(p->actions[i], '(') + 1;

		if (hist_after_prefix(p->actions[i], "onmatch("))
			r = parse_onmatch(p, text, action);
		else if (hist_after_prefix(p->actions[i], "onmax("))
			r = parse_track(p, text, HIST_ON_MAX, action);
		else
			r = parse_track(p, text, HIST_ON_CHANGE, action);
		if (!r)
			p->def->nr_actions++;
	}
	return r;
}
