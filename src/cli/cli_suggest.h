/* SPDX-License-Identifier: MIT */
/* Find similar names for names that a user has mistyped. */
#ifndef ULF_CLI_CLI_SUGGEST_H
#define ULF_CLI_CLI_SUGGEST_H

#include <stdbool.h>

#include "base/nearest.h"
#include "cli/conn.h"

/*
 * cli_suggest_event - offer an event to @near as a similar name
 * @event: "system:event"; the colon is replaced by a NUL and restored
 * @has_system: true: the user has written SYSTEM:EVENT, so the name is offered in this
 *	form.  Otherwise the event's name and the system's name are offered.
 */
void cli_suggest_event(struct nearest *near, char *event, bool has_system);

/*
 * Find the first name in @path that does not exist in its directory, and a similar name that
 * exists.  @path begins with the full name of a root.  Returns @path up to this name, with
 * the similar name in its place; or NULL if there is no similar name, or after an error.  The
 * caller must free() it.
 */
char *cli_suggest_path(struct conn *conn, const char *path);

#endif
