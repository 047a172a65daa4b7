/* SPDX-License-Identifier: MIT */
/* The tables of all files and directories of the tree, with the names and modes of the
 * kernel's tracefs. */
#include "event/option.h"
#include "tracefs/files.h"

static const struct tracefs_def root_files[] = {
	{ "README", 0440, "this text", .show = readme_show,
	  .is_top_only = true },
	{ "available_events", 0440, "the events there are, system:event",
	  .show = available_events_show, .is_top_only = true },
	{ "available_filter_functions", 0440,
	  "the functions that can be traced, name [module]",
	  .show = available_functions_show, .is_top_only = true },
	{ "available_filter_functions_addrs", 0440, "the same, with addresses",
	  .show = available_addrs_show, .is_top_only = true },
	{ "available_tracers", 0440, "what may be written to current_tracer",
	  .show = available_tracers_show },
	{ "buffer_percent", 0640,
	  "how full a CPU's buffer must be for poll(); 0: a record will do",
	  .show = buffer_percent_show, .store = buffer_percent_store },
	{ "buffer_size_kb", 0640,
	  "KB of buffer for each CPU; X: they differ; write to change all",
	  .show = buffer_size_show, .store = buffer_size_store },
	{ "buffer_subbuf_size_kb", 0640,
	  "KB of a page of the buffer, which is what is read at once: 4 to 64;\n"
	  "\t\t\t  another size empties the buffer",
	  .show = subbuf_size_show, .store = subbuf_size_store },
	{ "buffer_total_size_kb", 0440, "KB of buffer of all CPUs together",
	  .show = buffer_total_size_show },
	{ "current_tracer", 0640, "the tracer in use, write to change:",
	  .put_help = tracers_help,
	  .show = current_tracer_show, .store = current_tracer_store,
	  .applied = current_tracer_applied, .refused = current_tracer_refused },
	{ "dyn_ftrace_total_info", 0440,
	  "how many functions can be traced; pages of their addresses; objects",
	  .show = functions_info_show, .is_top_only = true },
	{ "dynamic_events", 0640,
	  "the events that users define; write to make one:\n"
	  "\t\t\t  s:[synthetic/]NAME FIELDS: as in synthetic_events;\n"
	  "\t\t\t  e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>]\n"
	  "\t\t\t      [if <filter>]: recorded with each hit of that event; an\n"
	  "\t\t\t      argument is [NAME=]$FIELD[:TYPE] or [NAME=]+N($FIELD)[:TYPE];\n"
	  "\t\t\t  -:[SYSTEM/]NAME removes; > removes all, >> does not;\n"
	  "\t\t\t  an event in use stays: EBUSY",
	  .show = dynamic_events_show, .store = dynamic_events_store,
	  .truncate = dynamic_events_truncate, .is_top_only = true },
	{ "enabled_functions", 0440,
	  "the functions that are traced now, and by how many",
	  .show = enabled_functions_show, .is_top_only = true },
	{ "error_log", 0640, "the last refused writes, with the place of the mistake; > clears it",
	  .show = error_log_file_show, .store = error_log_file_store,
	  .truncate = error_log_file_truncate },
	{ "events", 0755, "a directory for each system of events",
	  .dir = &events_dir },
	{ "free_buffer", 0200,
	  "closing it empties the buffer and frees its memory",
	  .stream = &free_stream, .store = free_buffer_store },
	{ "function_profile_enabled", 0640,
	  "1: count the calls of the functions of set_ftrace_filter, and how long\n"
	  "\t\t\t  they take: trace_stat; 1 after 0 counts from 0 on",
	  .show = profile_enabled_show, .store = profile_enabled_store,
	  .refused = profile_enabled_refused, .is_top_only = true },
	{ "instances", 0750,
	  "mkdir here makes a buffer with its own events and settings",
	  .dir = &instances_dir, .is_top_only = true },
	{ "max_graph_depth", 0640,
	  "maximum depth of calls that function_graph traces; 0: no limit",
	  .show = graph_depth_show, .store = graph_depth_store,
	  .is_top_only = true },
	{ "options", 0750, "a file for each line of trace_options",
	  .dir = &options_dir },
	{ "per_cpu", 0750, "a directory for each CPU", .dir = &per_cpu_dir },
	{ "printk_formats", 0440,
	  "the formats of trace_printk(), with the addresses that records contain",
	  .show = printk_formats_show, .is_top_only = true },
	{ "saved_cmdlines", 0440, "the names of threads, by thread id",
	  .show = saved_cmdlines_show, .is_top_only = true },
	{ "saved_cmdlines_size", 0640,
	  "how many names saved_cmdlines can hold; a larger number is ENOMEM",
	  .show = saved_cmdlines_size_show,
	  .store = saved_cmdlines_size_store, .is_top_only = true },
	{ "saved_tgids", 0440, "the processes of threads, by thread id",
	  .show = saved_tgids_show, .is_top_only = true },
	{ "set_event", 0640,
	  "the events that are on; write to switch: system:event, system:,\n"
	  "\t\t\t  system:*, *:event, event, system; ! before it switches off;\n"
	  "\t\t\t  > switches all others off first, >> does not",
	  .show = set_event_show, .store = set_event_store,
	  .truncate = set_event_truncate },
	{ "set_event_notrace_pid", 0640,
	  "threads whose events are not recorded; as set_event_pid",
	  .show = event_pids_show, .store = event_pids_store,
	  .truncate = event_pids_truncate },
	{ "set_event_pid", 0640,
	  "ids of the threads whose events are recorded; empty: all threads;\n"
	  "\t\t\t  > clears the list first, >> adds to it",
	  .show = event_pids_show, .store = event_pids_store,
	  .truncate = event_pids_truncate },
	{ "set_ftrace_filter", 0640,
	  "the functions that the function tracers trace; none: all\n"
	  "\t\t\t  accepts: a name, a number or a glob-matching-pattern; with\n"
	  "\t\t\t  :mod:MODULE functions of MODULE, also if it is loaded later;\n"
	  "\t\t\t  !FUNCTIONS removes them; > clears the list first\n"
	  "\t\t\t  FUNCTIONS:COMMAND[:COUNT]: run COMMAND when they are called;\n"
	  "\t\t\t  !FUNCTIONS:COMMAND removes it (add :0 if it had a COUNT);\n"
	  "\t\t\t  > does not remove commands",
	  .put_help = function_commands_help,
	  .show = function_list_show, .store = function_list_store,
	  .truncate = function_list_truncate, .flush = function_list_flush },
	{ "set_ftrace_notrace", 0640,
	  "functions that they do not trace; syntax as in set_ftrace_filter",
	  .show = function_list_show, .store = function_list_store,
	  .truncate = function_list_truncate, .flush = function_list_flush },
	{ "set_ftrace_notrace_pid", 0640,
	  "threads whose functions are not traced; as set_event_pid",
	  .show = event_pids_show, .store = event_pids_store,
	  .truncate = event_pids_truncate },
	{ "set_ftrace_pid", 0640,
	  "ids of the threads whose functions are traced; as set_event_pid",
	  .show = event_pids_show, .store = event_pids_store,
	  .truncate = event_pids_truncate },
	{ "set_graph_function", 0640,
	  "function_graph traces only these functions and the functions they call",
	  .show = function_list_show, .store = function_list_store,
	  .truncate = function_list_truncate, .flush = function_list_flush,
	  .is_top_only = true },
	{ "set_graph_notrace", 0640,
	  "function_graph does not trace these functions and the functions they call",
	  .show = function_list_show, .store = function_list_store,
	  .truncate = function_list_truncate, .flush = function_list_flush,
	  .is_top_only = true },
	{ "snapshot", 0640,
	  "1: swap trace and snapshot, which is allocated if there is none;\n"
	  "\t\t\t  recording continues; 0: free the snapshot; any other number:\n"
	  "\t\t\t  clear it; reads as trace does",
	  .stream = &snapshot_stream, .store = snapshot_store },
	{ "stack_max_size", 0640,
	  "bytes of the deepest stack; write 0 to start again",
	  .show = stack_max_size_show, .store = stack_max_size_store,
	  .is_top_only = true },
	{ "stack_trace", 0440, "the deepest stack so far",
	  .show = stack_trace_show, .is_top_only = true },
	{ "stack_trace_filter", 0640,
	  "the functions at which stacks are measured; as set_ftrace_filter",
	  .show = function_list_show, .store = function_list_store,
	  .truncate = function_list_truncate, .flush = function_list_flush,
	  .is_top_only = true },
	{ "stack_trace_threads", 0440,
	  "maximum use, size and free rest of each thread's stack",
	  .show = stack_threads_show, .is_top_only = true },
	{ "stack_tracer_enabled", 0640,
	  "1: measure stacks; in the kernel /proc/sys/kernel/stack_tracer_enabled",
	  .show = stack_enabled_show, .store = stack_enabled_store,
	  .refused = stack_enabled_refused, .is_top_only = true },
	{ "synthetic_events", 0640,
	  "events that actions of histograms record; write to make one:\n"
	  "\t\t\t  NAME TYPE FIELD[; TYPE FIELD]...; TYPE is a type of numbers, as\n"
	  "\t\t\t  u64, s32, int, unsigned long, bool, pid_t; char FIELD[N] and\n"
	  "\t\t\t  char FIELD[] are strings, unsigned long FIELD[] is a stack;\n"
	  "\t\t\t  !NAME removes; > removes all, >> does not:\n"
	  "\t\t\t  echo 'slow u64 lat; char name[]' >> synthetic_events\n"
	  "\t\t\t  echo 'deep u64 lat; unsigned long[] stack' >> synthetic_events",
	  .show = synthetic_events_show, .store = synthetic_events_store,
	  .truncate = synthetic_events_truncate, .is_top_only = true },
	{ "timestamp_mode", 0440, "how records hold their time",
	  .show = timestamp_mode_show },
	{ "touched_functions", 0440,
	  "the functions that are or have been traced, and by how many now",
	  .show = touched_functions_show, .is_top_only = true },
	{ "trace", 0640,
	  "the records; reading does not consume them; > clears the buffer",
	  .stream = &trace_stream, .store = trace_store,
	  .truncate = trace_truncate },
	{ "trace_clock", 0640, "the clock in use in [], write to change:",
	  .put_help = clocks_help,
	  .show = trace_clock_show, .store = trace_clock_store },
	{ "trace_marker", 0220, "what is written here is recorded",
	  .store = trace_marker_store },
	{ "trace_marker_raw", 0220,
	  "a number of four bytes and any data, recorded as they are",
	  .store = trace_marker_raw_store },
	{ "trace_options", 0640,
	  "the options; \"no\" before a name: off; write NAME or noNAME to change",
	  .show = trace_options_show, .store = trace_options_store },
	{ "trace_pipe", 0440,
	  "the records; reading consumes them, and waits for more",
	  .stream = &pipe_stream },
	{ "trace_stat", 0750, "a file for each CPU",
	  .dir = &trace_stat_dir, .is_top_only = true },
	{ "tracing_cpumask", 0640, "the CPUs that record, a hexadecimal mask",
	  .show = tracing_cpumask_show, .store = tracing_cpumask_store },
	{ "tracing_max_latency", 0640,
	  "microseconds: the longest latency that a latency tracer has found;\n"
	  "\t\t\t  write 0 to begin anew",
	  .show = max_latency_show, .store = max_latency_store },
	{ "tracing_on", 0640, "0: nothing is recorded, though events are on",
	  .show = tracing_on_show, .store = tracing_on_store,
	  .is_done = tracing_on_is_done },
	{ "tracing_thresh", 0640,
	  "microseconds; function_graph records only longer calls, at their end;\n"
	  "\t\t\t  a latency tracer keeps the last latency that is not shorter",
	  .show = tracing_thresh_show, .store = tracing_thresh_store,
	  .is_top_only = true },
	{ "untraceable_events", 0440,
	  "probes of programs and libraries (USDT) that cannot be events, and why: with the option "
	  "usdt",
	  .show = untraceable_events_show, .is_top_only = true },
	{ "untraceable_functions", 0440,
	  "the functions that cannot be traced, and why",
	  .show = untraceable_functions_show, .is_top_only = true },
	{ "untraceable_syscalls", 0440,
	  "the system calls that are not events, or whose returns are not, and why",
	  .show = untraceable_syscalls_show, .is_top_only = true },
};

