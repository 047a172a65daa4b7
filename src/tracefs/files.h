/* SPDX-License-Identifier: MIT */
/*
 * The methods of all files, by family.  files.c puts them into its tables.
 *
 * The server's thread calls them, and they must not block.  Methods other than close, applied
 * and refused are called only while the root can be used.  Methods of files that name
 * functions may return -ERESTART, with nothing changed: see tracefs_settle() in tracefs.h.
 */
#ifndef ULF_TRACEFS_FILES_H
#define ULF_TRACEFS_FILES_H

#include "tracefs/tree.h"

/* Method show: append the text of the file to @out.  Returns 0 or -errno; -ENODEV if its event
 * is gone. */
#define SHOW(name)	int name(struct tracefs_node *node, struct text *out)
/*
 * Method store: handle a write of @size bytes by thread @tid.  Returns the number of bytes
 * taken, or -errno: -EINVAL or -ERANGE for a wrong value; -ENODEV if the program has ended, or
 * the event is gone; -ENOMEM.  Calls tracefs_file_apply() if processes must apply the change.
 */
#define STORE(name)	ssize_t name(struct tracefs_file *file, const char *buf, \
				     size_t size, pid_t tid)
/* Find an entry that is not in the table of the directory.  Returns 0 and a reference, -ENOENT
 * or -ENOMEM. */
#define LOOKUP(name)	int name(struct tracefs_node *dir, const char *name_, \
				 struct tracefs_node **ret_node)
/* Call @emit for each entry that the LOOKUP function of the directory finds.  Stops when @emit
 * returns anything but 0, and returns that. */
#define LIST(name)	int name(struct tracefs_node *dir, tracefs_emit emit, void *arg)

/* The kinds of directories, in files.c. */
extern const struct tracefs_dir trace_stat_dir, top_dir, root_dir, instances_dir, instance_dir,
	events_dir, system_dir, event_dir, ftrace_dir, ftrace_event_dir, ftrace_print_dir,
	per_cpu_dir, cpu_dir,
	options_dir;

/* ---- readme.c ---- */

/* README: the help of all files, triggers and clocks. */
SHOW(readme_show);

/* ---- tree.c ---- */

/* The top directory: one directory per root. */
LOOKUP(top_lookup);
LIST(top_list);
/* instances/: one directory per instance, without the top instance. */
LOOKUP(instances_lookup);
LIST(instances_list);
/* Make or remove the instance @name.  Return 0 or -errno. */
int instances_mkdir(struct tracefs_node *dir, const char *name);
int instances_rmdir(struct tracefs_node *dir, const char *name);

/* ---- events.c ---- */

/* events/: one directory per system that has a visible event. */
LOOKUP(events_lookup);
LIST(events_list);
/* events/SYSTEM/: one directory per visible event. */
LOOKUP(system_lookup);
LIST(system_list);
/* available_events: one line per visible event. */
SHOW(available_events_show);
/* The files `enable`, `format` and `id` of an event. */
SHOW(event_enable_show);
STORE(event_enable_store);
SHOW(event_format_show);
SHOW(event_id_show);
/* `enable` of a system.  Shows 0, 1, X (some events are on) or ? (there are no events). */
SHOW(system_enable_show);
STORE(system_enable_store);
/* `enable` of all events.  Shows the same characters as `enable` of a system. */
SHOW(events_enable_show);
STORE(events_enable_store);
/* Return the event of a file, or NULL if its module is gone. */
struct event *tracefs_event(const struct tracefs_node *node);
/* Append SYSTEM:EVENT and a newline. */
void tracefs_print_event(const struct event *event, struct text *out);
/* The layout of a sub-buffer, and of a record's header. */
SHOW(header_page_show);
SHOW(header_event_show);

/* ---- ftrace_events.c ---- */

/* events/ftrace/: the built-in events. */
LOOKUP(ftrace_lookup);
LIST(ftrace_list);
/* The files `format` and `id` of a built-in event. */
SHOW(ftrace_format_show);
SHOW(ftrace_id_show);

