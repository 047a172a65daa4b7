/* SPDX-License-Identifier: MIT */
/*
 * The file trace: the records of the buffer as text.  A line is printed when it is read,
 * so an open file takes no more memory for a long trace than for a short one.
 *
 * As in the kernel, a reader that has reached the end gets the records that were
 * written since then.  The kernel always returns such records.  In ulf, `cat' must end
 * even if the program records faster than `cat' reads.  So a read returns 0 if records
 * were lost before the reader could get them, or if the reader has reached the end
 * many times without a pause.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/now.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/names/comm.h"
#include "server/print/latency.h"
#include "server/print/line.h"
#include "server/print/lines.h"
#include "server/rings/merge.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"
#include "tracefs/node_rings.h"

#define LINE_BYTES_MAX	(1u << 20)	/* maximum length of the header of `trace`, or of
					 * a line, bytes */
/*
 * Limits for readers that reach the end of `trace` again and again.  A reader that
 * reaches the end more than EXTENDS_MAX times in a row, each time less than EXTEND_NS ns
 * after the last, gets no more lines.
 */
#define EXTEND_NS	10000000u
#define EXTENDS_MAX	16

struct reader {
	bool has_paused;		/* true: recording is paused while this file is
					 * open */
	struct lines lines;		/* printer of the lines; its member @merge is NULL
					 * until the first read */
	struct text text;		/* header or line of `trace` that is being read */
	off_t text_at;			/* offset, in the file `trace`, of the first byte
					 * of @text */
	bool has_header;		/* true: the header of `trace` was printed */
	uint64_t extend_ns;		/* time when the reader last reached the end of
					 * the records, CLOCK_MONOTONIC */
	uint32_t nr_extends;		/* how often in a row the reader has reached the
					 * end of the records, less than EXTEND_NS after
					 * the last time */
	bool has_extended;		/* true: the current read has already looked for
					 * new records after the end; the value is kept if
					 * the read continues after -ERESTART */
};

/* Return which rings the file shows.  While a latency tracer is in use, trace and snapshot both
 * show the spare side, on which the tracer keeps its trace. */
static enum rings rings_of(const struct tracefs_node *node)
{
	return latency_owns_spare(tracefs_instance(node)) ? RINGS_SNAPSHOT : tracefs_rings(node);
}

/* Return true if the file is a snapshot, and a latency tracer uses the spare side. */
static bool is_taken(const struct tracefs_node *node)
{
	return tracefs_rings(node) == RINGS_SNAPSHOT &&
	       latency_owns_spare(tracefs_instance(node));
}

static void print_header(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	enum rings which = rings_of(node);
	struct ring_stats stats;

	instance_stats(instance, which, tracefs_cpu(node), &stats);
	if (tracefs_rings(node) == RINGS_SNAPSHOT && !stats.entries)
		snapshot_print_help(node, out);
	else
		line_print_header(instance, which, out);
}

/* Print the header or the next line of `trace` to reader->text.  Returns 1; 0 at the end
 * of the records; or -errno. */
static int reader_next(struct reader *reader, struct tracefs_node *node)
{
	int r;

	reader->text_at += (off_t)reader->text.len;
	text_reset(&reader->text);
	if (!reader->has_header) {
		reader->has_header = true;
		print_header(node, &reader->text);
		return 1;
	}
	r = lines_print(&reader->lines, &reader->text);
	if (r > 0)
		lines_advance(&reader->lines);
	return r;
}

static void reader_stop(struct reader *reader)
{
	merge_free(reader->lines.merge);
	lines_done(&reader->lines);
}

/* Start reading again at the header and the oldest record. */
static int reader_start(struct reader *reader, struct tracefs_node *node)
{
	struct instance *instance = tracefs_instance(node);
	struct ring_stats stats;
	int r;

	reader_stop(reader);
	*reader = (struct reader){
		.has_paused = reader->has_paused,
		.lines.instance = instance,
		.lines.is_snapshot = tracefs_rings(node) == RINGS_SNAPSHOT,
		.text = reader->text,
	};
	text_reset(&reader->text);
	instance_stats(instance, rings_of(node), CPU_ALL, &stats);
	reader->lines.is_overrun = stats.overrun != 0;
	comms_expire(node->root);
	if (node->root->nr_live)
		comms_refresh(node->root);
	r = merge_new(instance, rings_of(node), tracefs_cpu(node), false,
		      &reader->lines.merge);
	if (!r)
		r = merge_start(reader->lines.merge);
	reader->extend_ns = server_now_ns();
	return r < 0 ? r : 0;
}

