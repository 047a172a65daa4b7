/* SPDX-License-Identifier: MIT */
/*
 * Print the records of trace_printk() and trace_marker: ftrace:print, ftrace:bprint and
 * ftrace:bputs.  No newline is added, because the text already ends with one.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/option.h"
#include "event/print_impl.h"
#include "event/printk.h"
#include "server/names/printk.h"
#include "server/print/line_impl.h"
#include "server/print/ptrhash.h"
#include "server/rings/merge.h"

#define HEAD_BYTES	16u		/* number of bytes from the start of a record to
					 * the end of its field `ip`, for ftrace:print,
					 * bprint and bputs */
#define FORMAT_BYTES	24u		/* number of bytes from the start of a record of
					 * bprint or bputs to the end of the field with
					 * the address of its format or text */

static uint64_t load_argument(const struct line *line, uint32_t off)
{
	uint64_t word;

	memcpy(&word, line->record->data + off, sizeof(word));
	return word;
}

static int print_symbol(void *ctx, uint64_t addr, enum print_symbol style,
			struct text *out)
{
	const struct line *line = ctx;

	return line->source->names->symbol(line, addr, style, out);
}

static uint64_t hash_ptr(void *ctx, uint64_t ptr)
{
	(void)ctx;
	return ptrhash(ptr);
}

/* Print a pointer (%p and its extensions) of a message in the same way as pointers of
 * events. */
static void print_pointer(void *ctx, char letter, uint64_t value,
			  struct num_spec spec, struct text *out)
{
	const struct line *line = ctx;
	const struct print_env env = {
		.ctx = ctx,
		.symbol = print_symbol,
		.hash_ptr = line->options & OPTION_HASH_PTR ? hash_ptr : NULL,
	};
	struct run run = { .env = &env, .out = out };
	struct directive dir = { .ext = { letter } };
	const struct val val = { .kind = VAL_INT, .u = value };

	dir.ptr = (uint8_t)print_ptr_find(dir.ext);
	print_ptr(&run, &dir, val, spec);
}

static bool is_print(const struct line *line)
{
	return line->entry.type == ABI_EVENT_ID_PRINT;
}

static void print_origin(const struct line *line, struct text *out)
{
	uint64_t ip = load_argument(line, 8);

	if (line->options & OPTION_RAW) {
		text_printf(out, is_print(line) ? "# %" PRIx64 " " :
						  ": %" PRIx64 " : ", ip);
		return;
	}
	ip_print(line, ip, false, out);
	text_write(out, ": ", 2);
}

static void print_formatted(const struct line *line, struct text *out)
{
	const struct merge_record *record = line->record;
	uint64_t addr = load_argument(line, HEAD_BYTES);
	const char *fmt = line->source->names->printk(line->source->ctx, addr);

	if (!fmt)
		text_printf(out, "[no format at 0x%" PRIx64 "]\n", addr);
	else if (line->entry.type == ABI_EVENT_ID_BPUTS)
		text_puts(out, fmt);
	else if (printk_text(fmt, record->data + FORMAT_BYTES,
			     record->bytes - FORMAT_BYTES, print_pointer,
			     (void *)line, out))
		text_puts(out, "[cut short]\n");
}

/* Escape the newlines in a message, except the newline at its end. */
static void keep_last_newline(struct text *out, size_t start)
{
	bool has_newline = out->len > start && out->data[out->len - 1] == '\n';

	text_truncate(out, out->len - has_newline);
	text_one_line(out, start);
	if (has_newline)
		text_putc(out, '\n');
}

static void print_format(const struct line *line, bool has_origin, struct text *out)
{
	const struct merge_record *record = line->record;
	const char *text = (const char *)record->data + HEAD_BYTES;
	size_t start;

	if (record->bytes < (is_print(line) ? HEAD_BYTES : FORMAT_BYTES)) {
		text_puts(out, "[a marker cut short]\n");
		return;
	}
	if (has_origin)
		print_origin(line, out);
	start = out->len;
	if (is_print(line))
		text_write(out, text, strnlen(text, record->bytes - HEAD_BYTES));
	else
		print_formatted(line, out);
	if (out->is_for_terminal)
		keep_last_newline(out, start);
}

void printk_print(const struct line *line, struct text *out)
{
	print_format(line, true, out);
}

void printk_print_message(const struct line *line, struct text *out)
{
	print_format(line, false, out);
}
