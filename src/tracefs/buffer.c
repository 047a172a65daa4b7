/* SPDX-License-Identifier: MIT */
/* The files for the size and the counters of a buffer (buffer_size_kb, stats,
 * free_buffer ...), and the directory per_cpu/. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"

int per_cpu_lookup(struct tracefs_node *dir, const char *name,
		   struct tracefs_node **ret_node)
{
	char expected[16];
	unsigned long cpu;

	if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]))
		return -ENOENT;
	cpu = strtoul(name + 3, NULL, 10);
	snprintf(expected, sizeof(expected), "cpu%lu", cpu);
	if (cpu >= dir->root->nr_cpus || strcmp(expected, name))
		return -ENOENT;
	return tracefs_node_new(dir, dir->dir->child[0], dir->root, (uint32_t)cpu, ret_node);
}

int per_cpu_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	int r = 0;

	for (uint32_t cpu = 0; !r && cpu < dir->root->nr_cpus; cpu++) {
		char name[16];

		snprintf(name, sizeof(name), "cpu%" PRIu32, cpu);
		r = tracefs_emit_dir(dir, dir->dir->child[0], dir->root, cpu, name, emit, arg);
	}
	return r;
}

static bool is_same_size(const struct instance *instance)
{
	for (uint32_t cpu = 1; cpu < instance->root->nr_cpus; cpu++)
		if (instance_size_kb(instance, cpu) != instance_size_kb(instance, 0))
			return false;
	return true;
}

int buffer_size_show(struct tracefs_node *node, struct text *out)
{
	const struct instance *instance = tracefs_instance(node);

	if (is_same_size(instance))
		text_printf(out, "%" PRIu64 "\n", instance_size_kb(instance, 0));
	else
		text_puts(out, "X\n");
	return 0;
}

int cpu_size_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu64 "\n",
		    instance_size_kb(tracefs_instance(node), node->number));
	return 0;
}

int buffer_total_size_show(struct tracefs_node *node, struct text *out)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < node->root->nr_cpus; cpu++)
		sum += instance_size_kb(tracefs_instance(node), cpu);
	text_printf(out, "%" PRIu64 "\n", sum);
	return 0;
}

static ssize_t size_store(struct tracefs_file *file, const char *buf, size_t size,
			  int cpu)
{
	uint64_t kb;
	int r = tracefs_parse_number(buf, size, &kb);

	if (r)
		return r;
	if (!kb)
		return -EINVAL;
	if (file->node->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	r = instance_resize(tracefs_instance(file->node), cpu, kb);
	if (r)
		return r;
	tracefs_file_apply(file);
	return (ssize_t)size;
}

ssize_t buffer_size_store(struct tracefs_file *file, const char *buf, size_t size,
			  pid_t tid)
{
	(void)tid;
	return size_store(file, buf, size, CPU_ALL);
}

ssize_t cpu_size_store(struct tracefs_file *file, const char *buf, size_t size,
		       pid_t tid)
{
	(void)tid;
	return size_store(file, buf, size, (int)file->node->number);
}

int subbuf_size_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu32 "\n",
		    instance_page_bytes(tracefs_instance(node)) / 1024);
	return 0;
}

/* Handle a write to buffer_subbuf_size_kb: round the size up to a power of two, and set
 * it as the size of a sub-buffer. */
ssize_t subbuf_size_store(struct tracefs_file *file, const char *buf, size_t size,
			  pid_t tid)
{
	uint32_t bytes = ABI_PAGE_BYTES_MIN;
	uint64_t kb;
	int r = tracefs_parse_number(buf, size, &kb);

	(void)tid;
	if (r)
		return r;
	if (!kb || kb > ABI_PAGE_BYTES_MAX / 1024)
		return -EINVAL;
	if (file->node->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	while (bytes < kb * 1024)
		bytes *= 2;
	r = instance_set_page_bytes(tracefs_instance(file->node), bytes);
	if (r)
		return r;
	tracefs_file_apply(file);
	return (ssize_t)size;
}

int buffer_percent_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu32 "\n",
		    shm_load(&tracefs_instance(node)->abi->percent));
	return 0;
}

ssize_t buffer_percent_store(struct tracefs_file *file, const char *buf, size_t size,
			     pid_t tid)
{
	uint64_t percent;
	int r = tracefs_parse_number(buf, size, &percent);

	(void)tid;
	if (r)
		return r;
	if (percent > 100)
		return -EINVAL;
	shm_store(&tracefs_instance(file->node)->abi->percent, (uint32_t)percent);
	return (ssize_t)size;
}

int stats_show(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	struct ring_stats stats;

	/* First free the old rings that are no longer needed.  Otherwise `stats` would
	 * count their records. */
	instance_retire(instance);
	instance_stats(instance, RINGS_MAIN, (int)node->number, &stats);
	text_printf(out,
		    "entries: %" PRIu64 "\n"
		    "overrun: %" PRIu64 "\n"
		    "commit overrun: 0\n"	/* always 0: in ulf's rings no commit can
						 * be overrun, as it can in the kernel */
		    "bytes: %" PRIu64 "\n"
		    "oldest event ts: ",
		    stats.entries, stats.overrun,
		    instance_unread_bytes(instance, (int)node->number));
	timebase_print(instance, stats.oldest_ns, out);
	text_puts(out, "\nnow ts: ");
	timebase_print(instance, timebase_now(instance), out);
	text_printf(out,
		    "\ndropped events: %" PRIu64 "\n"
		    "read events: %" PRIu64 "\n",
		    stats.dropped, stats.read);
	return 0;
}

/* ---- methods of free_buffer: closing this file frees the buffer ---- */

ssize_t free_buffer_store(struct tracefs_file *file, const char *buf, size_t size,
			  pid_t tid)
{
	(void)file;
	(void)buf;
	(void)tid;
	return (ssize_t)size;
}

static ssize_t free_read(struct tracefs_file *file, char *buf, size_t size,
			 off_t offset)
{
	(void)file;
	(void)buf;
	(void)size;
	(void)offset;
	return -EINVAL;
}

static void free_close(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);

	if (!root_is_usable(file->node->root))
		return;
	if (instance_options(instance) & OPTION_STOP_ON_FREE)
		instance_set_on(instance, false);
	instance_clear(instance, RINGS_ALL, CPU_ALL);
	if (file->node->root->state == SERVER_ROOT_ALIVE &&
	    !instance_resize(instance, CPU_ALL, 1))
		tracefs_file_apply(file);
}

const struct tracefs_stream free_stream = {
	.read = free_read,
	.close = free_close,
};