/* Called when the reader has reached the end of the records.  Returns true if the reader
 * can continue, because there are new records and EXTENDS_MAX is not exceeded. */
static bool reader_extend(struct reader *reader)
{
	uint64_t now = server_now_ns();

	if (now - reader->extend_ns >= EXTEND_NS)
		reader->nr_extends = 0;
	reader->extend_ns = now;
	if (reader->nr_extends++ < EXTENDS_MAX && merge_extend(reader->lines.merge))
		return true;
	reader->nr_extends = 0;
	return false;
}

static int trace_open(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	struct reader *reader;

	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return 0;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	text_init(&reader->text, LINE_BYTES_MAX);
	reader->text.is_for_terminal = file->flags & TRACEFS_TERMINAL;
	if (tracefs_rings(file->node) == RINGS_MAIN &&
	    (instance_options(instance) & OPTION_PAUSE_ON_TRACE)) {
		reader->has_paused = true;
		instance_pause(instance);
	}
	file->state = reader;
	return 0;
}

/*
 * Print the next line of `trace` for the current read, which prints lines until the time
 * @until.
 * @done: number of bytes that the read has got so far
 * @is_first: true if this is the first line of the read
 *
 * Returns 1; 0 at the end of the records; or -errno.  When the time is up, returns 0 if the
 * read has got bytes, and -ERESTART if it has got none, because all lines so far lie before
 * the offset that is read.
 */
static int read_next(struct tracefs_file *file, uint64_t until, size_t done, bool is_first)
{
	struct reader *reader = file->state;
	int r;

	if (!is_first && server_now_ns() >= until)
		return done ? 0 : -ERESTART;
	r = reader_next(reader, file->node);
	if (r || done || reader->has_extended)
		return r;
	/*
	 * At the end of the records, look for new ones only once per read.  Otherwise
	 * the read possibly never ends, because a program may record faster than lines
	 * are printed.
	 */
	reader->has_extended = true;
	return reader_extend(reader) ? 1 : 0;
}

static ssize_t trace_read(struct tracefs_file *file, char *buf, size_t size,
			  off_t offset)
{
	uint64_t until = server_now_ns() + TRACEFS_READ_NS;
	struct reader *reader = file->state;
	bool is_first = true;
	size_t done = 0;
	int r = 0;

	if (is_taken(file->node))
		return -EBUSY;
	if (!reader->lines.merge || offset == 0 || offset < reader->text_at) {
		r = reader_start(reader, file->node);
		if (r)
			return r;
	}
	while (done < size) {
		off_t skip = offset + (off_t)done - reader->text_at;
		size_t part;

		if ((size_t)skip >= reader->text.len) {
			r = read_next(file, until, done, is_first);
			if (r <= 0)
				break;
			is_first = false;
			continue;
		}
		part = reader->text.len - (size_t)skip;
		if (part > size - done)
			part = size - done;
		memcpy(buf + done, reader->text.data + skip, part);
		done += part;
	}
	if (r < 0 && !done)
		return r;
	reader->has_extended = false;
	return (ssize_t)done;
}

static void trace_close(struct tracefs_file *file)
{
	struct reader *reader = file->state;

	if (!reader)
		return;
	if (reader->has_paused && root_is_usable(file->node->root))
		instance_resume(tracefs_instance(file->node));
	reader_stop(reader);
	text_done(&reader->text);
	free(reader);
}

const struct tracefs_stream trace_stream = {
	.open = trace_open,
	.read = trace_read,
	.close = trace_close,
};

const struct tracefs_stream snapshot_stream = {
	.is_snapshot = true,
	.open = trace_open,
	.read = trace_read,
	.close = trace_close,
};

/* Handle a write to `trace`: it has no effect.  If the shell has opened the file for
 * `>`, O_TRUNC has already cleared the buffer.  For `>>` the buffer is not cleared. */
ssize_t trace_store(struct tracefs_file *file, const char *buf, size_t size,
		    pid_t tid)
{
	(void)file;
	(void)buf;
	(void)tid;
	return (ssize_t)size;
}

int trace_truncate(struct tracefs_file *file)
{
	instance_clear(tracefs_instance(file->node), rings_of(file->node),
		       tracefs_cpu(file->node));
	return 0;
}
