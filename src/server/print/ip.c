/* SPDX-License-Identifier: MIT */
/* Print addresses of code in lines of `trace`, and records of stacks. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/option.h"
#include "server/names/symbols.h"
#include "server/print/line_impl.h"
#include "server/rings/merge.h"

#define CALLERS_OFFSET	16		/* offset of the first return address in the
					 * record of a stack, bytes */

/*
 * Print the name of @ip, which is a number of enum abi_ip.  Records that ulf itself
 * makes, for example markers, contain such a number in place of an address of the
 * program. symbols_list() lists these names for tools.
 */
static int print_builtin(uint64_t ip, bool has_offset, struct text *out)
{
	text_puts(out, symbols_builtin[ip]);
	if (has_offset)
		text_puts(out, "+0x0/0x1");
	return 0;
}

/*
 * Return the style that corresponds to %pS of the kernel (@has_offset true) or to %ps.
 * For a return address, the style prints the symbol of the byte before it.  The reason:
 * if a call is at the end of its function, the return address is in the next function.
 */
static enum print_symbol style_of(bool has_offset, bool is_return)
{
	if (has_offset)
		return is_return ? PRINT_SYMBOL_RETURN : PRINT_SYMBOL_OFFSET;
	return is_return ? PRINT_SYMBOL_CALLER : PRINT_SYMBOL_NAME;
}

void ip_print(const struct line *line, uint64_t ip, bool is_return,
	      struct text *out)
{
	bool has_offset = line->options & OPTION_SYM_OFFSET;
	int r;

	if (ip < ABI_IPS)
		r = print_builtin(ip, has_offset, out);
	else
		r = line->source->names->symbol(line, ip, style_of(has_offset, is_return), out);
	if (r)
		text_printf(out, "0x%08" PRIx64, ip);
	if (line->options & OPTION_SYM_ADDR)
		text_printf(out, " <%016" PRIx64 ">", ip);
}

/* Print the name of the file that contains the code at @ip, as the kernel does for stacks
 * of programs. */
static void print_file(const struct line *line, uint64_t ip, struct text *out)
{
	int r = line->source->names->file(line, ip, out);

	if (r || (line->options & OPTION_SYM_ADDR))
		text_printf(out, " <%016" PRIx64 ">", ip);
}

void stack_print(const struct line *line, struct text *out)
{
	const struct merge_record *record = line->record;
	uint64_t ip;

	text_puts(out, "<stack trace>\n");
	for (uint32_t at = CALLERS_OFFSET; at + sizeof(ip) <= record->bytes;
	     at += sizeof(ip)) {
		memcpy(&ip, record->data + at, sizeof(ip));
		if (ip == UINT64_MAX)	/* the value UINT64_MAX ends a stack, as in the
					 * kernel */
			break;
		text_puts(out, " => ");
		if (line->options & OPTION_SYM_USEROBJ)
			print_file(line, ip, out);
		else
			ip_print(line, ip, true, out);
		text_putc(out, '\n');
	}
}
