/* SPDX-License-Identifier: MIT */
/*
 * Decode the text, function by function, and mark the addresses that code refers to.
 *
 * A sweep through all bytes also finds code to which no known jump leads.  The sweep begins
 * anew at each function: data in the text is decoded as wrong instructions only up to the
 * next function.  Where a jump leads into the middle of an instruction that the sweep has
 * found, the bytes are also decoded from that address on.  Outside of functions, and in
 * functions with bytes that are no instructions, any byte may be the start of an instruction.
 */
#include "arch/arch.h"
#include "mover/mover_impl.h"

/* The function that is being decoded, with its unwind table, which is read only if it is
 * needed. */
struct swept {
	struct mover *mover;
	struct function *function;	/* the function that is being decoded; NULL: code
					 * outside of functions */
	struct cfi_walk walk;
	bool has_walk;
};

/* ---- properties of a function's code ---- */

/*
 * Returns true if the instruction reads or writes the return address of the function as data.
 * The unwind table says how far the return address is from the instruction's register.
 */
static bool uses_return_address(struct swept *swept, const struct insn *insn, uint64_t vaddr)
{
	const struct cfi_row *row = &swept->walk.row;

	if (!swept->has_walk || (!insn->stack_register && !insn->pops) || insn->takes_address ||
	    insn->is_nop)
		return false;
	if (cfi_walk_to(&swept->walk, mapped_address(swept->mover, vaddr))) {
		swept->has_walk = false;
		swept->function->reason = MOVED_BY_UNWIND;
		return false;
	}
	if (row->is_cfa_expression)
		return false;
	if (insn->pops && row->cfa_register == ARCH_UNWIND_SP && row->cfa_value == ARCH_CALL_BYTES)
		return true;
	return insn->stack_register && insn->stack_register == row->cfa_register &&
	       insn->stack_offset == row->cfa_value - ARCH_CALL_BYTES;
}

static void note_facts(struct swept *swept, const struct insn *insn, uint64_t vaddr)
{
	struct function *function = swept->function;

	if (insn->stack_register == ARCH_UNWIND_SP && insn->stack_offset < 0 &&
	    !insn->takes_address && !insn->is_nop)
		function->uses_red_zone = true;
	if (function->is_function && !function->reason && uses_return_address(swept, insn, vaddr))
		function->reason = MOVED_BY_RETURN_ADDRESS;
}

/* ---- marks ---- */

/* Mark an address that the code computes.  Add the address to @list, because a jump table may
 * start there. */
static void mark_address(struct mover *mover, uint64_t vaddr, struct list *list)
{
	target_add_entry(mover, vaddr);
	if (mapped_bytes_at(mover, vaddr) >= 4)
		list_add(mover, list, vaddr);
}

/* Mark the addresses to which an instruction refers.  @bases: the list of addresses that code
 * computes. */
static void mark_insn(struct mover *mover, const struct insn *insn, uint64_t vaddr,
		      struct list *bases)
{
	if (insn->flow == INSN_CALL) {
		target_add(mover, vaddr + insn->bytes);
		if (insn->has_target)
			target_add_entry(mover, insn->target);
	} else if (insn->has_target) {
		target_add(mover, insn->target);
	}
	if (insn->is_landing_pad)
		target_add(mover, vaddr);
	if (insn->has_address && insn->takes_address)
		mark_address(mover, insn->address, bases);
	else if (insn->has_address)
		target_add_entry(mover, insn->address);
	if (insn->has_immediate && mover->is_fixed)
		mark_address(mover, insn->immediate, &mover->guesses);
}

/* Mark an address to which bytes would refer if they were code, and add it to mover->guesses. */
static void mark_guess(struct mover *mover, uint64_t vaddr)
{
	target_add(mover, vaddr);
	if (mapped_bytes_at(mover, vaddr) >= 4)
		list_add(mover, &mover->guesses, vaddr);
}

/* Mark the addresses to which the bytes from @vaddr to before @end would refer if an
 * instruction started at any of these bytes. */
