/* SPDX-License-Identifier: MIT */
/* The text of `trace`: its header, and a line for each record. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/digits.h"
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

#define PID_WIDTH		7
#define CONTEXT_BYTES_MAX	128

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

/* A number of at least @width characters; where it ends. */
static char *put_number(char *to, uint64_t value, size_t width, char fill)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);
	char *start = digits_put(end, value);
	size_t len = (size_t)(end - start);

	for (; len < width; width--)
		*to++ = fill;
	memcpy(to, start, len);
	return to + len;
}

/* "            name-4711   ": the name to the right, the number to the left. */
static char *put_task(char *to, const char *comm, int32_t pid)
{
	size_t len = strnlen(comm, ABI_COMM_LEN);
	char *start;

	memset(to, ' ', ABI_COMM_LEN + 1 + PID_WIDTH);
	memcpy(to + ABI_COMM_LEN - len, comm, len);
	to += ABI_COMM_LEN;
	*to++ = '-';
	start = to;
	if (pid < 0)
		*to++ = '-';
	to = put_number(to, pid < 0 ? -(uint64_t)pid : (uint64_t)pid, 0, ' ');
	return to < start + PID_WIDTH ? start + PID_WIDTH : to;
}

static char *put_flags(char *to, const struct entry *entry)
{
	*to++ = irqs_char(entry->flags);
	*to++ = resched_char(entry->flags);
	*to++ = context_char(entry->flags);
	*to++ = depth_char(entry->preempt_count & 15);
	*to++ = depth_char(entry->preempt_count >> 4);
	return to;
}

static char *put_time(char *to, uint64_t time, bool is_ns)
{
	uint64_t us = time / 1000 + (time % 1000 >= 500);

	if (!is_ns)
		return put_number(to, time, 12, ' ');
	to = put_number(to, us / 1000000, 5, ' ');
	*to++ = '.';
	return put_number(to, us % 1000000, 6, '0');
}

/*
 * TASK-PID, CPU, flags and time.  Put together by hand: printf() would take
 * longer for it than all the rest of a line takes.
 */
static void print_context(struct instance *instance,
			  const struct merge_record *record,
			  const struct entry *entry, struct text *out)
{
	const struct clock_row *clock =
		clock_get(shm_load(&instance->abi->clock));
	const char *comm = comms_find(instance->root, (uint32_t)entry->pid);
	char *start = text_reserve(out, CONTEXT_BYTES_MAX), *to = start;

	if (!start)
		return;
	to = put_task(to, comm, entry->pid);
	to = mempcpy(to, " [", 2);
	to = put_number(to, record->cpu, 3, '0');
	to = mempcpy(to, "] ", 2);
	to = put_flags(to, entry);
	*to++ = ' ';
	to = put_time(to, record->time, clock->in_ns);
	to = mempcpy(to, ": ", 2);
	out->len += (size_t)(to - start);
}

/* For the printer: what only the program's files know. */
static int print_symbol(void *ctx, uint64_t addr, enum print_symbol style,
			struct text *out)
{
	return symbols_print(ctx, addr, style, out);
}

static int print_string(void *ctx, uint64_t addr, struct text *out)
{
	return symbols_string(ctx, addr, out);
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
	const struct print_env env = { .ctx = root, .symbol = print_symbol,
				       .string = print_string };
	int r;

	text_puts(out, event->format->name);
	text_write(out, ": ", 2);
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
