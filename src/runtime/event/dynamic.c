/* SPDX-License-Identifier: MIT */
/*
 * Dynamic events: synthetic events and event probes.  The server writes their rows in the
 * table of events.  No module defines them and no tracepoint hits them: histograms and event
 * probes of this process emit their records (event_emit()).
 *
 * The process needs only those dynamic events that it may emit, so it makes a struct
 * ulf_event together with the first plan whose program emits the event.  It never frees
 * such a struct: the number of rows is limited, and if the server reuses a row for another
 * event, that event has the same id.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/event/dynamic.h"
#include "runtime/event/dynamic_table.h"
#include "runtime/event/event.h"
#include "runtime/event/plan.h"
#include <ulf/event.h>

static uint32_t nr_used;		/* number of events that were made so far */

/* Fields of a dynamic event: an empty table.  The format is in shared memory, so offsets
 * of filters and histograms are checked against each record (filter_program.record_bytes),
 * and no field counts as the address of a string. */
static const struct ulf_field *no_fields(void)
{
	static const struct ulf_field end = { .size = UINT32_MAX };

	return &end;
}

int dynamic_use(uint32_t row)
{
	struct ulf_event *event;

	if (dynamic_table[row])
		return 0;
	event = memory_alloc(sizeof(*event));
	if (!event)
		return -ENOMEM;
	*event = (struct ulf_event){
		.system = "", .name = "", .fields = no_fields, .row = row,
		.id = ABI_EVENT_ID_FIRST + row,
	};
	/* release: the event is complete; mate: dynamic_event() [dynamic.event] */
	__atomic_store_n(&dynamic_table[row], event, __ATOMIC_RELEASE);
	nr_used++;
	return 0;
}

static int apply_event(struct ulf_event *event)
{
	uint32_t wanted;
	int r = root_populate_row(root_event(event->row));

	/* -ENOSPC means that no process has ever written to the row, so there is no such
	 * event. */
	wanted = r ? 0 : event_wanted(event);
	if (wanted)
		return plan_apply(event, wanted);
	plan_forget(event);
	return r == -ENOSPC ? 0 : r;
}

/* A plan that is made in this loop may use further dynamic events, so repeat until no
 * event is added. */
int dynamic_apply(void)
{
	uint32_t nr;
	int ret = 0, r;

	do {
		nr = nr_used;
		for (uint32_t i = 0; i < ABI_DYNAMIC; i++) {
			r = dynamic_table[i] ? apply_event(dynamic_table[i]) : 0;
			if (r && !ret)
				ret = r;
		}
	} while (nr != nr_used);
	return ret;
}

void dynamic_forget(void)
{
	for (uint32_t i = 0; i < ABI_DYNAMIC; i++) {
		if (dynamic_table[i])
			plan_forget(dynamic_table[i]);
	}
}
