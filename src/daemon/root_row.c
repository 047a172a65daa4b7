/* SPDX-License-Identifier: MIT */
/* Make the row of a root in the answer to a client's list request. */
#include "daemon/root_row.h"

#include <stdio.h>

void root_row_fill(const struct server_root_info *info, struct abi_root_row *ret_row)
{
	static const uint32_t states[] = {
		[SERVER_ROOT_ALIVE]	= ABI_ROOT_ALIVE,
		[SERVER_ROOT_DEAD]	= ABI_ROOT_DEAD,
		[SERVER_ROOT_CORRUPT]	= ABI_ROOT_CORRUPT,
		[SERVER_ROOT_FOREIGN]	= ABI_ROOT_FOREIGN,
	};

	*ret_row = (struct abi_root_row){
		.state		= states[info->state],
		.pid		= info->pid,
		.nr_processes	= info->nr_processes,
		.events_on	= info->events_on,
		.events_known	= info->has_figures ? info->events_known : ABI_EVENTS_UNREAD,
		.entries	= info->entries,
		.bytes		= info->bytes,
		.overruns	= info->overruns,
		.started_ns	= info->started_ns,
		.run_id		= info->run_id,
	};
	snprintf(ret_row->name, sizeof(ret_row->name), "%s", info->name);
}
