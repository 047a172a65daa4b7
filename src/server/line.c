/* SPDX-License-Identifier: MIT */
/* The text of `trace`: its header, and a line for each record. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "event/clock.h"
#include "event/format.h"
#include "event/print.h"
#include "server/comm.h"
#include "server/line.h"
#include "server/merge.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/symbols.h"

/* What every record starts with. */
struct entry {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
};

/* The kernel's bits of entry.flags. */
enum entry_flags {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_RESCHED_LAZY	= 0x02,
	FLAG_RESCHED		= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,
};

static char irqs_char(uint8_t flags)
{
	static const char chars[] = { '.', 'd', 'b', 'D' };

	return chars[!!(flags & FLAG_IRQS_OFF) + 2 * !!(flags & FLAG_BH_OFF)];
}

static char resched_char(uint8_t flags)
{
	/* preempt, need, lazy: a bit each */
	static const char chars[] = { '.', 'l', 'n', 'b', 'p', 'L', 'N', 'B' };

	return chars[!!(flags & FLAG_RESCHED_LAZY) + 2 * !!(flags & FLAG_RESCHED) +
		     4 * !!(flags & FLAG_PREEMPT_RESCHED)];
}

static char context_char(uint8_t flags)
{
	if (flags & FLAG_NMI)
		return flags & FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & FLAG_HARDIRQ)
		return flags & FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & FLAG_SOFTIRQ ? 's' : '.';
}

static char depth_char(unsigned int depth)
{
	return depth ? "0123456789abcdef"[depth] : '.';
}

/* TASK-PID, CPU, flags and time. */
static void print_context(struct instance *instance,
			  const struct merge_record *record,
			  const struct entry *entry, struct text *out)
{
	const struct clock_row *clock =
		clock_get(shm_load(&instance->abi->clock));
	uint64_t us = record->time / 1000 + (record->time % 1000 >= 500);
	const char *comm = comms_find(instance->root, (uint32_t)entry->pid);

	text_printf(out, "%16s-%-7d [%03u] %c%c%c%c%c", comm, entry->pid,
		    record->cpu, irqs_char(entry->flags),
		    resched_char(entry->flags), context_char(entry->flags),
		    depth_char(entry->preempt_count & 15),
		    depth_char(entry->preempt_count >> 4));
	if (clock->in_ns)
		text_printf(out, " %5" PRIu64 ".%06" PRIu64 ": ",
			    us / 1000000, us % 1000000);
	else
		text_printf(out, " %12" PRIu64 ": ", record->time);
}

/* For the printer: what only the program's files know. */
static int print_symbol(void *ctx, uint64_t addr, enum print_symbol style,
			struct text *out)
{
	return symbols_print(ctx, addr, style, out);
}

/* ftrace:print.  The text brings its own newline. */
static void print_marker(struct root *root, const struct merge_record *record,
			 struct text *out)
{
	const char *text = (const char *)record->data + 16;
	uint64_t ip;

	if (record->bytes < 16) {
		text_puts(out, "[a marker cut short]\n");
		return;
	}
	memcpy(&ip, record->data + 8, sizeof(ip));
	if (!ip)
		text_puts(out, "tracing_mark_write");
	else if (symbols_print(root, ip, PRINT_SYMBOL_NAME, out))
		text_printf(out, "0x%" PRIx64, ip);
	text_puts(out, ": ");
	text_write(out, text, strnlen(text, record->bytes - 16));
}

static void print_event(struct root *root, struct event *event,
			const struct merge_record *record, struct text *out)
{
	const struct print_program *program = event_program(event);
	const struct print_env env = { .ctx = root, .symbol = print_symbol };
	int r;

	text_printf(out, "%s: ", event->format->name);
	if (program)
		r = print_record(program, record->data, record->bytes, &env, out);
	else
		r = print_record_fields(event->format, record->data,
					record->bytes, &env, out);
	if (r < 0)
		text_printf(out, "[%u bytes are too short for this event]",
			    record->bytes);
	text_putc(out, '\n');
}

void line_print(struct instance *instance, const struct merge_record *record,
		struct text *out)
{
	struct entry entry = { 0 };
	struct event *event;

	if (record->lost)
		text_printf(out, "CPU:%u [LOST %" PRIu64 " EVENTS]\n",
			    record->cpu, record->lost);
	memcpy(&entry, record->data,
	       record->bytes < sizeof(entry) ? record->bytes : sizeof(entry));
	print_context(instance, record, &entry, out);
	event = events_by_id(instance->root, entry.type);
	if (entry.type == ABI_EVENT_ID_PRINT)
		print_marker(instance->root, record, out);
	else if (event)
		print_event(instance->root, event, record, out);
	else
		text_printf(out, "Unknown type %u\n", entry.type);
}

void line_print_header(struct instance *instance, struct text *out)
{
	struct ring_stats stats;

	instance_stats(instance, CPU_ALL, &stats);
	text_printf(out,
		    "# tracer: nop\n"
		    "#\n"
		    "# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64
		    "   #P:%ld\n"
		    "#\n",
		    stats.entries, stats.entries + stats.overrun,
		    sysconf(_SC_NPROCESSORS_ONLN));
	text_puts(out,
		  "#                                _-----=> irqs-off/BH-disabled\n"
		  "#                               / _----=> need-resched\n"
		  "#                              | / _---=> hardirq/softirq\n"
		  "#                              || / _--=> preempt-depth\n"
		  "#                              ||| / _-=> migrate-disable\n"
		  "#                              |||| /     delay\n"
		  "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		  "#              | |         |   |||||     |         |\n");
}