static const struct tracefs_def options_files[] = {
#define ROW(id, bit, name, on, tracer, who, help) \
	{ name, 0640, help, .show = option_show, .store = option_store, \
	  .is_top_only = (who) & OPT_TOP },
	OPTIONS(ROW)
#undef ROW
};

static const struct tracefs_def events_files[] = {
	{ "enable", 0640, "1: all events on, 0: off; reads X for some",
	  .show = events_enable_show, .store = events_enable_store },
	{ "header_event", 0440, "the layout of a record's header",
	  .show = header_event_show },
	{ "header_page", 0440, "the layout of a page of trace_pipe_raw",
	  .show = header_page_show },
	{ "ftrace", 0755, NULL, .dir = &ftrace_dir },
};

static const struct tracefs_def system_files[] = {
	{ "enable", 0640, "1 or 0 for the events of one system",
	  .show = system_enable_show, .store = system_enable_store },
	{ "filter", 0640, "a filter for each event of the system, see below; 0: none",
	  .show = system_filter_file_show, .store = system_filter_file_store },
};

static const struct tracefs_def event_files[] = {
	{ "enable", 0640, "1: the event is on, 0: off",
	  .show = event_enable_show, .store = event_enable_store },
	{ "filter", 0640,
	  "records for which it is false are dropped; 0: no filter; FIELD OP VALUE,\n"
	  "\t\t\t  joined by && || ! (); OP is == != < <= > >= & for numbers,\n"
	  "\t\t\t  == != ~ (a glob) for strings; FIELD may be CPU or COMM, too",
	  .show = event_filter_file_show, .store = event_filter_file_store },
	{ "format", 0440, "its fields and how it is printed",
	  .show = event_format_show, .hold = TRACEFS_GOES },
	{ "hist", 0440,
	  "the histograms of its `hist` triggers; reading does not clear them;\n"
	  "\t\t\t  the trigger of a histogram is\n"
	  "\t\t\t  hist:keys=<field>[,<field>[,<field>]][:values=<field>[,...]]\n"
	  "\t\t\t      [:<var1>=<field|var_ref|numeric_literal>[,...]][:sort=<field>[,...]]\n"
	  "\t\t\t      [:size=<entries>][:name=<name>][:nohitcount][:clock=<clock>]\n"
	  "\t\t\t      [:pause|:cont|:clear][:<handler>.<action>]... [if <filter>]\n"
	  "\t\t\t  <field>: a key can be any field, or the special string 'common_stacktrace',\n"
	  "\t\t\t      common_timestamp or common_cpu; a value is a number or hitcount\n"
	  "\t\t\t  after a field: .hex .sym .sym-offset .syscall .execname .log2[=<bits>]\n"
	  "\t\t\t      .buckets=<size> .usecs .stacktrace; after a value: .percent .graph;\n"
	  "\t\t\t      in sort: .descending\n"
	  "\t\t\t  <handler>: onmatch(<system>.<event>), onmax(var), onchange(var)\n"
	  "\t\t\t  <action>: trace(<synthetic_event>,<field or $var>...), snapshot(),\n"
	  "\t\t\t      save(<field>...)",
	  .stream = &hist_stream, .hold = TRACEFS_GOES },
	{ "hist_debug", 0440, "how these histograms are made",
	  .show = hist_debug_show, .hold = TRACEFS_GOES },
	{ "id", 0440, "its number, in every record",
	  .show = event_id_show, .hold = TRACEFS_STAYS },
	{ "inject", 0200,
	  "records the event once: FIELD=NUMBER FIELD=\"text\" ...; other fields are 0",
	  .store = event_inject_store, .hold = TRACEFS_GOES },
	{ "trigger", 0640,
	  "commands that run when the event is hit: COMMAND[:COUNT] [if FILTER];\n"
	  "\t\t\t  !COMMAND removes one; COMMAND is one of",
	  .put_help = event_commands_help,
	  .show = trigger_show, .store = trigger_store, .hold = TRACEFS_GOES,
	  .truncate = trigger_truncate, .refused = trigger_refused },
};

