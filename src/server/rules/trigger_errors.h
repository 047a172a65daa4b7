/* SPDX-License-Identifier: MIT */
/*
 * Find out why a write to a `trigger` file, or a command in set_ftrace_filter, was
 * refused, and add the reason to error_log.
 */
#ifndef ULF_SERVER_TRIGGER_ERRORS_H
#define ULF_SERVER_TRIGGER_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct instance;
struct trigger_cmd;

/* A write that was refused.  Functions that get this struct also get a pointer @at to the
 * part of @command that they check. */
struct wrong_write {
	struct instance *instance;
	const char *place;		/* name of the file that was written; a constant
					 * string */
	const char *command;		/* text that was written */
};

/*
 * Add the message @error to error_log, with the caret under @at.  @near: a similar
 * name that the user may have meant, or NULL.
 */
void wrong_write_log(const struct wrong_write *wrong, const char *at, const char *error,
		     const char *near);

/*
 * trigger_log_command(), trigger_log_target() and trigger_log_count() each check one part
 * of a refused command again.  If this part is wrong, the function adds the reason to
 * error_log and returns true.
 */

/*
 * Check the name of a command: the @len bytes at @at.  @event: the event for which the
 * trigger was written; NULL if it was written for a function.  If the name is correct,
 * *@ret_cmd is set to the command.
 */
bool trigger_log_command(const struct wrong_write *wrong, const char *at, size_t len,
			 const struct event *event, const struct trigger_cmd **ret_cmd);
/*
 * Check the target of a command: the @len bytes at @at, SYSTEM:EVENT[:COUNT].
 * *@ret_count is set to the start of the count, which is not checked, or to NULL if
 * there is no count.
 */
bool trigger_log_target(const struct wrong_write *wrong, const char *at, size_t len,
			bool is_removal, const char **ret_count);
/* Check the count of a command: the @len bytes at @at. */
bool trigger_log_count(const struct wrong_write *wrong, const char *at, size_t len);

/*
 * Check all of @text, which was written to the `trigger` file of @event and refused
 * with -EINVAL.  The filter in @text is not checked: triggers.c reports errors in
 * filters.
 */
void trigger_log(struct instance *instance, const struct event *event, const char *text);

#endif
