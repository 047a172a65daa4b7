/* SPDX-License-Identifier: MIT */
/*
 * Switches sites of functions that no compiler has prepared.  The table of moved functions
 * (abi/moved.h) has for each of them the first instructions and a copy of them.
 *
 *	off	the first instructions
 *	on	e9 .. .. .. ..		jmp  slot
 *	on	eb ..			jmp  padding, for MOVED_PADDED
 *	padding	e9 .. .. .. ..		jmp  slot
 *
 *	slot:	call *entry		as in fsite.c
 *		jnc  copy
 *		add  $8, %rsp
 *		jmp  *body		the body calls the copy
 *	copy:	the first instructions
 *		jmp  to the instruction after them
 *
 * Worked example, a function at 0x1130 whose first three instructions have 8 bytes:
 *
 *	0x1130	push %rbp; mov %rsp,%rbp; sub $16,%rsp		off
 *	0x1130	jmp  slot; 3 bytes of the sub			on
 *	copy	push %rbp; mov %rsp,%rbp; sub $16,%rsp; jmp 0x1138
 *
 * A jump from elsewhere to 0x1131 or 0x1134 would find bytes of the jump's distance.  The
 * analysis has refused every function into which such a jump may exist.  A thread that was
 * interrupted there would continue in the middle of the jump, too.  So threads are stopped
 * and looked at before a site is switched on (runtime/function/still.c).
 *
 * Bytes after the jump stay as they are: a thread that was interrupted at 0x1135 or later
 * continues there.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fmoved.h"
#include "arch/x86_64/patch.h"
#include "base/bits.h"

#define REACH		0x70000000ull	/* greatest distance between a byte of the text and one
					 * of the slots and copies */
#define STEP		0x1000000ull	/* step between the addresses that are tried */
#define SHORT_JUMP	0xeb		/* opcode of a jump with an 8-bit distance */

static struct fsite_slot *slot_of(const struct fsites *sites, uint32_t i)
{
	return &sites->maps[FSITE_COPY].slots[i];
}

static const struct moved_row *row_of(const struct fsites *sites, uint32_t i)
{
	return moved_rows(sites->moved) + i;
}

/* ---- the memory of slots and copies ---- */

uint8_t *fmoved_copy(const struct fsites *sites, uint32_t i)
{
	const struct fsite_map *map = &sites->maps[FSITE_COPY];

	return (uint8_t *)(map->slots + sites->nr) + (uint64_t)i * MOVED_COPY_MAX;
}

static bool map_at(uint64_t base, uint64_t bytes, struct fsite_map *ret_map)
{
	if (base < ARCH_PAGE_BYTES || (base + bytes) >> ARCH_USER_BITS ||
	    !patch_map(base, bytes, PROT_READ | PROT_EXEC))
		return false;
	*ret_map = (struct fsite_map){
		.base = (uint8_t *)base, .bytes = bytes, .slots = (struct fsite_slot *)base,
	};
	return true;
}

bool fmoved_map(const struct fsites *sites, struct fsite_map *ret_map)
{
	uint64_t low = arch_page_start((uint64_t)sites->low);
	uint64_t high = arch_page_end((uint64_t)sites->high);
	uint64_t bytes = arch_page_end((uint64_t)sites->nr *
				       (sizeof(struct fsite_slot) + MOVED_COPY_MAX));

	for (uint64_t step = STEP; step + bytes + (high - low) < REACH; step += STEP)
		if (map_at(high + step, bytes, ret_map) ||
		    (low > step + bytes && map_at(low - step - bytes, bytes, ret_map)))
			return true;
	return false;
}

/* ---- what is written to the text ---- */

/* Returns the address of the jump to the slot: the site, or the padding near it. */
static uint8_t *jump_of(const struct fsites *sites, uint32_t i)
{
	const struct moved_row *row = row_of(sites, i);

	if (row->class != MOVED_PADDED)
		return fsite_code(sites, i);
	return fsite_code(sites, i) + MOVED_SHORT_JUMP_BYTES + row->padding;
}