static const struct tracefs_def ftrace_event_files[] = {
	{ "format", 0440, NULL, .show = ftrace_format_show, .hold = TRACEFS_GOES },
	{ "hist", 0440, NULL,
	  .stream = &hist_stream, .hold = TRACEFS_GOES },
	{ "hist_debug", 0440, NULL,
	  .show = hist_debug_show, .hold = TRACEFS_GOES },
	{ "id", 0440, NULL, .show = ftrace_id_show, .hold = TRACEFS_STAYS },
};

static const struct tracefs_def ftrace_print_files[] = {
	{ "format", 0440, NULL, .show = ftrace_format_show, .hold = TRACEFS_GOES },
	{ "hist", 0440, NULL,
	  .stream = &hist_stream, .hold = TRACEFS_GOES },
	{ "hist_debug", 0440, NULL,
	  .show = hist_debug_show, .hold = TRACEFS_GOES },
	{ "id", 0440, NULL, .show = ftrace_id_show, .hold = TRACEFS_STAYS },
	{ "trigger", 0640,
	  "commands that run when trace_marker is written; without stacktrace",
	  .show = print_trigger_show, .store = print_trigger_store,
	  .truncate = print_trigger_truncate, .hold = TRACEFS_GOES },
};

static const struct tracefs_def cpu_files[] = {
	{ "buffer_size_kb", 0640, "KB of buffer of this CPU",
	  .show = cpu_size_show, .store = cpu_size_store },
	{ "snapshot", 0640, "the snapshot of this CPU; 0 is refused",
	  .stream = &snapshot_stream, .store = snapshot_store },
	{ "snapshot_raw", 0440, "the snapshot in binary; reading consumes it",
	  .stream = &snapshot_raw_stream },
	{ "stats", 0440, "records there, lost and read", .show = stats_show },
	{ "trace", 0640, "the records of this CPU; trace_pipe has them, too",
	  .stream = &trace_stream, .store = trace_store,
	  .truncate = trace_truncate },
	{ "trace_pipe", 0440, NULL, .stream = &pipe_stream },
	{ "trace_pipe_raw", 0440, "trace_pipe in binary, a sub-buffer at a time",
	  .stream = &raw_stream },
};

