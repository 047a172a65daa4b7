/* SPDX-License-Identifier: MIT */
/* The tables of the parts of roots and of instances.  To add a feature, add a number to
 * server/part_numbers.h, a row to these tables, and files for the feature. */
#include "abi/rules.h"
#include "daemon/boot.h"
#include "daemon/parts.h"
#include "event/command.h"
#include "server/core/part.h"
#include "server/core/server.h"
#include "server/dynamic/dynamic.h"
#include "server/dynamic/eprobe.h"
#include "server/functions/function_libcalls.h"
#include "server/functions/function_part.h"
#include "server/functions/functions.h"
#include "server/functions/profile.h"
#include "server/functions/stack_tracer.h"
#include "server/hist/hists.h"
#include "server/names/comm.h"
#include "server/names/objects.h"
#include "server/names/printk.h"
#include "server/names/symbols.h"
#include "server/part_numbers.h"
#include "server/print/line.h"
#include "server/print/tracer.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/late_part.h"
#include "server/rules/pids.h"
#include "server/rules/rules.h"
#include "server/rules/suggest.h"
#include "server/usdt/usdt.h"
#include "tracefs/pipe.h"

static const struct root_part root_parts[NR_ROOT_PARTS] = {
	[ROOT_PART_COMMS] = {
		.name = "comms",
		.init = comms_init,
		.done = comms_done,
		.tick = comms_tick,
	},
	[ROOT_PART_OBJECTS] = {
		.name = "objects",
		.init = objects_init,
		.done = objects_done,
		.settled = objects_settle,
		.stop_waiting = objects_stop_waiting,
		.has_unsaved = objects_have_files,
	},
	[ROOT_PART_SYMBOLS] = {
		.name = "symbols",
		.init = symbols_init,
		.done = symbols_done,
	},
	[ROOT_PART_PRINTK] = {
		.name = "printk formats",
		.done = printk_formats_done,
	},
	[ROOT_PART_EVENTS] = {
		.name = "events",
		.state_bytes = sizeof(struct events),
		.init = events_refresh,
		.done = events_done,
		.add_info = events_add_info,
	},
	[ROOT_PART_DYNAMIC] = {
		.name = "dynamic events",
		.init = dynamic_init,
		.done = dynamic_done,
		.list_blocks = dynamic_list_blocks,
	},
	[ROOT_PART_HIST] = {
		.name = "histograms",
		.state_bytes = sizeof(struct root_hists),
		.done = hists_done,
		.list_blocks = hists_list_blocks,
		.has_recorded = hists_are_there,
	},
	[ROOT_PART_BOOT] = {
		.name = "boot settings",
		.state_bytes = sizeof(struct root_boot),
		.init = boot_init,
		.done = boot_done,
		.tick = boot_tick,
		.prepare = boot_prepare,
	},
	[ROOT_PART_FUNCTIONS] = {
		.name = "functions",
		.state_bytes = sizeof(struct functions),
		.load = functions_load,
		.done = functions_done,
		.tick = function_part_tick,
		.answer = function_part_answer,
		.parsed = functions_settle,
		.settled = function_part_settled,
		.list_blocks = functions_list_blocks,
		.has_unsaved = function_part_has_unsaved,
		.find_symbol = functions_find_symbol,
		.made_symbols = function_part_made_symbols,
	},
	[ROOT_PART_LIBCALLS] = {
		.name = "calls of libc",
		.event_need = libcalls_need,
		.settings_changed = libcalls_settle,
		.prepare = libcalls_prepare,
		.tick = libcalls_tick,
		.settled = libcalls_settled,
	},
	[ROOT_PART_USDT] = {
		.name = "USDT",
		.state_bytes = sizeof(struct root_usdt),
		.load = usdt_load,
		.done = usdt_done,
		.tick = usdt_tick,
		.prepare = usdt_prepare,
		.answer = usdt_answer,
		.parsed = usdt_settle,
		.settled = usdt_settled,
		.list_blocks = usdt_list_blocks,
	},
	[ROOT_PART_PROFILE] = {
		.name = "profile",
		.load = profile_load,
		.list_blocks = profile_list_blocks,
		.has_recorded = profile_is_there,
	},
	[ROOT_PART_STACK_TRACER] = {
		.name = "stack tracer",
		.state_bytes = sizeof(struct root_stack),
		.init = stack_tracer_load,
		.done = stack_tracer_done,
		.tick = stack_tracer_tick,
		.list_blocks = stack_tracer_list_blocks,
		.has_recorded = stack_tracer_is_there,
	},
	[ROOT_PART_RULES] = {
		.name = "rules",
		.state_bytes = sizeof(struct root_rules),
		.load = rules_load_names,
		.done = rules_reset_limits,
	},
	[ROOT_PART_SUGGEST] = {
		.name = "suggestions",
		.state_bytes = sizeof(struct root_suggest),
	},
	[ROOT_PART_RINGS] = {
		.name = "rings",
		.state_bytes = sizeof(struct root_rings),
		.prepare = printk_rings_prepare,
	},
	[ROOT_PART_LATE] = {
		.name = "late events",
		.tick = late_tick,
		.answer = late_answer,
		.refused = late_refused,
	},
};

