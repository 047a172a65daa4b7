/* SPDX-License-Identifier: MIT */
/*
 * The file set_event.  As in the kernel, a write takes one token and the blank after
 * it, and returns the number of these bytes.  The program then calls write(2) again
 * with the rest.
 */
#include <errno.h>
#include <string.h>

#include "event/format.h"
#include "server/core/apply.h"
#include "server/rules/events.h"
#include "server/rules/suggest.h"
#include "tracefs/files.h"

int set_event_show(struct tracefs_node *node, struct text *out)
{
	struct root *root = node->root;
	struct events *events = root_events(root);
	int r = events_refresh(root);

	for (uint32_t row = 0; !r && row < events->nr; row++) {
		const struct event *event = events->rows[row];

		if (event && event->is_visible &&
		    event_is_enabled(tracefs_instance(node), event))
			tracefs_print_event(event, out);
	}
	return r;
}

/* Return @text, or NULL if @text is "" or "*": both match everything. */
static const char *name_or_any(const char *text)
{
	return !*text || !strcmp(text, "*") ? NULL : text;
}

/*
 * Parse the token @word, without its `!'.  A token is "SYSTEM:EVENT", "SYSTEM:",
 * "*:EVENT" ..., or one name that may be a system or an event.  The members of
 * @ret_match point into @word, in which a NUL replaces the colon.
 */
static void parse_match(char *word, struct event_match *ret_match)
{
	char *colon = strchr(word, ':');

	*ret_match = (struct event_match){ .either = word };
	if (!colon)
		return;
	*colon = '\0';
	*ret_match = (struct event_match){
		.system = name_or_any(word),
		.name = name_or_any(colon + 1),
	};
}

ssize_t set_event_store(struct tracefs_file *file, const char *buf, size_t size,
			pid_t tid)
{
	char word[TRACEFS_WORD_MAX + 1], copy[TRACEFS_WORD_MAX + 1];
	ssize_t taken = tracefs_next_word(buf, size, word);
	struct event_match match;
	bool is_on;
	int r = 0;

	(void)tid;
	if (taken < 0 || !*word)
		return taken;
	is_on = *word != '!';
	strcpy(copy, word);
	parse_match(word + !is_on, &match);
	if (is_on)
		r = apply_check(tracefs_instance(file->node), file->def->name);
	if (!r)
		r = events_set(tracefs_instance(file->node), &match, is_on);
	if (r == -EINVAL)
		suggest_log_event(tracefs_instance(file->node), file->def->name, copy,
				  copy + !is_on, strlen(copy + !is_on));
	if (r)
		return r;
	tracefs_file_apply(file);
	return taken;
}

int set_event_truncate(struct tracefs_file *file)
{
	struct event_match all = { .system = NULL };
	int r = events_set(tracefs_instance(file->node), &all, false);

	if (r)
		return r == -EINVAL ? 0 : r;	/* ignore -EINVAL: there is no event that
						 * could be turned off */
	tracefs_file_apply(file);
	apply_wait(&file->apply, APPLY_WAIT_NS);
	return 0;
}
