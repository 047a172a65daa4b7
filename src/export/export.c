/* SPDX-License-Identifier: MIT */
/*
 * Read records, match the ends of calls to their starts, and call the methods of a format.
 *
 * The calls that have not ended are stored by thread and depth.  If thread T calls outer(),
 * and outer() calls inner(), the records and the methods are:
 *
 *	entry outer depth=0	thread(T), call_begin(outer)
 *	entry inner depth=1	call_begin(inner)
 *	exit  inner depth=1	call_end(inner)
 *	entry other depth=1	call_begin(other)
 *	entry again depth=0	call_end(other), call_end(outer): longjmp() has left both, and
 *				call_begin(again)
 *	(end of the records)	call_end(again)
 */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/control.h"
#include "export/export_impl.h"

#define TEXT_BYTES	(64u << 20)	/* maximum size of the output that waits to be
					 * written, bytes */
#define FLUSH_BYTES	(256u << 10)	/* the output is written to the file when it has this
					 * size, bytes */
#define BUCKETS		1024u
#define DEPTH_MAX	65536u		/* maximum depth of a call; deeper calls are left out */

static const struct export_format *const formats[] = {
	&export_perfetto, &export_json, &export_csv, &export_folded, &export_svg,
	&export_ctf,
};
#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

/* An event of the files, with properties that are looked up once for all its records. */
struct event_state {
	enum { EVENT_OTHER, EVENT_ENTRY, EVENT_EXIT } kind;
	const struct event_field *func, *depth, *start, *value, *args;
	struct export_counter *counters;
};

/* The state of export_files(). */
struct walk {
	struct export ex;
	struct event_state *states;	/* an array: an element for each event of each file */
	struct export_counter *counters;
	uint32_t nr_counters;
	bool *has_values;		/* an array with an element for each file: true if the
					 * file has return values */
	struct export_thread *threads[BUCKETS];
	uint32_t nr_threads;
	uint64_t last_time;
};

/* ---- formats ---- */

const struct export_format *export_format_find(const char *name)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct export_format *export_format_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < NR_FORMATS; i++)
		if (!strcmp(formats[i]->suffix, dot + 1))
			return formats[i];
	return NULL;
}

void export_formats_print(struct text *out)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		text_printf(out, " %s", formats[i]->name);
}

const char *export_format_suffix(const struct export_format *format)
{
	return format->suffix;
}

bool export_format_is_directory(const struct export_format *format)
{
	return format->is_directory;
}

/* ---- output ---- */

int export_write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t written = write(fd, data, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		data += written;
		bytes -= (size_t)written;
	}
	return 0;
}

static void flush(struct export *ex)
{
	struct text *out = &ex->out;
	int r = out->error ? out->error : export_write_all(ex->fd, out->data, out->len);

	text_reset(out);
	if (!ex->error)
		ex->error = r;
}

void export_flush_if_full(struct export *ex)
{
	if (ex->out.len >= FLUSH_BYTES || ex->out.error)
		flush(ex);
}

/* ---- events ---- */

static const struct event_field *find_field(const struct datfile_event *event, const char *name)
{
	return event_format_find(event->format, name, strlen(name));
}

static void init_event(struct event_state *state, const struct datfile_event *event)
{
	if (!export_is_call(event))
		return;
	state->func = find_field(event, "func");
	state->depth = find_field(event, "depth");
	state->args = find_field(event, "args");
	state->start = find_field(event, "calltime");
	state->value = find_field(event, "retval");
	if (!state->func || !state->depth)
		return;
	if (event->id != ABI_EVENT_ID_GRAPH_EXIT)
		state->kind = EVENT_ENTRY;
	else if (state->start)
		state->kind = EVENT_EXIT;
}

static int init_events(struct walk *walk)
{
	uint32_t nr = 0, at = 0;

	for (uint32_t i = 0; i < walk->ex.nr_files; i++)
		nr += datfile_nr_events(walk->ex.files[i]);
	walk->states = calloc(nr + 1, sizeof(*walk->states));
	if (!walk->states)
		return -ENOMEM;
	for (uint32_t i = 0; i < walk->ex.nr_files; i++)
		for (uint32_t j = 0; j < datfile_nr_events(walk->ex.files[i]); j++) {
			struct datfile_event *event = datfile_event_nth(walk->ex.files[i], j);

			event->user = &walk->states[at++];
			init_event(event->user, event);
		}
	return 0;
}

static bool is_option_on(const struct datfile *file, const char *name)
{
	const char *fact = datfile_fact(file, "options");
	size_t len = strlen(name);

	while (fact && *fact) {
		size_t one = strcspn(fact, ",");

		if (one == len && !memcmp(fact, name, len))
			return true;
		fact += one + (fact[one] == ',');
	}
	return false;
}

