/* SPDX-License-Identifier: MIT */
/*
 * trace_printk(): records of the top buffer that no tracepoint makes.
 *
 *	ftrace:bprint	ip, address of the format in the root's heap, arguments
 *	ftrace:bputs	ip, address of the text in the root's heap
 *	ftrace:print	ip, text; used if the format is not a constant
 *
 * Any thread and any signal handler may call this code: it takes no lock, allocates
 * nothing and does not change errno.  A record is assembled on the stack and committed
 * like that of any event.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "event/option.h"
#include "event/print_impl.h"
#include "event/printk.h"
#include "ring/ring.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/event/printk.h"
#include "runtime/event/printk_table.h"
#include "runtime/unwind/stack.h"
#include <ulf/event.h>
#include <ulf/printk.h>
#include <ulf/record.h>

#define TEXT_MAX	1024u		/* maximum size of the arguments, or of the
					 * text, of a record, bytes */

/* Define an event for records of trace_printk().  The tracepoint of the event is never
 * hit, but its records are committed like those of any event.  @one and @two: functions
 * that a recorded stack leaves out. */
#define EVENT(name, number, one, two)					\
	static struct tracepoint name##_point = {			\
		.iter = (void (*)(void))(one),				\
	};								\
	static struct ulf_event name##_event = {			\
		.tracepoint = &name##_point, .probe = (two),		\
		.direct = (void (*)(void))(two),			\
		.set = &buffer_no_rings, .id = (number),		\
	}
EVENT(bprint, ABI_EVENT_ID_BPRINT, ulf_bprintk, ulf_vbprintk);
EVENT(bputs, ABI_EVENT_ID_BPUTS, ulf_bputs, ulf_bputs);
EVENT(puts, ABI_EVENT_ID_PRINT, __trace_puts, __trace_puts);
EVENT(print, ABI_EVENT_ID_PRINT, __trace_printk, __ftrace_vprintk);

/* The plan of the events of trace_printk().  top_use.buffer is NULL until the top buffer
 * has rings. */
static struct event_use top_use = { .is_anybodys = true };

static void use_set(struct ulf_event *event, const struct buffer *top)
{
	/* release: the plan is complete; mate: commit.c [event.plan], commit.S [event.set] */
	__atomic_store_n((struct event_use **)&event->plan, &top_use,
			 __ATOMIC_RELEASE);
	__atomic_store_n((struct ring_set **)&event->set, top->set,
			 __ATOMIC_RELEASE);
}

void printk_use_set(const struct buffer *buffer)
{
	if (buffer != buffer_top())
		return;
	top_use.buffer = buffer;
	use_set(&bputs_event, buffer);
	use_set(&puts_event, buffer);
	use_set(&print_event, buffer);
	use_set(&bprint_event, buffer);
}

/* Returns the options of the top buffer that differ from their defaults. */
static inline uint64_t load_options(void)
{
	return __atomic_load_n(&top_use.buffer->shared->options,
			       __ATOMIC_RELAXED);
}

/* Count a record as lost that was made before the top buffer had rings. */
static __attribute__((noinline)) void count_early(void)
{
	const struct buffer *top = buffer_top();

	if (top)
		__atomic_add_fetch(&top->shared->no_ring, 1, __ATOMIC_RELAXED);
}

/* Returns true if trace_printk() records now: the top buffer has rings, tracing_on is
 * 1 and the option trace_printk is on. */
static inline bool is_on(void)
{
	/* acquire: the plan is complete; mate: use_set() [event.plan] */
	const struct event_use *use = __atomic_load_n(
		(struct event_use **)&bprint_event.plan, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!use, 0)) {
		count_early();
		return false;
	}
	return root_control && buffer_is_recording(use->buffer) &&
	       !(load_options() & OPTION_PRINTK);
}

static void commit_text(const struct ulf_event *event, void *entry, size_t bytes)
{
	ulf_event_commit(event, entry, bytes);
	if (__builtin_expect(load_options() & OPTION_STACKTRACE, 0) &&
	    ulf_probe_enter()) {
		stack_record(top_use.buffer, event, 0);
		ulf_probe_exit();
	}
}

/* ---- write the arguments of trace_printk() to a record ---- */

/* A writer of the arguments of one record, to the bytes from @start to before
 * @end. */
struct packer {
	char *start, *at, *end;		/* @at: address of the next free byte */
	size_t limit;			/* maximum length of the next string (%.*s) */
	va_list ap;			/* the caller runs va_start() and va_end() */
};

/* Reserve aligned space for a number of @bytes bytes.  Returns the address of the space, or
 * NULL if the record is full. */
static char *reserve_value(struct packer *p, size_t bytes)
{
	size_t at = ALIGN_UP((size_t)(p->at - p->start), bytes < 4 ? bytes : 4);

	if (at + bytes > (size_t)(p->end - p->start))
		return NULL;
	p->at = p->start + at + bytes;
	return p->start + at;
}

