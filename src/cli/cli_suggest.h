/* SPDX-License-Identifier: MIT */
/* Similar names for names that a user has mistyped. */
#ifndef ULF_CLI_CLI_SUGGEST_H
#define ULF_CLI_CLI_SUGGEST_H

#include <stdbool.h>

#include "base/nearest.h"
#include "cli/conn.h"

/*
 * cli_suggest_event - offer an event to @near as a similar name
 * @event: "system:event"; the colon is replaced by a NUL and restored
 * @has_system: the user has written SYSTEM:EVENT, so the name is offered in this form.
 *	Otherwise the event's name and the system's name are offered.
 */
void cli_suggest_event(struct nearest *near, char *event, bool has_system);

/*
 * Find the first name in @path that its directory does not have, and a similar name of that
 * directory.  @path begins with the full name of a root.  Returns the path with the similar
 * name in place of the wrong one, without the rest of @path; or NULL: there is no similar
 * name, or an error.  The caller must free() it.
 */
char *cli_suggest_path(struct conn *conn, const char *path);

#endif
