/* SPDX-License-Identifier: MIT */
/* The file tracing_max_latency.  Processes need not be notified of a write, because they look at
 * the value with each latency. */
#include <inttypes.h>

#include "server/print/latency.h"
#include "tracefs/files.h"

int max_latency_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu64 "\n", latency_max(tracefs_instance(node)));
	return 0;
}

ssize_t max_latency_store(struct tracefs_file *file, const char *buf, size_t size, pid_t tid)
{
	uint64_t us;
	int r = tracefs_parse_number(buf, size, &us);

	(void)tid;
	if (r)
		return r;
	latency_set_max(tracefs_instance(file->node), us);
	return (ssize_t)size;
}
