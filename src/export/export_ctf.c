/* SPDX-License-Identifier: MIT */
/*
 * The Common Trace Format 1.8, which Babeltrace and Trace Compass read: a directory with the
 * file `metadata`, which describes the events in TSDL, and one file for each CPU, which is
 * called a stream.
 *
 * A stream is a list of packets.  A packet is a header of struct ctf_packet and events:
 *
 *	uint32 id; uint64 timestamp;		the header of the event
 *	int32 pid; int32 tid; string comm;	the thread
 *	fields					as the event's declaration in the metadata says
 *
 * Nothing is aligned.  An event is declared when its first record is written, so the metadata
 * has no events without records.  Each stream has one packet in memory.  A stream's file is
 * opened again for each packet, so the number of CPUs is not limited by the number of
 * descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "export/export_impl.h"
#include "export/intern.h"

#define PACKET_BYTES	(64u << 10)	/* a packet is written to the file when it has this
					 * size, bytes */
#define PACKET_MAX	(64u << 20)	/* maximum size of a packet, bytes */
#define ARRAY_BYTES_MAX	4096u		/* maximum size of an array that the metadata declares
					 * with a fixed length; a longer array becomes a
					 * sequence, bytes */
#define NAMES_BYTES	(64u << 20)
#define CTF_MAGIC	0xc1fc1fc1u

/* The start of a packet; the metadata declare it as packet.header and packet.context. */
struct ctf_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t begin, end;
	uint64_t content_bits, packet_bits;
	uint64_t discarded;		/* number of records of the stream that were lost
					 * before the end of the packet */
	uint32_t cpu;
} __attribute__((packed));

/* The stream of a source of records: of one CPU of one buffer of a file. */
struct ctf_stream {
	struct text packet;		/* the packet to which events are appended; empty: no
					 * packet is begun */
	uint32_t source, cpu;
	uint64_t begin, end;		/* times of the first and the last event of the packet */
	uint64_t discarded;
	bool is_begun;			/* true: @packet was initialised by text_init() */
	bool has_file;
};

struct ctf_state {
	int dir;			/* descriptor of the output directory; -1: not open */
	uint8_t uuid[16];
	struct ctf_stream *streams;	/* array of nr_streams streams; the index is the
					 * number of the source */
	uint32_t nr_streams;
	struct intern events;		/* numbers for the events that are declared in the
					 * metadata; keys: addresses of the events */
	struct export_type **types;	/* for each of these numbers but 0, the types of the
					 * event's fields, which take longer to find than a
					 * record to write; array of nr_types pointers */
	uint32_t nr_types;
	struct text names;		/* identifiers of the fields of the event that is
					 * being declared, each with a NUL at its end */
};

/* ---- packets ---- */

static void fail(struct export *ex, int r)
{
	if (!ex->error)
		ex->error = r;
}

static int append_packet(const struct ctf_state *state, const struct ctf_stream *stream)
{
	char name[32];
	int fd, r;

	snprintf(name, sizeof(name), "cpu%u-%u", stream->cpu, stream->source);
	fd = openat(state->dir, name, O_WRONLY | O_CLOEXEC |
		    (stream->has_file ? O_APPEND : O_CREAT | O_EXCL), 0666);
	if (fd < 0)
		return -errno;
	r = export_write_all(fd, stream->packet.data, stream->packet.len);
	if (close(fd) && !r)
		r = -errno;
	return r;
}

static void end_packet(struct export *ex, struct ctf_stream *stream)
{
	const struct ctf_state *state = ex->state;
	struct text *packet = &stream->packet;
	struct ctf_packet head = {
		.magic = CTF_MAGIC, .begin = stream->begin, .end = stream->end,
		.content_bits = packet->len * 8, .packet_bits = packet->len * 8,
		.discarded = stream->discarded, .cpu = stream->cpu,
	};

	if (packet->error)
		fail(ex, packet->error);
	if (packet->len && !ex->error) {
		memcpy(head.uuid, state->uuid, sizeof(head.uuid));
		memcpy(packet->data, &head, sizeof(head));
		fail(ex, append_packet(state, stream));
		stream->has_file = true;
	}
	text_reset(packet);
}

