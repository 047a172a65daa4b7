/* SPDX-License-Identifier: MIT */
/*
 * Choose how each function is traced.  In this order:
 *
 *	MOVED_ONE	if one aligned word has the bytes that the jump replaces
 *	MOVED_PADDED	if padding is in reach
 *	MOVED_ONE
 *	MOVED_SEVERAL
 *
 * Padding is scarce.  Functions that would otherwise need a stop, or could not be traced, get
 * it first.
 */
#include <errno.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

#define INSNS_MAX	MOVED_JUMP_BYTES	/* maximum number of instructions that a jump
						 * replaces: each has one byte at least */
#define FLAGS_INSNS	16	/* instructions in which the use of flags is looked for */

/* The first instructions of a function, up to those that a jump replaces. */
struct first {
	struct insn insns[INSNS_MAX];
	uint32_t nr;
	uint32_t bytes;
	bool ends;			/* true: the last instruction does not continue at the
					 * next one */
	enum moved_reason reason;	/* why not all of them can be moved */
};

/* ---- padding ---- */

/* Returns the end of the padding that starts at @start. */
static uint64_t padding_end(const struct mover *mover, uint64_t start, uint64_t end)
{
	struct insn insn;

	while (start < end &&
	       insn_decode(mover->image + (start - mover->low), end - start, start, &insn) &&
	       insn.is_padding) {
		for (uint32_t i = 0; i < insn.bytes; i++)
			if (has_bit(mover, mover->targets, start + i) ||
			    has_bit(mover, mover->labels, start + i) ||
			    has_bit(mover, mover->relocated, start + i))
				return start + i;
		start += insn.bytes;
	}
	return start;
}

/* Find the padding after each function.  A function whose last instruction may continue has
 * none, because a thread could execute it. */
static int find_spaces(struct mover *mover)
{
	mover->spaces = calloc(mover->nr + 1ul, sizeof(*mover->spaces));
	if (!mover->spaces)
		return -ENOMEM;
	for (uint32_t i = 0; i < mover->nr; i++) {
		struct function *function = &mover->functions[i];
		uint64_t next = i + 1 < mover->nr ? function[1].start : mover->text_end;

		mover->spaces[i] = (struct space){
			function->end, function->has_fall ? function->end :
			padding_end(mover, function->end, next),
		};
	}
	mover->nr_spaces = mover->nr;
	return 0;
}

/* The padding that is left for short jumps.  The functions that take some must come in the order
 * of their addresses. */
struct supply {
	struct mover *mover;
	uint32_t first;			/* the first space that short jumps can still reach */
};

/* Take padding for the short jump of the function at @site.  Returns false if there is none in
 * reach. */
static bool take_padding(struct supply *supply, uint64_t site, int8_t *ret_padding)
{
	struct space *spaces = supply->mover->spaces;
	uint64_t from = site + MOVED_SHORT_JUMP_BYTES;

	while (supply->first < supply->mover->nr_spaces &&
	       spaces[supply->first].end + MOVED_REACH_BACK < from + MOVED_JUMP_BYTES)
		supply->first++;
	for (uint32_t i = supply->first; i < supply->mover->nr_spaces &&
	     spaces[i].start <= from + MOVED_REACH_FORTH; i++) {
		struct space *space = &spaces[i];
		uint64_t at = max_u64(space->start, from - min_u64(from, MOVED_REACH_BACK));

		if (at + MOVED_JUMP_BYTES > space->end)
			continue;
		*ret_padding = (int8_t)(at - from);
		space->start = at + MOVED_JUMP_BYTES;
		return true;
	}
	return false;
}

/* ---- the first instructions ---- */

/* Returns the number of bytes between the function's start and the place for a jump. */
static uint8_t find_lead(const struct mover *mover, const struct function *function)
{
	struct insn insn;

	return insn_decode(mover->image + (function->start - mover->low),
			   function->end - function->start, function->start, &insn) &&
	       insn.is_landing_pad && insn.bytes <= MOVED_LEAD_MAX &&
	       function->start + insn.bytes < function->end ? insn.bytes : 0;
}

/* Returns true if the function uses flags of the CPU that it has not set.  Then no compiler has
 * made it, or it is only a part of a function. */
static bool uses_flags(const struct mover *mover, const struct function *function)
{
	uint64_t vaddr = function->start;
	struct insn insn;

	for (int i = 0; i < FLAGS_INSNS && vaddr < function->end; i++, vaddr += insn.bytes) {
		if (!insn_decode(mover->image + (vaddr - mover->low), function->end - vaddr, vaddr,
				 &insn))
			return false;
		if (insn.reads_flags)
			return true;
		if (insn.writes_flags || insn.flow != INSN_NEXT)
			return false;
	}
	return false;
}

static bool has_any(const struct mover *mover, const uint64_t *map, uint64_t vaddr, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (has_bit(mover, map, vaddr + i))
			return true;
	return false;
}

/*
 * Returns true if a jump may lead into the @bytes bytes at @site, but not to @site itself.
 *
 * A target counts at any byte, because hand-written code may jump into an instruction, after its
 * prefix.  A label counts only where an instruction of @first starts: a word of data that points
 * into an instruction is a number that looks like an address.
 */
static bool is_entered(const struct mover *mover, const struct first *first, uint64_t site,
		       uint32_t bytes)
{
	uint32_t at = 0;

	if (has_any(mover, mover->targets, site + 1, bytes - 1))
		return true;
	for (uint32_t i = 0; i < first->nr && at < bytes; at += first->insns[i++].bytes)
		if (at && has_bit(mover, mover->labels, site + at))
			return true;
	return false;
}

/* Returns why the first @nr instructions, of @bytes bytes, cannot be moved if a jump replaces
 * @replaced bytes. */