/* Write a number.  Each size has its own case, because a memcpy() with a variable
 * number of bytes takes far longer. */
static bool put_int(struct packer *p, const struct printk_arg *arg)
{
	uint64_t value = arg->bytes == 8 ? va_arg(p->ap, uint64_t) :
					   va_arg(p->ap, unsigned int);
	char *to = reserve_value(p, arg->bytes);

	if (arg->is_limit)
		p->limit = (int32_t)value < 0 ? 0 : (size_t)value;
	if (!to)
		return false;
	switch (arg->bytes) {
	case 1:
		*to = (char)value;
		break;
	case 2:
		memcpy(to, &value, 2);
		break;
	case 4:
		memcpy(to, &value, 4);
		break;
	default:
		memcpy(to, &value, 8);
		break;
	}
	return true;
}

static bool put_float(struct packer *p, const struct printk_arg *arg)
{
	double value = arg->is_long ? (double)va_arg(p->ap, long double) :
				      va_arg(p->ap, double);
	char *to = reserve_value(p, sizeof(value));

	if (to)
		memcpy(to, &value, sizeof(value));
	return to;
}

static bool put_string(struct packer *p, const char *s, size_t len)
{
	if (len >= (size_t)(p->end - p->at))
		return false;
	memcpy(p->at, s, len);
	p->at[len] = '\0';
	p->at += len + 1;
	return true;
}

/* Returns the length of the string at @s, but at most @max.  If the string is readable
 * only in part, returns the length of this part.
 * Returns -EFAULT if it is not readable at all.  Each memory page is checked by a
 * system call, so a wrong pointer does not crash the program. */
static long string_len(const char *s, size_t max)
{
	size_t len = 0;

	while (len < max) {
		size_t page = ARCH_PAGE_BYTES - ((uintptr_t)s + len) % ARCH_PAGE_BYTES;
		size_t part = page < max - len ? page : max - len;
		size_t found;

		if (!arch_is_readable(s + len))
			return len ? (long)len : -EFAULT;
		found = strnlen(s + len, part);
		len += found;
		if (found < part)
			break;
	}
	return (long)len;
}

/*
 * Write a string.  If the pointer is NULL or not readable, write "(null)" or "(efault)".
 * The string gets at most 7/8 of the space that is left, so that the arguments after it
 * have some.
 */
static bool put_pointed(struct packer *p, const struct printk_arg *arg)
{
	const char *s = va_arg(p->ap, const char *);
	size_t left = (size_t)(p->end - p->at), space = left - left / 8;
	size_t limit = p->limit < arg->limit ? p->limit : arg->limit;
	char *at = p->at;
	long len;

	p->limit = SIZE_MAX;
	if (!s)
		return put_string(p, "(null)", 6);
	len = string_len(s, limit < space ? limit : space);
	if (len < 0)
		return put_string(p, "(efault)", 8);
	if ((size_t)len < space)
		return put_string(p, s, (size_t)len);
	if (!space || !put_string(p, s, space - 1))
		return false;
	ulf_mark_cut(at, space);
	return true;
}

/* Write a pointer as 16 hex digits.  Called for conversions for which the kernel would
 * print the object that the pointer points to. */
static bool put_pointer_text(struct packer *p)
{
	char digits[16];
	uint64_t value = va_arg(p->ap, uint64_t);

	for (size_t i = sizeof(digits); i--; value >>= 4)
		digits[i] = "0123456789abcdef"[value & 15];
	return put_string(p, digits, sizeof(digits));
}

static bool put_arg(struct packer *p, const struct printk_arg *arg)
{
	switch (arg->kind) {
	case PRINTK_STR:
		return put_pointed(p, arg);
	case PRINTK_FLOAT:
		return put_float(p, arg);
	case PRINTK_PTR_TEXT:
		return put_pointer_text(p);
	default:
		return put_int(p, arg);
	}
}

/* Write all arguments to @buf.  Returns the number of bytes, a multiple of 4, or -E2BIG. */
static int pack_values(struct packer *p, char buf[TEXT_MAX],
		const struct printk_arg *args)
{
	p->start = p->at = buf;
	p->end = buf + TEXT_MAX;
	p->limit = SIZE_MAX;
	for (; args->kind != PRINTK_INVALID; args++)
		if (!put_arg(p, args))
			return -E2BIG;
	while ((p->at - p->start) % 4)
		*p->at++ = '\0';
	return (int)(p->at - p->start);
}

/* ---- functions of trace_printk() that the program calls ---- */

struct headroom {
	char bytes[ULF_RECORD_HEADROOM];
};

/* Returns the registered form of @format, or NULL if @format is not registered yet or the
 * heap had no space for it. */
