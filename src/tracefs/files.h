/* SPDX-License-Identifier: MIT */
/*
 * The methods of all files, by the .c file that defines them.  files.c puts them into
 * its tables.
 *
 * The server's thread calls the methods, and they must not block.  Methods other than
 * close, applied and refused are called only while the root can be used.  Methods of
 * files that name functions may return -ERESTART, with nothing changed: see
 * tracefs_settle() in tracefs.h.
 */
#ifndef ULF_TRACEFS_FILES_H
#define ULF_TRACEFS_FILES_H

#include "tracefs/tree.h"

/* Declare a method show: it appends the text of the file to @out.  Returns 0 or -errno;
 * -ENODEV if the event of the file is gone. */
#define SHOW(name)	int name(struct tracefs_node *node, struct text *out)
/*
 * Declare a method store: it handles a write of @size bytes by thread @tid.  Returns
 * the number of bytes taken, or -errno: -EINVAL or -ERANGE for a wrong value; -ENODEV
 * if the program has ended, or the event is gone; -ENOMEM.  Calls tracefs_file_apply()
 * if processes must apply the change.
 */
#define STORE(name)	ssize_t name(struct tracefs_file *file, const char *buf, \
				     size_t size, pid_t tid)
/* Declare a method lookup: it finds an entry of @dir that is not in the directory's
 * table (tracefs_dir.defs).  Returns 0 and a reference, -ENOENT or -ENOMEM. */
#define LOOKUP(name)	int name(struct tracefs_node *dir, const char *name_, \
				 struct tracefs_node **ret_node)
/* Declare a method list: it calls @emit for each entry of @dir that the method lookup
 * finds.  Stops when @emit returns a value other than 0, and returns this value. */
#define LIST(name)	int name(struct tracefs_node *dir, tracefs_emit emit, void *arg)

/* The kinds of directories, which files.c defines. */
extern const struct tracefs_dir trace_stat_dir, top_dir, root_dir, instances_dir, instance_dir,
	events_dir, system_dir, event_dir, ftrace_dir, ftrace_event_dir, ftrace_print_dir,
	per_cpu_dir, cpu_dir,
	options_dir;

/* ---- methods of readme.c ---- */

/* The file README: the help texts of all files, tracers, commands and clocks. */
SHOW(readme_show);

/* ---- methods of tree.c ---- */

/* The top directory, which has one directory per root. */
LOOKUP(top_lookup);
LIST(top_list);
/* The directory instances/, which has one directory per instance, without the top instance. */
LOOKUP(instances_lookup);
LIST(instances_list);
/* Make or remove the instance @name.  Both return 0 or -errno. */
int instances_mkdir(struct tracefs_node *dir, const char *name);
int instances_rmdir(struct tracefs_node *dir, const char *name);

/* ---- methods of events.c ---- */

/* The directory events/, which has one directory per system that has a visible event. */
LOOKUP(events_lookup);
LIST(events_list);
/* A directory events/SYSTEM/, which has one directory per visible event. */
LOOKUP(system_lookup);
LIST(system_list);
/* The file available_events, with one line per visible event. */
SHOW(available_events_show);
/* The files `enable`, `format` and `id` of an event. */
SHOW(event_enable_show);
STORE(event_enable_store);
SHOW(event_format_show);
SHOW(event_id_show);
/* The file `enable` of a system.  It shows 0, 1, X (some events are on) or ? (there are no
 * events). */
SHOW(system_enable_show);
STORE(system_enable_store);
/* The file events/enable, for all events.  It shows 0, 1, X or ?, as `enable` of a
 * system does. */
SHOW(events_enable_show);
STORE(events_enable_store);
/* Return the event of a file in events/SYSTEM/EVENT/; NULL if the module of the event
 * is gone. */
struct event *tracefs_event(const struct tracefs_node *node);
/* Append SYSTEM:EVENT of @event and a newline. */
void tracefs_print_event(const struct event *event, struct text *out);
/* The files header_page and header_event: the layout of a sub-buffer, and of a record's
 * header. */
SHOW(header_page_show);
SHOW(header_event_show);

/* ---- methods of dynamic.c ---- */

/* synthetic_events, dynamic_events: the events that users define.  A write runs each of its
 * lines, up to the first wrong one.  Truncating removes all events, or returns -EBUSY. */
SHOW(synthetic_events_show);
STORE(synthetic_events_store);
int synthetic_events_truncate(struct tracefs_file *file);
SHOW(dynamic_events_show);
STORE(dynamic_events_store);
int dynamic_events_truncate(struct tracefs_file *file);
/* inject: records the event of the directory once. */
STORE(event_inject_store);

/* ---- methods of ftrace_events.c ---- */

/* The directory events/ftrace/, which has the built-in events. */
LOOKUP(ftrace_lookup);
LIST(ftrace_list);
/* The files `format` and `id` of a built-in event. */
SHOW(ftrace_format_show);
SHOW(ftrace_id_show);

/* ---- methods of filter.c ---- */