static int init_files(struct walk *walk, struct text *why)
{
	struct export *ex = &walk->ex;
	int r = 0;

	walk->has_values = calloc(ex->nr_files + 1, sizeof(*walk->has_values));
	if (!walk->has_values)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < ex->nr_files; i++) {
		walk->has_values[i] = is_option_on(ex->files[i], "funcgraph-retval");
		r = dat_select_events(&ex->settings->selection, ex->files[i], why);
	}
	return r;
}

/* ---- counters ---- */

/* Add the counter @name to the event of @file.  Returns true if the file has the field that
 * the counter shows. */
static bool add_counter(struct walk *walk, struct datfile *file, uint32_t number, const char *name)
{
	const char *dot = strrchr(name, '.'), *colon = memchr(name, ':', (size_t)(dot - name));
	const char *event_name = colon ? colon + 1 : name;
	size_t len = (size_t)(dot - event_name), system_len = (size_t)(event_name - name);
	bool has_found = false;

	for (uint32_t i = 0; i < datfile_nr_events(file); i++) {
		struct datfile_event *event = datfile_event_nth(file, i);
		const struct event_field *field = find_field(event, dot + 1);
		struct export_counter *counter = &walk->counters[walk->nr_counters];
		struct event_state *state = event->user;

		if (strlen(event->name) != len || memcmp(event->name, event_name, len) || !field ||
		    (colon && (strlen(event->system) + 1 != system_len ||
			       memcmp(event->system, name, system_len - 1))))
			continue;
		if (field->kind != FIELD_PLAIN || !export_is_number_size(field->size) || has_found)
			continue;
		*counter = (struct export_counter){
			.name = name, .number = number, .field = field, .next = state->counters,
		};
		state->counters = counter;
		walk->nr_counters++;
		has_found = true;
	}
	return has_found;
}

static int init_counters(struct walk *walk, struct text *why)
{
	const struct export_settings *settings = walk->ex.settings;

	walk->counters = calloc((size_t)settings->nr_counters * walk->ex.nr_files + 1,
				sizeof(*walk->counters));
	if (!walk->counters)
		return -ENOMEM;
	if (settings->nr_counters && !walk->ex.format->counter) {
		text_printf(why, "the format %s has no counters", walk->ex.format->name);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < settings->nr_counters; i++) {
		const char *name = settings->counters[i], *dot = strrchr(name, '.');
		bool has_found = false;

		if (!dot || dot == name || !dot[1]) {
			text_printf(why, "--counter: `%s` is not [SYSTEM:]EVENT.FIELD", name);
			return -EINVAL;
		}
		for (uint32_t j = 0; j < walk->ex.nr_files; j++)
			has_found |= add_counter(walk, walk->ex.files[j], i, name);
		if (!has_found) {
			text_printf(why, "--counter: no event of the files has the numeric field "
				    "`%s`; `ulf report --stats` lists the events", name);
			return -ENOENT;
		}
	}
	return 0;
}

static void put_counters(struct walk *walk, const struct datfile_record *record)
{
	const struct event_state *state = record->event->user;
	struct export_value value;

	for (const struct export_counter *at = state->counters; at; at = at->next)
		if (export_value(&walk->ex, record, at->field, &value) &&
		    value.kind != EXPORT_TEXT)
			walk->ex.format->counter(&walk->ex, at, record, &value);
}

/* ---- threads ---- */

static struct export_thread *add_thread(struct walk *walk, struct export_thread **bucket,
					const struct datfile_record *record)
{
	struct export_thread *thread = calloc(1, sizeof(*thread));
	int32_t tgid = datfile_tgid(record->file, record->pid);

	if (!thread)
		return NULL;
	*thread = (struct export_thread){
		.next = *bucket, .file = record->file, .buffer = record->buffer,
		.file_number = record->number, .pid = record->pid,
		.tgid = tgid ? tgid : record->pid, .number = walk->nr_threads++,
	};
	*bucket = thread;
	if (walk->ex.format->thread)
		walk->ex.format->thread(&walk->ex, thread);
	return thread;
}

/* Return the thread of the record.  The thread becomes the first in its hash bucket, because
 * its next record usually comes soon.  Returns NULL if there is no memory. */
static struct export_thread *thread_of(struct walk *walk, const struct datfile_record *record)
{
	struct export_thread **bucket = &walk->threads[((uint32_t)record->pid + record->number) %
						       BUCKETS];
	struct export_thread **at = bucket, *thread;