static enum moved_reason cannot_move(const struct mover *mover, const struct first *first,
				     uint64_t site, uint32_t nr, uint32_t bytes, uint32_t replaced)
{
	for (uint32_t i = 0; i < nr; i++)
		if (first->insns[i].move == INSN_FIXED)
			return first->insns[i].reason;
	if (is_entered(mover, first, site, replaced))
		return MOVED_BY_TARGET;
	return has_any(mover, mover->relocated, site, bytes) ? MOVED_BY_RELOCATED : MOVED_BY_NONE;
}

/* Decode the instructions that a jump at @site would replace. */
static void read_first(const struct mover *mover, const struct function *function,
		       struct first *ret_first)
{
	uint64_t site = function->start + function->lead;
	struct first first = { .nr = 0 };

	while (first.bytes < MOVED_JUMP_BYTES && !first.ends && !first.reason) {
		uint64_t at = site + first.bytes;
		struct insn *insn = first.insns + first.nr;

		if (at >= function->end) {
			first.reason = MOVED_BY_SHORT;
		} else if (!insn_decode(mover->image + (at - mover->low), function->end - at, at,
					insn)) {
			first.reason = MOVED_BY_DECODE;
		} else {
			first.nr++;
			first.bytes += insn->bytes;
			first.ends = insn->flow == INSN_END || insn->flow == INSN_JUMP;
			if (insn->flow == INSN_CALL && first.bytes < MOVED_JUMP_BYTES)
				first.reason = MOVED_BY_CALL;
		}
	}
	*ret_first = first;
}

/* Take the padding after a function that is shorter than a jump.  Returns false if there is not
 * enough. */
static bool take_tail(struct mover *mover, struct function *function, const struct first *first)
{
	struct space *space = &mover->spaces[function - mover->functions];
	uint8_t need = (uint8_t)(MOVED_JUMP_BYTES - first->bytes);

	if (!first->ends || space->start != function->start + function->lead + first->bytes ||
	    space->end - space->start < need)
		return false;
	space->start += need;
	function->tail = need;
	return true;
}

/* ---- classes ---- */

/* Choose the class of a function that gets no padding of others.  Sets its class and reason. */
static void choose_plainly(struct mover *mover, struct function *function,
			   const struct first *first)
{
	uint64_t site = function->start + function->lead;
	enum moved_reason reason = first->reason;

	if (!reason && first->bytes < MOVED_JUMP_BYTES && !take_tail(mover, function, first))
		reason = MOVED_BY_SHORT;
	if (!reason)
		reason = cannot_move(mover, first, site, first->nr, first->bytes,
				     MOVED_JUMP_BYTES - function->tail);
	function->reason = (uint8_t)reason;
	function->nr_insns = (uint8_t)first->nr;
	function->original_bytes = (uint8_t)(first->bytes + function->tail);
	function->class = reason ? MOVED_REFUSED : first->nr == 1 ? MOVED_ONE : MOVED_SEVERAL;
}

/* Returns true if a short jump can replace the first instruction, or its first bytes. */
static bool can_be_padded(const struct mover *mover, const struct function *function,
			  const struct first *first)
{
	uint64_t site = function->start + function->lead;

	return first->nr && first->insns[0].bytes >= MOVED_SHORT_JUMP_BYTES &&
	       moved_word_bytes(site, MOVED_SHORT_JUMP_BYTES) == 8 &&
	       !cannot_move(mover, first, site, 1, first->insns[0].bytes,
			    MOVED_SHORT_JUMP_BYTES);
}

/* Take padding for the function if that makes its switch better.  @is_needed: true in the first
 * round, for functions that without padding need a stop or cannot be traced; false in the second
 * round, for all others. */
static void choose_padding(struct supply *supply, struct function *function, bool is_needed)
{
	uint64_t site = function->start + function->lead;
	struct first first;

	if (function->class == MOVED_ONE ?
	    is_needed || moved_word_bytes(site, MOVED_JUMP_BYTES) == 8 : !is_needed)
		return;
	read_first(supply->mover, function, &first);
	if (!can_be_padded(supply->mover, function, &first) ||
	    !take_padding(supply, site, &function->padding))
		return;
	function->class = MOVED_PADDED;
	function->reason = MOVED_BY_NONE;
	function->nr_insns = 1;
	function->tail = 0;
	function->original_bytes = first.insns[0].bytes;
}

/* Choose the class that the function has without padding.  Returns false if it must not be
 * traced, with or without padding. */
static bool examine_function(struct mover *mover, struct function *function)
{
	struct first first;

	function->lead = find_lead(mover, function);
	if (!function->reason && uses_flags(mover, function))
		function->reason = MOVED_BY_FLAGS;
	if (!function->reason && function->is_jumped_to && !function->is_named &&
	    !has_bit(mover, mover->entries, function->start))
		function->reason = MOVED_BY_RED_ZONE;
	if (function->reason)
		return false;
	read_first(mover, function, &first);
	choose_plainly(mover, function, &first);
	return true;
}

int choose(struct mover *mover)
{
	uint8_t *is_open = calloc(1, mover->nr + 1ul);
	int r = find_spaces(mover);

	if (!is_open || r) {
		free(is_open);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < mover->nr; i++)
		if (mover->functions[i].is_function)
			is_open[i] = examine_function(mover, &mover->functions[i]);
	for (int round = 0; round < 2; round++) {
		struct supply supply = { .mover = mover };

		for (uint32_t i = 0; i < mover->nr; i++)
			if (is_open[i] && mover->functions[i].class != MOVED_PADDED)
				choose_padding(&supply, &mover->functions[i], !round);
	}
	free(is_open);
	return 0;
}