static void begin_packet(struct ctf_stream *stream, uint64_t time)
{
	const struct ctf_packet head = { 0 };

	stream->begin = stream->end = time;
	text_write(&stream->packet, &head, sizeof(head));
}

/* Return the stream to which the record belongs; NULL if there is no memory. */
static struct ctf_stream *stream_of(struct export *ex, const struct datfile_record *record)
{
	struct ctf_state *state = ex->state;
	uint32_t nr = record->source + 1;
	struct ctf_stream *stream;

	if (nr > state->nr_streams) {
		struct ctf_stream *streams = realloc(state->streams, nr * sizeof(*streams));

		if (!streams) {
			fail(ex, -ENOMEM);
			return NULL;
		}
		memset(streams + state->nr_streams, 0,
		       (nr - state->nr_streams) * sizeof(*streams));
		state->streams = streams;
		state->nr_streams = nr;
	}
	stream = &state->streams[record->source];
	if (!stream->is_begun) {
		stream->is_begun = true;
		stream->source = record->source;
		stream->cpu = record->cpu;
		text_init(&stream->packet, PACKET_MAX);
	}
	return stream;
}

/* Return the time of the record in its stream.  Readers refuse times that go back, which a
 * broken file can contain.  So a record with such a time gets the time of the previous
 * record. */
static uint64_t stream_time(const struct ctf_stream *stream, uint64_t time)
{
	return time > stream->end ? time : stream->end;
}

/* ---- metadata: strings and names ---- */

/* Append a string literal of TSDL, which has the syntax of C. */
static void put_string(struct text *out, const char *string)
{
	text_putc(out, '"');
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c < ' ' || c == 0x7f)
			text_printf(out, "\\%03o", c);
		else if (c == '"' || c == '\\')
			text_printf(out, "\\%c", c);
		else
			text_putc(out, (char)c);
	}
	text_putc(out, '"');
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Return true if the name at offset @last of @names occurs before that offset, too. */
static bool is_taken(const struct text *names, size_t last)
{
	const char *name = names->data + last;

	for (size_t at = 0; at < last; at += strlen(names->data + at) + 1)
		if (!strcmp(names->data + at, name))
			return true;
	return false;
}

/* Return true if @name is a keyword of TSDL that begins with an underscore. */
static bool is_word(const char *name)
{
	return !strcmp(name, "_Bool") || !strcmp(name, "_Complex") || !strcmp(name, "_Imaginary");
}

/*
 * Append an identifier for the field @name to @names.  The identifier is an underscore and
 * the name.  The underscore makes it differ from most keywords of TSDL; readers remove it.
 * Characters that C does not allow in identifiers become underscores.  If another field of
 * the event has this identifier, or it is a keyword, a number is appended.  Returns the
 * offset of the identifier in @names.
 */
static size_t add_name(struct text *names, const char *name, const char *suffix)
{
	size_t start = names->len, end;

	text_printf(names, "_%s%s", name, suffix);
	for (size_t i = start; i < names->len; i++)
		if (!is_name_char(names->data[i]))
			names->data[i] = '_';
	end = names->len;
	text_putc(names, 0);
	for (unsigned int i = 2; !names->error &&
	     (is_taken(names, start) || is_word(names->data + start)); i++) {
		text_truncate(names, end);
		text_printf(names, "_%u", i);
		text_putc(names, 0);
	}
	return start;
}

/* ---- metadata: declarations ---- */

static bool is_fixed(const struct event_field *field)
{
	return (field->kind == FIELD_PLAIN || field->kind == FIELD_ARRAY) && field->size &&
	       field->size <= ARRAY_BYTES_MAX;
}

static void put_type(struct text *out, const struct event_field *field, struct value_type type)
{
	if (type_is_float(type))
		text_printf(out, "floating_point { exp_dig = %d; mant_dig = %d; align = 8; }",
			    type.size == 4 ? 8 : 11, type.size == 4 ? 24 : 53);
	else
		text_printf(out, "integer { size = %u; align = 8; signed = %s; base = %d; }",
			    type.size * 8u, type.is_signed ? "true" : "false",
			    strchr(field->type, '*') ? 16 : 10);
}

