/* SPDX-License-Identifier: MIT */
/*
 * CSV (RFC 4180): a line for each call and each event.  A call is written when it ends.
 * Without a list of events the last column has the fields, as name=value.  With a list, each
 * field of the listed events is a column.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/export_impl.h"
#include "export/intern.h"

struct csv_state {
	const char **names;		/* names of the fields that have a column: an array of
					 * nr names */
	uint32_t nr;
	struct intern events;		/* numbers for the events of the files; keys:
					 * addresses of the events */
	const struct event_field **fields;	/* for each event the fields of its nr
						 * columns; NULL: the event lacks the field of
						 * the column */
	struct text line;		/* text of the fields of one record, as name=value */
};

/* ---- columns ---- */

static bool has_columns(const struct export *ex)
{
	return ex->settings->selection.events;
}

static int add_name(struct csv_state *state, const char *name)
{
	const char **names;

	for (uint32_t i = 0; i < state->nr; i++)
		if (!strcmp(state->names[i], name))
			return 0;
	names = realloc(state->names, (state->nr + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	state->names = names;
	names[state->nr++] = name;
	return 0;
}

static bool is_listed(const struct datfile_event *event)
{
	return !event->is_left_out && !export_is_call(event);
}

/* Collect the names of all fields of the file's selected events. */
static int add_names(struct export *ex, struct datfile *file)
{
	int r = 0;

	for (uint32_t i = 0; i < datfile_nr_events(file); i++) {
		const struct datfile_event *event = datfile_event_nth(file, i);

		for (size_t j = 0; !r && is_listed(event) && j < event->format->nr_fields; j++)
			r = add_name(ex->state, event->format->fields[j].name);
	}
	return r;
}

/* Look up the fields of all events for the columns. */
static int add_fields(struct export *ex, struct datfile *file)
{
	struct csv_state *state = ex->state;

	for (uint32_t i = 0; i < datfile_nr_events(file); i++) {
		const struct datfile_event *event = datfile_event_nth(file, i);
		const struct event_field **fields;
		bool is_new;
		uint32_t id;

		if (!is_listed(event))
			continue;
		id = intern_id(&state->events, event, &is_new);
		fields = id ? realloc(state->fields, (size_t)id * state->nr * sizeof(*fields)) :
			      NULL;
		if (!fields && state->nr)
			return -ENOMEM;
		state->fields = fields;
		for (uint32_t j = 0; j < state->nr; j++)
			fields[(size_t)(id - 1) * state->nr + j] = event_format_find(
				event->format, state->names[j], strlen(state->names[j]));
	}
	return 0;
}

static int find_columns(struct export *ex)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < ex->nr_files; i++)
		r = add_names(ex, ex->files[i]);
	for (uint32_t i = 0; !r && i < ex->nr_files; i++)
		r = add_fields(ex, ex->files[i]);
	return r;
}

/* ---- values ---- */

/* Append a value.  Put it in quotes if it contains a comma, a quote or a newline. */
static void put_bytes(struct text *out, const char *bytes, size_t len)
{
	bool is_quoted = false;

	for (size_t i = 0; i < len; i++)
		is_quoted |= bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' ||
			     bytes[i] == '\r';
	if (!is_quoted) {
		text_write(out, bytes, len);
		return;
	}
	text_putc(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '"')
			text_putc(out, '"');
		text_putc(out, bytes[i]);
	}
	text_putc(out, '"');
}

static void put_string(struct text *out, const char *string)
{
	put_bytes(out, string, strlen(string));
}

static void put_plain(struct text *out, const struct export_value *value)
{
	if (value->kind == EXPORT_TEXT)
		text_write(out, value->text, value->len);
	else if (value->kind == EXPORT_DOUBLE)
		text_printf(out, "%.17g", value->real);
	else if (value->kind == EXPORT_INT)
		export_put_int(out, value->number);
	else
		export_put_uint(out, (uint64_t)value->number);
}

static void put_value(struct text *out, const struct export_value *value)
{
	if (value->kind == EXPORT_TEXT)
		put_bytes(out, value->text, value->len);
	else
		put_plain(out, value);
}

/* Begin a line: append the columns that all lines have, up to the name of the event. */
static void begin_line(struct export *ex, const struct export_thread *thread, uint64_t time,
		       uint32_t cpu)
{
	struct text *out = &ex->out;

	export_put_uint(out, time);
	text_putc(out, ',');
	export_put_uint(out, cpu);
	text_putc(out, ',');
	export_put_int(out, thread->tgid);
	text_putc(out, ',');
	export_put_int(out, thread->pid);
	text_putc(out, ',');
	put_string(out, datfile_comm(thread->file, thread->pid));
	text_putc(out, ',');
}

