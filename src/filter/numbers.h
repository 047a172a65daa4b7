/* SPDX-License-Identifier: MIT */
/*
 * Run the instructions of a filter that compare numbers of the record.  These functions
 * are inlined into the path of an event.
 */
#ifndef FILTER_NUMBERS_H
#define FILTER_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/filter.h"

#define FILTER_LOAD(bytes, type)					\
	static inline type filter_load_##bytes(const char *at)		\
	{								\
		type value;						\
									\
		memcpy(&value, at, sizeof(value));			\
		return value;						\
	}

FILTER_LOAD(1, uint8_t)
FILTER_LOAD(2, uint16_t)
FILTER_LOAD(4, uint32_t)
FILTER_LOAD(8, uint64_t)

/* Returns a number of the record, shifted left until its highest bit is bit 63.  Must not
 * be called for FILTER_LOAD_CPU.  The function consists of ifs, which become branches: a jump
 * table would be slower. */
static inline uint64_t filter_load(const struct filter_insn *insn, const char *rec)
{
	const char *at = rec + insn->offset;

	if (insn->load == FILTER_LOAD_4)
		return (uint64_t)filter_load_4(at) << 32;
	if (insn->load == FILTER_LOAD_8)
		return filter_load_8(at);
	if (insn->load == FILTER_LOAD_1)
		return (uint64_t)filter_load_1(at) << 56;
	return (uint64_t)filter_load_2(at) << 48;
}

/* Returns the result of an instruction with FILTER_OP_RANGE or FILTER_OP_AND. */
static inline bool filter_compare(const struct filter_insn *insn,
				  uint64_t number)
{
	return insn->op == FILTER_OP_RANGE ? number - insn->low <= insn->span :
	       number & insn->value;
}

#define FILTER_KEY(op, load)	((unsigned int)(op) | (unsigned int)(load) << 8)

/*
 * Run the filter from instruction @at on.  Stop at an end of the program, or before an
 * instruction that does anything else than compare a number of the record.  The record must
 * have p->record_bytes or more.  The most frequent instructions are tested first.  Returns
 * the instruction at which filter_run_on() must continue, or an end.
 */
static inline uint32_t filter_run_numbers(const struct filter_program *p,
					  const char *rec, uint32_t at)
{
	const uint32_t end = p->nr_insns;

	while (at < end) {
		const struct filter_insn *insn = &p->insns[at];
		uint64_t number;

		asm("" : "+r" (insn));	/* this empty asm makes gcc compute the address of the
					 * instruction only once */
		switch (FILTER_KEY(insn->op, insn->load)) {
		case FILTER_KEY(FILTER_OP_RANGE, FILTER_LOAD_4):
			number = (uint64_t)filter_load_4(rec + insn->offset) << 32;
			break;
		case FILTER_KEY(FILTER_OP_RANGE, FILTER_LOAD_8):
			number = filter_load_8(rec + insn->offset);
			break;
		default:
			if (insn->op > FILTER_OP_AND ||
			    insn->load == FILTER_LOAD_CPU)
				return at;
			at = filter_compare(insn, filter_load(insn, rec)) ?
			     insn->yes : insn->no;
			continue;
		}
		at = number - insn->low <= insn->span ? insn->yes : insn->no;
	}
	return at;
}

#endif
