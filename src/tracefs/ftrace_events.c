/* SPDX-License-Identifier: MIT */
/* The directory events/ftrace, which has the built-in events.  Built-in events cannot
 * be turned on or off, but tools need their formats. */
#include <errno.h>
#include <string.h>

#include "event/ftrace_event.h"
#include "tracefs/files.h"

/* Return the kind of the directory of a built-in event. events/ftrace/print has its
 * own kind, because it is the only built-in event with a file `trigger`. */
static const struct tracefs_dir *dir_of(const struct tracefs_node *ftrace, size_t row)
{
	return ftrace->dir->child[row == FTRACE_PRINT];
}

int ftrace_lookup(struct tracefs_node *dir, const char *name,
		  struct tracefs_node **ret_node)
{
	for (size_t i = 0; i < nr_ftrace_events; i++)
		if (!strcmp(ftrace_events[i].name, name))
			return tracefs_node_new(dir, dir_of(dir, i), dir->root,
						(uint32_t)i, ret_node);
	return -ENOENT;
}

int ftrace_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	int r = 0;

	for (size_t i = 0; !r && i < nr_ftrace_events; i++)
		r = tracefs_emit_dir(dir, dir_of(dir, i), dir->root, (uint32_t)i,
				     ftrace_events[i].name, emit, arg);
	return r;
}

int ftrace_format_show(struct tracefs_node *node, struct text *out)
{
	event_format_text(&ftrace_events[node->number], out);
	return 0;
}

int ftrace_id_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%u\n", ftrace_events[node->number].id);
	return 0;
}