static const struct tracefs_def trace_stat_files[] = {
	{ "function", 0640,
	  "what function_profile_enabled has counted on that CPU; tracing_thresh\n"
	  "\t\t\t  leaves out those that take less",
	  .show = profile_cpu_show, .is_per_cpu = true },
};

const struct tracefs_dir top_dir = {
	.kind = TRACEFS_TOP, .mode = 0700, .lookup = top_lookup, .list = top_list,
	.child = { &root_dir },
};

const struct tracefs_dir root_dir = {
	.kind = TRACEFS_ROOT, .mode = 0700, TRACEFS_ROWS(root_files),
};

const struct tracefs_dir instances_dir = {
	.kind = TRACEFS_INSTANCES, .mode = 0750,
	.lookup = instances_lookup, .list = instances_list,
	.mkdir = instances_mkdir, .rmdir = instances_rmdir,
	.child = { &instance_dir },
};

const struct tracefs_dir instance_dir = {
	.kind = TRACEFS_INSTANCE, .mode = 0750, TRACEFS_ROWS(root_files),
};

const struct tracefs_dir events_dir = {
	.kind = TRACEFS_EVENTS, .mode = 0755, TRACEFS_ROWS(events_files),
	.lookup = events_lookup, .list = events_list,
	.child = { &system_dir },
};

