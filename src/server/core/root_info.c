/* SPDX-License-Identifier: MIT */
/* Collect the figures that `ulf ls` prints for a root that is awake. */
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/root_info.h"
#include "server/core/server.h"
#include "server/core/shm.h"

void root_info_fill(struct root *root, struct server_root_info *ret_info)
{
	const struct server_parts *parts = root->parts;
	const struct instance_part *part;
	const struct root_part *root_part;
	struct instance *instance;

	*ret_info = (struct server_root_info){
		.state = root->state,
		.has_figures = true,
		.pid = shm_load(&root->control->pid),
		.nr_processes = root->nr_live,
		.started_ns = shm_load(&root->control->started_ns),
		.run_id = shm_load(&root->control->run_id),
	};
	for_each_root_part(root_part, parts, add_info)
		root_part->add_info(root, ret_info);
	for_each_instance(instance, root)
		for_each_instance_part(part, parts, add_info)
			part->add_info(instance, ret_info);
}

bool root_has_recorded(const struct root *root)
{
	const struct server_parts *parts = root->parts;
	const struct instance_part *part;
	const struct root_part *root_part;
	const struct instance *instance;

	for_each_root_part(root_part, parts, has_recorded)
		if (root_part->has_recorded(root))
			return true;
	for_each_instance(instance, root)
		for_each_instance_part(part, parts, has_recorded)
			if (part->has_recorded(instance))
				return true;
	return false;
}

/* Return true if the root must stay awake, for one of two reasons: it has data, such as
 * error_log, that are only in the server's memory; or a child has not claimed its slot
 * yet, and the server would not notice this child if the root were asleep. */
bool root_has_unsaved(const struct root *root)
{
	const struct root_part *part;
	const struct instance *instance;

	if (shm_load(&root->control->forks) != shm_load(&root->control->forks_done))
		return true;
	for_each_root_part(part, root->parts, has_unsaved)
		if (part->has_unsaved(root))
			return true;
	for_each_instance(instance, root)
		if (!error_log_is_empty(instance))
			return true;
	return false;
}
