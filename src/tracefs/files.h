/* SPDX-License-Identifier: MIT */
/* The methods of all files, by family; files.c puts them into the tables. */
#ifndef ULF_TRACEFS_FILES_H
#define ULF_TRACEFS_FILES_H

#include "tracefs/tree.h"

#define SHOW(name)	int name(struct tracefs_node *node, struct text *out)
#define STORE(name)	ssize_t name(struct tracefs_file *file, const char *buf, \
				     size_t size, pid_t tid)
#define LOOKUP(name)	int name(struct tracefs_node *dir, const char *name_, \
				 struct tracefs_node **ret_node)
#define LIST(name)	int name(struct tracefs_node *dir, tracefs_emit emit, void *arg)

extern const struct tracefs_dir trace_stat_dir, top_dir, root_dir, instances_dir, instance_dir,
	events_dir, system_dir, event_dir, ftrace_dir, ftrace_event_dir, ftrace_print_dir,
	per_cpu_dir, cpu_dir,
	options_dir;

/* readme.c */
SHOW(readme_show);

/* tree.c */
LOOKUP(top_lookup);
LIST(top_list);
LOOKUP(instances_lookup);
LIST(instances_list);
int instances_mkdir(struct tracefs_node *dir, const char *name);
int instances_rmdir(struct tracefs_node *dir, const char *name);

/* events.c */
LOOKUP(events_lookup);
LIST(events_list);
LOOKUP(system_lookup);
LIST(system_list);
SHOW(available_events_show);
SHOW(event_enable_show);
STORE(event_enable_store);
SHOW(event_format_show);
SHOW(event_id_show);
SHOW(system_enable_show);
STORE(system_enable_store);
SHOW(events_enable_show);
STORE(events_enable_store);
/* The event of a file, or NULL if its module has gone. */
struct event *tracefs_event(const struct tracefs_node *node);
/* SYSTEM:EVENT and a newline. */
void tracefs_print_event(const struct event *event, struct text *out);
SHOW(header_page_show);
SHOW(header_event_show);

/* ftrace_events.c */
LOOKUP(ftrace_lookup);
LIST(ftrace_list);
SHOW(ftrace_format_show);
SHOW(ftrace_id_show);

/* filter.c */
SHOW(event_filter_file_show);
STORE(event_filter_file_store);
SHOW(system_filter_file_show);
STORE(system_filter_file_store);
SHOW(error_log_file_show);
STORE(error_log_file_store);
int error_log_file_truncate(struct tracefs_file *file);

/* trigger.c */
SHOW(trigger_show);
STORE(trigger_store);
void trigger_refused(struct tracefs_file *file);
SHOW(print_trigger_show);
STORE(print_trigger_store);

/* set_event.c */
SHOW(set_event_show);
STORE(set_event_store);
int set_event_truncate(struct tracefs_file *file);

/* pids.c */
SHOW(event_pids_show);
STORE(event_pids_store);
int event_pids_truncate(struct tracefs_file *file);

/* functions.c */
SHOW(current_tracer_show);
STORE(current_tracer_store);
void current_tracer_applied(struct tracefs_file *file);
void current_tracer_refused(struct tracefs_file *file);
SHOW(available_tracers_show);
SHOW(available_functions_show);
SHOW(available_addrs_show);
SHOW(enabled_functions_show);
SHOW(touched_functions_show);
SHOW(functions_info_show);
SHOW(function_list_show);
STORE(function_list_store);
int function_list_truncate(struct tracefs_file *file);
int function_list_flush(struct tracefs_file *file);
/* function_errors.c: add to error_log why the list has refused @word with -EINVAL. */
void function_word_log(struct tracefs_file *file, const char *word);
SHOW(graph_depth_show);
STORE(graph_depth_store);
SHOW(tracing_thresh_show);
STORE(tracing_thresh_store);

/* profile.c */
SHOW(profile_enabled_show);
STORE(profile_enabled_store);
void profile_enabled_refused(struct tracefs_file *file);
SHOW(profile_cpu_show);

/* stack_tracer.c */
SHOW(stack_enabled_show);
STORE(stack_enabled_store);
void stack_enabled_refused(struct tracefs_file *file);
SHOW(stack_max_size_show);
STORE(stack_max_size_store);
SHOW(stack_trace_show);
SHOW(stack_threads_show);

/* trace.c */
extern const struct tracefs_stream trace_stream;
STORE(trace_store);
int trace_truncate(struct tracefs_file *file);

/* pipe.c, raw.c */
extern const struct tracefs_stream pipe_stream, raw_stream;
/* Has every thread but @tid that polls a trace_pipe_raw of @instance read what is
 * there, and polled again since? */
bool raw_is_served(struct instance *instance, pid_t tid);

/* snapshot.c; the streams are those of trace.c and raw.c */
extern const struct tracefs_stream snapshot_stream, snapshot_raw_stream;
STORE(snapshot_store);
/* What the file shows if there is no snapshot. */
void snapshot_print_help(struct tracefs_node *node, struct text *out);

/* buffer.c */
LOOKUP(per_cpu_lookup);
LIST(per_cpu_list);
SHOW(buffer_size_show);
STORE(buffer_size_store);
SHOW(buffer_total_size_show);
SHOW(subbuf_size_show);
STORE(subbuf_size_store);
SHOW(buffer_percent_show);
STORE(buffer_percent_store);
SHOW(cpu_size_show);
STORE(cpu_size_store);
SHOW(stats_show);
extern const struct tracefs_stream free_stream;
STORE(free_buffer_store);

/* control.c */
SHOW(tracing_on_show);
STORE(tracing_on_store);
bool tracing_on_is_done(struct tracefs_file *file);
SHOW(trace_clock_show);
STORE(trace_clock_store);
STORE(trace_marker_store);
STORE(trace_marker_raw_store);

/* options.c */
SHOW(trace_options_show);
STORE(trace_options_store);
SHOW(option_show);
STORE(option_store);

/* cpumask.c */
SHOW(tracing_cpumask_show);
STORE(tracing_cpumask_store);

/* misc.c */
SHOW(printk_formats_show);
SHOW(saved_cmdlines_show);
SHOW(saved_cmdlines_size_show);
STORE(saved_cmdlines_size_store);
SHOW(saved_tgids_show);
SHOW(timestamp_mode_show);

/* The rings that a file is about. */
static inline enum rings tracefs_rings(const struct tracefs_node *node)
{
	const struct tracefs_stream *stream = node->def->stream;

	return stream && stream->is_snapshot ? RINGS_SNAPSHOT : RINGS_MAIN;
}

/* The CPU of a file below per_cpu/cpuN, else CPU_ALL. */
static inline int tracefs_cpu(const struct tracefs_node *node)
{
	return node->in && node->in->is_cpu ? (int)node->number : CPU_ALL;
}

#endif