const struct tracefs_dir system_dir = {
	.kind = TRACEFS_SYSTEM, .mode = 0755, TRACEFS_ROWS(system_files),
	.lookup = system_lookup, .list = system_list,
	.child = { &event_dir },
};

const struct tracefs_dir event_dir = {
	.kind = TRACEFS_EVENT, .mode = 0755, TRACEFS_ROWS(event_files),
};

const struct tracefs_dir ftrace_dir = {
	.kind = TRACEFS_FTRACE, .mode = 0755, .lookup = ftrace_lookup, .list = ftrace_list,
	.child = { &ftrace_event_dir, &ftrace_print_dir },
};

const struct tracefs_dir ftrace_event_dir = {
	.kind = TRACEFS_FTRACE_EVENT, .mode = 0755, TRACEFS_ROWS(ftrace_event_files),
};

const struct tracefs_dir ftrace_print_dir = {
	.kind = TRACEFS_FTRACE_PRINT, .mode = 0755, TRACEFS_ROWS(ftrace_print_files),
};

const struct tracefs_dir per_cpu_dir = {
	.kind = TRACEFS_PER_CPU, .mode = 0750,
	.lookup = per_cpu_lookup, .list = per_cpu_list,
	.child = { &cpu_dir },
};

const struct tracefs_dir cpu_dir = {
	.kind = TRACEFS_CPU, .mode = 0750, TRACEFS_ROWS(cpu_files), .is_cpu = true,
};

const struct tracefs_dir trace_stat_dir = {
	.kind = TRACEFS_TRACE_STAT, .mode = 0750, TRACEFS_ROWS(trace_stat_files),
};

const struct tracefs_dir options_dir = {
	.kind = TRACEFS_OPTIONS, .mode = 0750, TRACEFS_ROWS(options_files),
};