static const struct instance_part instance_parts[NR_INSTANCE_PARTS] = {
	[INSTANCE_PART_RINGS] = {
		.name = "rings",
		.state_bytes = sizeof(struct instance_rings),
		.load = instance_load_rings,
		.done = instance_done,
		.drop = instance_drop_rings,
		.tick = instance_tick_rings,
		.has_recorded = instance_has_rings,
		.add_info = instance_add_info,
	},
	[INSTANCE_PART_HIST] = {
		.name = "histograms",
		.drop = hists_drop,
	},
	[INSTANCE_PART_RULES] = {
		.name = "rules",
		.state_bytes = sizeof(struct instance_rules),
		.load = rules_load,
		.done = rules_done,
		.drop = rules_drop,
		.tick = rules_refresh,
		.list_blocks = rules_list_blocks,
	},
	[INSTANCE_PART_FUNCTIONS] = {
		.name = "functions",
		.state_bytes = sizeof(struct instance_functions),
		.done = function_part_done,
		.drop = function_part_drop,
		.rule_row = ABI_ROW_FUNCTIONS,
		.has_rule = function_part_has_rule,
		.put_rule = function_part_put_rule,
		.load_rule = function_part_load_rule,
	},
	[INSTANCE_PART_PIDS] = {
		.name = "pids",
		.state_bytes = sizeof(struct instance_pids),
		.drop = pids_drop_all,
		.list_blocks = pids_list_blocks,
		.tick = pids_expire,
	},
	[INSTANCE_PART_LINES] = {
		.name = "lines",
		.state_bytes = sizeof(struct instance_lines),
	},
	[INSTANCE_PART_PIPES] = {
		.name = "trace_pipe",
		.state_bytes = sizeof(struct instance_pipes),
	},
	[INSTANCE_PART_DYNAMIC] = {
		.name = "dynamic events",
		.load = eprobes_load,
		.drop = dynamic_drop,
	},
	[INSTANCE_PART_EVENTS] = {
		.name = "events",
		.reset = events_reset,
		.drop = events_drop,
	},
};

static const struct tracer *const tracers[NR_TRACERS] = {
#define TRACER(id, number, name, methods, help)	[number] = &methods,
	TRACERS(TRACER)
#undef TRACER
};

/* Languages of trigger commands, indexed by the number of the command. */
static const struct trigger_lang *const trigger_langs[NR_COMMANDS] = {
	[COMMAND_HIST] = &hist_lang,
	[COMMAND_ENABLE_HIST] = &enable_hist_lang,
	[COMMAND_DISABLE_HIST] = &enable_hist_lang,
	[COMMAND_EVENT_PROBE] = &eprobe_lang,
};

static const struct server_parts all_parts = {
	.roots = root_parts,
	.nr_roots = NR_ROOT_PARTS,
	.instances = instance_parts,
	.nr_instances = NR_INSTANCE_PARTS,
	.tracers = tracers,
	.trigger_langs = trigger_langs,
};

int server_new(const char *dir, struct server **ret_server)
{
	return server_open(dir, &all_parts, ret_server);
}

int server_view(const char *dir, const char *name, struct server **ret_server)
{
	return server_open_view(dir, name, &all_parts, ret_server);
}
