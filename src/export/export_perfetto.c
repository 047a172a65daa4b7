/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's native format: a sequence of packets of protocol buffers.  A name is written in
 * full only once, with a number that stands for it later.
 *
 * The numbers of fields are those of Perfetto's public schema; tests/cli/export.sh contains
 * the part of the schema that this file uses.
 */
#include <errno.h>

#include "export/export_impl.h"
#include "export/intern.h"
#include "export/protobuf.h"

/* Fields of Perfetto's messages, with their numbers in the schema. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_INTERNED = 12,
       PACKET_FLAGS = 13, PACKET_TRACK = 60 };
enum { INTERNED_CATEGORIES = 1, INTERNED_EVENT_NAMES = 2, INTERNED_ANNOTATION_NAMES = 3 };
enum { INTERNED_ID = 1, INTERNED_NAME = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
       TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_CATEGORY_ID = 3, EVENT_ANNOTATIONS = 4, EVENT_TYPE = 9, EVENT_NAME_ID = 10,
       EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNTER = 30, EVENT_COUNTER_DOUBLE = 44 };
enum { ANNOTATION_NAME_ID = 1, ANNOTATION_BOOL = 2, ANNOTATION_UINT = 3, ANNOTATION_INT = 4,
       ANNOTATION_DOUBLE = 5, ANNOTATION_STRING = 6, ANNOTATION_POINTER = 7 };

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
#define SEQUENCE	1u

/* Ids of tracks.  The ids of threads are the numbers from 1 on. */
#define UUID_PROCESS(thread)	(1ull << 62 | (uint64_t)(thread)->file_number << 32 | \
				 (uint32_t)(thread)->tgid)
#define UUID_COUNTER(number)	(1ull << 61 | (number))
#define UUID_LOST		(1ull << 60)

struct perfetto_state {
	struct intern names, categories, annotations;
	struct intern processes;	/* numbers for the processes that have a track; keys:
					 * UUID_PROCESS() */
	struct text interned;		/* names that the current packet uses for the first
					 * time, with their numbers */
	bool has_lost_track;
	uint64_t counters;		/* bitmap: bit n is set if counter n has a track */
};

_Static_assert(EXPORT_COUNTERS_MAX <= 64, "a bit for each counter");

static const char category_function[] = "function";
static const char annotation_cpu[] = "cpu", annotation_ret[] = "ret", annotation_lost[] = "number",
	annotation_message[] = "message", annotation_returned[] = "returned";
static const char *const annotation_args[EXPORT_ARGS_MAX] = {
	"arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8",
	"arg9", "arg10", "arg11", "arg12", "arg13", "arg14", "arg15", "arg16",
};

/* ---- packets ---- */

/* A packet that contains an event of a track. */
struct packet {
	size_t packet, event;		/* results of pb_begin() */
};

static uint32_t id_of(struct export *ex, struct intern *intern, uint32_t field, const char *name)
{
	struct perfetto_state *state = ex->state;
	bool is_new;
	uint32_t id = intern_id(intern, name, &is_new);
	size_t at;

	if (!id)
		ex->error = -ENOMEM;
	if (!is_new)
		return id;
	at = pb_begin(&state->interned, field);
	pb_put_uint(&state->interned, INTERNED_ID, id);
	pb_put_string(&state->interned, INTERNED_NAME, name);
	pb_end(&state->interned, at);
	return id;
}

static size_t begin_packet(struct export *ex, uint32_t flags)
{
	size_t at = pb_begin(&ex->out, TRACE_PACKET);

	pb_put_uint(&ex->out, PACKET_SEQUENCE, SEQUENCE);
	pb_put_uint(&ex->out, PACKET_FLAGS, flags);
	return at;
}

static struct packet begin_event(struct export *ex, uint64_t time, uint64_t track, uint32_t type)
{
	struct packet packet = { .packet = begin_packet(ex, FLAG_NEEDS_STATE) };

	pb_put_uint(&ex->out, PACKET_TIMESTAMP, time);
	packet.event = pb_begin(&ex->out, PACKET_TRACK_EVENT);
	pb_put_uint(&ex->out, EVENT_TYPE, type);
	pb_put_uint(&ex->out, EVENT_TRACK, track);
	return packet;
}

