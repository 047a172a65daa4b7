/* SPDX-License-Identifier: MIT */
/* What the files that make lines of records share. */
#ifndef ULF_SERVER_LINE_IMPL_H
#define ULF_SERVER_LINE_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf_args.h"
#include "server/print/line.h"
#include "server/names/symbols.h"

/* What every record starts with. */
struct entry {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
};

struct entry entry_of(const struct merge_record *record);

/* A record that is being printed. */
struct line {
	struct instance *instance;
	const struct merge_record *record;
	const struct line_place *place;
	uint64_t options;		/* enum option_bit */
	struct entry entry;
};

/* What its addresses mean; @module: that brings the event. */
struct symbols_from line_from(const struct line *line, uint32_t module);

/* context.c: who, where and when, as the options want it. */
void context_print(const struct line *line, struct text *out);
void context_print_flags(const struct line *line, struct text *out);
/* A time of the buffer's clock. */
void context_print_time(const struct line *line, uint64_t time, struct text *out);
/* For a time that is long: + from 10 us on, $ from a second on. */
char context_mark(uint64_t ns);

/* ip.c: an address of the program, as the options want it; @is_return: one that
 * a function returns to.  0: no code of the program's. */
void ip_print(const struct line *line, uint64_t ip, bool is_return,
	      struct text *out);
/* ftrace:kernel_stack. */
void stack_print(const struct line *line, struct text *out);

/* ftrace:function, also as raw, hex or bin. */
void function_print(const struct line *line, struct text *out);
/* ftrace:func_repeats, also as raw. */
void func_repeats_print(const struct line *line, struct text *out);

/* What a function was called with, by the registers of then: args_line.c. */
void args_print(const struct line *line, uint64_t func,
		const uint64_t args[ELF_ARG_REGS], struct text *out);

/* What an event or marker says; of a marker the message alone. */
void line_print_message(const struct line *line, struct text *out);

#endif
