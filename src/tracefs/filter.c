/* SPDX-License-Identifier: MIT */
/* The files `filter` of events and systems, and the file error_log, which shows why
 * writes were refused. */
#include <errno.h>

#include "filter/filter.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/rules.h"
#include "tracefs/files.h"

/*
 * Return the result of a write to a `filter` file: @size, or the error @r.  As in the
 * kernel, even a wrong filter removes the old one.  So even after an error, the write
 * must not return before processes have applied the change.
 */
static ssize_t answer_writer(struct tracefs_file *file, size_t size, int r,
			     bool is_changed)
{
	if (is_changed)
		tracefs_file_apply(file);
	if (!r)
		return (ssize_t)size;
	apply_wait(&file->apply, APPLY_WAIT_NS);
	return r;
}

int event_filter_file_show(struct tracefs_node *node, struct text *out)
{
	const struct event *event = tracefs_event(node);

	if (!event)
		return -ENODEV;
	rules_refresh(tracefs_instance(node));
	event_filter_show(rules_filter(tracefs_instance(node), event), out);
	return 0;
}

ssize_t event_filter_file_store(struct tracefs_file *file, const char *buf,
				size_t size, pid_t tid)
{
	const struct event *event = tracefs_event(file->node);
	bool is_changed;
	int r;

	(void)tid;
	if (!event)
		return -ENODEV;
	r = filters_parse(file->node->root, buf, size);
	if (r)
		return r;
	r = filters_set(tracefs_instance(file->node), event, buf, size,
			&is_changed);
	return answer_writer(file, size, r, is_changed);
}

int system_filter_file_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	system_filter_show(out);
	return 0;
}

ssize_t system_filter_file_store(struct tracefs_file *file, const char *buf,
				 size_t size, pid_t tid)
{
	bool is_changed;
	int r = events_refresh(file->node->root);

	(void)tid;
	if (!r)
		r = filters_parse(file->node->root, buf, size);
	if (r)
		return r;
	r = filters_set_system(tracefs_instance(file->node), file->node->number,
			       buf, size, &is_changed);
	return answer_writer(file, size, r, is_changed);
}

int error_log_file_show(struct tracefs_node *node, struct text *out)
{
	error_log_show(tracefs_instance(node), out);
	return 0;
}

/* Handle a write to error_log: it has no effect.  If the shell has opened the file for
 * `>`, O_TRUNC has already cleared the log.  For `>>` the log is not cleared. */
ssize_t error_log_file_store(struct tracefs_file *file, const char *buf,
			     size_t size, pid_t tid)
{
	(void)file;
	(void)buf;
	(void)tid;
	return (ssize_t)size;
}

int error_log_file_truncate(struct tracefs_file *file)
{
	error_log_clear(tracefs_instance(file->node));
	return 0;
}
