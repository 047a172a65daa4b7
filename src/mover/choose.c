/* SPDX-License-Identifier: MIT */
/*
 * Choose how each function is traced.  A jump needs MOVED_JUMP_BYTES bytes, and it must be
 * possible to move the instructions that it replaces.  The classes of functions:
 *
 *	MOVED_ONE	the first instruction has as many bytes as the jump, or more
 *	MOVED_SEVERAL	only several instructions together have
 *	MOVED_BYTE	they cannot be moved, or a jump may lead into them; but the first one can,
 *			and one byte of it can be replaced
 */
#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

#define INSNS_MAX	MOVED_JUMP_BYTES	/* maximum number of instructions that a jump
						 * replaces: an instruction for each byte of
						 * the jump */
#define BYTE_INSN_MIN	2u	/* minimum size of the first instruction of a function of class
				 * MOVED_BYTE, bytes */
#define FLAGS_INSNS	16	/* number of instructions in which uses_flags() looks for a use
				 * of the flags */

/* The instructions at the start of a function that a jump would replace. */
struct first {
	struct insn insns[INSNS_MAX];
	uint32_t nr;
	uint32_t bytes;
	bool ends;			/* true: no thread continues after the last
					 * instruction of @insns */
	enum moved_reason reason;	/* reason why not all instructions of @insns can be
					 * moved */
};

/* ---- padding ---- */

uint64_t padding_end(const struct mover *mover, uint64_t start, uint64_t end)
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

uint64_t next_start(const struct mover *mover, const struct function *function)
{
	return function + 1 < mover->functions + mover->nr ? function[1].start : mover->text_end;
}

/* ---- the first instructions of a function ---- */

/* Returns the offset in the function of the first byte that a jump may replace. */
static uint8_t find_lead(const struct mover *mover, const struct function *function)
{
	struct insn insn;

	return insn_decode(mover->image + (function->start - mover->low),
			   function->end - function->start, function->start, &insn) &&
	       insn.is_landing_pad && insn.bytes <= MOVED_LEAD_MAX &&
	       function->start + insn.bytes < function->end ? insn.bytes : 0;
}

/* Returns true if the function uses a flag of the CPU before it has set the flag.  Compilers
 * make no such functions.  So the code is hand-written, or only a part of a function. */
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

bool has_any(const struct mover *mover, const uint64_t *map, uint64_t vaddr, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (has_bit(mover, map, vaddr + i))
			return true;
	return false;
}

/*
 * Returns true if a jump may lead into the @bytes bytes at @site, apart from @site itself.
 *
 * A target at any byte counts, because hand-written code may jump into an instruction, after
 * its prefix.  A label counts only where an instruction of @first starts: a word of data with
 * an address in the middle of an instruction is only a number that looks like an address.
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

/* Returns true if the site of a tracepoint begins in the @nr bytes at @vaddr.  Such a site
 * may be patched at any time (poke.c).  A copy of the site would not be patched, and a jump
 * whose distance contains a byte of the site would lead to a wrong address. */
static bool has_tracepoint(const struct mover *mover, uint64_t vaddr, uint64_t nr)
{
	for (uint64_t end = vaddr + nr; vaddr < end && vaddr < mover->high; vaddr++)
		if (insn_is_tracepoint(mover->image + (vaddr - mover->low), mover->high - vaddr))
			return true;
	return false;
}

/* Returns the reason why the first @nr instructions cannot be moved, or MOVED_BY_NONE.
 * @bytes: size of these instructions.  @replaced: number of bytes that a jump would replace. */
