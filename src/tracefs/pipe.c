/* SPDX-License-Identifier: MIT */
/*
 * The file trace_pipe: records as lines of text.  Records are consumed when the reader
 * has got their lines.  The lines of a batch of records are printed at once, and their
 * text is kept until the reader has got all of it, usually by one read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/print/line.h"
#include "server/print/lines.h"
#include "server/rings/merge.h"
#include "server/rings/options.h"
#include "server/rings/receipt.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"
#include "tracefs/node_rings.h"
#include "tracefs/pipe.h"

#define PIPE_BYTES_MAX	(4u << 20)	/* maximum length of the text of a batch of
					 * records, bytes */

struct pipe {
	struct lines lines;
	struct text text;		/* text of the current batch of records */
	size_t text_at;			/* number of bytes of @text that the reader has
					 * got */
	size_t nr_returned;		/* number of bytes that the current read returns;
					 * 0 if no read is in progress */
	bool is_split;			/* true: the reader has got only a part of the
					 * batch's text, and needs more reads for the rest */
	bool has_read;			/* true: at least one read of this open file has
					 * returned bytes */
};

/* Functions that reserve CPUs for readers of trace_pipe: a CPU has one reader, and a reader of
 * all CPUs excludes all others. */

/* Reserve @cpu (or all CPUs, if @cpu is CPU_ALL) for a reader of trace_pipe.  Returns 0;
 * -EBUSY if another reader has reserved it. */
static int cpus_reserve(struct instance *instance, int cpu)
{
	struct instance_pipes *pipes = instance_pipes(instance);
	uint64_t *taken = pipes->cpus;

	if (cpu != CPU_ALL) {
		if (taken[cpu / 64] >> cpu % 64 & 1)
			return -EBUSY;
		taken[cpu / 64] |= 1ull << cpu % 64;
		return 0;
	}
	for (uint32_t i = 0; i < ABI_CPUS / 64; i++)
		if (taken[i])
			return -EBUSY;
	memset(taken, 0xff, sizeof(pipes->cpus));
	return 0;
}

static void cpus_release(struct instance *instance, int cpu)
{
	struct instance_pipes *pipes = instance_pipes(instance);

	if (cpu == CPU_ALL)
		memset(pipes->cpus, 0, sizeof(pipes->cpus));
	else
		pipes->cpus[cpu / 64] &= ~(1ull << cpu % 64);
}

static int pipe_open(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	int cpu = tracefs_cpu(file->node);
	struct pipe *pipe;
	int r = cpus_reserve(instance, cpu);

	if (r)
		return r;
	pipe = calloc(1, sizeof(*pipe));
	r = pipe ? merge_new(instance, RINGS_MAIN, cpu, true,
			     &pipe->lines.merge) : -ENOMEM;
	if (r) {
		free(pipe);
		cpus_release(instance, cpu);
		return r;
	}
	pipe->lines.instance = instance;
	pipe->lines.is_pipe = true;
	text_init(&pipe->text, PIPE_BYTES_MAX);
	pipe->text.is_for_terminal = file->flags & TRACEFS_TERMINAL;
	file->state = pipe;
	return 0;
}

static void pipe_close(struct tracefs_file *file)
{
	struct pipe *pipe = file->state;

	if (pipe->text_at && pipe->text_at < pipe->text.len)
		merge_give_up(pipe->lines.merge);
	merge_free(pipe->lines.merge);
	lines_done(&pipe->lines);
	text_done(&pipe->text);
	free(pipe);
	cpus_release(tracefs_instance(file->node), tracefs_cpu(file->node));
}

/* Print LOST lines for those losses that no record follows.  (If a record follows, the
 * loss is printed with this record.) */
static void print_lost(struct pipe *pipe)
{
	uint32_t cpu;
	uint64_t lost;

	while ((lost = merge_next_lost(pipe->lines.merge, &cpu)))
		line_print_lost(cpu, lost, &pipe->text);
}

/* Print a new batch of records to pipe->text: at most @size bytes, but at least one
 * line if there is a record.  Returns 0 or -errno.  If there is no record, returns 0,
 * and pipe->text is empty. */
