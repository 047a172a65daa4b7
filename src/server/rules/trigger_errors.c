/* SPDX-License-Identifier: MIT */
/*
 * Find out why a write to a `trigger` file was refused.  trigger_words.c only returns
 * -EINVAL, as the kernel does, so this file parses the command a second time to find
 * the position of the error.
 */
#include <ctype.h>
#include <string.h>

#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/rules/suggest.h"
#include "server/rules/trigger_errors.h"
#include "server/rules/trigger_words.h"
#include "server/rules/triggers.h"

#define WORD_MAX	255u		/* maximum length of a token of a trigger (a
					 * command, a system, an event or a count), bytes */
#define BLANKS		" \t"

void wrong_write_log(const struct wrong_write *wrong, const char *at, const char *error,
		     const char *near)
{
	error_log_add_near(wrong->instance, wrong->place, error, wrong->command,
			   (uint32_t)(at - wrong->command), near);
}

/* Copy the token of @len bytes at @at to @word, and append a NUL.  A token that is too
 * long is cut: it cannot be correct, because no name is that long. */
static void copy_word(char word[WORD_MAX + 1], const char *at, size_t len)
{
	len = len < WORD_MAX ? len : WORD_MAX;
	memcpy(word, at, len);
	word[len] = '\0';
}

bool trigger_log_command(const struct wrong_write *wrong, const char *at, size_t len,
			 const struct event *event, const struct trigger_cmd **ret_cmd)
{
	char word[WORD_MAX + 1];
	struct nearest near;

	copy_word(word, at, len);
	*ret_cmd = trigger_cmd_find(word);
	if (*ret_cmd && trigger_has_cmd(event, *ret_cmd))
		return false;
	nearest_init(&near, word, strlen(word));
	for (uint32_t i = 0; i < nr_trigger_cmds; i++)
		if (trigger_has_cmd(event, &trigger_cmds[i]))
			nearest_offer(&near, trigger_cmds[i].name);
	wrong_write_log(wrong, at, *ret_cmd ? "Command is not for this event" :
					      "Command not found",
			*ret_cmd ? NULL : nearest_name(&near));
	return true;
}

bool trigger_log_target(const struct wrong_write *wrong, const char *at, size_t len,
			bool is_removal, const char **ret_count)
{
	char system[WORD_MAX + 1], name[WORD_MAX + 1];
	const char *end = at + len;
	const char *colon = memchr(at, ':', len);
	const char *second = colon ? memchr(colon + 1, ':', (size_t)(end - colon - 1)) :
				     NULL;

	*ret_count = second ? second + 1 : NULL;
	if (!colon || colon + 1 == end) {
		wrong_write_log(wrong, colon ? end : at,
				"Event expected, as SYSTEM:EVENT", NULL);
		return true;
	}
	if (second)
		end = second;
	copy_word(system, at, (size_t)(colon - at));
	copy_word(name, colon + 1, (size_t)(end - colon - 1));
	if (trigger_find_event(wrong->instance->root, system, name, is_removal))
		return false;
	suggest_log_event(wrong->instance, wrong->place, wrong->command, at,
			  (size_t)(end - at));
	return true;
}

bool trigger_log_count(const struct wrong_write *wrong, const char *at, size_t len)
{
	char word[WORD_MAX + 1];
	uint64_t count;

	copy_word(word, at, len);
	if (!trigger_parse_count(word, &count))
		return false;
	wrong_write_log(wrong, at, "Invalid count", NULL);
	return true;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Check that the command continues at @at with nothing or with `if FILTER`.  The filter
 * itself is not checked. */
static void log_condition(const struct wrong_write *wrong, const char *at, bool has_count)
{
	size_t len = strcspn(at, BLANKS);

	if (!*at)
		return;
	if (len != strlen("if") || memcmp(at, "if", len))
		wrong_write_log(wrong, at, has_count ? "'if' expected" :
					   "Count or 'if' expected", NULL);
	else if (!*skip_blanks(at + len))
		wrong_write_log(wrong, at + len, "Filter expected", NULL);
}

void trigger_log(struct instance *instance, const struct event *event, const char *text)
{
	const struct wrong_write wrong = { instance, "trigger", text };
	bool is_removal = *text == '!';
	const char *at = text + is_removal, *count = NULL;
	const struct trigger_cmd *cmd;
	size_t len = strcspn(at, ":" BLANKS);

	if (trigger_log_command(&wrong, at, len, event, &cmd))
		return;
	at = skip_blanks(at + len + (at[len] != '\0'));
	len = strcspn(at, BLANKS);
	if (cmd->has_target) {
		if (trigger_log_target(&wrong, at, len, is_removal, &count))
			return;
	} else if (isdigit((unsigned char)*at)) {
		count = at;
	} else {
		len = 0;
	}
	if (is_removal || (count && trigger_log_count(&wrong, count,
						      (size_t)(at + len - count))))
		return;
	log_condition(&wrong, skip_blanks(at + len), count);
}
