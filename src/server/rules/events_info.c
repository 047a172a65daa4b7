/* SPDX-License-Identifier: MIT */
/* Count the events of a root, and how many of them are on. */
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/rules/events.h"
#include "server/rules/soft.h"

/* Return true if @event is recorded in at least one instance. */
static bool is_on(const struct root *root, const struct event *event)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		if (event_is_recorded(instance, event))
			return true;
	return false;
}

void events_add_info(struct root *root, struct server_root_info *info)
{
	struct events *events = root_events(root);

	events_refresh(root);
	info->events_known = 0;
	for (uint32_t i = 0; i < events->nr_visible; i++) {
		bool is_event_on = is_on(root, events->visible[i]);

		/* Do not count an own event of libulf that is off.  Every program has
		 * these events, so they say nothing about this program. */
		info->events_known += is_event_on || !events->visible[i]->is_own;
		info->events_on += is_event_on;
	}
}
