/* SPDX-License-Identifier: MIT */
/* Reads the records of a root, see trace.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "event/format.h"
#include "lib/check.h"
#include "lib/trace.h"

#define FORMAT_BYTES_MAX	(1u << 20)

const struct driver_config trace_config = {
	.page_bytes = 4096,
	.fast_pages = 512,
	.slow_pages = 64,
	.overwrite = true,
};

void trace_open(struct driver *d, pid_t pid)
{
	int r = driver_open(d, pid);

	if (r)
		fail("no root of process %d: %s", pid, strerror(-r));
	r = driver_rings(d, &trace_config);
	if (r)
		fail("no rings for process %d: %s", pid, strerror(-r));
}

struct abi_buffer *trace_buffer(struct driver *d)
{
	return (struct abi_buffer *)(d->mem + d->control->buffers_off);
}

/* ---- records ---- */

static void add(struct trace *trace, const struct ring_view *view,
		uint32_t side, const struct ring_record *from)
{
	struct trace_record *to;
	struct trace_entry {
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t pid;
	} entry;

	if (from->bytes < sizeof(entry))
		fail("a record of %u bytes", from->bytes);
	memcpy(&entry, from->data, sizeof(entry));
	trace->records = realloc(trace->records,
				 (trace->nr + 1) * sizeof(*trace->records));
	CHECK(trace->records);
	to = &trace->records[trace->nr++];
	*to = (struct trace_record){
		.time_ns = from->time_ns,
		.cpu = view->cpu,
		.side = side,
		.kind = view->flags & ABI_RING_LOCKED ? ABI_RING_SLOW :
							ABI_RING_FAST,
		.row = entry.type - ABI_EVENT_ID_FIRST,
		.pid = entry.pid,
		.bytes = from->bytes,
		.data = malloc(from->bytes),
	};
	CHECK(to->data);
	memcpy(to->data, from->data, from->bytes);
}

static void read_ring(struct driver *d, const struct abi_ring_ref *ref,
		      uint32_t side, struct trace *trace)
{
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_view view;

	if (!ref->off)
		return;
	CHECK_EQ(ring_view_init(&view, d->mem + ref->off, ref->bytes), 0);
	CHECK_EQ(ring_cursor_init(&cursor, &view), 0);
	while (ring_cursor_peek(&cursor, &record) > 0) {
		trace->lost += cursor.lost;
		add(trace, &view, side, &record);
		ring_cursor_advance(&cursor, &record);
	}
	CHECK(!cursor.is_corrupt);
	ring_cursor_consume(&cursor);
	ring_cursor_done(&cursor);
}

void trace_read(struct driver *d, struct trace *trace)
{
	struct abi_buffer *buffer = trace_buffer(d);

	memset(trace, 0, sizeof(*trace));
	for (uint32_t i = 0; i < ABI_SIDES * d->control->nr_cpus; i++) {
		uint32_t side = i % ABI_SIDES, cpu = i / ABI_SIDES;
		const struct abi_ring_ref *ring = buffer->side[side].ring[cpu];

		for (int kind = 0; kind < ABI_RING_KINDS; kind++)
			read_ring(d, &ring[kind], side, trace);
	}
}

void trace_free(struct trace *trace)
{
	for (size_t i = 0; i < trace->nr; i++)
		free(trace->records[i].data);
	free(trace->records);
	memset(trace, 0, sizeof(*trace));
}

static uint32_t row_of(struct driver *d, const char *system, const char *name)
{
	int row = driver_find_event(d, system, name);

	if (row < 0)
		fail("the root has no event %s:%s", system, name);
	return (uint32_t)row;
}

size_t trace_count(struct driver *d, const struct trace *trace,
		   const char *system, const char *name, int pid)
{
	size_t nr = 0;

	row_of(d, system, name);
	for (size_t i = 0; i < trace->nr; i++)
		nr += driver_is_event(d, trace->records[i].row, system, name) &&
		      (!pid || trace->records[i].pid == pid);
	return nr;
}

