/* SPDX-License-Identifier: MIT */
/* The table of commands, and struct trigger, which triggers.c makes: its language, its
 * compiled forms, and how to free it. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/rings/rings.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

/* The commands that triggers and functions can have, in the order in which files show
 * them. */
const struct trigger_cmd trigger_cmds[] = {
#define ROW(id, number, name_, kind_, scope_, flags_, help_, need_, mark, is_due, act) \
	{								\
		.name = name_, .command = COMMAND_##id, .kind = kind_,	\
		.scope = scope_, .flags = flags_, .help = help_,	\
		.has_target = (flags_) & CMD_TARGET, .need = need_,	\
	},
	COMMANDS(ROW)
#undef ROW
};

const uint32_t nr_trigger_cmds = ARRAY_SIZE(trigger_cmds);

const struct trigger_cmd *trigger_cmd_of(uint32_t command)
{
	for (uint32_t i = 0; i < nr_trigger_cmds; i++)
		if (trigger_cmds[i].command == command)
			return &trigger_cmds[i];
	return NULL;
}

const struct trigger_cmd *trigger_cmd_find(const char *name)
{
	for (uint32_t i = 0; i < nr_trigger_cmds; i++)
		if (!strcmp(trigger_cmds[i].name, name))
			return &trigger_cmds[i];
	return NULL;
}

const struct trigger_lang *trigger_lang_of(const struct root *root, enum command_number command)
{
	const struct trigger_lang *const *langs = root->parts->trigger_langs;

	return langs ? langs[command] : NULL;
}

const struct trigger_program *trigger_program(const struct trigger *trigger, uint32_t row)
{
	static const struct trigger_program nothing;
	bool has_data = trigger->lang && trigger->lang->compile;
	const struct trigger_program *program = &nothing;

	for (uint32_t i = 0; i < trigger->nr_programs; i++)
		if (trigger->programs[i].row == row)
			program = &trigger->programs[i];
	return (trigger->filter && !program->filter) || (has_data && !program->data) ?
	       NULL : program;
}

void trigger_free(struct trigger *trigger)
{
	if (!trigger)
		return;
	for (uint32_t i = 0; i < trigger->nr_programs; i++) {
		free(trigger->programs[i].filter);
		free(trigger->programs[i].data);
	}
	if (trigger->lang && trigger->lang->free)
		trigger->lang->free(trigger);
	free(trigger->programs);
	free(trigger->filter);
	free(trigger);
}

void triggers_free(struct trigger *triggers)
{
	while (triggers) {
		struct trigger *next = triggers->next;

		trigger_free(triggers);
		triggers = next;
	}
}
