/* SPDX-License-Identifier: MIT */
/* Describe the stack frames inside of a copy of moved instructions: evaluate the unwind table of
 * the function at each original instruction. */
#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

static const uint8_t saved_regs[MOVED_SAVED_REGS] = MOVED_SAVED_DWARF;

/* Returns true if the unwind table row says that the return address is where a call
 * instruction has stored it. */
static bool has_return_address(const struct cfi_row *row)
{
	return row->how[ARCH_UNWIND_PC] == CFI_AT_OFFSET &&
	       row->value[ARCH_UNWIND_PC] == -ARCH_CALL_BYTES;
}

bool frame_is_first(const struct cfi_row *row)
{
	if (row->is_cfa_expression || row->cfa_register != ARCH_UNWIND_SP ||
	    row->cfa_value != ARCH_CALL_BYTES || !has_return_address(row))
		return false;
	for (int i = 0; i < ARCH_UNWIND_PC; i++)
		if (row->how[i] != CFI_SAME)
			return false;
	return true;
}

/* Describe in *@ret_frame the stack frame that @row, a row of an unwind table, describes.
 * @pushed: number of bytes that the copy has pushed so far.  Returns false if struct
 * moved_frame cannot describe @row. */
static bool describe_frame(const struct cfi_row *row, uint8_t pushed, struct moved_frame *ret_frame)
{
	if (row->is_cfa_expression || row->cfa_register >= ARCH_UNWIND_PC ||
	    !has_return_address(row))
		return false;
	ret_frame->cfa_register = row->cfa_register;
	ret_frame->cfa_offset = row->cfa_value;
	if (row->cfa_register == ARCH_UNWIND_SP)
		ret_frame->cfa_offset += pushed;
	for (uint32_t i = 0; i < MOVED_SAVED_REGS; i++) {
		int32_t value = row->value[saved_regs[i]];

		if (row->how[saved_regs[i]] == CFI_SAME)
			continue;
		if (row->how[saved_regs[i]] != CFI_AT_OFFSET || value >= 0 || value % 8 ||
		    value < -8 * (int32_t)UINT8_MAX)
			return false;
		ret_frame->saved[i] = (uint8_t)(-value / 8);
	}
	return true;
}

void frames_plain(const struct insn_copy *copy, struct moved_frame *ret_frames)
{
	for (uint32_t i = 0; i < copy->nr_bounds; i++)
		ret_frames[i] = (struct moved_frame){
			.copy = copy->bounds[i].copy, .original = copy->bounds[i].original,
		};
}

bool frames_make(const struct mover *mover, const struct function *function,
		 const struct insn_copy *copy, struct moved_frame *ret_frames)
{
	uint64_t site = mapped_address(mover, function->start + function->lead);
	struct cfi_function described;
	struct cfi_walk walk;

	if (cfi_walk_begin(&mover->cfi, function->fde, &walk, &described))
		return false;
	for (uint32_t i = 0; i < copy->nr_bounds; i++) {
		const struct insn_bound *bound = &copy->bounds[i];

		ret_frames[i] = (struct moved_frame){
			.copy = bound->copy, .original = bound->original,
		};
		if (cfi_walk_to(&walk, site + bound->original) ||
		    !describe_frame(&walk.row, bound->pushed, &ret_frames[i]))
			return false;
	}
	return true;
}
