/* SPDX-License-Identifier: MIT */
/* Declarations that the files of server/print share with each other. */
#ifndef ULF_SERVER_LINE_IMPL_H
#define ULF_SERVER_LINE_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "server/print/line.h"
#include "server/print/line_source.h"
#include "symbols/elf_args.h"

/* The common fields at the start of every record. */
struct entry {
	uint16_t type;			/* id of the event */
	uint8_t flags;			/* flags of the record: bits of enum entry_flags
					 * (context.c) */
	uint8_t preempt_count;		/* low 4 bits: depth of disabled preemption; high
					 * 4 bits: depth of disabled migration */
	int32_t pid;			/* id of the thread */
};

/* Return the common fields of @record.  If a record is too short for a field, this field
 * is 0. */
struct entry entry_of(const struct merge_record *record);

/* A record that is being printed, with its source. */
struct line {
	const struct line_source *source;
	const struct merge_record *record;
	const struct line_place *place;
	uint64_t options;		/* enum option_bit */
	struct entry entry;		/* common fields of @record */
};

/* ---- functions that are defined in context.c ---- */

/* Print the columns before the event (task, CPU, flags and time), as the options require. */
void context_print(const struct line *line, struct text *out);
/* Print the flags of a record as five characters, for example `d..1.`. */
void context_print_flags(const struct line *line, struct text *out);
/* Print @time, which was read from the buffer's clock. */
void context_print_time(const struct line *line, uint64_t time, struct text *out);
/* Return the character that marks a long time: from '+' for more than 10 us to '$' for more
 * than 1 s.  Returns ' ' for a shorter time. */
char context_mark(uint64_t ns);

/* ---- functions that are defined in ip.c ---- */

/* Print an address of the program's code, as the options require.  @is_return: true if
 * @ip is a return address.  Values below ABI_IPS are not addresses; see enum abi_ip. */
void ip_print(const struct line *line, uint64_t ip, bool is_return,
	      struct text *out);
/* Print a record of ftrace:kernel_stack, which contains a stack. */
void stack_print(const struct line *line, struct text *out);

/* ---- functions that are defined in function_line.c ---- */

/* Print a record of ftrace:function.  Of the options for numbers, raw, hex and bin are
 * supported. */
void function_print(const struct line *line, struct text *out);
/* Print a record of ftrace:func_repeats.  Of the options for numbers, only raw is
 * supported. */
void func_repeats_print(const struct line *line, struct text *out);

/* ---- function that is defined in args_line.c ---- */

/* Print the arguments of the function at @func.  @args: contents of the argument registers, as
 * recorded at the function's entry. */
void args_print(const struct line *line, uint64_t func,
		const uint64_t args[ARCH_ARG_REGS], struct text *out);

/* ---- function that is defined in line.c ---- */

/* Print a record as text, without task, CPU and time.  The text of a marker or of
 * trace_printk() is printed without its origin.  The options raw, hex, bin and fields
 * are ignored. */
void line_print_message(const struct line *line, struct text *out);

#endif