/* Compare two records by time.  Records of equal time keep the order of trace->records. */
static int compare_times(const void *a, const void *b)
{
	const struct trace_record *x = *(const struct trace_record *const *)a;
	const struct trace_record *y = *(const struct trace_record *const *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

const struct trace_record *trace_find(struct driver *d,
				      const struct trace *trace,
				      const char *system, const char *name,
				      size_t nth)
{
	const struct trace_record **found, *record;
	size_t nr = 0;

	row_of(d, system, name);
	found = calloc(trace->nr + 1, sizeof(*found));
	CHECK(found);
	for (size_t i = 0; i < trace->nr; i++)
		if (driver_is_event(d, trace->records[i].row, system, name))
			found[nr++] = &trace->records[i];
	if (nth >= nr)
		fail("no record %zu of %s:%s, there are %zu", nth, system, name, nr);
	qsort(found, nr, sizeof(*found), compare_times);
	record = found[nth];
	free(found);
	return record;
}

size_t trace_drain(struct driver *d, const char *system, const char *name)
{
	struct trace trace;
	size_t nr;

	trace_read(d, &trace);
	CHECK_EQ(trace.lost, 0);
	nr = trace_count(d, &trace, system, name, 0);
	trace_free(&trace);
	return nr;
}

/* ---- formats ---- */

static const char *blob_of(struct driver *d, uint32_t row)
{
	struct abi_event *rows = (void *)(d->mem + d->control->events_off);

	return d->mem + rows[row].blob;
}

static const struct abi_field *fields_of(const char *blob)
{
	return (const void *)(blob + sizeof(struct abi_format));
}

char *trace_format(struct driver *d, const char *system, const char *name)
{
	const char *blob = blob_of(d, row_of(d, system, name));
	const struct abi_format *format = (const void *)blob;
	const struct abi_field *field = fields_of(blob);
	struct event_format *fmt;
	struct text text;
	char *copy, *id;

	fmt = event_format_alloc(system, name, 0, blob + format->print_fmt);
	CHECK(fmt);
	for (uint32_t i = 0; i < format->nr_fields; i++, field++)
		CHECK_EQ(event_format_add_field(fmt, blob + field->type,
						blob + field->name,
						field->offset, field->size,
						field->is_signed), 0);
	text_init(&text, FORMAT_BYTES_MAX);
	event_format_text(fmt, &text);
	copy = strdup(text_str(&text));
	CHECK(copy && !text.error);
	text_done(&text);
	event_format_free(fmt);
	id = strstr(copy, "ID: 0\n");
	CHECK(id);
	memmove(id, id + 6, strlen(id + 6) + 1);
	return copy;
}

static const struct abi_field *find_field(const char *blob, const char *name)
{
	const struct abi_format *format = (const void *)blob;
	const struct abi_field *field = fields_of(blob);

	for (uint32_t i = 0; i < format->nr_fields; i++, field++) {
		if (!strcmp(blob + field->name, name))
			return field;
	}
	fail("%s has no field %s", blob + format->name, name);
}

int64_t trace_number(struct driver *d, const struct trace_record *record,
		     const char *name)
{
	const char *blob = blob_of(d, record->row);
	const struct abi_field *field = find_field(blob, name);
	uint64_t value = 0;
	int shift;

	CHECK(!strchr(blob + field->type, '[') && field->size <= 8);
	CHECK(field->offset + field->size <= record->bytes);
	memcpy(&value, record->data + field->offset, field->size);
	shift = 64 - 8 * (int)field->size;
	if (field->is_signed)
		return (int64_t)(value << shift) >> shift;
	return (int64_t)value;
}

const void *trace_bytes(struct driver *d, const struct trace_record *record,
			const char *name, uint32_t *ret_bytes)
{
	const char *blob = blob_of(d, record->row);
	const struct abi_field *field = find_field(blob, name);
	uint32_t at = field->offset, bytes = field->size, loc;

	CHECK(at + bytes <= record->bytes);
	if (strstr(blob + field->type, "_loc ")) {
		memcpy(&loc, record->data + at, 4);
		at = strstr(blob + field->type, "__rel") ? at + 4 : 0;
		at += loc & 0xffff;
		bytes = loc >> 16;
		CHECK(at + bytes <= record->bytes);
	}
	*ret_bytes = bytes;
	return record->data + at;
}

const char *trace_string(struct driver *d, const struct trace_record *record,
			 const char *name)
{
	uint32_t bytes;
	const char *s = trace_bytes(d, record, name, &bytes);

	CHECK(memchr(s, '\0', bytes));
	return s;
}

/* ---- processes ---- */

struct abi_process *trace_process(struct driver *d, pid_t pid)
{
	struct abi_process *slots = (void *)(d->mem +
					     d->control->processes_off);

	for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
		if (__atomic_load_n(&slots[i].pid, __ATOMIC_ACQUIRE) ==
		    (uint32_t)pid)
			return &slots[i];
	}
	return NULL;
}

struct abi_process *trace_wait_agent(struct driver *d, pid_t pid)
{
	for (int i = 0; i < 10000; i++) {
		struct abi_process *slot = trace_process(d, pid);

		if (slot && (__atomic_load_n(&slot->flags, __ATOMIC_ACQUIRE) &
			     ABI_PROCESS_AGENT))
			return slot;
		usleep(1000);
	}
	fail("process %d has no agent", pid);
}
