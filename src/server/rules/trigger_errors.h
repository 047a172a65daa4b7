/* SPDX-License-Identifier: MIT */
/* error_log's reasons for what a `trigger` file, or a command of a function, refuses. */
#ifndef ULF_SERVER_TRIGGER_ERRORS_H
#define ULF_SERVER_TRIGGER_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct instance;
struct trigger_cmd;

/* A write that was refused; @at of the functions below points into its command. */
struct wrong_write {
	struct instance *instance;
	const char *place;		/* a constant: the file's name */
	const char *command;
};

void wrong_write_log(const struct wrong_write *wrong, const char *at, const char *error,
		     const char *near);

/*
 * Each looks at a part of the command again.  If that is wrong it adds the reason to
 * error_log and returns true.
 */

/* The @len bytes at @at are the name of a command, for @event or, NULL, for functions.
 * *@ret_cmd: the command, if it is right. */
bool trigger_log_command(const struct wrong_write *wrong, const char *at, size_t len,
			 const struct event *event, const struct trigger_cmd **ret_cmd);
/* The @len bytes at @at are SYSTEM:EVENT[:COUNT].  *@ret_count: the count; NULL: none. */
bool trigger_log_target(const struct wrong_write *wrong, const char *at, size_t len,
			bool is_removal, const char **ret_count);
bool trigger_log_count(const struct wrong_write *wrong, const char *at, size_t len);

/* All of @text, which the `trigger` of @event has refused with -EINVAL.  A filter is not
 * looked at: triggers.c reports its mistakes. */
void trigger_log(struct instance *instance, const struct event *event, const char *text);

#endif
