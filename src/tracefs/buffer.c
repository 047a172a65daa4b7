/* SPDX-License-Identifier: MIT */
/* Sizes of the buffer, and the directory per_cpu/. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/timebase.h"
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
	return tracefs_node_new(dir, &cpu_dir, dir->root, (uint32_t)cpu, ret_node);
}

int per_cpu_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	int r = 0;

	for (uint32_t cpu = 0; !r && cpu < dir->root->nr_cpus; cpu++) {
		char name[16];

		snprintf(name, sizeof(name), "cpu%" PRIu32, cpu);
		r = tracefs_emit_dir(dir, &cpu_dir, dir->root, cpu, name, emit, arg);
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

int stats_show(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	struct ring_stats stats;

	instance_stats(instance, (int)node->number, &stats);
	text_printf(out,
		    "entries: %" PRIu64 "\n"
		    "overrun: %" PRIu64 "\n"
		    "commit overrun: 0\n"	/* a commit cannot be overrun here */
		    "bytes: %" PRIu64 "\n"
		    "oldest event ts: ",
		    stats.entries, stats.overrun, stats.bytes);
	timebase_print(instance, stats.oldest_ns, out);
	text_puts(out, "\nnow ts: ");
	timebase_print(instance, timebase_now(instance), out);
	text_printf(out,
		    "\ndropped events: %" PRIu64 "\n"
		    "read events: %" PRIu64 "\n",
		    stats.dropped, stats.read);
	return 0;
}
