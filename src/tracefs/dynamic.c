/* SPDX-License-Identifier: MIT */
/* The files synthetic_events and dynamic_events, and the files `inject` of events. */
#include <errno.h>

#include "server/core/apply.h"
#include "server/dynamic/dynamic.h"
#include "server/dynamic/dynamic_command.h"
#include "server/dynamic/inject.h"
#include "server/dynamic/synth.h"
#include "tracefs/files.h"

/* Run each line of a write as a command.  Commands before a wrong line have taken effect.  So,
 * even after an error, processes must have applied the change before the write returns. */
static ssize_t store_lines(struct tracefs_file *file, const char *buf, size_t size,
			   int (*run)(struct root *root, const char *line))
{
	struct root *root = file->node->root;
	int r = events_refresh(root);

	if (!r)
		r = dynamic_run_lines(root, buf, size, run);
	tracefs_file_apply(file);
	if (!r)
		return (ssize_t)size;
	apply_wait(&file->apply, APPLY_WAIT_NS);
	return r;
}

static int truncate_all(struct tracefs_file *file, const struct dynamic_kind *kind)
{
	int r = dynamic_remove_all(file->node->root, kind);

	tracefs_file_apply(file);
	apply_wait(&file->apply, APPLY_WAIT_NS);
	return r;
}

int synthetic_events_show(struct tracefs_node *node, struct text *out)
{
	synth_list(node->root, out);
	return 0;
}

ssize_t synthetic_events_store(struct tracefs_file *file, const char *buf, size_t size,
			       pid_t tid)
{
	(void)tid;
	return store_lines(file, buf, size, synth_command);
}

int synthetic_events_truncate(struct tracefs_file *file)
{
	return truncate_all(file, &dynamic_synth);
}

int dynamic_events_show(struct tracefs_node *node, struct text *out)
{
	dynamic_list(node->root, out);
	return 0;
}

ssize_t dynamic_events_store(struct tracefs_file *file, const char *buf, size_t size,
			     pid_t tid)
{
	(void)tid;
	return store_lines(file, buf, size, dynamic_command);
}

int dynamic_events_truncate(struct tracefs_file *file)
{
	return truncate_all(file, NULL);
}

ssize_t event_inject_store(struct tracefs_file *file, const char *buf, size_t size, pid_t tid)
{
	const struct event *event = tracefs_event(file->node);

	if (!event)
		return -ENODEV;
	return inject_write(tracefs_instance(file->node), event, buf, size, tid);
}