/* ---- methods ---- */

static void start(struct export *ex)
{
	struct csv_state *state = ex->state;

	text_init(&state->line, 1u << 20);
	text_puts(&ex->out, "time,cpu,tgid,pid,comm,event,depth,duration,");
	if (!has_columns(ex)) {
		text_puts(&ex->out, "fields\r\n");
		return;
	}
	text_puts(&ex->out, "message");
	ex->error = find_columns(ex);
	for (uint32_t i = 0; i < state->nr; i++) {
		text_putc(&ex->out, ',');
		put_string(&ex->out, state->names[i]);
	}
	text_puts(&ex->out, "\r\n");
}

/* Append a field as name=value.  Put a blank before it if it is not the first field. */
static void add_field(struct text *line, const char *name, const struct export_value *value)
{
	if (line->len)
		text_putc(line, ' ');
	text_puts(line, name);
	text_putc(line, '=');
	put_plain(line, value);
}

static void put_call_fields(struct export *ex, const struct export_call *call,
			    const struct export_end *end)
{
	struct csv_state *state = ex->state;

	text_reset(&state->line);
	for (uint32_t i = 0; i < call->nr_args; i++)
		text_printf(&state->line, "%sarg%u=%#llx", i ? " " : "", i + 1,
			    (unsigned long long)call->args[i]);
	if (end->has_value)
		text_printf(&state->line, "%sret=%#llx", state->line.len ? " " : "",
			    (unsigned long long)end->value);
	put_bytes(&ex->out, state->line.data, state->line.len);
}

static void call_end(struct export *ex, const struct export_thread *thread,
		     const struct export_call *call, const struct export_end *end)
{
	struct csv_state *state = ex->state;
	struct text *out = &ex->out;

	begin_line(ex, thread, call->start, call->cpu);
	text_reset(&ex->scratch);
	export_call_name(call, &ex->scratch);
	put_bytes(out, ex->scratch.data, ex->scratch.len);
	text_putc(out, ',');
	export_put_uint(out, call->depth);
	text_putc(out, ',');
	/* The duration of a call without a recorded end is not known. */
	if (end->is_return)
		export_put_uint(out, end->time > call->start ? end->time - call->start : 0);
	text_putc(out, ',');
	put_call_fields(ex, call, end);
	for (uint32_t i = 0; i < state->nr; i++)
		text_putc(out, ',');
	text_puts(out, "\r\n");
}

/* Append the value of each column whose field the event has. */
static void put_columns(struct export *ex, const struct datfile_record *record)
{
	struct csv_state *state = ex->state;
	bool is_new;
	uint32_t id = intern_id(&state->events, record->event, &is_new);
	struct export_value value;

	for (uint32_t i = 0; id && i < state->nr; i++) {
		const struct event_field *field =
			state->fields[(size_t)(id - 1) * state->nr + i];

		text_putc(&ex->out, ',');
		if (field && export_value(ex, record, field, &value))
			put_value(&ex->out, &value);
	}
}

static void put_fields(struct export *ex, const struct datfile_record *record)
{
	const struct event_format *format = record->event->format;
	struct csv_state *state = ex->state;
	struct export_value value;

	text_reset(&state->line);
	for (size_t i = 0; i < format->nr_fields; i++)
		if (export_value(ex, record, &format->fields[i], &value))
			add_field(&state->line, format->fields[i].name, &value);
	put_bytes(&ex->out, state->line.data, state->line.len);
}

static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	struct export_value value;

	begin_line(ex, thread, record->time, record->cpu);
	put_string(&ex->out, record->event->name);
	text_puts(&ex->out, ",,,");
	if (export_is_message(record->event)) {
		export_message(ex, record, &value);
		put_value(&ex->out, &value);
	} else if (!has_columns(ex)) {
		put_fields(ex, record);
	}
	put_columns(ex, record);
	text_puts(&ex->out, "\r\n");
}

static void finish(struct export *ex)
{
	(void)ex;
}

static void done(struct export *ex)
{
	struct csv_state *state = ex->state;

	free(state->names);
	free(state->fields);
	intern_done(&state->events);
	text_done(&state->line);
}

const struct export_format export_csv = {
	.name = "csv", .suffix = "csv",
	.state_bytes = sizeof(struct csv_state),
	.start = start, .call_end = call_end, .event = event, .finish = finish, .done = done,
};
