/* SPDX-License-Identifier: MIT */
/* The files `trigger`. */
#include <errno.h>

#include "server/print_triggers.h"
#include "server/rules.h"
#include "server/triggers.h"
#include "tracefs/files.h"

static int show(struct tracefs_node *node, const struct event *event,
		struct text *out)
{
	if (!event)
		return -ENODEV;
	rules_refresh(tracefs_instance(node));
	triggers_show(tracefs_instance(node), event, out);
	return 0;
}

static ssize_t store(struct tracefs_file *file, const struct event *event,
		     const char *buf, size_t size)
{
	bool is_changed;
	int r;

	if (!event)
		return -ENODEV;
	r = triggers_store(tracefs_instance(file->node), event, buf, size,
			   &is_changed);
	if (is_changed)
		tracefs_file_apply(file);
	return r ? r : (ssize_t)size;
}

int trigger_show(struct tracefs_node *node, struct text *out)
{
	return show(node, tracefs_event(node), out);
}

ssize_t trigger_store(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid)
{
	(void)tid;
	return store(file, tracefs_event(file->node), buf, size);
}

int print_trigger_show(struct tracefs_node *node, struct text *out)
{
	return show(node, &print_event, out);
}

ssize_t print_trigger_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	(void)tid;
	return store(file, &print_event, buf, size);
}
