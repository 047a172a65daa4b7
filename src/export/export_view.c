/* SPDX-License-Identifier: MIT */
/*
 * Write a page for browsers that shows a trace and needs no network.  The file is
 * page/view.html with the style, the scripts and the records in it.  The records are a list
 * of items, in base64, so no text of a trace can end the script element that has them.
 * page/view_data.js reads them.
 *
 * An item begins with a byte: its kind, and flags.  Numbers are varints, as in protocol buffers.
 * A text is its number of bytes, and the bytes.
 *
 *	ITEM_BEGIN  thread? cpu? time depth? name args?	a call begins
 *	ITEM_END    thread? cpu? time value?		the innermost call of the thread ends
 *	ITEM_EVENT  thread? cpu? time event values	a record of another event
 *	ITEM_OTHER  one of enum other
 *
 * Thread and CPU are there with ITEM_THREAD and ITEM_CPU; else they are those of the item before.
 * The time is the difference to the item before, and with ITEM_BACK it is subtracted.  The depth is
 * there with ITEM_DEPTH; else the call is one deeper than its caller, or 0.  The name is
 * the number of a function, or 0 and an address.  The first use of a number, which is the number
 * of known functions plus 1, is followed by the name itself.  Events are numbered in the same way;
 * the first use is followed by system, name, number of fields, and the fields: name, type.
 *
 * Example: thread 0 calls f() at time 1000, f() calls itself at 1300, both end 5 later.
 *
 *	begin|thread|cpu 0 0 1000 1 "f"  begin 300 1  end|return 5  end|return 0
 */
#include "export/export_view.h"

#include <errno.h>
#include <inttypes.h>

#include "export/export_impl.h"
#include "export/intern.h"
#include "export/protobuf.h"
#include "export/view_page.h"

#define ITEMS_BYTES	(32u << 20)	/* maximum size of the items that are not in the
					 * output yet, bytes */
#define PART_BYTES	49152u		/* items are written to the output as base64 when they
					 * have this size, bytes */
#define LINE_BYTES	96u		/* number of bytes that become one line of base64; a
					 * multiple of 3 */

enum item_kind { ITEM_OTHER, ITEM_BEGIN, ITEM_END, ITEM_EVENT };
enum item_flag {
	ITEM_THREAD = 1 << 2, ITEM_CPU = 1 << 3, ITEM_BACK = 1 << 4,
	ITEM_MORE = 1 << 5,		/* flag of an item: after ITEM_BEGIN the arguments
					 * follow; after ITEM_END the return value follows */
	ITEM_RETURN = 1 << 6,		/* flag of ITEM_END: a record says that the function
					 * returned */
	ITEM_DEPTH = 1 << 7,		/* flag of ITEM_BEGIN: the caller has no record, so
					 * the depth of the call follows */
};
/* Items of the kind ITEM_OTHER, and the data that follows each of them. */
enum other {
	OTHER_END,			/* the last item; after it the numbers of records and
					 * of lost records */
	OTHER_THREAD,			/* a new thread, which gets the next number; after it
					 * pid, tgid, comm, process, instance */
	OTHER_LOST,			/* records were lost; after it CPU, time, and number
					 * of lost records plus 1 (0: not known) */
	OTHER_FILE,			/* name of an input */
	OTHER_CLOCK,			/* the name of the clock of the first file follows */
};

struct view_state {
	struct text items;
	struct intern functions;	/* numbers for functions; keys: addresses of their
					 * names */
	struct intern events;		/* numbers for events; keys: addresses of struct
					 * datfile_event */
	uint64_t time;			/* time of the item before */
	uint32_t thread, cpu;		/* thread and CPU of the previous item, plus 1; 0:
					 * there was no item */
	uint64_t nr_records;
};

/* ---- base64 ---- */

static void put_base64(struct text *out, const uint8_t *data, size_t bytes)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes; i += 3) {
		size_t left = bytes - i;
		uint32_t word = (uint32_t)data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) |
				(left > 2 ? data[i + 2] : 0);
		const char group[4] = {
			letters[word >> 18],
			letters[word >> 12 & 63],
			left > 1 ? letters[word >> 6 & 63] : '=',
			left > 2 ? letters[word & 63] : '=',
		};

		text_write(out, group, sizeof(group));
	}
}

/* Move items to the output as base64.  Bytes at the end that do not fill a line are moved
 * only if @is_last. */