static enum moved_reason cannot_move(const struct mover *mover, const struct first *first,
				     uint64_t site, uint32_t nr, uint32_t bytes, uint32_t replaced)
{
	for (uint32_t i = 0; i < nr; i++)
		if (first->insns[i].move == INSN_FIXED)
			return first->insns[i].reason;
	if (has_tracepoint(mover, site, bytes))
		return MOVED_BY_TRACEPOINT;
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

/* If a function is shorter than a jump, let the jump also replace padding after the
 * function.  This is not possible if a thread may continue after the function's last
 * instruction, because the thread would execute the padding.  Returns false if the jump still
 * does not fit. */
static bool take_tail(const struct mover *mover, struct function *function,
		      const struct first *first)
{
	uint64_t end = function->start + function->lead + first->bytes;
	uint8_t need = (uint8_t)(MOVED_JUMP_BYTES - first->bytes);

	if (!first->ends || function->has_fall || end != function->end ||
	    padding_end(mover, end, next_start(mover, function)) < end + need)
		return false;
	function->tail = need;
	return true;
}

/* ---- classes ---- */

/* Choose the class of a function if all bytes of the jump may be written.  Sets @class and
 * @reason of the function. */
static void choose_jump(const struct mover *mover, struct function *function,
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
	function->moved_bytes = (uint8_t)first->bytes;
	function->original_bytes = (uint8_t)(first->bytes + function->tail);
	function->class = reason ? MOVED_REFUSED : first->nr == 1 ? MOVED_ONE : MOVED_SEVERAL;
}

/*
 * If choose_jump() has refused the function, choose MOVED_BYTE where that is possible.
 *
 * The distance of the jump is in the bytes after its opcode.  These bytes may follow the
 * function, but must not belong to another function.  Compilers put a NOP of one byte before
 * some landing pads of exceptions, and the unwind table makes the NOP look like the start of
 * a function.  So the first instruction must have two bytes or more, and no jump may lead to
 * its second byte.
 */
static void choose_byte(const struct mover *mover, struct function *function,
			const struct first *first)
{
	uint64_t site = function->start + function->lead;
	uint64_t bytes = first->nr ? max_u64(first->insns[0].bytes, MOVED_JUMP_BYTES) : 0;

	if (!bytes || first->insns[0].bytes < BYTE_INSN_MIN ||
	    site + bytes > next_start(mover, function) ||
	    mover->image[site - mover->low] == PATCH_JUMP ||
	    cannot_move(mover, first, site, 1, bytes, BYTE_INSN_MIN))
		return;
	function->class = MOVED_BYTE;
	function->reason = MOVED_BY_NONE;
	function->nr_insns = 1;
	function->tail = 0;
	function->moved_bytes = first->insns[0].bytes;
	function->original_bytes = (uint8_t)bytes;
}

/* Add one byte to the bytes that a process compares before it changes the function, unless
 * the byte belongs to another function.  The byte is needed for a jump whose opcode is after
 * a prefix: it is the last byte of the jump's distance. */
static void add_byte(const struct mover *mover, struct function *function)
{
	uint64_t site = function->start + function->lead;

	if (function->class != MOVED_REFUSED && function->original_bytes == MOVED_JUMP_BYTES &&
	    site + MOVED_JUMP_BYTES < next_start(mover, function) &&
	    !has_bit(mover, mover->relocated, site + MOVED_JUMP_BYTES) &&
	    !has_tracepoint(mover, site + MOVED_JUMP_BYTES, 1))
		function->original_bytes++;
}

static void choose_one(const struct mover *mover, struct function *function)
{
	struct first first;

	function->lead = find_lead(mover, function);
	if (!function->reason && uses_flags(mover, function))
		function->reason = MOVED_BY_FLAGS;
	if (!function->reason && function->is_jumped_to && !function->is_named &&
	    !has_bit(mover, mover->entries, function->start))
		function->reason = MOVED_BY_RED_ZONE;
	if (function->reason)
		return;
	read_first(mover, function, &first);
	choose_jump(mover, function, &first);
	if (function->class == MOVED_REFUSED)
		choose_byte(mover, function, &first);
	add_byte(mover, function);
}

/*
 * A place is refused if its jump would end after the end of its function: unlike the jump at
 * the start of a function, this jump replaces no padding.
 */
void choose_place(const struct mover *mover, struct function *place)
{
	struct first first;

	place->has_fall = true;
	read_first(mover, place, &first);
	choose_jump(mover, place, &first);
}

void choose(struct mover *mover)
{
	for (uint32_t i = 0; i < mover->nr; i++)
		if (mover->functions[i].is_function)
			choose_one(mover, &mover->functions[i]);
}