	while ((thread = *at) && (thread->pid != record->pid || thread->file != record->file ||
				  thread->buffer != record->buffer))
		at = &thread->next;
	if (!thread)
		return add_thread(walk, bucket, record);
	*at = thread->next;
	thread->next = *bucket;
	*bucket = thread;
	return thread;
}

static int grow_calls(struct export_thread *thread, uint32_t depth)
{
	uint32_t nr = thread->nr_calls ? thread->nr_calls : 16;
	struct export_call *calls;

	while (nr <= depth)
		nr *= 2;
	calls = realloc(thread->calls, nr * sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	memset(calls + thread->nr_calls, 0, (nr - thread->nr_calls) * sizeof(*calls));
	thread->calls = calls;
	thread->nr_calls = nr;
	return 0;
}

/* ---- calls ---- */

static void begin_call(struct walk *walk, struct export_thread *thread, struct export_call *call)
{
	call->is_running = true;
	thread->nr_running = call->depth + 1;
	walk->ex.totals.calls++;
	if (walk->ex.format->call_begin)
		walk->ex.format->call_begin(&walk->ex, thread, call);
}

static void end_call(struct walk *walk, const struct export_thread *thread,
		     struct export_call *call, const struct export_end *end)
{
	call->is_running = false;
	if (walk->ex.format->call_end)
		walk->ex.format->call_end(&walk->ex, thread, call, end);
}

/* End all calls of the thread from @depth on: the thread has left them without a record, or
 * there are no more records. */
static void leave_calls(struct walk *walk, struct export_thread *thread, uint32_t depth,
			uint64_t time)
{
	while (thread->nr_running > depth) {
		struct export_call *call = &thread->calls[--thread->nr_running];
		const struct export_end end = { .time = time, .cpu = call->cpu };

		if (call->is_running)
			end_call(walk, thread, call, &end);
	}
}

static void read_args(const struct datfile_record *record, const struct event_field *field,
		      struct export_call *call)
{
	uint32_t bytes;
	const void *data = field ? datfile_field_bytes(record, field, &bytes) : NULL;

	call->nr_args = data ? bytes / sizeof(call->args[0]) : 0;
	if (call->nr_args > EXPORT_ARGS_MAX)
		call->nr_args = EXPORT_ARGS_MAX;
	if (call->nr_args)
		memcpy(call->args, data, call->nr_args * sizeof(call->args[0]));
}

/* Read the function and the depth of a call.  Returns NULL if the record has none.  Also
 * returns NULL, and sets ex.error, if there is no memory. */
static struct export_call *read_call(struct walk *walk, struct export_thread *thread,
				     const struct datfile_record *record,
				     struct export_call *ret_call)
{
	const struct event_state *state = record->event->user;
	const struct datfile_symbol *symbol;
	int64_t func, depth;

	if (!datfile_field_number(record, state->func, &func) ||
	    !datfile_field_number(record, state->depth, &depth) || depth < 0 ||
	    depth >= DEPTH_MAX)
		return NULL;
	if (depth >= thread->nr_calls && grow_calls(thread, (uint32_t)depth)) {
		walk->ex.error = -ENOMEM;
		return NULL;
	}
	symbol = datfile_symbol(record->file, (uint64_t)func);
	ret_call->func = (uint64_t)func;
	ret_call->name = symbol ? symbol->name : NULL;
	ret_call->start = record->time;
	ret_call->depth = (uint32_t)depth;
	ret_call->cpu = record->cpu;
	ret_call->is_running = false;
	ret_call->nr_args = 0;
	return &thread->calls[depth];
}

static void use_entry(struct walk *walk, struct export_thread *thread,
		      const struct datfile_record *record)
{
	const struct event_state *state = record->event->user;
	struct export_call new, *call = read_call(walk, thread, record, &new);

	if (!call)
		return;
	leave_calls(walk, thread, new.depth, record->time);
	read_args(record, state->args, &new);
	*call = new;
	begin_call(walk, thread, call);
}

static void use_exit(struct walk *walk, struct export_thread *thread,
		     const struct datfile_record *record)
{
	const struct event_state *state = record->event->user;
	struct export_end end = { .time = record->time, .cpu = record->cpu, .is_return = true };
	struct export_call new, *call = read_call(walk, thread, record, &new);
	int64_t start, value;

	if (!call)
		return;
	leave_calls(walk, thread, new.depth + 1, record->time);
	if (call->is_running && call->func != new.func)
		leave_calls(walk, thread, new.depth, record->time);
	if (!call->is_running) {
		/* The record of the call's start was lost.  But the record of its end
		 * contains the time of the start. */
		*call = new;
		if (datfile_field_number(record, state->start, &start) &&
		    (uint64_t)start <= record->time)
			call->start = (uint64_t)start;
		begin_call(walk, thread, call);
	}
	end.has_value = walk->has_values[record->number] && state->value &&
			datfile_field_number(record, state->value, &value);
	if (end.has_value)
		end.value = (uint64_t)value;
	thread->nr_running = call->depth;
	end_call(walk, thread, call, &end);
}

/* ---- records ---- */

static int use_record(struct walk *walk, const struct datfile_record *record)
{
	const struct export_format *format = walk->ex.format;
	const struct event_state *state;
	struct export_thread *thread;

	if (record->lost && format->lost)
		format->lost(&walk->ex, record);
	if (record->lost != UINT64_MAX)
		walk->ex.totals.lost += record->lost;
	if (!record->event || !dat_select_has(&walk->ex.settings->selection, record))
		return 0;
	thread = thread_of(walk, record);
	if (!thread)
		return -ENOMEM;
	state = record->event->user;
	walk->ex.totals.records++;
	walk->last_time = record->time;
	if (state->kind == EVENT_ENTRY)
		use_entry(walk, thread, record);
	else if (state->kind == EVENT_EXIT)
		use_exit(walk, thread, record);
	if (format->event && (state->kind == EVENT_OTHER || format->has_call_events))
		format->event(&walk->ex, thread, record);
	if (state->counters)
		put_counters(walk, record);
	export_flush_if_full(&walk->ex);
	return walk->ex.error;
}

static void end_threads(struct walk *walk)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		for (struct export_thread *at = walk->threads[i]; at; at = at->next)
			leave_calls(walk, at, 0, walk->last_time);
}

