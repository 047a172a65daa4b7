/* SPDX-License-Identifier: MIT */
/* Merge the records of all CPUs of several trace.dat files by time.  A heap of cursors finds
 * the oldest record. */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "datfile/dat_cursor.h"

struct datfile_stream {
	struct datfile **files;
	size_t nr_files;
	struct dat_cursor *cursors;
	uint32_t nr_cursors;
	uint32_t *heap;			/* indices of the cursors that have a record, as a
					 * heap: the first cursor has the oldest record */
	uint32_t nr_heap;
	bool has_begun;			/* true: the first cursor of the heap is still at the
					 * record that datfile_stream_next() has returned last */
	uint64_t bytes;			/* total size of the records in all files of the
					 * stream, bytes */
};

/* Return true if the record of cursor @a comes before the record of cursor @b.  Records of
 * equal times come in the order of the files and CPUs. */
static bool is_before(const struct datfile_stream *stream, uint32_t a, uint32_t b)
{
	uint64_t time_a = stream->cursors[a].entry.time, time_b = stream->cursors[b].entry.time;

	return time_a != time_b ? time_a < time_b : a < b;
}

/* Move the element @at of the heap down until both of its children come after it. */
static void sift_down(struct datfile_stream *stream, uint32_t at)
{
	uint32_t *heap = stream->heap, moved = heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < stream->nr_heap && is_before(stream, heap[child + 1], heap[child]))
			child++;
		if (child >= stream->nr_heap || !is_before(stream, heap[child], moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static int open_cursor(struct datfile_stream *stream, size_t number,
		       const struct dat_buffer *buffer, const struct dat_cpu *cpu)
{
	struct dat_cursor *cursor = &stream->cursors[stream->nr_cursors];
	int r;

	if (!cpu->bytes)
		return 0;
	stream->nr_cursors++;
	stream->bytes += cpu->bytes;
	r = dat_cursor_init(cursor, stream->files[number], buffer, cpu);
	cursor->file_number = (uint32_t)number;
	if (!r && cursor->has_entry)
		stream->heap[stream->nr_heap++] = stream->nr_cursors - 1;
	return r;
}

static int open_file(struct datfile_stream *stream, size_t number)
{
	const struct datfile *file = stream->files[number];
	int r = 0;

	for (uint32_t i = 0; i < file->nr_buffers; i++) {
		const struct dat_buffer *buffer = &file->buffers[i];

		for (uint32_t j = 0; !r && j < buffer->public.nr_cpus; j++)
			r = open_cursor(stream, number, buffer, &buffer->cpus[j]);
	}
	return r;
}

static size_t count_cpus(struct datfile *const *files, size_t nr)
{
	size_t nr_cpus = 0;

	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < files[i]->nr_buffers; j++)
			nr_cpus += files[i]->buffers[j].public.nr_cpus;
	return nr_cpus;
}

int datfile_stream_open(struct datfile *const *files, size_t nr,
			struct datfile_stream **ret_stream)
{
	struct datfile_stream *stream = calloc(1, sizeof(*stream));
	size_t nr_cpus = count_cpus(files, nr);
	int r = 0;

	if (!stream)
		return -ENOMEM;
	stream->nr_files = nr;
	stream->files = calloc(nr + 1, sizeof(*files));
	stream->cursors = calloc(nr_cpus + 1, sizeof(*stream->cursors));
	stream->heap = calloc(nr_cpus + 1, sizeof(*stream->heap));
	if (!stream->files || !stream->cursors || !stream->heap)
		r = -ENOMEM;
	for (size_t i = 0; !r && i < nr; i++) {
		stream->files[i] = files[i];
		r = open_file(stream, i);
	}
	if (r) {
		datfile_stream_close(stream);
		return r;
	}
	for (uint32_t i = stream->nr_heap / 2; i--; )
		sift_down(stream, i);
	*ret_stream = stream;
	return 0;
}

void datfile_stream_close(struct datfile_stream *stream)
{
	if (!stream)
		return;
	for (uint32_t i = 0; i < stream->nr_cursors; i++)
		dat_cursor_done(&stream->cursors[i]);
	free(stream->cursors);
	free(stream->heap);
	free(stream->files);
	free(stream);
}

uint32_t datfile_stream_sources(const struct datfile_stream *stream)
{
	return stream->nr_cursors;
}

static void fill_record(const struct datfile_stream *stream, const struct dat_cursor *cursor,
			const struct dat_entry *entry, struct datfile_record *ret_record)
{
	struct datfile *file = stream->files[cursor->file_number];

	*ret_record = (struct datfile_record){
		.time = entry->time, .data = entry->data, .bytes = entry->bytes,
		.cpu = cursor->cpu, .lost = entry->lost, .file = file,
		.number = cursor->file_number, .buffer = &cursor->buffer->public,
		.source = (uint32_t)(cursor - stream->cursors),
	};
	if (entry->bytes >= 8) {
		memcpy(&ret_record->id, entry->data, 2);
		memcpy(&ret_record->pid, entry->data + 4, 4);
		ret_record->event = file->events ? file->events[ret_record->id] : NULL;
	}
}

int datfile_stream_next(struct datfile_stream *stream, struct datfile_record *ret_record)
{
	struct dat_cursor *cursor;

	if (stream->nr_heap && stream->has_begun) {
		cursor = &stream->cursors[stream->heap[0]];
		dat_cursor_advance(cursor);
		if (!cursor->has_entry && cursor->error)
			return cursor->error;
		if (!cursor->has_entry)
			stream->heap[0] = stream->heap[--stream->nr_heap];
		sift_down(stream, 0);
	}
	stream->has_begun = true;
	if (!stream->nr_heap)
		return 0;
	cursor = &stream->cursors[stream->heap[0]];
	fill_record(stream, cursor, &cursor->entry, ret_record);
	return 1;
}

bool datfile_stream_second(struct datfile_stream *stream, struct datfile_record *ret_record)
{
	const struct dat_cursor *cursor = &stream->cursors[stream->heap[0]];

	if (!cursor->has_next)
		return false;
	fill_record(stream, cursor, &cursor->next, ret_record);
	return true;
}

void datfile_stream_progress(const struct datfile_stream *stream, uint64_t *ret_done,
			     uint64_t *ret_all)
{
	*ret_all = *ret_done = stream->bytes;
	for (uint32_t i = 0; i < stream->nr_cursors; i++)
		*ret_done -= stream->cursors[i].end - stream->cursors[i].off;
}
