/* SPDX-License-Identifier: MIT */
/* The figures of a root that is awake. */
#include "server/names/objects.h"
#include "server/functions/profile.h"
#include "server/rings/rings.h"
#include "server/core/root.h"
#include "server/core/shm.h"

static void add_info(struct instance *instance, struct server_root_info *info)
{
	struct ring_stats stats;

	instance_stats(instance, RINGS_MAIN, CPU_ALL, &stats);
	info->entries += stats.entries;
	info->bytes += instance_unread_bytes(instance, CPU_ALL);
	info->overruns += stats.overrun + stats.dropped +
			  shm_load(&instance->abi->lock_lost);
}

/* Is the event recorded in any instance? */
static bool is_on(const struct root *root, const struct event *event)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		if (event_is_recorded(instance, event))
			return true;
	return false;
}

void root_info_fill(struct root *root, struct server_root_info *ret_info)
{
	struct instance *instance;

	events_refresh(root);
	*ret_info = (struct server_root_info) {
		.state = root->state,
		.has_figures = true,
		.pid = shm_load(&root->control->pid),
		.nr_processes = root->nr_live,
		.started_ns = shm_load(&root->control->started_ns),
		.run_id = shm_load(&root->control->run_id),
		.events_known = root->nr_visible,
	};
	for (uint32_t i = 0; i < root->nr_visible; i++)
		ret_info->events_on += is_on(root, root->visible[i]);
	for_each_instance(instance, root)
		add_info(instance, ret_info);
}

bool root_has_recorded(const struct root *root)
{
	const struct instance *instance;

	if (root->stack.map || profile_is_there(root))
		return true;
	for_each_instance(instance, root)
		if (instance_has_rings(instance))
			return true;
	return false;
}

/* Names were read from files that may be gone by now, error_log is nowhere else, and a
 * child that is on its way to its slot would not be noticed. */
bool root_has_unsaved(const struct root *root)
{
	const struct instance *instance;

	if (root->functions.nr_objects || objects_have_files(root->objects) ||
	    shm_load(&root->control->forks) != shm_load(&root->control->forks_done))
		return true;
	for_each_instance(instance, root)
		if (!error_log_is_empty(instance))
			return true;
	return false;
}
