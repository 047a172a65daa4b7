/* SPDX-License-Identifier: MIT */
/* Print the records of the function tracer: calls as `function <-caller`, and records
 * that say how often a call was repeated. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/option.h"
#include "server/print/line_impl.h"
#include "server/rings/merge.h"

#define IPS_OFFSET	8		/* offset of struct ips in a record of the
					 * function tracer, bytes */
#define ARGS_OFFSET	24		/* offset of the arguments in a record of the
					 * function tracer that has arguments, bytes */

struct ips {
	uint64_t ip, parent_ip;
};

/*
 * The fields after struct ips in a record of ftrace:func_repeats.  The time since the last
 * repetition has 48 bits.  The upper 16 bits are in the field `top_delta`, the lower 32 bits
 * in `bottom_delta`.
 */
struct repeats {
	uint16_t count;
	uint16_t top_delta;
	uint32_t bottom_delta;
};

static bool read_ips(const struct line *line, struct ips *ret_ips)
{
	if (line->record->bytes < IPS_OFFSET + sizeof(*ret_ips))
		return false;
	memcpy(ret_ips, line->record->data + IPS_OFFSET, sizeof(*ret_ips));
	return true;
}

static void print_args(const struct line *line, uint64_t ip, struct text *out)
{
	uint64_t args[ARCH_ARG_REGS];

	if (line->record->bytes < ARGS_OFFSET + sizeof(args))
		return;
	memcpy(args, line->record->data + ARGS_OFFSET, sizeof(args));
	args_print(line, ip, args, out);
}

static void print_call(const struct line *line, const struct ips *ips, bool has_args,
		       struct text *out)
{
	ip_print(line, ips->ip, false, out);
	if (has_args)
		print_args(line, ips->ip, out);
	if (!(line->options & OPTION_PRINT_PARENT) || !ips->parent_ip)
		return;
	text_puts(out, " <-");
	ip_print(line, ips->parent_ip, true, out);
}

void function_print(const struct line *line, struct text *out)
{
	struct ips ips;

	if (!read_ips(line, &ips)) {
		text_puts(out, "[a function cut short]\n");
	} else if (line->options & OPTION_BIN) {
		text_write(out, &ips, sizeof(ips));
	} else if (line->options & OPTION_HEX) {
		text_printf(out, "%016" PRIx64 " %016" PRIx64 " ", ips.ip,
			    ips.parent_ip);
	} else if (line->options & OPTION_RAW) {
		text_printf(out, "%" PRIx64 " %" PRIx64 "\n", ips.ip, ips.parent_ip);
	} else {
		print_call(line, &ips, true, out);
		text_putc(out, '\n');
	}
}

void func_repeats_print(const struct line *line, struct text *out)
{
	const uint32_t offset = IPS_OFFSET + sizeof(struct ips);
	struct repeats repeats;
	struct ips ips;
	uint64_t delta;

	if (!read_ips(line, &ips) || line->record->bytes < offset + sizeof(repeats)) {
		text_puts(out, "[a function cut short]\n");
		return;
	}
	memcpy(&repeats, line->record->data + offset, sizeof(repeats));
	delta = (uint64_t)repeats.top_delta << 32 | repeats.bottom_delta;
	if (line->options & OPTION_RAW) {
		text_printf(out, "%" PRIu64 " %" PRIu64 " %u %" PRIu64 "\n", ips.ip,
			    ips.parent_ip, repeats.count, delta);
		return;
	}
	print_call(line, &ips, false, out);
	text_printf(out, " (repeats: %u, last_ts: ", repeats.count);
	context_print_time(line, line->record->time - delta, out);
	text_puts(out, ")\n");
}
