/* SPDX-License-Identifier: MIT */
/*
 * Switches sites of functions that no compiler has prepared.  The table of moved functions
 * (abi/moved.h) has for each of them the first instructions and a copy of them.  A site is
 * switched in one of these ways (enum fmoved_way):
 *
 *	off	55 48 89 e5 41		the first instructions
 *	live	e9 48 89 e5 41		jmp  stub; one byte differs
 *	still	e9 .. .. .. ..		jmp  slot
 *	stub	e9 .. .. .. ..		jmp  slot
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
 *	0x1130	jmp  slot; 3 bytes of the sub			on, still
 *	copy	push %rbp; mov %rsp,%rbp; sub $16,%rsp; jmp 0x1138
 *
 * Live: only the first byte changes.  A thread that was interrupted at 0x1131 or 0x1134
 * continues with the instruction that always was there.  So nothing is stopped.  Where the jump
 * arrives is decided by the bytes after the first one (pun.c).  If the first byte is a REX
 * prefix, the second byte can become the opcode instead: a jump ignores the prefix, the distance
 * is another one, and no thread is ever between a prefix and its instruction.
 *
 * Still: the whole jump is written if no other thread runs when the site is switched on, because
 * that needs no stub; or if no stub can be where the other jumps lead.  A jump from
 * elsewhere to 0x1131 or 0x1134 would find bytes of the jump's distance.  The analysis has
 * refused every function into which such a jump may exist.  A thread that was interrupted there
 * would continue in the middle of the jump, too.  So threads are stopped and looked at before a
 * site is switched on (runtime/function/still.c).
 *
 * Bytes after the jump stay as they are: a thread that was interrupted at 0x1135 or later
 * continues there.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/fmoved.h"
#include "arch/x86_64/patch.h"
#include "arch/x86_64/pun.h"
#include "base/bits.h"

#define REACH		0x70000000ull	/* maximum distance from any byte of the text to any
					 * slot or copy of moved instructions, bytes */
#define STEP		0x1000000ull	/* distance between two addresses at which the
					 * code tries to map memory, bytes */
#define JUMP_MAX	(1u + MOVED_JUMP_BYTES)	/* maximum size of a jump: one with a
						 * prefix, bytes */

static struct fsite_slot *slot_of(const struct fsites *sites, uint32_t i)
{
	return &sites->maps[FSITE_COPY].slots[i];
}

static const struct moved_row *row_of(const struct fsites *sites, uint32_t i)
{
	return moved_rows(sites->moved) + i;
}

/* ---- the memory of slots and of copies of moved instructions ---- */

static struct fcode_cell *cell_of(const struct fsites *sites, uint32_t i)
{
	return (struct fcode_cell *)sites->maps[FSITE_COPY].cells + i;
}

uint8_t *fmoved_copy(const struct fsites *sites, uint32_t i)
{
	return cell_of(sites, i)->code;
}

static bool map_at(uint64_t base, uint64_t bytes, uint64_t cells, struct fsite_map *ret_map)
{
	if (base < ARCH_PAGE_BYTES || (base + bytes) >> ARCH_USER_BITS ||
	    !patch_map(base, bytes, PROT_READ | PROT_EXEC))
		return false;
	*ret_map = (struct fsite_map){
		.base = (uint8_t *)base, .bytes = bytes, .slots = (struct fsite_slot *)base,
		.cells = (uint8_t *)base + cells,
	};
	return true;
}

bool fmoved_map(const struct fsites *sites, struct fsite_map *ret_map)
{
	uint64_t low = arch_page_start((uint64_t)sites->low);
	uint64_t high = arch_page_end((uint64_t)sites->high);
	uint64_t cells = ALIGN_UP((uint64_t)sites->nr * sizeof(struct fsite_slot),
				  FCODE_CELL_BYTES);
	uint64_t bytes = arch_page_end(cells + (uint64_t)sites->nr * sizeof(struct fcode_cell));

	for (uint64_t step = STEP; step + bytes + (high - low) < REACH; step += STEP)
		if (map_at(high + step, bytes, cells, ret_map) ||
		    (low > step + bytes && map_at(low - step - bytes, bytes, cells, ret_map)))
			return true;
	return false;
}

/* ---- the bytes that are written to the text ---- */

/* Returns the offset in a site of the byte that becomes the jump's opcode, if
 * the site is switched in the way @way. */
static uint32_t opcode_at(enum fmoved_way way)
{
	return way == FMOVED_LIVE_REX;
}

static bool is_live(const struct fsites *sites, uint32_t i)
{
	return sites->table[i].way == FMOVED_LIVE || sites->table[i].way == FMOVED_LIVE_REX;
}

/* Store in @bytes the bytes that site @i has while it is on.  Returns their
 * number. */
static uint32_t encode_site(const struct fsites *sites, uint32_t i,
			    uint8_t ret_bytes[JUMP_MAX])
{
	if (is_live(sites, i)) {
		uint32_t at = opcode_at(sites->table[i].way);

		memcpy(ret_bytes, moved_original(sites->moved, row_of(sites, i)),
		       at + MOVED_JUMP_BYTES);
		ret_bytes[at] = PATCH_JUMP;
		return at + MOVED_JUMP_BYTES;
	}
	patch_encode_jump(ret_bytes, fsite_code(sites, i), slot_of(sites, i)->code);
	return MOVED_JUMP_BYTES;
}

/* Returns true if the text at @addr has the @nr bytes @bytes. */
static bool has_bytes(const uint8_t *addr, const uint8_t *bytes, uint32_t nr)
{
	uint8_t seen[MOVED_ORIGINAL_MAX];

	patch_get(PATCH_TEXT, addr, seen, nr);
	return !memcmp(seen, bytes, nr);
}