/* ---- filter.c ---- */

/* `filter` of an event, and of a system.  A wrong filter removes the old one, as in the kernel. */
SHOW(event_filter_file_show);
STORE(event_filter_file_store);
SHOW(system_filter_file_show);
STORE(system_filter_file_store);
/* error_log: the latest errors.  A write has no effect; O_TRUNC clears the log. */
SHOW(error_log_file_show);
STORE(error_log_file_store);
int error_log_file_truncate(struct tracefs_file *file);

/* ---- trigger.c ---- */

/* `trigger` of an event. */
SHOW(trigger_show);
STORE(trigger_store);
/* tracefs_def.put_help: the commands of events, and those of functions. */
void event_commands_help(struct text *out);
void function_commands_help(struct text *out);
/* tracefs_def.refused: remove the trigger that was written last. */
void trigger_refused(struct tracefs_file *file);
/* `trigger` of events/ftrace/print: runs when trace_marker is written. */
SHOW(print_trigger_show);
STORE(print_trigger_store);

/* ---- set_event.c ---- */

/* set_event.  A write takes one token and returns its length; the caller of write(2) writes the
 * rest again. */
SHOW(set_event_show);
STORE(set_event_store);
/* Turn all events off: set_event was opened with O_TRUNC. */
int set_event_truncate(struct tracefs_file *file);

/* ---- pids.c ---- */

/* set_event_pid, set_event_notrace_pid, set_ftrace_pid, set_ftrace_notrace_pid: lists of thread
 * ids.  A write adds to the list. */
SHOW(event_pids_show);
STORE(event_pids_store);
/* Clear the list: the file was opened with O_TRUNC. */
int event_pids_truncate(struct tracefs_file *file);

/* ---- current_tracer.c ---- */

/* current_tracer: the name of the tracer. */
SHOW(current_tracer_show);
STORE(current_tracer_store);
/* tracefs_def.applied: remove the records of the previous tracer. */
void current_tracer_applied(struct tracefs_file *file);
/* tracefs_def.refused: set the tracer to nop. */
void current_tracer_refused(struct tracefs_file *file);
SHOW(available_tracers_show);
/* tracefs_def.put_help: the tracers. */
void tracers_help(struct text *out);

/* ---- functions.c ---- */

/* Files that list functions, and dyn_ftrace_total_info. */
SHOW(available_functions_show);
SHOW(available_addrs_show);
SHOW(enabled_functions_show);
SHOW(touched_functions_show);
SHOW(functions_info_show);
/*
 * The lists of functions: set_ftrace_filter, set_ftrace_notrace, set_graph_function,
 * set_graph_notrace, stack_trace_filter.  A write takes at least one token, but not always all
 * of them.  Names come into force when the file is flushed; commands come into force at once.
 */
SHOW(function_list_show);
STORE(function_list_store);
/* O_TRUNC: begin with an empty list.  Returns 0, -ERESTART or -ENOMEM. */
int function_list_truncate(struct tracefs_file *file);
/* Publish the list that was written.  Returns 0 or -errno; -ERESTART: nothing changed. */
int function_list_flush(struct tracefs_file *file);
/* In function_errors.c: write to error_log why store() has returned -EINVAL for the token @word. */
void function_word_log(struct tracefs_file *file, const char *word);
/* max_graph_depth: number of nested calls that are recorded; 0: no limit. */
SHOW(graph_depth_show);
STORE(graph_depth_store);
/* tracing_thresh: in microseconds. */
SHOW(tracing_thresh_show);
STORE(tracing_thresh_store);

/* ---- profile.c ---- */

/* function_profile_enabled: 0 or 1. */
SHOW(profile_enabled_show);
STORE(profile_enabled_store);
/* tracefs_def.refused: turn the profiler off. */
void profile_enabled_refused(struct tracefs_file *file);
/* trace_stat/functionN: the profile of CPU N. */
SHOW(profile_cpu_show);

/* ---- stack_tracer.c ---- */

