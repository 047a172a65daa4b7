/* SPDX-License-Identifier: MIT */
/* The file snapshot.  Writing a number takes, frees or clears the snapshot.  Reads work
 * like those of `trace`. */
#include <errno.h>

#include "server/core/root.h"
#include "server/core/server.h"
#include "server/print/latency.h"
#include "server/print/line.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"
#include "tracefs/node_rings.h"

/* Help texts of `snapshot` and of per_cpu/cpuN/snapshot, as in the kernel. */
static const char help_of_all[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

static const char help_of_cpu[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

static const char help_of_both[] =
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

void snapshot_print_help(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	bool has_spare = instance_has_spare(instance);

	line_print_title(instance, out);
	text_printf(out, "#\n# * Snapshot is %s *\n#\n# Snapshot commands:\n%s%s",
		    has_spare ? "allocated" : "freed",
		    tracefs_cpu(node) == CPU_ALL ? help_of_all : help_of_cpu,
		    help_of_both);
}

static int take_snapshot(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	bool had_spare = instance_has_spare(instance);
	int r = instance_need_spare(instance);

	if (r)
		return r;
	instance_swap(instance, tracefs_cpu(file->node));
	if (!had_spare)
		tracefs_file_apply(file);
	return 0;
}

/* Handle a write of 0 to `snapshot`: free the rings of the spare side, with the
 * snapshot. */
static int give_up(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);

	if (tracefs_cpu(file->node) != CPU_ALL)
		return -EINVAL;
	if (instance_has_spare(instance)) {
		instance_free_spare(instance);
		tracefs_file_apply(file);
	}
	return 0;
}

ssize_t snapshot_store(struct tracefs_file *file, const char *buf, size_t size,
		       pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	if (file->node->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	if (latency_owns_spare(tracefs_instance(file->node)))
		return -EBUSY;
	if (value == 0)
		r = give_up(file);
	else if (value == 1)
		r = take_snapshot(file);
	else
		instance_clear(tracefs_instance(file->node), RINGS_SNAPSHOT,
			       tracefs_cpu(file->node));
	return r ? r : (ssize_t)size;
}