static void end_event(struct export *ex, struct packet packet)
{
	struct perfetto_state *state = ex->state;

	pb_end(&ex->out, packet.event);
	if (state->interned.len)
		pb_put_bytes(&ex->out, PACKET_INTERNED, state->interned.data,
			     state->interned.len);
	text_reset(&state->interned);
	pb_end(&ex->out, packet.packet);
}

static void put_name(struct export *ex, const char *name)
{
	struct perfetto_state *state = ex->state;

	pb_put_uint(&ex->out, EVENT_NAME_ID,
		    id_of(ex, &state->names, INTERNED_EVENT_NAMES, name));
}

static void put_category(struct export *ex, const char *category)
{
	struct perfetto_state *state = ex->state;

	pb_put_uint(&ex->out, EVENT_CATEGORY_ID,
		    id_of(ex, &state->categories, INTERNED_CATEGORIES, category));
}

static size_t begin_annotation(struct export *ex, const char *name)
{
	struct perfetto_state *state = ex->state;
	uint32_t id = id_of(ex, &state->annotations, INTERNED_ANNOTATION_NAMES, name);
	size_t at = pb_begin(&ex->out, EVENT_ANNOTATIONS);

	pb_put_uint(&ex->out, ANNOTATION_NAME_ID, id);
	return at;
}

static void put_number(struct export *ex, const char *name, uint32_t field, uint64_t value)
{
	size_t at = begin_annotation(ex, name);

	pb_put_uint(&ex->out, field, value);
	pb_end(&ex->out, at);
}

static void put_value(struct export *ex, const char *name, const struct export_value *value)
{
	size_t at = begin_annotation(ex, name);

	switch (value->kind) {
	case EXPORT_INT:
		pb_put_uint(&ex->out, ANNOTATION_INT, (uint64_t)value->number);
		break;
	case EXPORT_UINT:
		pb_put_uint(&ex->out, ANNOTATION_UINT, (uint64_t)value->number);
		break;
	case EXPORT_DOUBLE:
		pb_put_double(&ex->out, ANNOTATION_DOUBLE, value->real);
		break;
	case EXPORT_TEXT:
		pb_put_bytes(&ex->out, ANNOTATION_STRING, value->text, value->len);
		break;
	}
	pb_end(&ex->out, at);
}

/* ---- tracks ---- */

static struct packet begin_track(struct export *ex, uint64_t uuid)
{
	struct packet packet = { .packet = begin_packet(ex, FLAG_NEEDS_STATE) };

	packet.event = pb_begin(&ex->out, PACKET_TRACK);
	pb_put_uint(&ex->out, TRACK_UUID, uuid);
	return packet;
}

static void put_process(struct export *ex, const struct export_thread *thread)
{
	struct perfetto_state *state = ex->state;
	uint64_t uuid = UUID_PROCESS(thread);
	struct packet packet;
	bool is_new;
	size_t at;

	if (!intern_id(&state->processes, (const void *)(uintptr_t)uuid, &is_new))
		ex->error = -ENOMEM;
	if (!is_new)
		return;
	packet = begin_track(ex, uuid);
	at = pb_begin(&ex->out, TRACK_PROCESS);
	pb_put_uint(&ex->out, PROCESS_PID, (uint64_t)(int64_t)thread->tgid);
	pb_put_string(&ex->out, PROCESS_NAME, datfile_comm(thread->file, thread->tgid));
	pb_end(&ex->out, at);
	end_event(ex, packet);
}

static uint64_t track_of(const struct export_thread *thread)
{
	return thread->number + 1;
}

static void put_thread(struct export *ex, const struct export_thread *thread)
{
	struct packet packet;
	size_t at;

	put_process(ex, thread);
	packet = begin_track(ex, track_of(thread));
	pb_put_uint(&ex->out, TRACK_PARENT, UUID_PROCESS(thread));
	at = pb_begin(&ex->out, TRACK_THREAD);
	pb_put_uint(&ex->out, THREAD_PID, (uint64_t)(int64_t)thread->tgid);
	pb_put_uint(&ex->out, THREAD_TID, (uint64_t)(int64_t)thread->pid);
	pb_put_string(&ex->out, THREAD_NAME, datfile_comm(thread->file, thread->pid));
	pb_end(&ex->out, at);
	end_event(ex, packet);
}

static void put_track(struct export *ex, uint64_t uuid, const char *name, bool is_counter)
{
	struct packet packet = begin_track(ex, uuid);

	pb_put_string(&ex->out, TRACK_NAME, name);
	if (is_counter)
		pb_end(&ex->out, pb_begin(&ex->out, TRACK_COUNTER));
	end_event(ex, packet);
}