/* stack_tracer_enabled: any int; 0 is off. */
SHOW(stack_enabled_show);
STORE(stack_enabled_store);
/* tracefs_def.refused: turn the stack tracer off. */
void stack_enabled_refused(struct tracefs_file *file);
/* stack_max_size: bytes of the deepest stack. */
SHOW(stack_max_size_show);
STORE(stack_max_size_store);
/* stack_trace: the deepest stack.  stack_trace_threads: the depth of each thread. */
SHOW(stack_trace_show);
SHOW(stack_threads_show);

/* ---- trace.c ---- */

/* trace.  A write has no effect; O_TRUNC clears the buffer. */
extern const struct tracefs_stream trace_stream;
STORE(trace_store);
int trace_truncate(struct tracefs_file *file);

/* ---- pipe.c, raw.c ---- */

/* trace_pipe and trace_pipe_raw: reading consumes the records. */
extern const struct tracefs_stream pipe_stream, raw_stream;
/*
 * Return true if every thread that polls a trace_pipe_raw of @instance has read all records, and
 * has called poll(2) again since.  Thread @tid is ignored: it is the writer that waits.
 */
bool raw_is_served(struct instance *instance, pid_t tid);

/* ---- snapshot.c ---- */

/* snapshot and snapshot_raw; the streams are in trace.c and raw.c. */
extern const struct tracefs_stream snapshot_stream, snapshot_raw_stream;
STORE(snapshot_store);
/* Append the text that `snapshot` shows if there is no snapshot. */
void snapshot_print_help(struct tracefs_node *node, struct text *out);

/* ---- buffer.c ---- */

/* per_cpu/: one directory per CPU. */
LOOKUP(per_cpu_lookup);
LIST(per_cpu_list);
/* buffer_size_kb: KB per CPU; shows X if the CPUs differ. */
SHOW(buffer_size_show);
STORE(buffer_size_store);
/* buffer_total_size_kb: KB of all CPUs. */
SHOW(buffer_total_size_show);
/* buffer_subbuf_size_kb: KB of a sub-buffer; a write is rounded up to a power of two. */
SHOW(subbuf_size_show);
STORE(subbuf_size_store);
/* buffer_percent: how full a buffer must be before poll(2) returns, 0 to 100. */
SHOW(buffer_percent_show);
STORE(buffer_percent_store);
/* buffer_size_kb and stats of a CPU. */
SHOW(cpu_size_show);
STORE(cpu_size_store);
SHOW(stats_show);
/* free_buffer: a write has no effect; closing the file frees the buffer. */
extern const struct tracefs_stream free_stream;
STORE(free_buffer_store);

/* ---- control.c ---- */

/* tracing_on: 0 or 1. */
SHOW(tracing_on_show);
STORE(tracing_on_store);
/* tracefs_def.is_done: after a write of 0, wait for the readers of trace_pipe_raw. */
bool tracing_on_is_done(struct tracefs_file *file);
/* trace_clock: the clocks, the current one in [].  A change clears the buffer. */
SHOW(trace_clock_show);
STORE(trace_clock_store);
/* tracefs_def.put_help: the clocks. */
void clocks_help(struct text *out);
/* trace_marker, trace_marker_raw: record the text or the bytes that are written. */
STORE(trace_marker_store);
STORE(trace_marker_raw_store);

/* ---- options.c ---- */

/* trace_options: one line per option. */
SHOW(trace_options_show);
STORE(trace_options_store);
/* options/OPTION: 0 or 1. */
SHOW(option_show);
STORE(option_store);

/* ---- cpumask.c ---- */

/* tracing_cpumask: the CPUs that record, in hexadecimal. */
SHOW(tracing_cpumask_show);
STORE(tracing_cpumask_store);

/* ---- misc.c ---- */

/* printk_formats; saved_cmdlines and saved_tgids: names and process ids of threads;
 * timestamp_mode. */
SHOW(printk_formats_show);
SHOW(saved_cmdlines_show);
SHOW(saved_cmdlines_size_show);
STORE(saved_cmdlines_size_store);
SHOW(saved_tgids_show);
SHOW(timestamp_mode_show);

#endif
