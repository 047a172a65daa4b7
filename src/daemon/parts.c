/* SPDX-License-Identifier: MIT */
/* The parts of roots and of instances.  A new feature is a row here, and files of its own. */
#include "abi/rules.h"
#include "daemon/boot.h"
#include "daemon/parts.h"
#include "server/core/part.h"
#include "server/core/server.h"
#include "server/functions/function_part.h"
#include "server/functions/functions.h"
#include "server/functions/profile.h"
#include "server/functions/stack_tracer.h"
#include "server/names/comm.h"
#include "server/names/objects.h"
#include "server/names/printk.h"
#include "server/names/symbols.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/pids.h"
#include "server/rules/rules.h"

static const struct root_part root_parts[] = {
	{
		.name = "comms",
		.init = comms_init,
		.done = comms_done,
		.tick = comms_tick,
	}, {
		.name = "objects",
		.init = objects_init,
		.done = objects_done,
		.settled = objects_settle,
		.stop_waiting = objects_wait_no_more,
		.has_unsaved = objects_have_files,
	}, {
		.name = "symbols",
		.init = symbols_init,
		.done = symbols_done,
	}, {
		.name = "printk formats",
		.done = printk_formats_done,
	}, {
		.name = "events",
		.init = events_refresh,
		.done = events_done,
		.add_info = events_add_info,
	}, {
		.name = "boot settings",
		.init = boot_init,
		.tick = boot_tick,
		.prepare = boot_prepare,
	}, {
		.name = "functions",
		.load = functions_load,
		.done = functions_done,
		.tick = function_part_tick,
		.answer = function_part_answer,
		.parsed = functions_settle,
		.settled = function_part_settled,
		.has_unsaved = function_part_has_unsaved,
		.find_symbol = functions_find_symbol,
	}, {
		.name = "profile",		/* after "functions": the figures are of
						 * functions that were loaded */
		.load = profile_load,
		.has_recorded = profile_is_there,
	}, {
		.name = "stack tracer",
		.init = stack_tracer_load,
		.done = stack_tracer_done,
		.tick = stack_tracer_tick,
		.has_recorded = stack_tracer_is_there,
	}, {
		.name = "functions in filters",
		.load = rules_load_names,
	}, {
		.name = "rings of trace_printk()",	/* must be prepared after the boot
							 * settings */
		.prepare = printk_rings_prepare,
	},
};

static const struct instance_part instance_parts[] = {
	{
		.name = "rings",
		.load = instance_load_rings,
		.done = instance_done,
		.drop = instance_drop_rings,
		.tick = instance_tick_rings,
		.has_recorded = instance_has_rings,
		.add_info = instance_add_info,
	}, {
		.name = "rules",
		.load = rules_load,
		.done = rules_done,
		.drop = rules_drop,
		.tick = rules_refresh,
	}, {
		.name = "functions",		/* rules_load() of the row above loads its rule */
		.done = function_part_done,
		.drop = function_part_drop,
		.rule_row = ABI_ROW_FUNCTIONS,
		.has_rule = function_part_has_rule,
		.put_rule = function_part_put_rule,
		.load_rule = function_part_load_rule,
	}, {
		.name = "pids",
		.drop = pids_drop_all,
		.tick = pids_expire,
	},
};

static const struct server_parts all_parts = {
	.roots = root_parts,
	.nr_roots = sizeof(root_parts) / sizeof(*root_parts),
	.instances = instance_parts,
	.nr_instances = sizeof(instance_parts) / sizeof(*instance_parts),
};

int server_new(const char *dir, struct server **ret_server)
{
	return server_open(dir, &all_parts, ret_server);
}

int server_view(const char *dir, const char *name, struct server **ret_server)
{
	return server_open_view(dir, name, &all_parts, ret_server);
}
