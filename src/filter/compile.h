/* SPDX-License-Identifier: MIT */
/* Declarations for the files of the filter compiler: the code that the compiler emits, and
 * the parser. */
#ifndef FILTER_COMPILE_H
#define FILTER_COMPILE_H

#include <stdbool.h>

#include "base/text.h"
#include "filter/filter.h"

/*
 * The code of a filter that is being compiled.  The target of a branch is not known
 * when its instruction is emitted.  So the branches of a part of the expression that
 * have no target yet form two linked lists, one for `yes` and one for `no`.  Until a
 * branch has its target, its member `yes` or `no` holds the number of the next branch
 * of the list.
 */
struct code {
	struct text insns;		/* array of struct filter_insn: an instruction for
					 * each predicate */
	struct text pool;		/* strings and masks */
	uint32_t record_bytes;		/* minimum size of a record on which the filter
					 * may run, bytes */
};

/* End mark of a list of branches; it stands where the number of the next branch would be. */
#define WAY_END		0xffffu

/* The branches of a part of the expression that have no target yet, as two linked lists.
 * @yes and @no are the numbers of the first branches; WAY_END: the list is empty.  Branch
 * number 2n is `yes` of instruction n, number 2n + 1 is `no` of instruction n. */
struct part {
	uint16_t yes, no;
};

/* Initialise @code: it has no instructions yet. */
void code_init(struct code *code);
/* Free the instructions and the pool of @code. */
void code_done(struct code *code);
/* Returns the number of instructions so far, which is also the number of the next
 * instruction. */
uint32_t code_nr_insns(const struct code *code);

/* Add an instruction that reads @read_bytes of the record, from insn.offset on.
 * Returns the two branches of the instruction, which have no target yet.  An error is
 * stored in code->insns.error. */
struct part code_emit(struct code *code, struct filter_insn insn,
		      uint32_t read_bytes);
/* Add @bytes to the pool of strings and masks, and store their offset and length in @insn. */
void code_pool(struct code *code, struct filter_insn *insn, const void *data,
	       size_t bytes);

/* Append list @b of branches to list @a.  Returns the joined list. */
uint16_t code_join(struct code *code, uint16_t a, uint16_t b);
/* Let all branches of @list lead to instruction number @to. */
void code_patch(struct code *code, uint16_t list, uint32_t to);

/* Swap the two lists of branches of @part.  This turns the code for a part of the expression
 * into the code for its negation, !part. */
static inline struct part part_not(struct part part)
{
	return (struct part){ .yes = part.no, .no = part.yes };
}

/*
 * Make the filter program from @code.  The branches in @all.yes lead to the end that
 * keeps the record, the branches in @all.no to the end that drops the record.
 * Returns 0, -ENOMEM or -E2BIG.
 */
int code_finish(struct code *code, struct part all,
		struct filter_program **ret_program);

/* The state of filter_compile(). */
struct parser {
	const char *text;
	size_t at;			/* offset of the next character in @text */
	const struct event_format *fmt;
	const struct filter_env *env;
	struct code code;
	struct filter_error error;
};

/* Set p->error to @code, with the caret at @pos, and return @errnum. */
static inline int parser_fail(struct parser *p, enum filter_error_code code,
			      size_t pos, int errnum)
{
	p->error = (struct filter_error){ .code = code, .pos = (uint32_t)pos };
	return errnum;
}

/* Returns true if @c is white space; false if it is a NUL. */
bool parser_is_space(char c);
/* Move past white space. */
void parser_skip_space(struct parser *p);

/*
 * Parse one predicate, FIELD OP VALUE, and emit its code.
 * Returns 0 or -errno.
 */
int parse_term(struct parser *p, struct part *ret_part);

#endif
