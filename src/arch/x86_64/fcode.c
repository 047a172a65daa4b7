/* SPDX-License-Identifier: MIT */
/*
 * Find out whether an address is in code that fsite.c and fmoved.c have made, and in which
 * kind of code; see fcode.h.
 *
 * All slots and copies are in a few ranges, which this file knows.  Stubs may be anywhere, but
 * need not be known: a jump is a stub if it leads to the start of a slot.
 *
 *	word		written by			read by
 *	range.slots	holder of runtime_lock()	any context: 0, or the range is in use
 *	range.*		while slots is 0		between two reads of slots
 *
 * A range is removed only when no thread is in its code.  So a thread that unwinds such
 * code always finds its range; other threads may find it or not.
 */
#include "arch/arch.h"
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/patch.h"

#define RANGES	1024u			/* maximum number of ranges; each object with
					 * traced functions needs one or two */

static_assert(USITE_CELL_BYTES == FCODE_SLOT_BYTES && USITE_CELL_NEXT == FCODE_SLOT_SITE,
	      "stubs of functions and of probes have the same table");
static_assert(sizeof(struct fsite_slot) == FCODE_SLOT_BYTES, "known to fcode.S");
static_assert(offsetof(struct fsite_slot, site) == FCODE_SLOT_SITE, "known to fcode.S");

static struct range {
	uint64_t slots;			/* address of the first slot of this range; 0:
					 * this element is free */
	uint64_t cells, end;		/* cells with copies of moved instructions are from
					 * @cells to before @end */
	uint64_t is_probe;		/* 1: cells of probes, not slots, are from @slots to
					 * before @cells */
} ranges[RANGES];
static uint32_t nr_ranges;		/* number of elements of @ranges that were
					 * ever in use */

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void add_range(uint64_t slots, uint64_t cells, uint64_t end, bool is_probe)
{
	struct range *range = ranges;

	while (range < ranges + RANGES && load(&range->slots))
		range++;
	if (range == ranges + RANGES)
		return;
	__atomic_store_n(&range->cells, cells, __ATOMIC_RELAXED);
	__atomic_store_n(&range->end, end, __ATOMIC_RELAXED);
	__atomic_store_n(&range->is_probe, is_probe, __ATOMIC_RELAXED);
	__atomic_store_n(&range->slots, slots, __ATOMIC_RELEASE);	/* [fcode.range] */
	if (range == ranges + nr_ranges)
		__atomic_store_n(&nr_ranges, nr_ranges + 1, __ATOMIC_RELEASE);	/* [fcode.nr] */
}

void fcode_add(uint64_t slots, uint64_t cells, uint64_t end)
{
	add_range(slots, cells, end, false);
}

void fcode_add_probes(uint64_t cells, uint64_t copies, uint64_t end)
{
	add_range(cells, copies, end, true);
}

void fcode_remove(uint64_t slots)
{
	for (uint32_t i = 0; i < nr_ranges; i++)
		if (load(&ranges[i].slots) == slots)
			__atomic_store_n(&ranges[i].slots, 0, __ATOMIC_RELAXED);
	/* release: `slots' becomes 0 before a later fcode_add() stores the other
	 * members; mate:
	 * kind_in_ranges() [fcode.reuse] */
	__atomic_thread_fence(__ATOMIC_RELEASE);			/* [fcode.reuse] */
}

/* Returns FCODE_SLOT, FCODE_COPY, FCODE_PROBE; or FCODE_NONE if @pc is in no range. */
static enum fcode_kind kind_in_ranges(uint64_t pc)
{
	uint32_t nr = __atomic_load_n(&nr_ranges, __ATOMIC_ACQUIRE);	/* mate: [fcode.nr] */

	for (uint32_t i = 0; i < nr; i++) {
		const struct range *range = &ranges[i];
		/* acquire: @cells and @end belong to this value of @slots; mate:
		 * fcode_add() [fcode.range] */
		uint64_t slots = __atomic_load_n(&range->slots, __ATOMIC_ACQUIRE);
		uint64_t cells = load(&range->cells), end = load(&range->end);
		uint64_t is_probe = load(&range->is_probe);

		/* mate: [fcode.reuse] */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (slots && pc >= slots && pc < end && load(&range->slots) == slots)
			return pc >= cells ? FCODE_COPY : is_probe ? FCODE_PROBE : FCODE_SLOT;
	}
	return FCODE_NONE;
}

/* Returns the address to which the jump at @pc leads. */
static uint64_t target_of(uint64_t pc)
{
	int32_t distance;

	__builtin_memcpy(&distance, (const uint8_t *)pc + 1, sizeof(distance));
	return pc + PATCH_JUMP_BYTES + (uint64_t)(int64_t)distance;
}

static uint64_t site_of(uint64_t slot)
{
	return load((const uint64_t *)(slot + FCODE_SLOT_SITE));
}

/* Returns true if the code at @pc is a jump to the start of a slot, or of a probe's cell.  The
 * jump at a site may also lead there, but is no stub: for it the function returns false,
 * because the object's own tables describe that address. */