/* The files `filter` of an event, and of a system.  A wrong filter removes the old
 * filter, as in the kernel. */
SHOW(event_filter_file_show);
STORE(event_filter_file_store);
SHOW(system_filter_file_show);
STORE(system_filter_file_store);
/* The file error_log, which shows the latest errors.  A write has no effect; O_TRUNC clears
 * the log. */
SHOW(error_log_file_show);
STORE(error_log_file_store);
int error_log_file_truncate(struct tracefs_file *file);

/* ---- methods of trigger.c ---- */

/* The file `trigger` of an event. */
SHOW(trigger_show);
STORE(trigger_store);
/* Methods tracefs_def.put_help: append the commands of triggers, and the commands of
 * set_ftrace_filter. */
void event_commands_help(struct text *out);
void function_commands_help(struct text *out);
/* Method tracefs_def.refused: remove the trigger that was written last, because a
 * process could not apply it. */
void trigger_refused(struct tracefs_file *file);
/* The file `trigger` of events/ftrace/print, whose triggers run when trace_marker is
 * written. */
SHOW(print_trigger_show);
STORE(print_trigger_store);

/* Remove the histograms of an event, and its triggers enable_hist and disable_hist, because
 * `trigger` was opened with O_TRUNC. */
int trigger_truncate(struct tracefs_file *file);
int print_trigger_truncate(struct tracefs_file *file);

/* ---- methods of hist.c ---- */

/* The file `hist`, which has all histograms of an event, and hist_debug, which has their
 * internals. */
extern const struct tracefs_stream hist_stream;
SHOW(hist_debug_show);

/* ---- methods of set_event.c ---- */

/* The file set_event.  A write takes one token and returns its length; the program then
 * calls write(2) again with the rest. */
SHOW(set_event_show);
STORE(set_event_store);
/* Turn all events off, because set_event was opened with O_TRUNC. */
int set_event_truncate(struct tracefs_file *file);

/* ---- methods of pids.c ---- */

/* The files set_event_pid, set_event_notrace_pid, set_ftrace_pid and
 * set_ftrace_notrace_pid, which are lists of thread ids.  A write adds to the list. */
SHOW(event_pids_show);
STORE(event_pids_store);
/* Clear the list of thread ids, because the file was opened with O_TRUNC. */
int event_pids_truncate(struct tracefs_file *file);

/* ---- methods of current_tracer.c ---- */

/* The file current_tracer, which shows the name of the tracer. */
SHOW(current_tracer_show);
STORE(current_tracer_store);
/* Method tracefs_def.applied: remove the records of the previous tracer. */
void current_tracer_applied(struct tracefs_file *file);
/* Method tracefs_def.refused: set the tracer to nop, because a process could not apply
 * the change. */
void current_tracer_refused(struct tracefs_file *file);
SHOW(available_tracers_show);
/* Method tracefs_def.put_help: append the names and help texts of the tracers. */
void tracers_help(struct text *out);

/* ---- methods of functions.c ---- */

/* The files available_filter_functions, available_filter_functions_addrs,
 * enabled_functions, touched_functions and dyn_ftrace_total_info. */
SHOW(available_functions_show);
SHOW(available_addrs_show);
SHOW(enabled_functions_show);
SHOW(touched_functions_show);
SHOW(functions_info_show);
/* untraceable_events (untraceable_events.c): the probes that cannot be patched, and the reasons. */
SHOW(untraceable_events_show);
/* untraceable_functions (untraceable.c): the functions that an analysis has refused, and the
 * files that were left out. */
SHOW(untraceable_functions_show);
/* untraceable_syscalls (untraceable_syscalls.c): the places in the code that make system calls
 * which no event shows, or not completely. */
SHOW(untraceable_syscalls_show);
/*
 * The files with lists of functions: set_ftrace_filter, set_ftrace_notrace,
 * set_graph_function, set_graph_notrace, stack_trace_filter.  A write takes at least
 * one token, but not always all tokens.  Names come into force when the file is
 * flushed; commands come into force at once.
 */
SHOW(function_list_show);
STORE(function_list_store);
/* Begin a new, empty list of functions, because the file was opened with O_TRUNC.
 * Returns 0, -ERESTART or -ENOMEM. */
int function_list_truncate(struct tracefs_file *file);
/* Publish the list of functions that was written.  Returns 0 or -errno; -ERESTART: nothing
 * was changed. */
int function_list_flush(struct tracefs_file *file);
/* Write to error_log why function_list_store() has returned @error, -EINVAL or -ENODEV, for
 * the token @word (function_errors.c). */
void function_word_log(struct tracefs_file *file, const char *word, int error);
/* The file max_graph_depth: the number of nested calls that are recorded; 0: no limit. */
SHOW(graph_depth_show);
STORE(graph_depth_store);
/* The file tracing_thresh: function_graph records only longer calls; in
 * microseconds. */
SHOW(tracing_thresh_show);
STORE(tracing_thresh_store);

/* ---- methods of profile.c ---- */