/* ---- methods ---- */

static void start(struct export *ex)
{
	struct perfetto_state *state = ex->state;

	text_init(&state->interned, 1u << 20);
	pb_end(&ex->out, begin_packet(ex, FLAG_CLEARED));
}

static void call_begin(struct export *ex, const struct export_thread *thread,
		       const struct export_call *call)
{
	struct packet packet = begin_event(ex, call->start, track_of(thread), TYPE_BEGIN);

	if (call->name) {
		put_name(ex, call->name);
	} else {
		text_reset(&ex->scratch);
		export_call_name(call, &ex->scratch);
		pb_put_string(&ex->out, EVENT_NAME, text_str(&ex->scratch));
	}
	put_category(ex, category_function);
	put_number(ex, annotation_cpu, ANNOTATION_UINT, call->cpu);
	for (uint32_t i = 0; i < call->nr_args; i++)
		put_number(ex, annotation_args[i], ANNOTATION_POINTER, call->args[i]);
	end_event(ex, packet);
}

static void call_end(struct export *ex, const struct export_thread *thread,
		     const struct export_call *call, const struct export_end *end)
{
	struct packet packet = begin_event(ex, end->time, track_of(thread), TYPE_END);

	(void)call;
	if (end->has_value)
		put_number(ex, annotation_ret, ANNOTATION_POINTER, end->value);
	if (!end->is_return)
		put_number(ex, annotation_returned, ANNOTATION_BOOL, 0);
	end_event(ex, packet);
}

static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	const struct event_format *format = record->event->format;
	struct packet packet = begin_event(ex, record->time, track_of(thread), TYPE_INSTANT);
	bool is_message = export_is_message(record->event);
	struct export_value value;

	put_name(ex, record->event->name);
	put_category(ex, record->event->system);
	put_number(ex, annotation_cpu, ANNOTATION_UINT, record->cpu);
	if (is_message) {
		export_message(ex, record, &value);
		put_value(ex, annotation_message, &value);
	}
	for (size_t i = 0; !is_message && i < format->nr_fields; i++)
		if (export_value(ex, record, &format->fields[i], &value))
			put_value(ex, format->fields[i].name, &value);
	end_event(ex, packet);
}

static void counter(struct export *ex, const struct export_counter *counter,
		    const struct datfile_record *record, const struct export_value *value)
{
	struct perfetto_state *state = ex->state;
	uint64_t uuid = UUID_COUNTER(counter->number);
	struct packet packet;

	if (!(state->counters & 1ull << counter->number))
		put_track(ex, uuid, counter->name, true);
	state->counters |= 1ull << counter->number;
	packet = begin_event(ex, record->time, uuid, TYPE_COUNTER);
	if (value->kind == EXPORT_DOUBLE)
		pb_put_double(&ex->out, EVENT_COUNTER_DOUBLE, value->real);
	else
		pb_put_uint(&ex->out, EVENT_COUNTER, (uint64_t)value->number);
	end_event(ex, packet);
}

static void lost(struct export *ex, const struct datfile_record *record)
{
	struct perfetto_state *state = ex->state;
	struct packet packet;

	if (!state->has_lost_track)
		put_track(ex, UUID_LOST, "lost records", false);
	state->has_lost_track = true;
	packet = begin_event(ex, record->time, UUID_LOST, TYPE_INSTANT);
	pb_put_string(&ex->out, EVENT_NAME, "records were lost");
	put_number(ex, annotation_cpu, ANNOTATION_UINT, record->cpu);
	if (record->lost != UINT64_MAX)
		put_number(ex, annotation_lost, ANNOTATION_UINT, record->lost);
	end_event(ex, packet);
}

static void finish(struct export *ex)
{
	(void)ex;
}

static void done(struct export *ex)
{
	struct perfetto_state *state = ex->state;

	intern_done(&state->names);
	intern_done(&state->categories);
	intern_done(&state->annotations);
	intern_done(&state->processes);
	text_done(&state->interned);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .suffix = "pftrace",
	.state_bytes = sizeof(struct perfetto_state),
	.start = start, .thread = put_thread, .call_begin = call_begin, .call_end = call_end,
	.event = event, .counter = counter, .lost = lost, .finish = finish, .done = done,
};
