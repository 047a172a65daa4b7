/* SPDX-License-Identifier: MIT */
/*
 * The synthetic events of a root, which actions of histograms record.  Users define them
 * in synthetic_events, or as `s:' in dynamic_events.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_SYNTH_H
#define ULF_SERVER_SYNTH_H

#include "server/dynamic/dynamic.h"

/* The synthetic events, as a kind of dynamic events. */
extern const struct dynamic_kind dynamic_synth;

/*
 * Handle a line of synthetic_events: "NAME FIELDS" makes an event, "!NAME ..." removes it.
 * Reports a mistake in error_log.  The caller must call apply_start() after a removal.
 * Returns 0; -EINVAL; -EEXIST; -ENOENT; -EBUSY; or an error of dynamic_add().
 */
int synth_command(struct root *root, const char *line);
/* Append one line for each synthetic event, as the file synthetic_events shows it. */
void synth_list(const struct root *root, struct text *out);

/* Return the synthetic event @name, with its row and format; NULL if there is none.  A caller
 * that keeps the event, such as a histogram, must call dynamic_get() and dynamic_put() with
 * the row. */
const struct event *synth_find(const struct root *root, const char *name);

#endif