static void move_items(struct export *ex, bool is_last)
{
	struct view_state *state = ex->state;
	struct text *items = &state->items;
	size_t at = 0;

	if (items->error) {
		ex->error = items->error;
		return;
	}
	for (; at + LINE_BYTES <= items->len || (is_last && at < items->len); at += LINE_BYTES) {
		size_t left = items->len - at;

		put_base64(&ex->out, (const uint8_t *)items->data + at,
			   left < LINE_BYTES ? left : LINE_BYTES);
		text_putc(&ex->out, '\n');
	}
	if (at < items->len)
		memmove(items->data, items->data + at, items->len - at);
	text_truncate(items, at < items->len ? items->len - at : 0);
}

/* ---- items ---- */

static void put_text(struct text *items, const char *data, size_t len)
{
	pb_put_varint(items, len);
	text_write(items, data, len);
}

static void put_string(struct text *items, const char *string)
{
	put_text(items, string, strlen(string));
}

static void put_other(struct text *items, enum other other)
{
	text_putc(items, ITEM_OTHER);
	pb_put_varint(items, other);
}

/* Append the time as the difference to the time of the previous item. */
static void put_time(struct view_state *state, uint64_t time)
{
	pb_put_varint(&state->items, time < state->time ? state->time - time : time - state->time);
	state->time = time;
}

/* Begin an item: append its kind, thread, CPU and time. */
static void begin_item(struct export *ex, uint32_t kind, const struct export_thread *thread,
		       uint32_t cpu, uint64_t time)
{
	struct view_state *state = ex->state;
	bool is_new_thread = state->thread != thread->number + 1;
	bool is_new_cpu = state->cpu != cpu + 1;

	if (state->items.len >= PART_BYTES)
		move_items(ex, false);
	text_putc(&state->items, (char)(kind | (is_new_thread ? ITEM_THREAD : 0) |
					(is_new_cpu ? ITEM_CPU : 0) |
					(time < state->time ? ITEM_BACK : 0)));
	if (is_new_thread)
		pb_put_varint(&state->items, thread->number);
	if (is_new_cpu)
		pb_put_varint(&state->items, cpu);
	put_time(state, time);
	state->thread = thread->number + 1;
	state->cpu = cpu + 1;
}

/* Count a record.  Returns false, and sets ex->error, if the page has no space for more
 * records. */
static bool add_record(struct export *ex, uint64_t time)
{
	const struct view_settings *settings = ex->settings->arg;
	struct view_state *state = ex->state;

	if (state->nr_records < settings->max_records) {
		state->nr_records++;
		return true;
	}
	if (!ex->error)
		text_printf(ex->why, "there are more than %" PRIu64 " records, the limit of a "
			    "page.  These are the records before %" PRIu64 ".%09" PRIu64
			    ".  Select some with --since, --until, --event or --filter, or raise "
			    "the limit with --max-records", settings->max_records,
			    time / 1000000000, time % 1000000000);
	ex->error = -E2BIG;
	return false;
}

/* ---- methods ---- */

/* Append the part of @page before @mark, or all of @page if it does not contain @mark.
 * Returns the part after @mark. */
static const char *put_page(struct text *out, const char *page, const char *mark)
{
	const char *at = mark ? strstr(page, mark) : NULL;

	text_write(out, page, at ? (size_t)(at - page) : strlen(page));
	return at ? at + strlen(mark) : page + strlen(page);
}

static void start(struct export *ex)
{
	struct view_state *state = ex->state;
	struct text *out = &ex->out;
	const char *page = put_page(out, asset_view_html, "@STYLE@");

	text_puts(out, asset_view_css);
	put_page(out, page, "@RECORDS@");
	text_init(&state->items, ITEMS_BYTES);
	for (uint32_t i = 0; i < ex->nr_files; i++) {
		put_other(&state->items, OTHER_FILE);
		put_string(&state->items, datfile_path(ex->files[i]));
	}
	if (datfile_nr_buffers(ex->files[0])) {
		put_other(&state->items, OTHER_CLOCK);
		put_string(&state->items, datfile_buffer(ex->files[0], 0)->clock);
	}
}

static void put_thread(struct export *ex, const struct export_thread *thread)
{
	struct view_state *state = ex->state;
	struct text *items = &state->items;

	put_other(items, OTHER_THREAD);
	pb_put_varint(items, (uint32_t)thread->pid);
	pb_put_varint(items, (uint32_t)thread->tgid);
	put_string(items, datfile_comm(thread->file, thread->pid));
	put_string(items, datfile_comm(thread->file, thread->tgid));
	put_string(items, thread->buffer->name);
}

static void put_name(struct export *ex, const struct export_call *call)
{
	struct view_state *state = ex->state;
	bool is_new = false;
	uint32_t id = call->name ? intern_id(&state->functions, call->name, &is_new) : 0;

	pb_put_varint(&state->items, id);
	if (!id)
		pb_put_varint(&state->items, call->func);
	else if (is_new)
		put_string(&state->items, call->name);
}

