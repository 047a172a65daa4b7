/* SPDX-License-Identifier: MIT */
/* Select records of trace.dat files by event, filter and time. */
#ifndef ULF_DAT_SELECT_H
#define ULF_DAT_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "datfile/datfile.h"

struct text;

/* A selection of records: only records that match all of these members are selected. */
struct dat_selection {
	const char *events;		/* list of event names separated by commas, as in
					 * set_event; NULL: all events */
	const char *filter;		/* filter for the selected events; an event that lacks
					 * a field of the filter has no selected records;
					 * NULL: no filter */
	uint64_t since, until;		/* times of the first and the last selected record */
};

/*
 * Apply @selection to the events of @file: sets the members is_left_out and filter of each
 * event.  A filter must fit at least one event.  Returns 0 or -errno, and then appends the
 * reason to @why.
 */
int dat_select_events(const struct dat_selection *selection, struct datfile *file,
		      struct text *why);
/* Return true if the record is selected.  The caller must have called dat_select_events() for
 * the record's file.  Only one thread may call this function, because it uses static memory. */
bool dat_select_has(const struct dat_selection *selection, const struct datfile_record *record);

#endif
