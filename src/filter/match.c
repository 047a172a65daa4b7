/* SPDX-License-Identifier: MIT */
/* Run a filter program on a record. */
#include <string.h>

#include "arch/arch.h"
#include "base/glob.h"
#include "filter/numbers.h"
#include "filter/run.h"

/* The state of a run of a filter on one record. */
struct run {
	const char *pool;
	const char *rec;
	size_t bytes;
	const struct filter_context *ctx;
};

/* Returns the number that the instruction @insn loads, shifted left until its highest bit is
 * bit 63. */
static uint64_t load_number(const struct filter_insn *insn, const struct run *run)
{
	return insn->load == FILTER_LOAD_CPU ? (uint64_t)run->ctx->cpu << 32 :
	       filter_load(insn, run->rec);
}

/* ---- masks ---- */

static unsigned int mask_byte(const char *mask, size_t bytes, size_t i)
{
	return i < bytes ? (unsigned char)mask[i] : 0;
}

/* Returns true if the mask contains the CPU whose number is in the field. */
static bool match_cpu_in_mask(const struct filter_insn *insn, const struct run *run)
{
	uint64_t bit = load_number(insn, run) >> filter_load_shift(insn->load);

	return mask_byte(run->pool + insn->pool, insn->bytes, bit / 8) >>
	       bit % 8 & 1;
}

/* Compare two masks of CPUs.  The shorter mask is extended with zeros. */
static bool match_cpu_mask(const struct filter_insn *insn, const char *want,
			   const char *mask, size_t bytes)
{
	bool is_equal = true, intersects = false;

	for (size_t i = 0; i < bytes || i < insn->bytes; i++) {
		unsigned int a = mask_byte(want, insn->bytes, i);
		unsigned int b = mask_byte(mask, bytes, i);

		is_equal &= a == b;
		intersects |= (a & b) != 0;
	}
	return insn->flags & FILTER_INTERSECT ? intersects : is_equal;
}

/* ---- compare a string with a string or glob of the pool ---- */

/* Compare the string at @s with @want, a string or glob of the filter's pool.  The string at
 * @s ends at a NUL, or after @room bytes. */
static bool match_string(const struct filter_insn *insn, const char *want,
			 const char *s, size_t room)
{
	size_t len = strnlen(s, room);
	bool match;

	if (insn->flags & FILTER_GLOB)
		match = glob_match_text(want, insn->bytes, s, len);
	else
		match = len == insn->bytes && !memcmp(s, want, len);
	return match != !!(insn->flags & FILTER_NOT);
}

/* Compare a char array of the record with a string.  If insn->size is 0 the array extends to
 * the end of the record. */
static bool match_char_array(const struct filter_insn *insn, const struct run *run)
{
	size_t room = insn->size ? insn->size : run->bytes - insn->offset;

	return match_string(insn, run->pool + insn->pool,
			    run->rec + insn->offset, room);
}

static bool match_comm(const struct filter_insn *insn, const struct run *run)
{
	char comm[FILTER_COMM_LEN];

	if (!run->ctx->get_comm)
		return false;
	run->ctx->get_comm(comm);
	return match_string(insn, run->pool + insn->pool, comm, sizeof(comm));
}

/* This function must not be inlined.  Otherwise every run of a filter would need a stack
 * frame with space for its buffer, which few filters use. */
static __attribute__((noinline)) bool
match_pointer(const struct filter_insn *insn, const struct run *run)
{
	char buf[FILTER_POINTER_MAX];
	size_t n = arch_read_memory(run->ctx->tid, filter_load_8(run->rec + insn->offset), buf,
				    sizeof(buf));

	/* The read ended at an unmapped memory page before a NUL was found, so the
	 * string does not match. */
	if (n < sizeof(buf) && !memchr(buf, '\0', n))
		return false;
	return match_string(insn, run->pool + insn->pool, buf, sizeof(buf) - 1);
}

/* ---- test data to which a __data_loc or __rel_loc word of the record points ---- */

static bool match_dynamic(const struct filter_insn *insn, const struct run *run)
{
	uint32_t word = filter_load_4(run->rec + insn->offset);
	size_t start = word & 0xffff, bytes = word >> 16;
	const char *want = run->pool + insn->pool;

	if (insn->op == FILTER_OP_STR_REL || insn->op == FILTER_OP_MASK_REL)
		start += insn->offset + sizeof(word);
	if (start > run->bytes || bytes > run->bytes - start)
		return false;
	if (insn->op == FILTER_OP_MASK_LOC || insn->op == FILTER_OP_MASK_REL)
		return match_cpu_mask(insn, want, run->rec + start, bytes);
	return match_string(insn, want, run->rec + start, bytes);
}

/* Returns the result of any instruction except FILTER_OP_RANGE and FILTER_OP_AND. */
static bool run_insn(const struct filter_insn *insn, const struct run *run)
{
	switch (insn->op) {
	case FILTER_OP_IN:
		return match_cpu_in_mask(insn, run);
	case FILTER_OP_STR_ARRAY:
		return match_char_array(insn, run);
	case FILTER_OP_STR_PTR:
		return match_pointer(insn, run);
	case FILTER_OP_STR_COMM:
		return match_comm(insn, run);
	case FILTER_OP_NEVER:
		return false;
	default:
		return match_dynamic(insn, run);
	}
}

/* ---- run a whole filter program ---- */

uint32_t filter_run_on(const struct filter_program *p, const void *rec,
		       size_t bytes, const struct filter_context *ctx,
		       uint32_t at)
{
	const struct run run = { filter_program_pool(p), rec, bytes, ctx };

	while (at < p->nr_insns) {
		const struct filter_insn *insn = &p->insns[at];

		bool is_yes = insn->op > FILTER_OP_AND ? run_insn(insn, &run) :
			      filter_compare(insn, load_number(insn, &run));

		at = is_yes ? insn->yes : insn->no;
	}
	return at;
}

bool filter_match(const struct filter_program *p, const void *rec, size_t bytes,
		  const struct filter_context *ctx)
{
	return bytes >= p->record_bytes &&
	       filter_run_on(p, rec, bytes, ctx, 0) != p->nr_insns;
}
