/* SPDX-License-Identifier: MIT */
/*
 * Find out how instructions anywhere in the code can be moved, such as the NOPs of probes:
 *
 *	nop			becomes a jump
 *	pop %rbx
 *	pop %rbp
 *	pop %r12
 *	ret			the jump ends in the middle of an instruction: both are moved
 *
 * Some functions are refused at their start because of the whole function: its name, or its use
 * of the return address, the flags or the red zone.  Places in these functions are not refused,
 * because a hook in the middle of a function keeps all registers, the flags and the red zone.
 */
#include <stdlib.h>

#include "arch/arch.h"
#include "mover/mover_impl.h"

static void make_place(const struct mover *mover, uint64_t vaddr, struct function *ret_place)
{
	const struct function *around = starts_at(mover, vaddr);

	*ret_place = (struct function){ .start = vaddr, .is_function = true };
	if (!around || !has_bit(mover, mover->decoded, vaddr)) {
		ret_place->end = vaddr + 1;
		ret_place->reason = around ? MOVED_BY_DECODE : MOVED_BY_UNWIND;
		return;
	}
	ret_place->end = around->end;
	ret_place->fde = around->fde;
	choose_place(mover, ret_place);
}

/*
 * Refuse a place if the next place is within its original bytes: a jump at the next place would
 * change these bytes.
 */
static void refuse_close(struct function *place, const struct function *next)
{
	if (place->class == MOVED_REFUSED || place->start + place->original_bytes <= next->start)
		return;
	place->class = MOVED_REFUSED;
	place->reason = MOVED_BY_PLACE;
	place->original_bytes = 0;
}

struct function *places_make(const struct mover *mover)
{
	struct function *places = calloc(mover->nr_places + 1ul, sizeof(*places));

	for (uint32_t i = 0; places && i < mover->nr_places; i++) {
		make_place(mover, mover->places[i], &places[i]);
		if (i)
			refuse_close(&places[i - 1], &places[i]);
	}
	return places;
}
