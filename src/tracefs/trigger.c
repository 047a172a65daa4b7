/* SPDX-License-Identifier: MIT */
/* The files `trigger`. */
#include <errno.h>

#include "server/rules.h"
#include "server/triggers.h"
#include "tracefs/files.h"

int trigger_show(struct tracefs_node *node, struct text *out)
{
	const struct event *event = tracefs_event(node);

	if (!event)
		return -ENODEV;
	rules_refresh(tracefs_instance(node));
	triggers_show(tracefs_instance(node), event, out);
	return 0;
}

ssize_t trigger_store(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid)
{
	const struct event *event = tracefs_event(file->node);
	bool is_changed;
	int r;

	(void)tid;
	if (!event)
		return -ENODEV;
	r = triggers_store(tracefs_instance(file->node), event, buf, size,
			   &is_changed);
	if (is_changed)
		tracefs_file_apply(file);
	return r ? r : (ssize_t)size;
}