/* The file function_profile_enabled, which shows 0 or 1. */
SHOW(profile_enabled_show);
STORE(profile_enabled_store);
/* Method tracefs_def.refused: turn the profiler off, because a process could not apply
 * the change. */
void profile_enabled_refused(struct tracefs_file *file);
/* The file trace_stat/functionN, which shows the profile of CPU N. */
SHOW(profile_cpu_show);

/* ---- methods of stack_tracer.c ---- */

/* The file stack_tracer_enabled.  Its value may be any int; 0 turns the stack tracer
 * off. */
SHOW(stack_enabled_show);
STORE(stack_enabled_store);
/* Method tracefs_def.refused: turn the stack tracer off, because a process could not
 * apply the change. */
void stack_enabled_refused(struct tracefs_file *file);
/* The file stack_max_size: the depth of the deepest stack so far, in bytes. */
SHOW(stack_max_size_show);
STORE(stack_max_size_store);
/* The files stack_trace, which shows the deepest stack, and stack_trace_threads, which
 * shows how deep the stack of each thread was. */
SHOW(stack_trace_show);
SHOW(stack_threads_show);

/* ---- methods of trace.c ---- */

/* The file trace.  A write has no effect; O_TRUNC clears the buffer. */
extern const struct tracefs_stream trace_stream;
STORE(trace_store);
int trace_truncate(struct tracefs_file *file);

/* ---- methods of pipe.c and raw.c ---- */

/* The files trace_pipe and trace_pipe_raw.  Reading them consumes the records. */
extern const struct tracefs_stream pipe_stream, raw_stream;
/*
 * Return true if every thread that polls a trace_pipe_raw of @instance has read all
 * records, and has called poll(2) again since.  Thread @tid is ignored, because it has
 * written to tracing_on and waits for the result.
 */
bool raw_is_served(struct instance *instance, pid_t tid);

/* ---- methods of snapshot.c ---- */

/* The files snapshot and snapshot_raw.  Their streams are in trace.c and raw.c. */
extern const struct tracefs_stream snapshot_stream, snapshot_raw_stream;
STORE(snapshot_store);
/* Append the text that `snapshot` shows if there is no snapshot. */
void snapshot_print_help(struct tracefs_node *node, struct text *out);

/* ---- methods of buffer.c ---- */

/* The directory per_cpu/, which has one directory per CPU. */
LOOKUP(per_cpu_lookup);
LIST(per_cpu_list);
/* The file buffer_size_kb: KB per CPU.  It shows X if the CPUs differ. */
SHOW(buffer_size_show);
STORE(buffer_size_store);
/* The file buffer_total_size_kb: KB of all CPUs. */
SHOW(buffer_total_size_show);
/* The file buffer_subbuf_size_kb: KB of a sub-buffer.  A number that is written is rounded
 * up to a power of two. */
SHOW(subbuf_size_show);
STORE(subbuf_size_store);
/* The file buffer_percent: how full a CPU's buffer must be before poll(2) returns, 0 to
 * 100 percent. */
SHOW(buffer_percent_show);
STORE(buffer_percent_store);
/* The files buffer_size_kb and stats in per_cpu/cpuN/. */
SHOW(cpu_size_show);
STORE(cpu_size_store);
SHOW(stats_show);
/* The file free_buffer.  A write has no effect; closing the file clears the buffer and
 * makes it as small as possible. */
extern const struct tracefs_stream free_stream;
STORE(free_buffer_store);

/* ---- methods of control.c ---- */

/* The file tracing_on, which shows 0 or 1. */
SHOW(tracing_on_show);
STORE(tracing_on_store);
/* Method tracefs_def.is_done: after a write of 0, wait for the readers of trace_pipe_raw. */
bool tracing_on_is_done(struct tracefs_file *file);
/* The file trace_clock: the names of the clocks, with the current clock in [].  A
 * change clears the buffer. */
SHOW(trace_clock_show);
STORE(trace_clock_store);
/* Method tracefs_def.put_help: append the names and help texts of the clocks. */
void clocks_help(struct text *out);
/* The files trace_marker and trace_marker_raw, which record the text or the bytes that are
 * written. */
STORE(trace_marker_store);
STORE(trace_marker_raw_store);

/* ---- methods of options.c ---- */

/* The file trace_options, with one line per option. */
SHOW(trace_options_show);
STORE(trace_options_store);
/* A file options/OPTION, which shows 0 or 1. */
SHOW(option_show);
STORE(option_store);

/* ---- methods of cpumask.c ---- */

/* The file tracing_cpumask: the CPUs that record, in hexadecimal. */
SHOW(tracing_cpumask_show);
STORE(tracing_cpumask_store);

/* ---- methods of misc.c ---- */

/* The files printk_formats, saved_cmdlines and saved_tgids (names and process ids of
 * threads), and timestamp_mode. */
SHOW(printk_formats_show);
SHOW(saved_cmdlines_show);
SHOW(saved_cmdlines_size_show);
STORE(saved_cmdlines_size_store);
SHOW(saved_tgids_show);
SHOW(timestamp_mode_show);

#endif