static int read_records(struct walk *walk)
{
	struct datfile_stream *stream;
	struct datfile_record record;
	int r = datfile_stream_open(walk->ex.files, walk->ex.nr_files, &stream);

	if (r)
		return r;
	while ((r = datfile_stream_next(stream, &record)) > 0) {
		r = use_record(walk, &record);
		if (r)
			break;
	}
	/* If a file is broken, the records before the broken part are written, and the output
	 * is ended as usual. */
	if (!r || r == -EBADMSG) {
		end_threads(walk);
		walk->ex.format->finish(&walk->ex);
		flush(&walk->ex);
		r = walk->ex.error ? walk->ex.error : r;
	}
	datfile_stream_close(stream);
	return r;
}

static int check_calls(const struct walk *walk, struct text *why)
{
	if (!walk->ex.format->needs_calls || walk->ex.totals.calls)
		return 0;
	text_printf(why, "the format %s is for calls of functions, and there are none; record them "
		    "with `ulf record -p function_graph`", walk->ex.format->name);
	return -ENOENT;
}

static void walk_done(struct walk *walk)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		while (walk->threads[i]) {
			struct export_thread *thread = walk->threads[i];

			walk->threads[i] = thread->next;
			free(thread->calls);
			free(thread);
		}
	for (uint32_t i = 0; i < walk->ex.nr_files; i++)
		for (uint32_t j = 0; j < datfile_nr_events(walk->ex.files[i]); j++)
			datfile_event_nth(walk->ex.files[i], j)->user = NULL;
	free(walk->states);
	free(walk->counters);
	free(walk->has_values);
	free(walk->ex.state);
	text_done(&walk->ex.out);
	text_done(&walk->ex.scratch);
	free(walk);
}

int export_files(struct datfile *const *files, uint32_t nr, const struct export_format *format,
		 const struct export_settings *settings, int fd, struct text *why,
		 struct export_totals *ret_totals)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	int r;

	*ret_totals = (struct export_totals){ 0 };
	if (!walk)
		return -ENOMEM;
	walk->ex.fd = fd;
	walk->ex.format = format;
	walk->ex.settings = settings;
	walk->ex.why = why;
	walk->ex.files = files;
	walk->ex.nr_files = nr;
	text_init(&walk->ex.out, TEXT_BYTES);
	text_init(&walk->ex.scratch, TEXT_BYTES);
	walk->ex.state = calloc(1, format->state_bytes + 1);
	r = walk->ex.state ? init_events(walk) : -ENOMEM;
	if (!r)
		r = init_files(walk, why);
	if (!r)
		r = init_counters(walk, why);
	if (!r) {
		format->start(&walk->ex);
		r = walk->ex.error ? walk->ex.error : read_records(walk);
		format->done(&walk->ex);
		r = r ? r : walk->ex.error;
		r = r ? r : check_calls(walk, why);
	}
	*ret_totals = walk->ex.totals;
	walk_done(walk);
	return r;
}
