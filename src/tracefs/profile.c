/* SPDX-License-Identifier: MIT */
/* The files of the function profiler: function_profile_enabled and trace_stat/. */
#include <errno.h>

#include "server/core/apply.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/functions/profile.h"
#include "tracefs/files.h"

int profile_enabled_show(struct tracefs_node *node, struct text *out)
{
	text_puts(out, profile_is_on(node->root) ? "1\n" : "0\n");
	return 0;
}

static int set_on(struct root *root)
{
	int r = functions_refresh(root);

	if (r == -ERESTART)
		return r;
	if (root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	if (!r)
		r = functions_check(&root->top, "function_profile_enabled", "1");
	if (!r)
		r = apply_check(&root->top, "function_profile_enabled");
	if (r)
		return r;
	profile_start(root);
	r = functions_publish(root);
	if (r)
		profile_stop(root);
	return r;
}

static int set_off(struct root *root)
{
	struct functions *functions = root_functions(root);
	uint64_t session = functions->profile_session;
	int r;

	profile_stop(root);
	r = functions_publish_off(root);
	if (r)
		functions->profile_session = session;
	return r;
}

ssize_t profile_enabled_store(struct tracefs_file *file, const char *buf, size_t size,
			      pid_t tid)
{
	struct root *root = file->node->root;
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	if (!value == !profile_is_on(root))
		return (ssize_t)size;
	r = value ? set_on(root) : set_off(root);
	if (r)
		return r;
	tracefs_file_apply(file);
	return (ssize_t)size;
}

/*
 * Method tracefs_def.refused: turn the profiler off, because a process could not apply a
 * write to function_profile_enabled.  This is correct for both values: before a write of
 * 1 the profiler was off, and a write of 0 turns it off.
 */
void profile_enabled_refused(struct tracefs_file *file)
{
	struct root *root = file->node->root;
	struct apply apply;

	if (!profile_is_on(root))
		return;
	profile_stop(root);
	if (!functions_publish_off(root))
		apply_start(root, &apply);
}

int profile_cpu_show(struct tracefs_node *node, struct text *out)
{
	int r = function_shown_prepare(&node->root->top);

	return r ? r : profile_print(node->root, node->number, out);
}
