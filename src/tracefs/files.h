/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the methods of all files, sorted by the .c file that defines them.
 * files.c puts the methods into its tables.
 *
 * The server's thread calls the methods, and they must not block.  Methods other than
 * close, applied and refused are called only while the root can be used.  Methods of
 * files that name functions may return -ERESTART, with nothing changed: see
 * tracefs_settle() in tracefs.h.
 */
#ifndef ULF_TRACEFS_FILES_H
#define ULF_TRACEFS_FILES_H

#include "tracefs/tree.h"

/* Declare a method show: it appends the text of the file to @out.  Returns 0 or -errno:
 * -ENODEV if the file's event is gone. */
#define SHOW(name)	int name(struct tracefs_node *node, struct text *out)
/*
 * Declare a method store: it handles a write of @size bytes by thread @tid.  Returns
 * the number of bytes that were accepted, or -errno: -EINVAL or -ERANGE for a wrong
 * value; -ENODEV if the program has ended, or the event is gone; -ENOMEM.  Calls
 * tracefs_file_apply() if processes must apply the change.
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

/* The kinds of directories (struct tracefs_dir), which files.c defines. */
extern const struct tracefs_dir trace_stat_dir, top_dir, root_dir, instances_dir, instance_dir,
	events_dir, system_dir, event_dir, ftrace_dir, ftrace_event_dir, ftrace_print_dir,
	per_cpu_dir, cpu_dir,
	options_dir;

/* ---- methods of readme.c ---- */

/* README: a file with the help texts of all files, tracers, commands and clocks. */
SHOW(readme_show);

/* ---- methods of tree.c ---- */

/* Methods of the top directory, which contains one directory for each root. */
LOOKUP(top_lookup);
LIST(top_list);
/* Methods of instances/, which contains one directory for each instance except the top instance. */
LOOKUP(instances_lookup);
LIST(instances_list);
/* Methods of instances/ that make and remove the instance @name.  Both return 0 or
 * -errno. */
int instances_mkdir(struct tracefs_node *dir, const char *name);
int instances_rmdir(struct tracefs_node *dir, const char *name);

/* ---- methods of events.c ---- */

/* Methods of events/, which contains one directory for each system with a visible event. */
LOOKUP(events_lookup);
LIST(events_list);
/* Methods of events/SYSTEM/, which contains one directory for each visible event. */
LOOKUP(system_lookup);
LIST(system_list);
/* available_events: a file with one line for each visible event. */
SHOW(available_events_show);
/* Methods of the files `enable`, `format` and `id` of an event. */
SHOW(event_enable_show);
STORE(event_enable_store);
SHOW(event_format_show);
SHOW(event_id_show);
/* The file `enable` of a system, which shows 0, 1, X (some events are on) or ? (there are no
 * events). */
SHOW(system_enable_show);
STORE(system_enable_store);
/* events/enable, which turns all events on or off.  The file shows 0, 1, X or ?, as
 * `enable` of a system does. */
SHOW(events_enable_show);
STORE(events_enable_store);
/* Return the event of a file in events/SYSTEM/EVENT/; NULL if the module of this event is
 * gone. */
struct event *tracefs_event(const struct tracefs_node *node);
/* Append the text SYSTEM:EVENT for @event, and a newline. */
void tracefs_print_event(const struct event *event, struct text *out);
/* header_page and header_event: files that show the layout of a sub-buffer and of a
 * record's header. */
SHOW(header_page_show);
SHOW(header_event_show);

/* ---- methods of dynamic.c ---- */

/*
 * synthetic_events and dynamic_events: files with the events that users define.  A write runs
 * each of its lines as a command, up to the first wrong one.  Truncating removes all events, or
 * returns -EBUSY.
 */
SHOW(synthetic_events_show);
STORE(synthetic_events_store);
int synthetic_events_truncate(struct tracefs_file *file);
SHOW(dynamic_events_show);
STORE(dynamic_events_store);
int dynamic_events_truncate(struct tracefs_file *file);
/* inject: a write to this file records the event of its directory once. */
STORE(event_inject_store);

/* ---- methods of ftrace_events.c ---- */

/* Methods of events/ftrace/, which contains the built-in events. */
LOOKUP(ftrace_lookup);
LIST(ftrace_list);
/* Methods of the files `format` and `id` of a built-in event. */
SHOW(ftrace_format_show);
SHOW(ftrace_id_show);

/* ---- methods of filter.c ---- */

/* Methods of the files `filter` of an event and of a system.  A wrong filter removes the
 * old filter, as in the kernel. */
SHOW(event_filter_file_show);
STORE(event_filter_file_store);
SHOW(system_filter_file_show);
STORE(system_filter_file_store);
/* error_log, the file that shows the latest errors.  A write has no effect; opening the file with
 * O_TRUNC clears the log. */
SHOW(error_log_file_show);
STORE(error_log_file_store);
int error_log_file_truncate(struct tracefs_file *file);

/* ---- methods of trigger.c ---- */

