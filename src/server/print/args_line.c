/* SPDX-License-Identifier: MIT */
/*
 * Print the arguments of a function: (x=-1, p=0x7ffe0000, ...).  The format is the
 * kernel's, with two differences: bits of a register that do not belong to the
 * argument's type are ignored, and a `?' stands for a value that is in none of the
 * recorded registers.
 */
#include <inttypes.h>

#include "base/text.h"
#include "server/print/line_impl.h"
#include "symbols/elf_args.h"

#define NAME_BYTES	256		/* maximum number of bytes of a parameter's name
					 * that are printed */

static void print_word(const struct elf_param *param, int word, const uint64_t *args,
		       struct text *out)
{
	if (param->regs[word] < ARCH_ARG_REGS)
		text_printf(out, "0x%" PRIx64, args[param->regs[word]]);
	else
		text_putc(out, '?');
}

/* Print an argument that is a number.  The bits of the register above the size of the
 * argument's type are undefined, so ignore them. */
static void print_number(const struct elf_param *param, uint64_t value,
			 struct text *out)
{
	int unused = param->bytes && param->bytes < 8 ? 64 - 8 * (int)param->bytes : 0;

	if (param->kind == ELF_PARAM_SIGNED || param->kind == ELF_PARAM_ENUM)
		text_printf(out, "%" PRId64, (int64_t)(value << unused) >> unused);
	else
		text_printf(out, "0x%" PRIx64, value << unused >> unused);
}

static void print_words(const struct elf_param *param, const char *type,
			const uint64_t *args, struct text *out)
{
	text_printf(out, "(%s)[", type);
	print_word(param, 0, args, out);
	if (param->nr_words > 1) {
		text_putc(out, ':');
		print_word(param, 1, args, out);
	}
	text_putc(out, ']');
}

static void print_value(const struct elf_param *param, const uint64_t *args,
			struct text *out)
{
	static const char *const words[] = {
		[ELF_PARAM_STRUCT] = "STRUCT", [ELF_PARAM_UNION] = "UNION",
		[ELF_PARAM_FLOAT] = "FLOAT",
	};
	const char *type = param->kind < sizeof(words) / sizeof(words[0]) ?
			   words[param->kind] : NULL;

	if (type || param->nr_words > 1) {
		print_words(param, type ? type : "INT", args, out);
		return;
	}
	if (param->kind == ELF_PARAM_UNKNOWN)
		text_putc(out, '?');
	if (param->regs[0] < ARCH_ARG_REGS)
		print_number(param, args[param->regs[0]], out);
	else if (param->kind != ELF_PARAM_UNKNOWN)
		text_putc(out, '?');
}

void args_print(const struct line *line, uint64_t func,
		const uint64_t args[ARCH_ARG_REGS], struct text *out)
{
	const struct elf_params *params = line->source->names->params(line, func);
	size_t start = out->len;

	text_putc(out, '(');
	for (uint32_t i = 0; params && i < params->nr; i++) {
		const struct elf_param *param = &params->rows[i];

		if (i)
			text_puts(out, ", ");
		if (param->is_on_stack) {
			text_puts(out, "...");
			break;
		}
		if (param->name)
			text_printf(out, "%.*s=", NAME_BYTES, param->name);
		print_value(param, args, out);
	}
	text_putc(out, ')');
	text_one_line(out, start);
}
