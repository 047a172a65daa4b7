/* SPDX-License-Identifier: MIT */
/* trace_pipe: lines, taken out of the buffer as they are read. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "server/lines.h"
#include "server/options.h"
#include "tracefs/files.h"

#define PIPE_BYTES_MAX	(4u << 20)

struct pipe {
	struct lines lines;
	struct text text;
	size_t text_at;			/* what is before was given out */
	bool has_read;
};

/* ---- one reader a CPU; trace_pipe of all CPUs excludes all others ---- */

static int cpus_take(struct instance *instance, int cpu)
{
	uint64_t *taken = instance->pipe_cpus;

	if (cpu != CPU_ALL) {
		if (taken[cpu / 64] >> cpu % 64 & 1)
			return -EBUSY;
		taken[cpu / 64] |= 1ull << cpu % 64;
		return 0;
	}
	for (uint32_t i = 0; i < ABI_CPUS / 64; i++)
		if (taken[i])
			return -EBUSY;
	memset(taken, 0xff, sizeof(instance->pipe_cpus));
	return 0;
}

static void cpus_give(struct instance *instance, int cpu)
{
	if (cpu == CPU_ALL)
		memset(instance->pipe_cpus, 0, sizeof(instance->pipe_cpus));
	else
		instance->pipe_cpus[cpu / 64] &= ~(1ull << cpu % 64);
}

static int pipe_open(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	int cpu = tracefs_cpu(file->node);
	struct pipe *pipe;
	int r = cpus_take(instance, cpu);

	if (r)
		return r;
	pipe = calloc(1, sizeof(*pipe));
	r = pipe ? merge_new(instance, RINGS_MAIN, cpu, true,
			     &pipe->lines.merge) : -ENOMEM;
	if (r) {
		free(pipe);
		cpus_give(instance, cpu);
		return r;
	}
	pipe->lines.instance = instance;
	pipe->lines.is_pipe = true;
	text_init(&pipe->text, PIPE_BYTES_MAX);
	file->state = pipe;
	return 0;
}

static void pipe_close(struct tracefs_file *file)
{
	struct pipe *pipe = file->state;

	merge_free(pipe->lines.merge);
	lines_done(&pipe->lines);
	text_done(&pipe->text);
	free(pipe);
	cpus_give(tracefs_instance(file->node), tracefs_cpu(file->node));
}

static int pipe_fill(struct tracefs_file *file, size_t size)
{
	struct pipe *pipe = file->state;
	int r = merge_start(pipe->lines.merge);

	if (r < 0)
		return r;
	text_reset(&pipe->text);
	pipe->text_at = 0;
	pipe->lines.place.number = 1;
	while (pipe->text.len < size && !pipe->text.error) {
		size_t before = pipe->text.len;

		r = lines_print(&pipe->lines, &pipe->text);
		if (r <= 0)
			break;
		/* Of a line that he gets half the reader may close the rest. */
		if (before && pipe->text.len > size) {
			text_truncate(&pipe->text, before);
			break;
		}
		lines_advance(&pipe->lines);
	}
	merge_consume(pipe->lines.merge);
	/* the lines before the one that has to wait are good */
	return r < 0 && !(r == -ERESTART && pipe->text.len) ? r : 0;
}

/* Nothing there: is there nothing to wait for either?  A reader that has seen
 * something is let go when tracing is off or the program dead. */
static bool is_over(const struct tracefs_file *file)
{
	const struct pipe *pipe = file->state;
	const struct root *root = file->node->root;

	if (root->state != SERVER_ROOT_ALIVE)
		return true;
	return pipe->has_read && !(file->flags & O_NONBLOCK) &&
	       !instance_is_on(tracefs_instance(file->node));
}

static ssize_t pipe_read(struct tracefs_file *file, char *buf, size_t size,
			 off_t offset)
{
	struct pipe *pipe = file->state;
	int r;

	(void)offset;
	if (pipe->text_at >= pipe->text.len) {
		r = pipe_fill(file, size);
		if (r)
			return r;
	}
	if (!pipe->text.len)
		return is_over(file) ? 0 : -EAGAIN;
	if (size > pipe->text.len - pipe->text_at)
		size = pipe->text.len - pipe->text_at;
	memcpy(buf, pipe->text.data + pipe->text_at, size);
	pipe->text_at += size;
	pipe->has_read = true;
	return (ssize_t)size;
}

/* Of one CPU it waits for a part of the buffer, of all for a record. */
static bool has_enough(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	struct pipe *pipe = file->state;
	struct merge_record record;
	int cpu = tracefs_cpu(file->node);

	if (cpu != CPU_ALL && shm_load(&instance->abi->percent))
		return instance_is_filled(instance, cpu);
	return merge_start(pipe->lines.merge) >= 0 &&
	       merge_peek(pipe->lines.merge, &record) > 0;
}

static unsigned int pipe_poll(struct tracefs_file *file)
{
	struct pipe *pipe = file->state;

	if (pipe->text_at < pipe->text.len ||
	    (instance_options(tracefs_instance(file->node)) & OPTION_BLOCK) ||
	    file->node->root->state != SERVER_ROOT_ALIVE || has_enough(file))
		return POLLIN | POLLRDNORM;
	return 0;
}

const struct tracefs_stream pipe_stream = {
	.open = pipe_open,
	.close = pipe_close,
	.read = pipe_read,
	.poll = pipe_poll,
	.is_pipe = true,
};
