/* SPDX-License-Identifier: MIT */
/* Sort a module's events into the order of its sources.  Compilers do not keep this
 * order: gcc emits the variables of a source file in reverse order at some optimisation
 * levels, and LTO mixes the variables of several files. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/event/order.h"
#include <ulf/event.h>

static bool is_before(const struct ulf_event *a, const struct ulf_event *b)
{
	int r = 0;

	if (a->file != b->file && a->file && b->file)
		r = strcmp(a->file, b->file);
	if (r)
		return r < 0;
	if (a->order != b->order)
		return a->order < b->order;
	return a < b;
}

static bool is_sorted(struct ulf_event *const *events, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (!is_before(events[i - 1], events[i]))
			return false;
	}
	return true;
}

/* Move the event at index @at down in the heap (of heap sort), until no event below it
 * comes after it in the order.  The events directly below index i are at the indexes 2i +
 * 1 and 2i + 2. */
static void sift_event(struct ulf_event **events, size_t at, size_t nr)
{
	struct ulf_event *event = events[at];

	for (size_t below; (below = 2 * at + 1) < nr; at = below) {
		if (below + 1 < nr && is_before(events[below], events[below + 1]))
			below++;
		if (!is_before(event, events[below]))
			break;
		events[at] = events[below];
	}
	events[at] = event;
}

/* Sort the events with heap sort, because qsort() may allocate memory. */
void order_events(struct ulf_module *module)
{
	size_t nr = (size_t)(module->events_end - module->events);
	struct ulf_event **events = module->events;

	if (module->version < 4 || is_sorted(events, nr))
		return;		/* do not write to a table that is sorted already, so
				 * that its memory pages stay shared with the file */
	for (size_t i = nr / 2; i-- > 0; )
		sift_event(events, i, nr);
	for (size_t i = nr; i-- > 1; ) {
		struct ulf_event *last = events[0];

		events[0] = events[i];
		events[i] = last;
		sift_event(events, 0, i);
	}
}