static void mark_guesses(struct mover *mover, uint64_t vaddr, uint64_t end)
{
	uint64_t addresses[INSN_GUESSES];

	for (; vaddr < end; vaddr++) {
		const uint8_t *code = mapped_at(mover, vaddr, end - vaddr);
		uint32_t nr = code ? insn_guess(code, end - vaddr, vaddr, addresses) : 0;

		for (uint32_t i = 0; i < nr; i++)
			mark_guess(mover, addresses[i]);
	}
}

/* ---- decode ---- */

/* Decode the instruction at @vaddr.  Returns false if there is no valid instruction, or if it
 * ends after @end. */
static bool decode_insn(const struct mover *mover, uint64_t vaddr, uint64_t end,
			struct insn *ret_insn)
{
	return vaddr < end &&
	       insn_decode(mover->image + (vaddr - mover->low), end - vaddr, vaddr, ret_insn);
}

/* Set is_jumped_to of the functions to which @from jumps.  This function decodes @from again,
 * because only after a first pass it is known whether @from uses its red zone. */
static void mark_jumps(struct mover *mover, const struct function *from)
{
	struct insn insn;

	for (uint64_t vaddr = from->start; vaddr < from->end; vaddr += insn.bytes) {
		struct function *to;

		if (!decode_insn(mover, vaddr, from->end, &insn)) {
			insn.bytes = 1;
			continue;
		}
		if (!insn.has_target || insn.flow == INSN_CALL ||
		    insn.target - from->start < from->end - from->start)
			continue;
		to = starts_at(mover, insn.target);
		if (to && to->start == insn.target)
			to->is_jumped_to = true;
	}
}

/* Decode [@vaddr, @end). */
static void sweep_range(struct swept *swept, uint64_t vaddr, uint64_t end)
{
	struct mover *mover = swept->mover;
	uint64_t start = vaddr, nr_bases = mover->bases.nr;
	bool is_bad = false, has_fall = true;
	struct insn insn;

	for (; vaddr < end; vaddr += insn.bytes) {
		if (!decode_insn(mover, vaddr, end, &insn)) {
			is_bad = has_fall = true;
			insn.bytes = 1;
			continue;
		}
		set_bit(mover, mover->decoded, vaddr);
		mark_insn(mover, &insn, vaddr, swept->function ? &mover->bases : &mover->guesses);
		if (swept->function)
			note_facts(swept, &insn, vaddr);
		has_fall = insn.flow != INSN_END && insn.flow != INSN_JUMP;
	}
	if (is_bad || !swept->function)
		mark_guesses(mover, start, end);
	/*
	 * drop the addresses that the sweep has added to mover->bases: mark_guesses() has found
	 * them, too
	 */
	if (is_bad && swept->function)
		mover->bases.nr = nr_bases;
	if (!swept->function)
		return;
	swept->function->has_fall = has_fall;
	if (swept->function->uses_red_zone || is_bad)
		mark_jumps(mover, swept->function);
}

static void sweep_function(struct mover *mover, struct function *function)
{
	struct swept swept = { .mover = mover, .function = function };
	struct cfi_function described;

	swept.has_walk = !cfi_walk_begin(&mover->cfi, function->fde, &swept.walk, &described);
	sweep_range(&swept, function->start, function->end);
}

void sweep(struct mover *mover)
{
	struct swept outside = { .mover = mover };
	uint64_t vaddr = mover->text;

	for (uint32_t i = 0; i < mover->nr && !mover->error; i++) {
		struct function *function = &mover->functions[i];

		sweep_range(&outside, vaddr, function->start);
		sweep_function(mover, function);
		vaddr = function->end;
	}
	sweep_range(&outside, vaddr, mover->text_end);
	sweep_todo(mover);
}

void sweep_todo(struct mover *mover)
{
	struct insn insn;

	while (mover->todo.nr && !mover->error) {
		uint64_t vaddr = mover->todo.data[--mover->todo.nr];

		while (is_text(mover, vaddr) && !has_bit(mover, mover->decoded, vaddr) &&
		       decode_insn(mover, vaddr, mover->text_end, &insn)) {
			set_bit(mover, mover->decoded, vaddr);
			mark_insn(mover, &insn, vaddr, &mover->guesses);
			vaddr += insn.bytes;
		}
	}
}