static const struct printk_format *known_of(const struct ulf_format *format)
{
	/* acquire: the format is complete; mate: printk_table.c [printk.format] */
	return __atomic_load_n(&format->shared, __ATOMIC_ACQUIRE);
}

static int record_bprint(const struct ulf_format *format, struct packer *p)
{
	const struct printk_format *known = known_of(format);
	struct {
		struct headroom headroom;
		struct trace_entry entry;
		uint64_t ip, fmt;
		char buf[TEXT_MAX];
	} record;
	int bytes;

	if (!known)
		return __ftrace_vprintk(format->ip, format->text, p->ap);
	bytes = pack_values(p, record.buf, known->args);
	if (bytes < 0) {
		ulf_event_too_big(&bprint_event);
		return 0;
	}
	record.ip = format->ip;
	record.fmt = known->address;
	commit_text(&bprint_event, &record.entry, 24 + (size_t)bytes);
	return bytes;
}

int ulf_bprintk(const struct ulf_format *format, ...)
{
	struct packer p;
	int bytes;

	if (!is_on())
		return 0;
	va_start(p.ap, format);
	bytes = record_bprint(format, &p);
	va_end(p.ap);
	return bytes;
}

int ulf_vbprintk(const struct ulf_format *format, va_list ap)
{
	struct packer p;
	int bytes;

	if (!is_on())
		return 0;
	va_copy(p.ap, ap);
	bytes = record_bprint(format, &p);
	va_end(p.ap);
	return bytes;
}

int ulf_bputs(const struct ulf_format *format)
{
	const struct printk_format *known = known_of(format);
	struct {
		struct headroom headroom;
		struct trace_entry entry;
		uint64_t ip, str;
	} record;

	if (!is_on())
		return 0;
	if (!known)
		return __trace_puts(format->ip, format->text,
				    (int)strlen(format->text));
	record.ip = format->ip;
	record.str = known->address;
	commit_text(&bputs_event, &record.entry, 24);
	return 1;
}

/* Print a pointer as an address, because libulf does not know the names of
 * functions. */
static void put_pointer(void *ctx, char letter, uint64_t value,
			struct num_spec spec, struct text *out)
{
	(void)ctx;
	(void)letter;
	print_address(out, value, spec);
}

int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap)
{
	struct printk_arg args[PRINTK_ARGS_MAX];
	char packed[TEXT_MAX];
	struct {
		struct headroom headroom;
		struct trace_entry entry;
		uint64_t ip;
		char text[TEXT_MAX + 4];
	} record;
	struct text out = { .data = record.text, .cap = TEXT_MAX,
			    .max = TEXT_MAX - 1 };
	int saved_errno = errno, bytes;
	struct packer p;

	if (!is_on())
		return 0;
	printk_args(fmt, args);
	va_copy(p.ap, ap);
	bytes = pack_values(&p, packed, args);
	va_end(p.ap);
	if (bytes < 0) {
		ulf_event_too_big(&print_event);
		return 0;
	}
	if (printk_text(fmt, packed, (size_t)bytes, put_pointer, NULL, &out) ||
	    out.error) {
		/* Even a text that is too long, or whose format is invalid, must end
		 * with a newline. */
		text_truncate(&out, out.max - 1);
		out.error = 0;
		text_putc(&out, '\n');
	}
	errno = saved_errno;		/* restore errno, which conversions of floating
					 * point numbers may change */
	record.ip = ip;
	memset(record.text + out.len, 0, 4);
	commit_text(&print_event, &record.entry, ULF_RECORD_BYTES(16 + out.len + 1));
	return (int)out.len;
}

int trace_vprintk(unsigned long ip, const char *fmt, va_list ap)
	__attribute__((alias("__ftrace_vprintk")));

int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = __ftrace_vprintk(ip, fmt, ap);
	va_end(ap);
	return len;
}

/* Record a text.  As in the kernel the recorded text ends with a newline, even if @str does
 * not. */
int __trace_puts(unsigned long ip, const char *str, int size)
{
	const size_t most = ULF_RECORD_MAX - 16 - 4;
	size_t len = size < 0 ? 0 : (size_t)size < most ? (size_t)size : most;
	struct {
		struct trace_entry entry;
		uint64_t ip;
		char text[];
	} *record;
	size_t bytes;

	if (!is_on() || !len)
		return 0;
	if (str[len - 1] == '\n')
		len--;
	bytes = ULF_RECORD_BYTES(16 + len + 2);
	record = (void *)ULF_RECORD_ALLOC(bytes);
	memset((char *)record + bytes - 4, 0, 4);
	record->ip = ip;
	memcpy(record->text, str, len);
	record->text[len] = '\n';
	record->text[len + 1] = '\0';
	commit_text(&puts_event, record, bytes);
	return size;
}