/* Fill in the bytes that site @i has while it is on.  Returns how many they are. */
static uint32_t encode_site(const struct fsites *sites, uint32_t i,
			    uint8_t ret_bytes[MOVED_JUMP_BYTES])
{
	const struct moved_row *row = row_of(sites, i);

	if (row->class == MOVED_PADDED) {
		ret_bytes[0] = SHORT_JUMP;
		ret_bytes[1] = (uint8_t)row->padding;
	} else {
		patch_encode_jump(ret_bytes, fsite_code(sites, i), slot_of(sites, i)->code);
	}
	return moved_replaced_bytes(row);
}

/* Returns true if the text at @addr has the @nr bytes @bytes. */
static bool has_bytes(const uint8_t *addr, const uint8_t *bytes, uint32_t nr)
{
	uint8_t seen[MOVED_ORIGINAL_MAX];

	patch_get(PATCH_TEXT, addr, seen, nr);
	return !memcmp(seen, bytes, nr);
}

/* Returns true if the padding that site @i needs is free, or already has the jump. */
static bool is_padding_ready(const struct fsites *sites, uint32_t i, const uint8_t *jump)
{
	const uint8_t *at = jump_of(sites, i);

	return has_bytes(at, jump, MOVED_JUMP_BYTES) ||
	       has_bytes(at, moved_padding(sites->moved, row_of(sites, i)), MOVED_JUMP_BYTES);
}

/* Write the jump to the slot into the padding near site @i. */
static int prepare_padding(const struct fsites *sites, uint32_t i)
{
	uint8_t *at = jump_of(sites, i), jump[MOVED_JUMP_BYTES];

	patch_encode_jump(jump, at, slot_of(sites, i)->code);
	if (!is_padding_ready(sites, i, jump))
		return -EILSEQ;
	patch_put(PATCH_TEXT, at, jump, sizeof(jump));
	return 0;
}

int fmoved_prepare(const struct fsites *sites, uint32_t i)
{
	const struct moved_row *row = row_of(sites, i);
	uint8_t *copy = fmoved_copy(sites, i), bytes[MOVED_COPY_MAX];
	int nr;

	if (!has_bytes(fsite_code(sites, i), moved_original(sites->moved, row),
		       row->original_bytes))
		return -EILSEQ;
	nr = moved_copy(sites->moved, row, sites->bias, (uint64_t)copy, bytes);
	if (nr < 0)
		return -ENOMEM;
	patch_put(PATCH_STUBS, copy, bytes, (uint32_t)nr);
	return row->class == MOVED_PADDED ? prepare_padding(sites, i) : 0;
}

int fmoved_flip(const struct fsites *sites, uint32_t i)
{
	const uint8_t *original = moved_original(sites->moved, row_of(sites, i));
	uint8_t *code = fsite_code(sites, i), jump[MOVED_JUMP_BYTES];
	uint32_t nr = encode_site(sites, i, jump);
	bool is_wanted = sites->table[i].users != 0;

	if (!has_bytes(code, is_wanted ? original : jump, nr) &&
	    !has_bytes(code, is_wanted ? jump : original, nr))
		return -EILSEQ;
	patch_put(PATCH_TEXT, code, is_wanted ? jump : original, nr);
	return 0;
}

bool fmoved_is_lost(const struct fsites *sites, uint32_t i)
{
	uint8_t jump[MOVED_JUMP_BYTES], seen[MOVED_JUMP_BYTES];
	uint32_t nr = encode_site(sites, i, jump);
	int fd = codemem_begin(), r;

	r = codemem_read(fd, fsite_code(sites, i), seen, nr);
	codemem_end(fd);
	if (r)
		return r == -EFAULT;
	return memcmp(seen, sites->table[i].is_on ? jump :
		      moved_original(sites->moved, row_of(sites, i)), nr);
}
