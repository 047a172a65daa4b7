/* SPDX-License-Identifier: MIT */
/*
 * Parse what is written to a `trigger` file:
 *
 *	COMMAND[:SYSTEM:EVENT][:COUNT] [if FILTER]	add a trigger
 *	!COMMAND[:SYSTEM:EVENT]...			remove a trigger
 *
 * The text after a COMMAND with a language of its own is parsed by trigger_lang.store
 * instead.
 */
#ifndef ULF_SERVER_TRIGGER_WORDS_H
#define ULF_SERVER_TRIGGER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct root;
struct trigger_cmd;
struct trigger_lang;

/* The tokens of a trigger's command.  The strings point into the text that was parsed. */
struct trigger_words {
	const struct trigger_cmd *cmd;
	bool is_removal;
	const struct event *target;	/* target event SYSTEM:EVENT of the command; NULL
					 * if the command has no target */
	char *count;			/* text of the command's count; NULL if there is
					 * no count */
	char *filter;			/* text of the command's filter, from the token
					 * "if" on; NULL if there is no filter */
	const struct trigger_lang *lang;	/* language of the command; NULL if the
						 * command has none */
	char *params;			/* unparsed text after the command, if the
					 * language has the method store; NULL if there is
					 * no such text */
};

/*
 * Split @text into tokens, in place.  @text must have no blanks at its start and end.
 * Returns 0; -EINVAL if the command or the target does not exist.  The count and the filter
 * are not checked.
 */
int trigger_parse(struct root *root, char *text, struct trigger_words *ret_words);
/*
 * Find the event @system:@name, the target of a command.  @is_removal: also find an
 * event whose module is not loaded any more, so that the trigger can be removed.
 * Returns NULL if there is no such event.
 */
const struct event *trigger_find_event(struct root *root, const char *system,
				       const char *name, bool is_removal);
/*
 * Convert @text, the count of a trigger, to a number.  Changes @text: a NUL replaces
 * the first colon.  Returns 0, -EINVAL (not a number) or -ERANGE (too large).
 */
int trigger_parse_count(char *text, uint64_t *ret_count);

#endif