static void declare_field(struct export *ex, const struct datfile_event *event,
			  const struct event_field *field)
{
	struct ctf_state *state = ex->state;
	struct export_type type = export_type_of(event, field);
	bool is_sequence = type.shape == EXPORT_ARRAY && !is_fixed(field);
	size_t length = is_sequence ? add_name(&state->names, field->name, "_length") : 0;
	size_t name = add_name(&state->names, field->name, "");
	struct text *out = &ex->out;

	if (state->names.error)
		return;
	if (is_sequence)
		text_printf(out, "\t\tinteger { size = 32; align = 8; signed = false; } %s;\n",
			    state->names.data + length);
	text_puts(out, "\t\t");
	if (type.shape == EXPORT_STRING || type.has_names)
		text_puts(out, "string { encoding = UTF8; }");
	else
		put_type(out, field, type.element);
	text_printf(out, " %s", state->names.data + name);
	if (is_sequence)
		text_printf(out, "[%s]", state->names.data + length);
	else if (type.shape == EXPORT_ARRAY)
		text_printf(out, "[%u]", field->size / type.element.size);
	text_puts(out, ";\n");
}

static void declare_event(struct export *ex, const struct datfile_event *event, uint32_t id)
{
	const struct event_format *format = event->format;
	struct ctf_state *state = ex->state;
	struct text *out = &ex->out;

	text_puts(out, "event {\n\tname = ");
	text_reset(&ex->scratch);
	text_printf(&ex->scratch, "%s:%s", event->system, event->name);
	put_string(out, text_str(&ex->scratch));
	text_printf(out, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
	text_reset(&state->names);
	if (export_is_message(event))
		text_puts(out, "\t\tstring { encoding = UTF8; } _message;\n");
	for (size_t i = 0; !export_is_message(event) && i < format->nr_fields; i++)
		declare_field(ex, event, &format->fields[i]);
	text_puts(out, "\t};\n};\n\n");
	if (state->names.error)
		fail(ex, state->names.error);
}

/* Store the types of the fields of the event with the number @id, the next one. */
static int add_types(struct ctf_state *state, const struct datfile_event *event, uint32_t id)
{
	size_t nr = event->format->nr_fields;
	struct export_type **types = realloc(state->types, (id + 1) * sizeof(*types));

	if (!types)
		return -ENOMEM;
	state->types = types;
	while (state->nr_types <= id)
		types[state->nr_types++] = NULL;
	types[id] = calloc(nr + 1, sizeof(*types[id]));
	for (size_t i = 0; types[id] && i < nr; i++)
		types[id][i] = export_type_of(event, &event->format->fields[i]);
	return types[id] ? 0 : -ENOMEM;
}

static void put_uuid(struct text *out, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++)
		text_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			    uuid[i]);
}

/* The declarations at the start of the metadata, before those of the events.  The layout of
 * packets is that of struct ctf_packet. */
static const char preamble[] =
"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
"typealias integer { size = 64; align = 8; signed = false;\n"
"	map = clock.ulf.value; } := time_t;\n\n"
"stream {\n"
"	id = 0;\n"
"	packet.context := struct {\n"
"		time_t timestamp_begin;\n"
"		time_t timestamp_end;\n"
"		uint64_t content_size;\n"
"		uint64_t packet_size;\n"
"		uint64_t events_discarded;\n"
"		uint32_t cpu_id;\n"
"	};\n"
"	event.header := struct {\n"
"		uint32_t id;\n"
"		time_t timestamp;\n"
"	};\n"
"	event.context := struct {\n"
"		int32_t _pid;\n"
"		int32_t _tid;\n"
"		string { encoding = UTF8; } _comm;\n"
"	};\n"
"};\n\n";

/* Append the start of the metadata.  The offset of the clock is 0, because trace.dat does not
 * contain the time of day at which the clock was 0. */