static int pipe_fill(struct tracefs_file *file, size_t size)
{
	uint64_t until = server_now_ns() + TRACEFS_READ_NS;
	struct pipe *pipe = file->state;
	int r = merge_start(pipe->lines.merge);

	if (r < 0)
		return r;
	text_reset(&pipe->text);
	pipe->text_at = 0;
	pipe->is_split = false;
	pipe->lines.place.number = 1;
	while (pipe->text.len < size && !pipe->text.error) {
		size_t before = pipe->text.len;

		r = lines_print(&pipe->lines, &pipe->text);
		if (r <= 0)
			break;
		/* Stop before a line that does not fit, instead of splitting it: the
		 * reader may close the file after a part of the line. */
		if (before && pipe->text.len > size) {
			text_truncate(&pipe->text, before);
			break;
		}
		lines_advance(&pipe->lines);
		if (pipe->text.len && server_now_ns() >= until)
			break;
	}
	if (!r && !pipe->text.len)
		print_lost(pipe);
	/* If the records of the batch have produced no text, there is nothing to hand
	 * over, so consume the records at once. */
	if (pipe->text.len)
		merge_stage(pipe->lines.merge);
	else
		merge_consume(pipe->lines.merge);
	/* After -ERESTART, which only concerns the next line, deliver the lines that are
	 * complete. */
	return r < 0 && !(r == -ERESTART && pipe->text.len) ? r : 0;
}

/*
 * Return true if the reader has reached the end of the file, false if it must wait for
 * records.  Called when there is no record.  The file ends when the program has ended, or
 * when tracing_on is 0 and the reader has read something before.
 */
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
	/* The text was printed for an earlier read, whose reader did not get it
	 * (TRACEFS_REFUSED). Drop the text if another reader has consumed its records since. */
	if (!pipe->text_at && merge_is_stale(pipe->lines.merge))
		text_reset(&pipe->text);
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
	pipe->nr_returned = size;
	pipe->has_read = true;
	return (ssize_t)size;
}

static void text_taken(struct pipe *pipe)
{
	pipe->is_split = pipe->text_at;
	pipe->text_at += pipe->nr_returned;
	pipe->nr_returned = 0;
	if (pipe->text_at >= pipe->text.len)
		merge_consume(pipe->lines.merge);
}

/*
 * Method deliver: handle what happened to the bytes of a read.  A batch gets a receipt
 * only if one read delivers the whole batch.  If the reader has got only a part of the
 * text, no other reader may get the batch's records, because it is not known whether this
 * reader has used its part.
 */
static void pipe_deliver(struct tracefs_file *file, enum tracefs_delivery what)
{
	struct pipe *pipe = file->state;

	switch (what) {
	case TRACEFS_OFFERED:
		merge_offer(pipe->lines.merge, pipe->nr_returned == pipe->text.len ?
			    receipt_ticket() : 0);
		break;
	case TRACEFS_TAKEN:
		text_taken(pipe);
		break;
	case TRACEFS_REFUSED:
		pipe->nr_returned = 0;
		/* fall through */
	case TRACEFS_LATER:
		if (!pipe->text_at)
			merge_withdraw(pipe->lines.merge);
		break;
	case TRACEFS_RETURNED:
		if (pipe->text_at >= pipe->text.len)
			merge_return(pipe->lines.merge, pipe->is_split);
		break;
	}
}

/* Return true if poll() may return.  For the trace_pipe of one CPU, this is so when
 * buffer_percent of the buffer is full; for that of all CPUs, when there is a record. */
static bool has_enough(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	struct pipe *pipe = file->state;
	struct merge_record record;
	int cpu = tracefs_cpu(file->node);

	if (cpu != CPU_ALL && shm_load(&instance->abi->percent))
		return instance_is_filled(instance, cpu);
	return merge_start(pipe->lines.merge) >= 0 &&
	       (merge_peek(pipe->lines.merge, &record) > 0 ||
		merge_has_lost(pipe->lines.merge));
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
	.deliver = pipe_deliver,
	.poll = pipe_poll,
	.is_pipe = true,
};
