/* SPDX-License-Identifier: MIT */
/* Parse what is written to `trigger` files, as the kernel does. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "server/rules/events.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/trigger_words.h"
#include "server/rules/triggers.h"

/* Cut the first token off *@text and return it, as strsep() does.  Also skip blanks
 * after the token.  *@text becomes NULL if nothing else follows. */
static char *cut_token(char **text, const char *ends)
{
	char *word = strsep(text, ends);

	while (*text && isspace((unsigned char)**text))
		++*text;
	if (*text && !**text)
		*text = NULL;
	return word;
}

const struct event *trigger_find_event(struct root *root, const char *system,
				       const char *name, bool is_removal)
{
	struct events *events = root_events(root);
	const struct event *event = events_find(root, system, name);

	for (uint32_t row = 0; !event && is_removal && row < events->nr; row++)
		if (events->rows[row] &&
		    !strcmp(events->rows[row]->format->system, system) &&
		    !strcmp(events->rows[row]->format->name, name))
			event = events->rows[row];
	return event;
}

/* Parse the text SYSTEM:EVENT[:COUNT], the target of a command. */
static int parse_target(struct root *root, char *text,
			struct trigger_words *words)
{
	char *system = strsep(&text, ":");
	char *name = text ? strsep(&text, ":") : NULL;

	if (name)
		words->target = trigger_find_event(root, system, name,
						   words->is_removal);
	words->count = text;
	return words->target ? 0 : -EINVAL;
}

int trigger_parse(struct root *root, char *text, struct trigger_words *ret_words)
{
	struct trigger_words words = { .is_removal = *text == '!' };
	char *rest = text + words.is_removal;

	words.cmd = trigger_cmd_find(cut_token(&rest, ": \t"));
	if (!words.cmd)
		return -EINVAL;
	words.lang = trigger_lang_of(root, words.cmd->command);
	if (words.lang && words.lang->store) {
		words.params = rest;
		*ret_words = words;
		return 0;
	}
	if (words.cmd->has_target) {
		int r = rest ? parse_target(root, cut_token(&rest, " \t"), &words) :
			-EINVAL;

		if (r)
			return r;
	} else if (rest && isdigit((unsigned char)*rest)) {
		words.count = cut_token(&rest, " \t");
	}
	words.filter = rest;
	*ret_words = words;
	return 0;
}

/* Parse the count of a trigger.  Text after a colon is ignored: "3:x" means 3. */
int trigger_parse_count(char *text, uint64_t *ret_count)
{
	char *number = strsep(&text, ":");
	char *end;

	if (!isdigit((unsigned char)*number) && *number != '+')
		return -EINVAL;
	errno = 0;
	*ret_count = strtoull(number, &end, 0);
	if (errno == ERANGE)
		return -ERANGE;
	return *end ? -EINVAL : 0;
}
