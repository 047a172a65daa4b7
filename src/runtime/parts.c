/* SPDX-License-Identifier: MIT */
/*
 * The parts of the runtime.  A new feature is a row here, and files of its own.
 *
 * The rows are in the order in which their methods must be called (base/part.h):
 *
 *	after_fork	first locks of modules and tracepoints, because the other rows may use
 *			events
 *	apply		first switches of threads, which must be recorded by the settings
 *			that were in force
 *	apply, leave	then events, then functions, then the profiler, because it counts
 *			calls of functions
 *	rings_changed	first events, then trace_printk(), then functions
 */
#include "runtime/parts.h"

#include "runtime/buffer/dump.h"
#include "runtime/buffer/pids.h"
#include "runtime/event/caller.h"
#include "runtime/event/event.h"
#include "runtime/event/hist.h"
#include "runtime/event/module.h"
#include "runtime/event/printk.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/function_option.h"
#include "runtime/function/function_probe.h"
#include "runtime/function/libcalls.h"
#include "runtime/function/moved_file.h"
#include "runtime/function/object.h"
#include "runtime/function/profile.h"
#include "runtime/function/still.h"
#include "runtime/function/syscalls.h"
#include "runtime/sched/sched.h"
#include "runtime/unwind/image.h"
#include "runtime/usdt/usdt.h"

const struct runtime_part runtime_part_table[] = {
	{
		.name = "switches of threads",
		.init = sched_init,
		.agent_start = sched_agent_start,
		.must_wait = sched_must_wait,
		.apply = sched_apply,
		.tick = sched_tick,
		.exit = sched_exit,
		.leave = sched_leave,
		.after_fork = sched_after_fork,
		.detach = sched_detach,
	}, {
		.name = "events",
		.start = event_apply_all,	/* switch on events that the method
						 * init() of some part has registered */
		.apply = event_apply_all,
		.rings_changed = event_use_set,
		.leave = event_stop_all,
		.after_fork = module_after_fork,
		.after_claim = event_after_claim,
		.detach = event_detach,
	}, {
		.name = "histograms",
		.init = hist_init,
		.after_claim = hist_after_claim,
	}, {
		.name = "calls of TRACE_EVENT_FN",
		.has_calls = event_has_calls_to_make,
		.make_calls = caller_make_calls,
		.after_fork = caller_after_fork,
	}, {
		.name = "objects",
		.init = image_report_all,
	}, {
		.name = "tables of moved functions",
		.init = moved_file_init,
		.agent_start = moved_file_agent,
	}, {
		.name = "dump",
		.init = dump_init,
		.after_fork = dump_after_fork,
	}, {
		.name = "stack tracer",
		.init = stack_tracer_init,
		.thread_new = stack_tracer_forget,
	}, {
		.name = "lists of threads",
		.inherit = pids_inherit,
	}, {
		.name = "trace_printk()",
		.rings_changed = printk_use_set,
	}, {
		.name = "commands of functions",
		.buffer_apply = probes_apply,
	}, {
		.name = "options of function tracers",
		.buffer_apply = function_options_apply,
		.after_fork = function_options_after_fork,
	}, {
		.name = "functions",
		.load = object_silence_calls,
		.start = ftrace_apply,
		.agent_start = still_agent,
		.apply = ftrace_apply,
		.pids_changed = ftrace_buffer_changed,
		.rings_changed = ftrace_buffer_changed,
		.leave = ftrace_drop_settings,
		.thread_named = ftrace_thread_named,
		.thread_forget = ftrace_thread_forget,
		.after_fork = ftrace_after_fork,
		.has_put_off = ftrace_has_put_off,
		.detach = ftrace_detach,
	}, {
		.name = "calls of libc",
		.init = libcalls_init,
	}, {
		.name = "system calls",
		.init = syscalls_init,
		.start = syscalls_apply,
		.apply = syscalls_apply,
		.leave = syscalls_leave,
	}, {
		.name = "USDT",
		.start = usdt_apply,
		.apply = usdt_apply,
		.leave = usdt_leave,
	}, {
		.name = "profiler",
		.apply = profile_apply,
		.leave = profile_apply,
		.after_claim = profile_after_fork,
		.detach = profile_detach,
	}, {
		.name = NULL,
	},
};
