/* SPDX-License-Identifier: MIT */
/* Print a record as a line of `trace`, as text or, with the options raw, hex and bin,
 * as numbers. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/event_line.h"
#include "event/format.h"
#include "event/option.h"
#include "event/print.h"
#include "server/names/printk.h"
#include "server/print/graph.h"
#include "server/print/line_impl.h"
#include "server/print/ptrhash.h"
#include "server/print/tracer.h"
#include "server/rings/merge.h"

/* Options that print the data of an event as numbers and not as text. */
#define NUMBERS		(OPTION_RAW | OPTION_HEX | OPTION_BIN)

static uint64_t print_hash_ptr(void *ctx, uint64_t ptr)
{
	(void)ctx;
	return ptrhash(ptr);
}

/* Print a record of ftrace:raw_data, which a write to trace_marker_raw has made. */
static void print_raw_data(const struct line *line, struct text *out)
{
	const struct merge_record *record = line->record;
	uint32_t id;

	if (record->bytes < 12) {
		text_puts(out, "[a marker cut short]\n");
		return;
	}
	memcpy(&id, record->data + 8, sizeof(id));
	text_printf(out, "# %" PRIx32 " buf:", id);
	for (uint32_t i = 12; i < record->bytes; i++)
		text_printf(out, " %02x", record->data[i]);
	text_putc(out, '\n');
}

/* How records of one built-in event are printed.  Built-in events are those that the
 * kernel has in the system `ftrace`. */
static const struct builtin_event {
	uint16_t type;
	uint64_t numbers;		/* bitmap of those options of NUMBERS that the
					 * method @print supports */
	void (*print)(const struct line *line, struct text *out);
} builtin_events[] = {
	{ ABI_EVENT_ID_FUNCTION, NUMBERS, function_print },
	{ ABI_EVENT_ID_STACK, 0, stack_print },
	{ ABI_EVENT_ID_PRINT, OPTION_RAW, printk_print },
	{ ABI_EVENT_ID_BPRINT, OPTION_RAW, printk_print },
	{ ABI_EVENT_ID_GRAPH_EXIT, 0, graph_print },
	{ ABI_EVENT_ID_GRAPH_ENTRY, 0, graph_print },
	{ ABI_EVENT_ID_GRAPH_RETADDR, 0, graph_print },
	{ ABI_EVENT_ID_BPUTS, OPTION_RAW, printk_print },
	{ ABI_EVENT_ID_RAW_DATA, OPTION_RAW, print_raw_data },
	{ ABI_EVENT_ID_FUNC_REPEATS, OPTION_RAW, func_repeats_print },
};

/* Return the built-in event of type @type, or NULL if there is no such event. */
static const struct builtin_event *builtin_event(uint16_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtin_events); i++)
		if (builtin_events[i].type == type)
			return &builtin_events[i];
	return NULL;
}

/* Return true if a function of the event's own prints the record, and not the event's print
 * format. */
static bool is_own_line(const struct line *line, const struct event_format *format)
{
	return format->line && !(line->options & OPTION_FIELDS) && format->line->is_known(format);
}

/* End the text of a record with a newline.  @r: negative if the record is too short; then a
 * note about this is printed first. */
static void end_event(const struct merge_record *record, int r, struct text *out)
{
	if (r < 0)
		text_printf(out, "[%u bytes are too short for this event]", record->bytes);
	text_putc(out, '\n');
}

void line_print_event(const struct line *line, const struct event_format *format,
		      const struct print_program *program, const struct print_env *env,
		      struct text *out)
{
	const struct merge_record *record = line->record;
	struct print_env with_hash = *env;
	size_t start = out->len;
	int r;

	with_hash.hash_ptr = line->options & OPTION_HASH_PTR ? print_hash_ptr : NULL;
	if (is_own_line(line, format)) {
		r = format->line->print(format, record->data, record->bytes,
					line->options & OPTION_VERBOSE, out);
		end_event(record, r, out);
		return;
	}
	text_puts(out, format->name);
	text_write(out, ": ", 2);
	if (program && !(line->options & OPTION_FIELDS)) {
		r = print_record(program, record->data, record->bytes, &with_hash, out);
	} else {
		r = print_record_fields(format, record->data, record->bytes, &with_hash, out);
		text_one_line(out, start);
	}
	end_event(record, r, out);
}

/* Print a record as text: with the event's print format; or, if the option `fields` is
 * on, field by field. */
static void print_text(const struct line *line, struct text *out)
{
	uint16_t type = line->entry.type;
	const struct builtin_event *builtin = builtin_event(type);

	if (builtin && (line->options & OPTION_FIELDS))
		text_printf(out, "UNKNOWN TYPE %u\n", type);
	else if (builtin)
		builtin->print(line, out);
	else if (!line->source->names->event(line, out))
		text_printf(out, "Unknown type %u\n", type);
}

static void print_numbers(const struct line *line, struct text *out)
{
	uint16_t type = line->entry.type;
	const struct builtin_event *builtin = builtin_event(type);
	uint64_t wanted = line->options & OPTION_BIN ? OPTION_BIN :
			  line->options & OPTION_HEX ? OPTION_HEX : OPTION_RAW;

	if (builtin && (builtin->numbers & wanted))
		builtin->print(line, out);
	else if (builtin || line->source->names->has_event(line))
		text_printf(out, "type: %u\n", type);
	else if (wanted == OPTION_RAW)
		text_printf(out, "%u ?\n", type);
	if (wanted == OPTION_HEX)
		text_putc(out, '\n');
}

static bool is_message(const struct line *line)
{
	const struct builtin_event *builtin = builtin_event(line->entry.type);

	return builtin && builtin->print == printk_print;
}

void line_print_message(const struct line *line, struct text *out)
{
	struct line plain = *line;

	plain.options &= ~(uint64_t)(NUMBERS | OPTION_FIELDS);
	if (is_message(line))
		printk_print_message(&plain, out);
	else
		print_text(&plain, out);
}

static bool is_message_only(const struct line *line)
{
	return (line->options & OPTION_PRINTK_MSGONLY) &&
	       (line->options & OPTION_PRINTK) && is_message(line);
}

struct entry entry_of(const struct merge_record *record)
{
	struct entry entry = { 0 };

	memcpy(&entry, record->data, min_u32(record->bytes, sizeof(entry)));
	return entry;
}

void line_print_lost(uint32_t cpu, uint64_t lost, struct text *out)
{
	text_printf(out, "CPU:%u [LOST %" PRIu64 " EVENTS]\n", cpu, lost);
}

void line_print(const struct line_source *source, const struct merge_record *record,
		const struct line_place *place, struct text *out)
{
	struct line line = {
		.source = source,
		.record = record,
		.place = place,
		.options = source->options,
		.entry = entry_of(record),
	};

	if (record->lost)
		line_print_lost(record->cpu, record->lost, out);
	if (place->tracer && place->tracer->print_line(&line, out))
		return;
	if (place->is_left_out)
		return;
	if (source->is_dumped)
		line.options |= OPTION_LATENCY_FMT;
	if (is_message_only(&line)) {
		printk_print_message(&line, out);
		return;
	}
	if (place->is_start && !(line.options & NUMBERS))
		text_printf(out, "##### CPU %u buffer started ####\n",
			    record->cpu);
	context_print(&line, out);
	if (line.options & NUMBERS)
		print_numbers(&line, out);
	else
		print_text(&line, out);
}
