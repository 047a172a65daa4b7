/* SPDX-License-Identifier: MIT */
#include "runtime/event/late_event.h"

#include "runtime/buffer/buffer.h"
#include "runtime/buffer/late.h"
#include "runtime/event/commit.h"

void late_event_probe(void *data)
{
	(void)data;
}

bool event_is_late(const struct ulf_event *event)
{
	return event->probe == (void *)late_event_probe;
}

void late_event_record(const struct ulf_event *event, const struct late_source *source,
		       void *entry, size_t bytes)
{
	const struct event_use *use = event_plan(event);
	uint32_t *head = entry;

	if (!use)
		return;
	late_enter(source);
	ulf_probe_enter();
	head[0] = event->id;
	head[1] = source->tid;
	event_deliver(use, entry, bytes);
	late_leave();
}

void late_event_lost(const struct ulf_event *event, const struct late_source *source, uint64_t nr)
{
	late_enter(source);
	for (const struct event_use *use = event_plan(event); use; use = use->next)
		late_count_lost(use->buffer, nr);
	late_leave();
}
