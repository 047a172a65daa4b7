/* SPDX-License-Identifier: MIT */
/* The events of a trace.dat, and fields of their records. */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "datfile/dat_impl.h"
#include "event/format.h"

#define FORMAT_MAX	(1u << 20)	/* maximum size of the format of an event, bytes */

static void event_free(struct datfile_event *event)
{
	if (!event)
		return;
	print_program_free(event->program);
	event_format_free((struct event_format *)event->format);
	free(event->filter);
	free(event);
}

static int list_event(struct datfile *file, struct datfile_event *event)
{
	uint32_t nr = file->nr_events;

	if (!(nr & (nr + 1))) {
		void *list = realloc(file->list, (2 * (size_t)nr + 2) * sizeof(*file->list));

		if (!list)
			return -ENOMEM;
		file->list = list;
	}
	file->list[file->nr_events++] = event;
	file->events[event->id] = event;
	return 0;
}

/* Add the event that the format @text describes.  An event that cannot be parsed, or whose id
 * another event has, is left out: no event is then known for its records. */
static int add_event(struct datfile *file, const char *system, const char *text)
{
	struct event_format *format;
	struct datfile_event *event;
	int r = event_format_parse(system, text, &format);

	if (r == -ENOMEM)
		return r;
	if (r)
		return 0;
	if (format->id >= DAT_EVENT_IDS || file->events[format->id]) {
		event_format_free(format);
		return 0;
	}
	event = calloc(1, sizeof(*event));
	if (!event) {
		event_format_free(format);
		return -ENOMEM;
	}
	*event = (struct datfile_event){
		.system = format->system, .name = format->name, .id = format->id,
		.format = format,
	};
	r = list_event(file, event);
	if (r)
		event_free(event);
	return r;
}

/* Read the formats of @nr events of the system @system. */
static int read_formats(struct datfile *file, struct dat_reader *reader, const char *system,
			uint64_t nr)
{
	int r = 0;

	while (!r && nr--) {
		const char *data = NULL;
		uint64_t bytes;
		char *text;

		if (dat_take_number(reader, 8, &bytes) && bytes <= FORMAT_MAX)
			data = dat_take(reader, bytes);
		if (!data)
			return -EBADMSG;
		text = strndup(data, bytes);
		r = text ? add_event(file, system, text) : -ENOMEM;
		free(text);
	}
	return r;
}

static int read_systems(struct datfile *file, struct dat_reader *reader, uint64_t nr_systems)
{
	int r = 0;

	while (!r && nr_systems--) {
		const char *system = dat_take_text(reader);
		uint64_t nr;

		if (!system || !dat_take_number(reader, 4, &nr))
			return -EBADMSG;
		r = read_formats(file, reader, system, nr);
	}
	return r;
}

int dat_events_read(struct datfile *file, const struct dat_text *section, bool is_ftrace)
{
	const uint8_t *data = (const uint8_t *)section->data;
	struct dat_reader reader = { data, data + section->bytes };
	uint64_t nr;

	if (!file->events)
		file->events = calloc(DAT_EVENT_IDS, sizeof(*file->events));
	if (!file->events)
		return -ENOMEM;
	if (!dat_take_number(&reader, 4, &nr))
		return -EBADMSG;
	return is_ftrace ? read_formats(file, &reader, "ftrace", nr) :
			   read_systems(file, &reader, nr);
}

void dat_events_done(struct datfile *file)
{
	for (uint32_t i = 0; i < file->nr_events; i++)
		event_free(file->list[i]);
	free(file->list);
	free(file->events);
}

struct datfile_event *datfile_event(const struct datfile *file, uint32_t id)
{
	return file->events && id < DAT_EVENT_IDS ? file->events[id] : NULL;
}

struct datfile_event *datfile_event_find(const struct datfile *file, const char *system,
					 const char *name)
{
	for (uint32_t i = 0; i < file->nr_events; i++) {
		struct datfile_event *event = file->list[i];

		if (strcmp(event->name, name) == 0 &&
		    (!system || strcmp(event->system, system) == 0))
			return event;
	}
	return NULL;
}

uint32_t datfile_nr_events(const struct datfile *file)
{
	return file->nr_events;
}

struct datfile_event *datfile_event_nth(const struct datfile *file, uint32_t nth)
{
	return file->list[nth];
}

const struct print_program *datfile_event_program(struct datfile_event *event)
{
	if (!event->is_compiled && print_compile(event->format, &event->program))
		event->program = NULL;
	event->is_compiled = true;
	return event->program;
}

bool datfile_field_number(const struct datfile_record *record, const struct event_field *field,
			  int64_t *ret_value)
{
	uint32_t bytes = field->size;
	int shift = 64 - 8 * (int)bytes;
	uint64_t value = 0;

	if (field->kind != FIELD_PLAIN || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
	    field->offset > record->bytes || bytes > record->bytes - field->offset)
		return false;
	memcpy(&value, record->data + field->offset, bytes);
	*ret_value = field->is_signed ? (int64_t)(value << shift) >> shift : (int64_t)value;
	return true;
}

const void *datfile_field_bytes(const struct datfile_record *record,
				const struct event_field *field, uint32_t *ret_bytes)
{
	uint32_t at = field->offset, bytes = field->size, place;

	if (at > record->bytes)
		return NULL;
	if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC) {
		if (record->bytes - at < sizeof(place))
			return NULL;
		memcpy(&place, record->data + at, sizeof(place));
		bytes = place >> 16;
		at = (place & 0xffff) + (field->kind == FIELD_REL_LOC ? at + 4 : 0);
	} else if (field->kind == FIELD_ARRAY && !bytes) {
		bytes = record->bytes - at;
	}
	if (at > record->bytes || bytes > record->bytes - at)
		return NULL;
	*ret_bytes = bytes;
	return record->data + at;
}
