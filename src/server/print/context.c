/* SPDX-License-Identifier: MIT */
/*
 * Print the columns of a line before the event: task, CPU, flags, time.  The usual
 * format is printed without printf(), which would take longer than all the rest of the
 * line.
 */
#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "base/text.h"
#include "event/option.h"
#include "server/print/line_impl.h"
#include "server/rings/merge.h"

#define PID_WIDTH		7
#define CONTEXT_BYTES_MAX	128

/* Bits of entry.flags in a record, as in the kernel. */
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
	/* Characters of the column need-resched.  The index has three bits: bit 0 is
	 * FLAG_RESCHED_LAZY, bit 1 FLAG_RESCHED, bit 2 FLAG_PREEMPT_RESCHED. */
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

/* Write @value as a decimal number at @to.  Before the number, write @fill until there
 * are @width characters.  Returns the end of the text. */
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

/* Write the column of the task, " name-4711 ", at @to.  The name is right-aligned, and
 * the thread id is left-aligned. */
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

static uint64_t to_us(uint64_t ns)
{
	return ns / 1000 + (ns % 1000 >= 500);
}

static char *put_time(char *to, uint64_t time, bool is_ns)
{
	uint64_t us = to_us(time);

	if (!is_ns)
		return put_number(to, time, 12, ' ');
	to = put_number(to, us / 1000000, 5, ' ');
	*to++ = '.';
	return put_number(to, us % 1000000, 6, '0');
}

void context_print_time(const struct line *line, uint64_t time, struct text *out)
{
	char *start = text_reserve(out, CONTEXT_BYTES_MAX);

	if (start)
		out->len += (size_t)(put_time(start, time, line->source->is_in_ns) - start);
}

/* Write the column of the process id as "(   4711) ", or dashes if the process is unknown. */
static char *put_tgid(char *to, uint32_t tgid)
{
	if (!tgid)
		return mempcpy(to, "(-------) ", 10);
	*to++ = '(';
	to = put_number(to, tgid, PID_WIDTH, ' ');
	return mempcpy(to, ") ", 2);
}

void context_print_flags(const struct line *line, struct text *out)
{
	char flags[8];

	text_write(out, flags, (size_t)(put_flags(flags, &line->entry) - flags));
}

static void print_usual(const struct line *line, bool in_ns, struct text *out)
{
	const struct line_source *source = line->source;
	int32_t pid = line->entry.pid;
	char *start = text_reserve(out, CONTEXT_BYTES_MAX), *to = start;

	if (!start)
		return;
	to = put_task(to, source->names->comm(source->ctx, pid), pid);
	*to++ = ' ';
	if (line->options & OPTION_RECORD_TGID)
		to = put_tgid(to, source->names->tgid(source->ctx, pid));
	*to++ = '[';
	to = put_number(to, line->record->cpu, 3, '0');
	to = mempcpy(to, "] ", 2);
	if (line->options & OPTION_IRQ_INFO)
		to = put_flags(to, &line->entry);
	*to++ = ' ';
	to = put_time(to, line->record->time, in_ns);
	to = mempcpy(to, ": ", 2);
	out->len += (size_t)(to - start);
}

/* ---- functions that print the columns of latency-format ---- */

char context_mark(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

static void print_latency_task(const struct line *line, struct text *out)
{
	const struct entry *entry = &line->entry;
	const char *comm = line->source->names->comm(line->source->ctx, entry->pid);

	if (line->options & OPTION_VERBOSE) {
		text_printf(out, "%16s %7" PRId32 " %3" PRIu32 " %d %08x %08" PRIx64 " ",
			    comm, entry->pid, line->record->cpu, entry->flags,
			    entry->preempt_count & 15u, line->place->number);
		return;
	}
	text_printf(out, "%8.8s-%-7" PRId32 " %3" PRIu32, comm, entry->pid,
		    line->record->cpu);
	context_print_flags(line, out);
}

/*
 * Return the time that latency-format subtracts from the times of records: the time when
 * the buffer was last cleared.  For a snapshot returns 0, as the kernel does, because a
 * snapshot may be older than this time.
 */
static uint64_t latency_base(const struct line *line)
{
	return line->place->is_in_snapshot ? 0 : line->source->time_start;
}

static void print_latency_time(const struct line *line, bool in_ns,
			       struct text *out)
{
	uint64_t time = line->record->time;
	uint64_t since = time - latency_base(line);
	uint64_t delay = line->place->next_time - time;
	bool is_verbose = line->options & OPTION_VERBOSE;

	if (is_verbose && in_ns) {
		since = to_us(since);
		delay = to_us(delay);
		text_printf(out, "[%08" PRIx64 "] %" PRIu64 ".%03" PRIu64
			    "ms (+%" PRIu64 ".%03" PRIu64 "ms): ", to_us(time),
			    since / 1000, since % 1000, delay / 1000, delay % 1000);
	} else if (is_verbose) {
		text_printf(out, "[%016" PRIx64 "] %" PRIu64 " (+%" PRIu64 "): ",
			    time, since, delay);
	} else if (in_ns) {
		text_printf(out, " %4" PRIu64 "us%c: ", to_us(since),
			    context_mark(1000 * to_us(delay)));
	} else {
		text_printf(out, " %4" PRIu64 ": ", since);
	}
}

/* ---- functions that print the columns as numbers, for the options raw, hex and bin ---- */

static void print_bin(const struct line *line, struct text *out)
{
	text_write(out, &line->entry.pid, sizeof(line->entry.pid));
	text_write(out, &line->record->cpu, sizeof(line->record->cpu));
	text_write(out, &line->record->time, sizeof(line->record->time));
}

void context_print(const struct line *line, struct text *out)
{
	uint64_t options = line->options;
	const struct merge_record *record = line->record;
	bool in_ns = line->source->is_in_ns;
	size_t from = out->len;

	if (!(options & OPTION_CONTEXT_INFO))
		return;
	if (options & OPTION_BIN) {
		print_bin(line, out);
	} else if (options & OPTION_HEX) {
		text_printf(out, "%08" PRIx32 " %08" PRIx32 " %016" PRIx64 " ",
			    (uint32_t)line->entry.pid, record->cpu, record->time);
	} else if (options & OPTION_RAW) {
		text_printf(out, "%" PRId32 " %" PRIu32 " %" PRIu64 " ",
			    line->entry.pid, record->cpu, record->time);
	} else if (options & OPTION_LATENCY_FMT) {
		print_latency_task(line, out);
		print_latency_time(line, in_ns, out);
		text_one_line(out, from);
	} else {
		print_usual(line, in_ns, out);
		text_one_line(out, from);
	}
}
