/* SPDX-License-Identifier: MIT */
/*
 * The JSON of Chrome's trace viewer, which Perfetto and Speedscope read, too: an object with
 * an array of events.  A call is a single event of the type "X" with a duration.  Times are
 * in microseconds.
 */
#include "base/json.h"
#include "export/export_impl.h"

struct json_state {
	bool has_event;			/* true: the array has an event, so a comma must come
					 * before the next event */
};

static void put_string(struct export *ex, const char *string)
{
	json_put_string(&ex->out, string, strlen(string));
}

/* Append a time, or a duration, in microseconds. */
static void put_time(struct export *ex, uint64_t ns)
{
	char digits[4] = { '.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
			   (char)('0' + ns % 10) };

	export_put_uint(&ex->out, ns / 1000);
	text_write(&ex->out, digits, sizeof(digits));
}

/* Begin an event of the array, up to its name, which the caller appends. */
static void begin_event(struct export *ex, const char *phase)
{
	struct json_state *state = ex->state;

	text_puts(&ex->out, state->has_event ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	state->has_event = true;
	text_puts(&ex->out, phase);
	text_puts(&ex->out, "\",\"name\":");
}

static void put_thread(struct export *ex, const struct export_thread *thread)
{
	text_puts(&ex->out, ",\"pid\":");
	export_put_int(&ex->out, thread->tgid);
	text_puts(&ex->out, ",\"tid\":");
	export_put_int(&ex->out, thread->pid);
}

static void put_start(struct export *ex, uint64_t time)
{
	text_puts(&ex->out, ",\"ts\":");
	put_time(ex, time);
}

static void put_value(struct export *ex, const struct export_value *value)
{
	if (value->kind == EXPORT_TEXT)
		json_put_string(&ex->out, value->text, value->len);
	else if (value->kind == EXPORT_INT)
		export_put_int(&ex->out, value->number);
	else if (value->kind == EXPORT_UINT)
		export_put_uint(&ex->out, (uint64_t)value->number);
	else if (value->real - value->real == 0)
		text_printf(&ex->out, "%.17g", value->real);
	else
		text_printf(&ex->out, "\"%g\"", value->real);	/* JSON has no infinity */
}

/* ---- methods ---- */

static void start(struct export *ex)
{
	text_puts(&ex->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void put_name_of(struct export *ex, const struct export_thread *thread, const char *what,
			const char *name)
{
	begin_event(ex, "M");
	put_string(ex, what);
	put_thread(ex, thread);
	text_puts(&ex->out, ",\"args\":{\"name\":");
	put_string(ex, name);
	text_puts(&ex->out, "}}");
}

static void put_thread_names(struct export *ex, const struct export_thread *thread)
{
	put_name_of(ex, thread, "process_name", datfile_comm(thread->file, thread->tgid));
	put_name_of(ex, thread, "thread_name", datfile_comm(thread->file, thread->pid));
}

static void put_hex(struct export *ex, uint64_t value)
{
	text_printf(&ex->out, "\"%#llx\"", (unsigned long long)value);
}

static void put_call_args(struct export *ex, const struct export_call *call,
			  const struct export_end *end)
{
	text_puts(&ex->out, ",\"args\":{\"cpu\":");
	export_put_uint(&ex->out, call->cpu);
	for (uint32_t i = 0; i < call->nr_args; i++) {
		text_printf(&ex->out, ",\"arg%u\":", i + 1);
		put_hex(ex, call->args[i]);
	}
	if (end->has_value) {
		text_puts(&ex->out, ",\"ret\":");
		put_hex(ex, end->value);
	}
	if (!end->is_return)
		text_puts(&ex->out, ",\"returned\":false");
	text_putc(&ex->out, '}');
}

static void call_end(struct export *ex, const struct export_thread *thread,
		     const struct export_call *call, const struct export_end *end)
{
	begin_event(ex, "X");
	if (call->name)
		put_string(ex, call->name);
	else
		put_hex(ex, call->func);
	text_puts(&ex->out, ",\"cat\":\"function\"");
	put_thread(ex, thread);
	put_start(ex, call->start);
	text_puts(&ex->out, ",\"dur\":");
	put_time(ex, end->time > call->start ? end->time - call->start : 0);
	put_call_args(ex, call, end);
	text_putc(&ex->out, '}');
}

static void put_fields(struct export *ex, const struct datfile_record *record)
{
	const struct event_format *format = record->event->format;
	struct export_value value;

	for (size_t i = 0; i < format->nr_fields; i++) {
		if (!export_value(ex, record, &format->fields[i], &value))
			continue;
		text_putc(&ex->out, ',');
		put_string(ex, format->fields[i].name);
		text_putc(&ex->out, ':');
		put_value(ex, &value);
	}
}

static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	struct export_value value;

	begin_event(ex, "i");
	put_string(ex, record->event->name);
	text_puts(&ex->out, ",\"cat\":");
	put_string(ex, record->event->system);
	put_thread(ex, thread);
	put_start(ex, record->time);
	text_puts(&ex->out, ",\"s\":\"t\",\"args\":{\"cpu\":");
	export_put_uint(&ex->out, record->cpu);
	if (export_is_message(record->event)) {
		export_message(ex, record, &value);
		text_puts(&ex->out, ",\"message\":");
		put_value(ex, &value);
	} else {
		put_fields(ex, record);
	}
	text_puts(&ex->out, "}}");
}

static void counter(struct export *ex, const struct export_counter *counter,
		    const struct datfile_record *record, const struct export_value *value)
{
	int32_t tgid = datfile_tgid(record->file, record->pid);

	begin_event(ex, "C");
	put_string(ex, counter->name);
	text_puts(&ex->out, ",\"pid\":");
	export_put_int(&ex->out, tgid ? tgid : record->pid);
	put_start(ex, record->time);
	text_puts(&ex->out, ",\"args\":{\"value\":");
	put_value(ex, value);
	text_puts(&ex->out, "}}");
}

static void lost(struct export *ex, const struct datfile_record *record)
{
	begin_event(ex, "i");
	text_puts(&ex->out, "\"records were lost\",\"pid\":0,\"tid\":0");
	put_start(ex, record->time);
	text_puts(&ex->out, ",\"s\":\"g\",\"args\":{\"cpu\":");
	export_put_uint(&ex->out, record->cpu);
	if (record->lost != UINT64_MAX) {
		text_puts(&ex->out, ",\"number\":");
		export_put_uint(&ex->out, record->lost);
	}
	text_puts(&ex->out, "}}");
}

static void finish(struct export *ex)
{
	text_puts(&ex->out, "\n]}\n");
}

static void done(struct export *ex)
{
	(void)ex;
}

const struct export_format export_json = {
	.name = "json", .suffix = "json",
	.state_bytes = sizeof(struct json_state),
	.start = start, .thread = put_thread_names, .call_end = call_end, .event = event,
	.counter = counter, .lost = lost, .finish = finish, .done = done,
};