static void call_begin(struct export *ex, const struct export_thread *thread,
		       const struct export_call *call)
{
	struct view_state *state = ex->state;
	bool has_caller = !call->depth || thread->calls[call->depth - 1].is_running;

	if (!add_record(ex, call->start))
		return;
	begin_item(ex, ITEM_BEGIN | (call->nr_args ? ITEM_MORE : 0) |
		   (has_caller ? 0 : ITEM_DEPTH), thread, call->cpu, call->start);
	if (!has_caller)
		pb_put_varint(&state->items, call->depth);
	put_name(ex, call);
	if (call->nr_args)
		pb_put_varint(&state->items, call->nr_args);
	for (uint32_t i = 0; i < call->nr_args; i++)
		pb_put_varint(&state->items, call->args[i]);
}

static void call_end(struct export *ex, const struct export_thread *thread,
		     const struct export_call *call, const struct export_end *end)
{
	struct view_state *state = ex->state;

	(void)call;
	if (ex->error || (end->is_return && !add_record(ex, end->time)))
		return;
	begin_item(ex, ITEM_END | (end->has_value ? ITEM_MORE : 0) |
		   (end->is_return ? ITEM_RETURN : 0), thread, end->cpu, end->time);
	if (end->has_value)
		pb_put_varint(&state->items, end->value);
}

static void put_event(struct view_state *state, const struct datfile_event *event)
{
	const struct event_format *format = event->format;
	struct text *items = &state->items;
	bool is_message = export_is_message(event), is_new;
	uint32_t id = intern_id(&state->events, event, &is_new);

	pb_put_varint(items, id);
	if (!is_new)
		return;
	put_string(items, event->system);
	put_string(items, event->name);
	pb_put_varint(items, is_message ? 1 : format->nr_fields);
	if (is_message) {
		put_string(items, "message");
		put_string(items, "char[]");
	}
	for (size_t i = 0; !is_message && i < format->nr_fields; i++) {
		put_string(items, format->fields[i].name);
		put_string(items, format->fields[i].type);
	}
}

/* Append a value to the items: its kind plus 1, and the value; only a 0 if the record is too
 * short to contain it. */
static void put_value(struct text *items, const struct export_value *value)
{
	if (!value) {
		text_putc(items, 0);
		return;
	}
	text_putc(items, (char)(value->kind + 1));
	if (value->kind == EXPORT_TEXT)
		put_text(items, value->text, value->len);
	else if (value->kind == EXPORT_DOUBLE)
		text_write(items, &value->real, sizeof(value->real));
	else
		pb_put_varint(items, (uint64_t)value->number);
}

static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	const struct event_format *format = record->event->format;
	struct view_state *state = ex->state;
	struct export_value value;

	if (!add_record(ex, record->time))
		return;
	begin_item(ex, ITEM_EVENT, thread, record->cpu, record->time);
	put_event(state, record->event);
	if (export_is_message(record->event)) {
		export_message(ex, record, &value);
		put_value(&state->items, &value);
		return;
	}
	for (size_t i = 0; i < format->nr_fields; i++)
		put_value(&state->items, export_value(ex, record, &format->fields[i], &value) ?
					 &value : NULL);
}

static void lost(struct export *ex, const struct datfile_record *record)
{
	struct view_state *state = ex->state;

	put_other(&state->items, OTHER_LOST);
	pb_put_varint(&state->items, record->cpu);
	pb_put_varint(&state->items, record->time);
	pb_put_varint(&state->items, record->lost + 1);
}

static void finish(struct export *ex)
{
	static const char *const scripts[] = {
		asset_view_data_js, asset_view_draw_js, asset_view_flame_js, asset_view_main_js,
	};
	struct view_state *state = ex->state;
	const char *page = strstr(asset_view_html, "@RECORDS@") + strlen("@RECORDS@");

	put_other(&state->items, OTHER_END);
	pb_put_varint(&state->items, ex->totals.records);
	pb_put_varint(&state->items, ex->totals.lost);
	move_items(ex, true);
	page = put_page(&ex->out, page, "@SCRIPT@");
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		text_puts(&ex->out, scripts[i]);
	put_page(&ex->out, page, NULL);
}

static void done(struct export *ex)
{
	struct view_state *state = ex->state;

	text_done(&state->items);
	intern_done(&state->functions);
	intern_done(&state->events);
}

const struct export_format export_view = {
	.name = "html", .suffix = "html",
	.state_bytes = sizeof(struct view_state),
	.start = start, .thread = put_thread, .call_begin = call_begin, .call_end = call_end,
	.event = event, .lost = lost, .finish = finish, .done = done,
};