/* Methods of the file `trigger` of an event. */
SHOW(trigger_show);
STORE(trigger_store);
/* Two methods tracefs_def.put_help: the first appends the commands of triggers, the
 * second those of set_ftrace_filter. */
void event_commands_help(struct text *out);
void function_commands_help(struct text *out);
/* Method tracefs_def.refused of `trigger`: remove the trigger that was written last,
 * because a process could not apply it. */
void trigger_refused(struct tracefs_file *file);
/* Methods of the file `trigger` of events/ftrace/print, whose triggers run when
 * trace_marker is written. */
SHOW(print_trigger_show);
STORE(print_trigger_store);

/* Remove the histograms of an event, and its triggers enable_hist and disable_hist.  Called when
 * `trigger` was opened with O_TRUNC. */
int trigger_truncate(struct tracefs_file *file);
int print_trigger_truncate(struct tracefs_file *file);

/* ---- methods of hist.c ---- */

/* `hist`, the file with all histograms of an event, and hist_debug, the file with their
 * internal data. */
extern const struct tracefs_stream hist_stream;
SHOW(hist_debug_show);

/* ---- methods of set_event.c ---- */

/* set_event.  A write takes one token and returns its length, so that the program calls
 * write(2) again with the rest. */
SHOW(set_event_show);
STORE(set_event_store);
/* Turn all events off.  Called when set_event was opened with O_TRUNC. */
int set_event_truncate(struct tracefs_file *file);

/* ---- methods of pids.c ---- */

/* set_event_pid, set_event_notrace_pid, set_ftrace_pid and set_ftrace_notrace_pid, files
 * with lists of thread ids.  A write adds ids to the list. */
SHOW(event_pids_show);
STORE(event_pids_store);
/* Clear the list of thread ids.  Called when the list's file was opened with O_TRUNC. */
int event_pids_truncate(struct tracefs_file *file);

/* ---- methods of current_tracer.c ---- */

/* current_tracer, the file with the name of the tracer. */
SHOW(current_tracer_show);
STORE(current_tracer_store);
/* Method tracefs_def.applied of current_tracer: remove the records of the previous
 * tracer. */
void current_tracer_applied(struct tracefs_file *file);
/* Method tracefs_def.refused of current_tracer: set the tracer to nop, because a process
 * could not apply the change. */
void current_tracer_refused(struct tracefs_file *file);
SHOW(available_tracers_show);
/* Method tracefs_def.put_help of current_tracer: append the names and help texts of the
 * tracers. */
void tracers_help(struct text *out);

/* ---- methods of latency.c ---- */

/* The file tracing_max_latency: the longest latency that the latency tracer of the instance has
 * found, us. */
SHOW(max_latency_show);
STORE(max_latency_store);

/* ---- methods of functions.c ---- */

/* Methods of available_filter_functions, available_filter_functions_addrs,
 * enabled_functions, touched_functions and dyn_ftrace_total_info. */
SHOW(available_functions_show);
SHOW(available_addrs_show);
SHOW(enabled_functions_show);
SHOW(touched_functions_show);
SHOW(functions_info_show);
/* untraceable_events (untraceable_events.c): a file with the probes that cannot be patched, and
 * the reasons. */
SHOW(untraceable_events_show);
/* untraceable_functions (untraceable.c): a file with the functions that an analysis has refused,
 * and the files that were left out. */
SHOW(untraceable_functions_show);
/* untraceable_syscalls (untraceable_syscalls.c): a file with those system calls in the code that
 * events record only in part, or not at all. */
SHOW(untraceable_syscalls_show);
/*
 * The files with lists of functions: set_ftrace_filter, set_ftrace_notrace,
 * set_graph_function, set_graph_notrace, stack_trace_filter.  A write takes at least
 * one token, but not always all tokens.  Names are put in force when the file is
 * flushed, commands at once.
 */
SHOW(function_list_show);
STORE(function_list_store);
/* Begin a new, empty list of functions.  Called when the list's file was opened with
 * O_TRUNC.  Returns 0, -ERESTART or -ENOMEM. */
int function_list_truncate(struct tracefs_file *file);
/* Publish the list of functions that was written.  Returns 0 or -errno.  After -ERESTART
 * nothing was changed. */
int function_list_flush(struct tracefs_file *file);
/* Write to error_log why function_list_store() has returned @error, -EINVAL or -ENODEV, for
 * the token @word (function_errors.c). */
void function_word_log(struct tracefs_file *file, const char *word, int error);
/* max_graph_depth: a file with the maximum number of nested calls that are recorded; 0
 * means no limit. */
SHOW(graph_depth_show);
STORE(graph_depth_store);
/* tracing_thresh: a file with the minimum duration, in microseconds, of the calls that
 * function_graph records. */
SHOW(tracing_thresh_show);
STORE(tracing_thresh_store);

/* ---- methods of profile.c ---- */

/* function_profile_enabled, a file that shows 0 or 1. */
SHOW(profile_enabled_show);
STORE(profile_enabled_store);
/* Method tracefs_def.refused of function_profile_enabled: turn the profiler off, because
 * a process could not apply the change. */
