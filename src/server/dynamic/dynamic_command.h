/* SPDX-License-Identifier: MIT */
/*
 * The file dynamic_events: its commands, and the list of all dynamic events.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_DYNAMIC_COMMAND_H
#define ULF_SERVER_DYNAMIC_COMMAND_H

#include <stddef.h>

struct root;
struct text;

/*
 * Handle a line of dynamic_events: "s:..." or "e:..." makes an event, "-:..." removes events.
 * Reports a mistake in error_log.  The caller must call apply_start().
 * Returns 0; -EINVAL; -ENOENT if a command removes no event; -EBUSY; or another -errno.
 */
int dynamic_command(struct root *root, const char *line);
/*
 * Call @run for each line of a write to synthetic_events or dynamic_events, without
 * the newline and the comment of the line, as the kernel does.  Ends at the first line
 * for which @run returns an error.  Returns 0; the error of @run; -EINVAL if a line is
 * too long or has a NUL; or -ENOMEM.
 */
int dynamic_run_lines(struct root *root, const char *data, size_t size,
		      int (*run)(struct root *root, const char *line));
/* Append one line for each dynamic event, as the file dynamic_events shows it. */
void dynamic_list(const struct root *root, struct text *out);

#endif