static bool is_stub(uint64_t pc, bool is_mapped)
{
	uint64_t last = pc + PATCH_JUMP_BYTES - 1, slot;

	if ((!is_mapped && !arch_is_readable((const void *)pc)) ||
	    *(const volatile uint8_t *)pc != PATCH_JUMP)
		return false;
	if (arch_page_start(last) != arch_page_start(pc) && !arch_is_readable((const void *)last))
		return false;
	slot = target_of(pc);
	if (slot % FCODE_SLOT_BYTES)
		return false;
	switch (kind_in_ranges(slot)) {
	case FCODE_SLOT:
		return site_of(slot) && site_of(slot) != pc;
	case FCODE_PROBE:
		return site_of(slot) && site_of(slot) - 1 != pc;
	default:
		return false;
	}
}

enum fcode_kind fcode_kind(uint64_t pc, bool is_mapped)
{
	enum fcode_kind kind;

	if (!__atomic_load_n(&nr_ranges, __ATOMIC_RELAXED))
		return FCODE_NONE;
	kind = is_mapped ? FCODE_NONE : kind_in_ranges(pc);
	if (kind == FCODE_NONE && is_stub(pc, is_mapped))
		return FCODE_JUMP;
	return kind;
}

/* Store for each byte of a copy of moved instructions for which original instruction it stands.
 * Only a moved call becomes several instructions: the first one pushes the return address, so
 * at the later ones the stack is one word deeper. */
static void note_originals(const struct moved_head *head, const struct moved_row *row,
			   struct fcode_cell *cell)
{
	const struct moved_frame *frames = moved_frames(head, row), *first = frames;

	for (uint32_t k = 0; k < row->nr_frames; k++) {
		uint32_t end = k + 1 < row->nr_frames ? frames[k + 1].copy :
							sizeof(cell->original);
		bool is_pushed;

		if (frames[k].original != first->original)
			first = &frames[k];
		is_pushed = &frames[k] != first;
		for (uint32_t at = frames[k].copy; at < end && at < sizeof(cell->original); at++)
			cell->original[at] = frames[k].original | (is_pushed ? FCODE_PUSHED : 0);
	}
}

int fcode_make_cell(const struct moved_head *head, const struct moved_row *row, uint64_t bias,
		    const struct fcode_cell *to, struct fcode_cell *ret_cell)
{
	struct fcode_cell cell = { .site = 0 };
	int nr = moved_copy(head, row, bias, (uint64_t)to->code, cell.code);

	if (nr < 0)
		return nr;
	note_originals(head, row, &cell);
	cell.site = (int32_t)(bias + row->vaddr - (uint64_t)to);
	*ret_cell = cell;
	return 0;
}

/*
 * Convert *@pc, the address of an instruction in a copy of moved instructions, to the address
 * of the original instruction. Set *@sp to the stack pointer that a thread would have at the
 * original instruction.
 */
static void copy_original(uint64_t *pc, uint64_t *sp)
{
	const struct fcode_cell *cell =
		(const struct fcode_cell *)(*pc & -(uint64_t)FCODE_CELL_BYTES);
	uint64_t at = *pc % FCODE_CELL_BYTES;
	uint8_t original = at < sizeof(cell->original) ? cell->original[at] : 0;

	*pc = (uint64_t)cell + (uint64_t)(int64_t)cell->site + (original & (FCODE_PUSHED - 1));
	if (original & FCODE_PUSHED)
		*sp += sizeof(uint64_t);
}

/* Convert *@pc, the address of an instruction of a probe's cell, to that of the probe's
 * NOP.  The word at FCODE_SLOT_SITE is the address after the NOP. */
static void probe_original(uint64_t *pc, uint64_t *sp)
{
	uint64_t at = *pc % USITE_CELL_BYTES;

	if (at == USITE_CELL_CALL || at == USITE_CELL_BACK)
		*sp += USITE_RED_ZONE;
	*pc = site_of(*pc - at) - 1;
}

void fcode_original(enum fcode_kind kind, uint64_t *pc, uint64_t *sp)
{
	if (kind == FCODE_COPY) {
		copy_original(pc, sp);
		return;
	}
	if (kind == FCODE_PROBE) {
		probe_original(pc, sp);
		return;
	}
	if (kind == FCODE_JUMP)
		*pc = target_of(*pc);
	if (*pc % FCODE_SLOT_BYTES >= FCODE_SLOT_DROPPED)
		*sp -= sizeof(uint64_t);
	*pc = site_of(*pc & -(uint64_t)FCODE_SLOT_BYTES);
}

/* The tables of fcode.S. */
extern const uint8_t fcode_jumps[], fcode_slots[], fcode_copies[], fcode_probes[]
	__attribute__((visibility("hidden")));

const uint8_t *fcode_tables(enum fcode_kind kind)
{
	return kind == FCODE_JUMP ? fcode_jumps : kind == FCODE_SLOT ? fcode_slots :
	       kind == FCODE_PROBE ? fcode_probes : fcode_copies;
}
