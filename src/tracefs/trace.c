/* SPDX-License-Identifier: MIT */
/*
 * trace: the buffer as text.  A line is printed when it is read, so an open file
 * takes no more memory for a long trace than for a short one.  It ends where
 * the rings ended when it was first read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/comm.h"
#include "server/line.h"
#include "server/merge.h"
#include "tracefs/files.h"

#define LINE_BYTES_MAX	(1u << 20)

struct reader {
	struct merge *merge;
	struct text text;		/* the piece that is being read */
	off_t text_at;			/* where in the file it starts */
	bool has_header;
	bool has_started;		/* a record was printed */
	bool is_annotated;		/* some were overrun before */
	uint64_t cpus[ABI_CPUS / 64];	/* that were seen */
};

/* When a buffer has overrun, each CPU's records start at another time. */
static void print_started(struct reader *reader, uint32_t cpu)
{
	uint64_t bit = 1ull << cpu % 64;

	if (!reader->is_annotated || (reader->cpus[cpu / 64] & bit))
		return;
	reader->cpus[cpu / 64] |= bit;
	if (reader->has_started)
		text_printf(&reader->text, "##### CPU %u buffer started ####\n", cpu);
}

/* The next piece of text; 0 at the end. */
static int reader_next(struct reader *reader, struct instance *instance)
{
	struct merge_record record;

	reader->text_at += (off_t)reader->text.len;
	text_reset(&reader->text);
	if (!reader->has_header) {
		reader->has_header = true;
		line_print_header(instance, &reader->text);
		return 1;
	}
	if (merge_peek(reader->merge, &record) <= 0)
		return 0;
	print_started(reader, record.cpu);
	line_print(instance, &record, &reader->text);
	merge_advance(reader->merge);
	reader->has_started = true;
	return 1;
}

static void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	merge_free(reader->merge);
	text_done(&reader->text);
	free(reader);
}

static int reader_new(struct tracefs_node *node, struct reader **ret_reader)
{
	struct instance *instance = tracefs_instance(node);
	struct reader *reader = calloc(1, sizeof(*reader));
	struct ring_stats stats;
	int r;

	if (!reader)
		return -ENOMEM;
	text_init(&reader->text, LINE_BYTES_MAX);
	instance_stats(instance, CPU_ALL, &stats);
	reader->is_annotated = stats.overrun != 0;
	comms_expire(node->root);
	if (node->root->nr_live)
		comms_refresh(node->root);
	r = merge_new(instance, tracefs_cpu(node), false, &reader->merge);
	if (!r)
		r = merge_start(reader->merge);
	if (r < 0) {
		reader_free(reader);
		return r;
	}
	*ret_reader = reader;
	return 0;
}

static ssize_t trace_read(struct tracefs_file *file, char *buf, size_t size,
			  off_t offset)
{
	struct reader *reader = file->state;
	size_t done = 0;
	int r;

	if (!reader || offset == 0 || offset < reader->text_at) {
		reader_free(reader);
		file->state = NULL;
		r = reader_new(file->node, &reader);
		if (r)
			return r;
		file->state = reader;
	}
	while (done < size) {
		off_t skip = offset + (off_t)done - reader->text_at;
		size_t part;

		if ((size_t)skip >= reader->text.len) {
			if (!reader_next(reader, tracefs_instance(file->node)))
				break;
			continue;
		}
		part = reader->text.len - (size_t)skip;
		if (part > size - done)
			part = size - done;
		memcpy(buf + done, reader->text.data + skip, part);
		done += part;
	}
	return (ssize_t)done;
}

static void trace_close(struct tracefs_file *file)
{
	reader_free(file->state);
}

const struct tracefs_stream trace_stream = {
	.read = trace_read,
	.close = trace_close,
};

/* What is written does not matter: > has emptied the buffer, >> nothing. */
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
	instance_clear(tracefs_instance(file->node), tracefs_cpu(file->node));
	return 0;
}
