/* SPDX-License-Identifier: MIT */
/* Check that a filter program is safe to run.  No value in the program is trusted. */
#include <errno.h>

#include "filter/run.h"

static bool is_number_insn(const struct filter_insn *insn)
{
	return insn->op <= FILTER_OP_IN;
}

/* Returns how many bytes of the record the instruction @insn reads, from insn->offset on. */
static uint32_t insn_read_bytes(const struct filter_insn *insn)
{
	switch (insn->op) {
	case FILTER_OP_NEVER:
	case FILTER_OP_STR_COMM:
		return 0;
	case FILTER_OP_STR_ARRAY:
		return insn->size;
	case FILTER_OP_STR_PTR:
		return sizeof(uint64_t);
	case FILTER_OP_STR_LOC:
	case FILTER_OP_STR_REL:
	case FILTER_OP_MASK_LOC:
	case FILTER_OP_MASK_REL:
		return sizeof(uint32_t);
	default:
		return insn->load == FILTER_LOAD_CPU ? 0 : 1u << insn->load;
	}
}

/* Returns true if the member `load` of the instruction has a known value.  For strings and
 * masks, returns true if all bits of `flags` are known. */
static bool is_load_known(const struct filter_insn *insn)
{
	return is_number_insn(insn) ? insn->load < FILTER_LOADS :
	       !(insn->flags & ~FILTER_FLAGS);
}

/* Check instruction @at: its branches must lead forward, and its reads must stay in the
 * record and the pool. */
static bool is_insn_sound(const struct filter_program *p, uint32_t at)
{
	const struct filter_insn *insn = &p->insns[at];

	if (insn->op >= FILTER_OPS || !is_load_known(insn))
		return false;
	if (insn->yes <= at || insn->yes > p->nr_insns + 1 ||
	    insn->no <= at || insn->no > p->nr_insns + 1)
		return false;
	if (insn->offset + insn_read_bytes(insn) > p->record_bytes)
		return false;
	return insn->op < FILTER_OP_IN ||
	       (uint32_t)insn->pool + insn->bytes <= p->pool_bytes;
}

int filter_verify(const void *blob, size_t bytes, uint32_t record_fixed_bytes)
{
	const struct filter_program *p = blob;

	if ((uintptr_t)blob % _Alignof(struct filter_insn) ||
	    bytes < sizeof(*p) || p->magic != FILTER_MAGIC ||
	    p->record_bytes > record_fixed_bytes ||
	    !p->nr_insns || p->nr_insns > FILTER_INSNS_MAX ||
	    p->pool_bytes > FILTER_POOL_MAX ||
	    filter_program_bytes(p) != bytes)
		return -EINVAL;
	for (uint32_t i = 0; i < p->nr_insns; i++) {
		if (!is_insn_sound(p, i))
			return -EINVAL;
	}
	return 0;
}
