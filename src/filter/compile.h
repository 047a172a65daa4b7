/* SPDX-License-Identifier: MIT */
/* Inside of the filter compiler. */
#ifndef FILTER_COMPILE_H
#define FILTER_COMPILE_H

#include <stdbool.h>

#include "base/text.h"
#include "filter/filter.h"

/*
 * Code under construction. Where an instruction goes on is not known when it
 * is made: the ways out of a part of the expression hang together in two
 * lists, through the `yes` and `no` that are still to be filled in.
 */
struct code {
	struct text insns;		/* struct filter_insn, one a question */
	struct text pool;
	uint32_t record_bytes;
};

#define WAY_END		0xffffu

/* Of an instruction `n`: 2n is its yes, 2n + 1 its no. */
struct part {
	uint16_t yes, no;
};

void code_init(struct code *code);
void code_done(struct code *code);
uint32_t code_nr_insns(const struct code *code);

/* Add an instruction that reads so many bytes at its offset. */
struct part code_emit(struct code *code, struct filter_insn insn,
		      uint32_t read_bytes);
/* Put bytes into the pool and their place into the instruction. */
void code_pool(struct code *code, struct filter_insn *insn, const void *data,
	       size_t bytes);

/* Two lists become one. */
uint16_t code_join(struct code *code, uint16_t a, uint16_t b);
/* All ways of the list lead to instruction `to`. */
void code_patch(struct code *code, uint16_t list, uint32_t to);

static inline struct part part_not(struct part part)
{
	return (struct part){ .yes = part.no, .no = part.yes };
}

/* The program, with the part's ways out as its ends; -ENOMEM, -E2BIG. */
int code_finish(struct code *code, struct part all,
		struct filter_program **ret_program);

struct parser {
	const char *text;
	size_t at;
	const struct event_format *fmt;
	const struct filter_env *env;
	struct code code;
	struct filter_error error;
};

static inline int parser_fail(struct parser *p, enum filter_error_code code,
			      size_t pos, int errnum)
{
	p->error = (struct filter_error){ .code = code, .pos = (uint32_t)pos };
	return errnum;
}

bool parser_is_space(char c);
void parser_skip_space(struct parser *p);

/* One question: FIELD OP VALUE. */
int parse_term(struct parser *p, struct part *ret_part);

#endif
