/* SPDX-License-Identifier: MIT */
/*
 * The part of a filter's run that is worth to be inlined into the path of an
 * event: comparing numbers of the record.
 */
#ifndef FILTER_NUMBERS_H
#define FILTER_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/filter.h"

#define FILTER_LOAD(bits, type)						\
	static inline type filter_load_##bits(const char *rec,		\
					      uint16_t offset)		\
	{								\
		type value;						\
									\
		memcpy(&value, rec + offset, sizeof(value));		\
		return value;						\
	}

FILTER_LOAD(1, uint8_t)
FILTER_LOAD(2, uint16_t)
FILTER_LOAD(4, uint32_t)
FILTER_LOAD(8, uint64_t)

static inline unsigned int filter_load_width(const struct filter_insn *insn)
{
	return insn->load & ~(unsigned int)FILTER_SIGNED;
}

/* The number of the record, shifted up; false: it is not in there.  Nested like
 * this it is made of branches: a table's jump costs more. */
static inline bool filter_load_number(const struct filter_insn *insn,
				      const char *rec, uint64_t *ret_number)
{
	unsigned int width = filter_load_width(insn);

	if (width == FILTER_LOAD_4)
		*ret_number = (uint64_t)filter_load_4(rec, insn->offset) << 32;
	else if (width == FILTER_LOAD_8)
		*ret_number = filter_load_8(rec, insn->offset);
	else if (width == FILTER_LOAD_1)
		*ret_number = (uint64_t)filter_load_1(rec, insn->offset) << 56;
	else if (width == FILTER_LOAD_2)
		*ret_number = (uint64_t)filter_load_2(rec, insn->offset) << 48;
	else
		return false;
	return true;
}

static inline bool filter_compare(const struct filter_insn *insn,
				  uint64_t number)
{
	if (insn->op == FILTER_OP_EQ)
		return number == insn->value;
	if (insn->op == FILTER_OP_AND)
		return number & insn->value;
	number ^= (uint64_t)(insn->load & FILTER_SIGNED) << 56;
	return number < insn->value;
}

#define FILTER_KEY(op, load)	((unsigned int)(op) | (unsigned int)(load) << 8)

/*
 * Is the answer yes?  False, and not known, if it is not about a number of the
 * record.  The questions that most filters ask are asked for first, each with
 * no more work than it needs.
 */
static inline bool filter_ask(const struct filter_insn *insn, const char *rec,
			      bool *ret_yes)
{
	uint64_t number;

	switch (FILTER_KEY(insn->op, insn->load)) {
	case FILTER_KEY(FILTER_OP_EQ, FILTER_LOAD_4):
		*ret_yes = filter_load_4(rec, insn->offset) == insn->value >> 32;
		return true;
	case FILTER_KEY(FILTER_OP_EQ, FILTER_LOAD_8):
		*ret_yes = filter_load_8(rec, insn->offset) == insn->value;
		return true;
	case FILTER_KEY(FILTER_OP_LESS, FILTER_LOAD_4 | FILTER_SIGNED):
		number = (uint64_t)filter_load_4(rec, insn->offset) << 32;
		*ret_yes = (number ^ 1ull << 63) < insn->value;
		return true;
	}
	if (insn->op > FILTER_OP_AND || !filter_load_number(insn, rec, &number))
		return false;
	*ret_yes = filter_compare(insn, number);
	return true;
}

/* From instruction @at on to an end, or to one that asks for something else:
 * filter_run_on().  The record is p->record_bytes long or more. */
static inline uint32_t filter_run_numbers(const struct filter_program *p,
					  const char *rec, uint32_t at)
{
	const uint32_t end = p->nr_insns;
	bool yes;

	while (at < end && filter_ask(&p->insns[at], rec, &yes))
		at = yes ? p->insns[at].yes : p->insns[at].no;
	return at;
}

#endif