void profile_enabled_refused(struct tracefs_file *file);
/* trace_stat/functionN, a file that shows the profile of CPU N. */
SHOW(profile_cpu_show);

/* ---- methods of stack_tracer.c ---- */

/* stack_tracer_enabled, a file whose value may be any int; 0 turns the stack tracer off. */
SHOW(stack_enabled_show);
STORE(stack_enabled_store);
/* Method tracefs_def.refused of stack_tracer_enabled: turn the stack tracer off, because
 * a process could not apply the change. */
void stack_enabled_refused(struct tracefs_file *file);
/* stack_max_size, a file with the depth of the deepest stack so far, in bytes. */
SHOW(stack_max_size_show);
STORE(stack_max_size_store);
/* stack_trace, a file that shows the deepest stack, and stack_trace_threads, a file that
 * shows how deep the stack of each thread was. */
SHOW(stack_trace_show);
SHOW(stack_threads_show);

/* ---- methods of trace.c ---- */

/* trace, the file with the records as text.  A write has no effect; opening the file with
 * O_TRUNC clears the buffer. */
extern const struct tracefs_stream trace_stream;
STORE(trace_store);
int trace_truncate(struct tracefs_file *file);

/* ---- methods of pipe.c and raw.c ---- */

/* trace_pipe and trace_pipe_raw.  Reading these files consumes the records. */
extern const struct tracefs_stream pipe_stream, raw_stream;
/*
 * Return true if every thread that polls a trace_pipe_raw of @instance has read all
 * records and has called poll(2) again since.  Thread @tid does not count, because it has
 * written to tracing_on and waits for the result.
 */
bool raw_is_served(struct instance *instance, pid_t tid);

/* ---- methods of snapshot.c ---- */

/* snapshot and snapshot_raw.  The streams of these files are in trace.c and raw.c. */
extern const struct tracefs_stream snapshot_stream, snapshot_raw_stream;
STORE(snapshot_store);
/* Append the help text that the file `snapshot` shows if there is no snapshot. */
void snapshot_print_help(struct tracefs_node *node, struct text *out);

/* ---- methods of buffer.c ---- */

/* Methods of per_cpu/, which contains one directory for each CPU. */
LOOKUP(per_cpu_lookup);
LIST(per_cpu_list);
/* buffer_size_kb: a file with the size of the buffer per CPU in KB; it shows X if the
 * CPUs differ. */
SHOW(buffer_size_show);
STORE(buffer_size_store);
/* buffer_total_size_kb: a file with the size of the buffers of all CPUs together in KB. */
SHOW(buffer_total_size_show);
/* buffer_subbuf_size_kb: a file with the size of a sub-buffer in KB.  A number that is
 * written is rounded up to a power of two. */
SHOW(subbuf_size_show);
STORE(subbuf_size_store);
/* buffer_percent: a file that says how full a CPU's buffer must be before poll(2)
 * returns, 0 to 100 percent. */
SHOW(buffer_percent_show);
STORE(buffer_percent_store);
/* Methods of the files buffer_size_kb and stats in per_cpu/cpuN/. */
SHOW(cpu_size_show);
STORE(cpu_size_store);
SHOW(stats_show);
/* free_buffer.  A write has no effect.  Closing the file clears the buffer and makes it
 * as small as possible. */
extern const struct tracefs_stream free_stream;
STORE(free_buffer_store);

/* ---- methods of control.c ---- */

/* tracing_on, a file that shows 0 or 1. */
SHOW(tracing_on_show);
STORE(tracing_on_store);
/* Method tracefs_def.is_done of tracing_on: after a write of 0, wait for the readers of
 * trace_pipe_raw. */
bool tracing_on_is_done(struct tracefs_file *file);
/* trace_clock: a file with the names of the clocks, of which the current one is in [].  A
 * change clears the buffer. */
SHOW(trace_clock_show);
STORE(trace_clock_store);
/* Method tracefs_def.put_help of trace_clock: append the names and help texts of the
 * clocks. */
void clocks_help(struct text *out);
/* trace_marker and trace_marker_raw, files that record the text or the bytes that are
 * written to them. */
STORE(trace_marker_store);
STORE(trace_marker_raw_store);

/* ---- methods of options.c ---- */

/* trace_options, a file with one line for each option. */
SHOW(trace_options_show);
STORE(trace_options_store);
/* Methods of a file options/OPTION, which shows 0 or 1. */
SHOW(option_show);
STORE(option_store);

/* ---- methods of cpumask.c ---- */

/* tracing_cpumask: a file with the CPUs that record, in hexadecimal. */
SHOW(tracing_cpumask_show);
STORE(tracing_cpumask_store);

/* ---- methods of misc.c ---- */

/* Methods of printk_formats, saved_cmdlines and saved_tgids (names and process ids of
 * threads), and timestamp_mode. */
SHOW(printk_formats_show);
SHOW(saved_cmdlines_show);
SHOW(saved_cmdlines_size_show);
STORE(saved_cmdlines_size_store);
SHOW(saved_tgids_show);
SHOW(timestamp_mode_show);

#endif