/* Returns the address at which the stub of site @i must be if the site is switched in the
 * way @way. */
static uint64_t stub_of(const struct fsites *sites, uint32_t i, enum fmoved_way way)
{
	uint32_t at = opcode_at(way);

	return pun_stub((uint64_t)fsite_code(sites, i) + at,
			moved_original(sites->moved, row_of(sites, i)) + at + 1);
}

/*
 * Returns true if a site can be switched in the way @way: a jump can begin at the byte that
 * becomes its opcode, and the analysis has checked that no other site uses any byte of this
 * jump.
 */
static bool can_be(const struct moved_row *row, const uint8_t *original, enum fmoved_way way)
{
	uint32_t at = opcode_at(way);

	if (row->original_bytes < at + MOVED_JUMP_BYTES || original[at] == PATCH_JUMP)
		return false;
	return !at || (row->class != MOVED_BYTE && original[0] >= PUN_REX_FIRST &&
		       original[0] <= PUN_REX_LAST);
}

/* Choose the way in which site @i is switched.  If this way needs a stub, write
 * the stub. */
static enum fmoved_way choose_way(const struct fsites *sites, uint32_t i)
{
	const struct moved_row *row = row_of(sites, i);
	const uint8_t *original = moved_original(sites->moved, row);

	if (sites->is_alone && row->class != MOVED_BYTE)
		return FMOVED_STILL;
	for (enum fmoved_way way = FMOVED_LIVE; way <= FMOVED_LIVE_REX; way++)
		if (can_be(row, original, way) &&
		    pun_take(stub_of(sites, i, way), slot_of(sites, i)->code))
			return way;
	return FMOVED_STILL;
}

int fmoved_prepare(const struct fsites *sites, uint32_t i)
{
	const struct moved_row *row = row_of(sites, i);
	struct fcode_cell cell;
	struct fsite *site = &sites->table[i];

	if (!has_bytes(fsite_code(sites, i), moved_original(sites->moved, row),
		       row->original_bytes))
		return -EILSEQ;
	if (fcode_make_cell(sites->moved, row, sites->bias, cell_of(sites, i), &cell))
		return -ENOMEM;
	patch_put(PATCH_STUBS, (uint8_t *)cell_of(sites, i), (const uint8_t *)&cell, sizeof(cell));
	if (site->way == FMOVED_UNDECIDED)
		site->way = choose_way(sites, i);
	else if (is_live(sites, i))
		pun_write(stub_of(sites, i, site->way), slot_of(sites, i)->code);
	return site->way == FMOVED_STILL && row->class == MOVED_BYTE ? -EILSEQ : 0;
}

int fmoved_switch(const struct fsites *sites, uint32_t i)
{
	const uint8_t *original = moved_original(sites->moved, row_of(sites, i));
	const struct fsite *site = &sites->table[i];
	uint8_t *code = fsite_code(sites, i), jump[JUMP_MAX];
	uint32_t nr = encode_site(sites, i, jump), at = opcode_at(site->way);
	bool is_wanted = site->users != 0;

	if (!has_bytes(code, is_wanted ? original : jump, nr) ||
	    (is_wanted && !pun_is_complete(stub_of(sites, i, site->way),
					   slot_of(sites, i)->code)))
		return -EILSEQ;
	return patch_change(PATCH_TEXT, code + at, is_wanted ? original[at] : PATCH_JUMP,
			    is_wanted ? PATCH_JUMP : original[at]);
}

int fmoved_flip(const struct fsites *sites, uint32_t i)
{
	const uint8_t *original = moved_original(sites->moved, row_of(sites, i));
	uint8_t *code = fsite_code(sites, i), jump[JUMP_MAX];
	uint32_t nr = encode_site(sites, i, jump);
	bool is_wanted = sites->table[i].users != 0;

	if (!has_bytes(code, is_wanted ? original : jump, nr) &&
	    !has_bytes(code, is_wanted ? jump : original, nr))
		return -EILSEQ;
	patch_put(PATCH_TEXT, code, is_wanted ? jump : original, nr);
	return 0;
}

/* Read @nr bytes of site @i.  Returns 0, -EFAULT if the text is unmapped, or another -errno. */
static int read_site(const struct fsites *sites, uint32_t i, uint8_t *to, uint32_t nr)
{
	int fd = codemem_begin(), r;

	r = codemem_read(fd, fsite_code(sites, i), to, nr);
	codemem_end(fd);
	return r;
}

bool fmoved_is_lost(const struct fsites *sites, uint32_t i)
{
	uint8_t jump[JUMP_MAX], seen[JUMP_MAX];
	uint32_t nr = encode_site(sites, i, jump);
	int r = read_site(sites, i, seen, nr);

	if (r)
		return r == -EFAULT;
	return memcmp(seen, sites->table[i].is_on ? jump :
		      moved_original(sites->moved, row_of(sites, i)), nr);
}

bool fmoved_is_original(const struct fsites *sites, uint32_t i)
{
	const struct moved_row *row = row_of(sites, i);
	uint8_t seen[MOVED_ORIGINAL_MAX];

	return !read_site(sites, i, seen, row->original_bytes) &&
	       !memcmp(seen, moved_original(sites->moved, row), row->original_bytes);
}

void fmoved_done(const struct fsites *sites)
{
	patch_begin();
	for (uint32_t i = 0; i < sites->nr; i++)
		if (is_live(sites, i))
			pun_give_back(stub_of(sites, i, sites->table[i].way));
	patch_flush();
	patch_end();
}
