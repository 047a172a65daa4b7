/* SPDX-License-Identifier: MIT */
/* Select records of files: by event, by a filter, by time. */
#ifndef ULF_DAT_SELECT_H
#define ULF_DAT_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "datfile/datfile.h"

struct text;

/* Which records are selected. */
struct dat_selection {
	const char *events;		/* list of events with commas, as in set_event; NULL: all */
	const char *filter;		/* filter of these events; records of events that lack a
					 * field of it are not selected; NULL: none */
	uint64_t since, until;		/* times of the first and the last record */
};

/*
 * Apply @selection to the events of @file: sets is_left_out and filter of each of them.  A filter
 * must fit at least one event.  Returns 0 or -errno, and then appends the reason to @why.
 */
int dat_select_events(const struct dat_selection *selection, struct datfile *file,
		      struct text *why);
/* Return true if the record is selected.  dat_select_events() was called for its file.  Uses
 * static memory, so one thread may call it. */
bool dat_select_has(const struct dat_selection *selection, const struct datfile_record *record);

#endif