static void put_preamble(struct text *out, const uint8_t *uuid, const char *clock)
{
	text_puts(out, "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(out, uuid);
	text_printf(out, "\";\n\tbyte_order = %s;\n"
		    "\tpacket.header := struct {\n"
		    "\t\tinteger { size = 32; align = 8; signed = false; base = 16; } magic;\n"
		    "\t\tinteger { size = 8; align = 8; signed = false; } uuid[16];\n"
		    "\t\tinteger { size = 32; align = 8; signed = false; } stream_id;\n"
		    "\t};\n};\n\n",
		    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be");
	text_puts(out, "env {\n\ttracer_name = \"ulf\";\n};\n\n"
		  "clock {\n\tname = \"ulf\";\n\tdescription = ");
	put_string(out, clock);
	text_puts(out, ";\n\tfreq = 1000000000;\n\toffset = 0;\n\tabsolute = false;\n};\n\n");
	text_puts(out, preamble);
}

/* ---- fields ---- */

static void put_bytes(struct text *out, const void *data, size_t bytes)
{
	text_write(out, data, bytes);
}

static void put_zeros(struct text *out, uint32_t bytes)
{
	while (bytes--)
		text_putc(out, 0);
}

/* Append a string value with a NUL at its end.  The value ends at its first NUL. */
static void put_value(struct text *out, const struct export_value *value)
{
	put_bytes(out, value->text, strnlen(value->text, value->len));
	text_putc(out, 0);
}

static void put_number(struct text *out, const struct datfile_record *record,
		       const struct event_field *field, struct value_type type)
{
	uint32_t end = field->offset + type.size;

	if (end >= type.size && end <= record->bytes)
		put_bytes(out, record->data + field->offset, type.size);
	else
		put_zeros(out, type.size);
}

static void put_array(struct export *ex, struct text *out, const struct datfile_record *record,
		      const struct event_field *field, const struct export_type *type)
{
	uint32_t size = type->element.size, bytes = 0, nr, fixed = field->size / size;
	const uint8_t *data = datfile_field_bytes(record, field, &bytes);

	nr = data ? bytes / size : 0;
	if (is_fixed(field) && nr > fixed)
		nr = fixed;
	if (!is_fixed(field))
		put_bytes(out, &nr, sizeof(nr));
	if (!type->has_names && nr)
		put_bytes(out, data, nr * size);
	for (uint32_t i = 0; type->has_names && i < nr; i++) {
		uint64_t addr;

		memcpy(&addr, data + i * size, sizeof(addr));
		text_reset(&ex->scratch);
		export_put_symbol(record->file, addr, &ex->scratch);
		text_puts(out, text_str(&ex->scratch));
		text_putc(out, 0);
	}
	if (is_fixed(field))
		put_zeros(out, (fixed - nr) * (type->has_names ? 1 : size));
}

/* Append the name of the code at the address in the field; "" if the record is too short. */
static void put_code(struct export *ex, struct text *out, const struct datfile_record *record,
		     const struct event_field *field)
{
	uint64_t addr;

	text_reset(&ex->scratch);
	if (field->offset <= record->bytes && record->bytes - field->offset >= sizeof(addr)) {
		memcpy(&addr, record->data + field->offset, sizeof(addr));
		export_put_symbol(record->file, addr, &ex->scratch);
	}
	put_bytes(out, text_str(&ex->scratch), strlen(text_str(&ex->scratch)) + 1);
}

static void put_field(struct export *ex, struct text *out, const struct datfile_record *record,
		      const struct event_field *field, const struct export_type *type)
{
	struct export_value value = { .text = "" };

	if (type->shape == EXPORT_SINGLE) {
		put_number(out, record, field, type->element);
	} else if (type->shape == EXPORT_ARRAY) {
		put_array(ex, out, record, field, type);
	} else if (type->has_names) {
		put_code(ex, out, record, field);
	} else {
		if (!export_value(ex, record, field, &value))
			value = (struct export_value){ .text = "" };
		put_value(out, &value);
	}
}

static void put_fields(struct export *ex, struct text *out, const struct datfile_record *record,
		       const struct export_type *types)
{
	const struct event_format *format = record->event->format;
	struct export_value value;

	if (export_is_message(record->event)) {
		export_message(ex, record, &value);
		put_value(out, &value);
		return;
	}
	for (size_t i = 0; i < format->nr_fields; i++)
		put_field(ex, out, record, &format->fields[i], &types[i]);
}

/* ---- methods ---- */

/* The output is a directory, so ex->out is written to the file `metadata` in it. */
static void start(struct export *ex)
{
	struct ctf_state *state = ex->state;
	int fd = openat(ex->fd, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	text_init(&state->names, NAMES_BYTES);
	state->dir = fd < 0 ? -1 : ex->fd;
	if (fd < 0 || getrandom(state->uuid, sizeof(state->uuid), 0) != sizeof(state->uuid))
		fail(ex, -errno);
	if (fd < 0)
		return;
	ex->fd = fd;
	put_preamble(&ex->out, state->uuid, datfile_buffer(ex->files[0], 0)->clock);
}

static void put_thread(struct text *out, const struct export_thread *thread)
{
	const char *comm = datfile_comm(thread->file, thread->pid);

	put_bytes(out, &thread->tgid, sizeof(thread->tgid));
	put_bytes(out, &thread->pid, sizeof(thread->pid));
	put_bytes(out, comm, strlen(comm) + 1);
}

static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	struct ctf_state *state = ex->state;
	struct ctf_stream *stream = stream_of(ex, record);
	bool is_new = false;
	uint32_t id = intern_id(&state->events, record->event, &is_new);

	if (!stream || !id) {
		fail(ex, -ENOMEM);
		return;
	}
	if (is_new) {
		declare_event(ex, record->event, id);
		fail(ex, add_types(state, record->event, id));
	}
	if (ex->error)
		return;
	if (!stream->packet.len)
		begin_packet(stream, stream_time(stream, record->time));
	stream->end = stream_time(stream, record->time);
	put_bytes(&stream->packet, &id, sizeof(id));
	put_bytes(&stream->packet, &stream->end, sizeof(stream->end));
	put_thread(&stream->packet, thread);
	put_fields(ex, &stream->packet, record, state->types[id]);
	if (stream->packet.len >= PACKET_BYTES || stream->packet.error)
		end_packet(ex, stream);
}

/* Each packet has the number of records that the stream had lost so far.  Readers compute a
 * loss as the difference between two packets.  So a stream that begins with a loss gets an
 * empty packet first. */
static void lost(struct export *ex, const struct datfile_record *record)
{
	struct ctf_stream *stream = stream_of(ex, record);
	uint64_t time;

	if (!stream)
		return;
	time = stream_time(stream, record->time);
	if (!stream->packet.len && !stream->has_file)
		begin_packet(stream, time);
	end_packet(ex, stream);
	stream->discarded += record->lost == UINT64_MAX ? 1 : record->lost;
	begin_packet(stream, time);
}

static void finish(struct export *ex)
{
	struct ctf_state *state = ex->state;

	for (uint32_t i = 0; i < state->nr_streams; i++)
		if (state->streams[i].is_begun)
			end_packet(ex, &state->streams[i]);
}

static void done(struct export *ex)
{
	struct ctf_state *state = ex->state;

	if (state->dir >= 0) {
		if (close(ex->fd))
			fail(ex, -errno);
		ex->fd = state->dir;
	}
	for (uint32_t i = 0; i < state->nr_streams; i++)
		text_done(&state->streams[i].packet);
	free(state->streams);
	for (uint32_t i = 0; i < state->nr_types; i++)
		free(state->types[i]);
	free(state->types);
	intern_done(&state->events);
	text_done(&state->names);
}

const struct export_format export_ctf = {
	.name = "ctf", .suffix = "ctf",
	.is_directory = true, .has_call_events = true,
	.state_bytes = sizeof(struct ctf_state),
	.start = start, .event = event, .lost = lost, .finish = finish, .done = done,
};
