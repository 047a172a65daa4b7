/* SPDX-License-Identifier: MIT */
/*
 * Switches sites of USDT probes.  A site is a NOP of one byte in the middle of a function:
 *
 *	off	90 48 89 e5 41		nop; mov %rsp,%rbp; ...
 *	live	e9 48 89 e5 41		jmp  . + 5 + 0x41e58948
 *	still	e9 .. .. .. ..		jmp  cell
 *	stub	e9 .. .. .. ..		jmp  cell (pun.c)
 *	cell:	lea  -128(%rsp), %rsp	skip the red zone
 *		call *entry
 *		lea  128(%rsp), %rsp
 *		jmp  site + 1; still: jmp copy
 *	copy:	nop; mov %rsp,%rbp; ...
 *		jmp  to the instruction after them
 *
 * Live: only the NOP changes, by a store of one byte, in both directions.  The bytes after it stay
 * as they are: they are the jump's distance, and a thread that stands at one of them, or jumps
 * there, finds the instructions that were always there.  So nothing is stopped, and no instruction
 * is moved: the NOP itself has no effect that the cell would have to repeat.
 *
 * Still: if no stub can be where the four bytes lead, the whole jump is written while no other
 * thread runs, and none is between the instructions that it replaces.  They run in a copy.  That is
 * how functions are switched under the stop (fmoved.c), with the same tables and checks.
 *
 * The distance must not change while the site is on.  So nothing else that libulf switches may be
 * in these four bytes: the parser refuses sites that are too close to each other or to a
 * tracepoint (elf_usdt.c), and usites_use() keeps function sites away.
 *
 * A thread may be interrupted in a stub or a cell, and continue there much later.  So these stay
 * while the object is loaded.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/ftrace.h"
#include "arch/x86_64/patch.h"
#include "arch/x86_64/pun.h"
#include "arch/x86_64/usdt_table.h"
#include "arch/x86_64/usite.h"
#include "base/bits.h"

#define REACH	0x70000000ull		/* maximum distance from a site to a cell,
					 * bytes */
#define BELOW	0x10000000ull		/* distance from the text down to the first
					 * address that is tried for an area, bytes */
#define STEP	0x1000000ull		/* distance between two addresses at which the
					 * code tries to map memory, bytes */

struct cell {
	uint8_t code[40];
	uint64_t entry;			/* address of the hook */
	uint64_t data;			/* usite.data */
	uint64_t next;			/* address of the instruction after the NOP of the
					 * probe */
};

static_assert(sizeof(struct cell) == USITE_CELL_BYTES, "known to usite.S");
static_assert(offsetof(struct cell, data) == USITE_CELL_DATA, "known to usite.S");
static_assert(offsetof(struct cell, next) == USITE_CELL_NEXT, "known to usite.S");
static_assert(offsetof(struct usite_regs, flags) == USITE_REGS_FLAGS, "known to usite.S");
static_assert(sizeof(struct usite_regs) == USITE_REGS_BYTES, "known to usite.S");

static struct usites *all;		/* objects that have cells */

/* ---- cells ---- */

/* Returns the offset in an area of its first copy of moved instructions. */
static uint64_t copies_at(const struct usites *sites)
{
	return ALIGN_UP((uint64_t)sites->nr * sizeof(struct cell), FCODE_CELL_BYTES);
}

static uint64_t area_bytes(const struct usites *sites)
{
	uint64_t copies = sites->moved ? (uint64_t)sites->nr * sizeof(struct fcode_cell) : 0;

	return arch_page_end(copies_at(sites) + copies);
}

static bool map_at(struct usites *sites, uint32_t area, uint64_t base)
{
	uint64_t bytes = area_bytes(sites);

	if (base < ARCH_PAGE_BYTES || (base + bytes) >> ARCH_USER_BITS ||
	    !patch_map(base, bytes, PROT_READ | PROT_EXEC))
		return false;
	sites->cells[area] = (uint8_t *)base;
	fcode_add_probes(base, base + copies_at(sites), base + bytes);
	if (!sites->is_listed) {
		sites->next = all;
		all = sites;
		sites->is_listed = true;
	}
	return true;
}

/*
 * Map an area of cells within reach of all sites: area 0 below them, area 1 above.
 *
 * A cell must be in reach of its site and of its stub, which may be on either side, nearly
 * 2 GiB away.  From 256 MiB below the text, all stubs but the highest ones are in reach.
 * The area above the text is mapped only for those, or if there is no space below the text,
 * because the heap may grow above the text.
 */
static bool map_area(struct usites *sites, uint32_t area)
{
	uint64_t bytes = area_bytes(sites);
	uint64_t low = arch_page_start(sites->list[0].code);
	uint64_t high = arch_page_end(sites->list[sites->nr - 1].code);

	for (uint64_t step = area ? STEP : BELOW; step + bytes + (high - low) < REACH; step += STEP)
		if (area ? map_at(sites, area, high + step) :
		    low > step + bytes && map_at(sites, area, low - step - bytes))
			return true;
	return false;
}

/* Write the cell of a site.  @next: the address to which the cell jumps at its end. */
static void write_cell(const struct usites *sites, const struct usite *site, uint64_t next)
{
	/* lea -128(%rsp),%rsp; call *entry(%rip); lea 128(%rsp),%rsp; jmp */
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80, 0xff, 0x15, 40 - USITE_CELL_BACK, 0, 0, 0,
		0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0,
	};
	uint8_t *at = site->cell;
	struct cell cell = {
		.entry = sites->entry, .data = (uint64_t)site->data, .next = site->code + 1,
	};

	memcpy(cell.code, code, sizeof(code));
	patch_encode_jump(cell.code + sizeof(code), at + sizeof(code), (const uint8_t *)next);
	patch_put(PATCH_STUBS, at, (const uint8_t *)&cell, sizeof(cell));
}

/* ---- sites ---- */

static uint64_t stub_of(const struct usite *site)
{
	return pun_stub(site->code, site->original + 1);
}

static bool has_bytes(const struct usite *site, uint8_t first)
{
	uint8_t seen[USDT_JUMP_BYTES];

	patch_get(PATCH_TEXT, (const uint8_t *)site->code, seen, sizeof(seen));
	return seen[0] == first && !memcmp(seen + 1, site->original + 1, sizeof(seen) - 1);
}

static const uint8_t *original_of(const struct usites *sites, const struct usite *site)
{
	return moved_original(sites->moved, site->row);
}

static bool has_original(const struct usites *sites, const struct usite *site)
{
	uint8_t seen[MOVED_ORIGINAL_MAX];

	patch_get(PATCH_TEXT, (const uint8_t *)site->code, seen, site->row->original_bytes);
	return !memcmp(seen, original_of(sites, site), site->row->original_bytes);
}

/* Returns the address of the copy of moved instructions that belongs to a cell. */
static struct fcode_cell *copy_of(const struct usites *sites, const uint8_t *cell)
{
	uint32_t area = sites->cells[0] && cell >= sites->cells[0] &&
			cell < sites->cells[0] + area_bytes(sites) ? 0 : 1;
	uint64_t i = (uint64_t)(cell - sites->cells[area]) / sizeof(struct cell);

	return (struct fcode_cell *)(sites->cells[area] + copies_at(sites)) + i;
}

static bool can_reach(const struct usite *site, const uint8_t *cell)
{
	int64_t distance = (int64_t)((uint64_t)cell - (site->code + PATCH_JUMP_BYTES));

	return distance == (int32_t)distance;
}

static int write_copy(const struct usites *sites, const struct usite *site, const uint8_t *cell)
{
	struct fcode_cell *to = copy_of(sites, cell), copy;
	int r = fcode_make_cell(sites->moved, site->row, sites->bias, to, &copy);

	if (!r)
		patch_put(PATCH_STUBS, (uint8_t *)to, (const uint8_t *)&copy, sizeof(copy));
	return r;
}

/*
 * Returns true if the site can be switched in the way @way with its cell at @cell.  Also takes
 * memory for the stub, or writes the copy of moved instructions.
 */
static bool take_cell(const struct usites *sites, const struct usite *site, enum usite_way way,
		      const uint8_t *cell)
{
	if (way == USITE_LIVE)
		return pun_take_near_heap(stub_of(site), cell);
	return site->row && can_reach(site, cell) && has_original(sites, site) &&
	       !write_copy(sites, site, cell);
}

/* Choose the way in which a site is switched (enum usite_way), and its cell. */
static bool choose_way(struct usites *sites, uint32_t i)
{
	struct usite *site = &sites->list[i];

	for (enum usite_way way = USITE_LIVE; way <= USITE_STILL; way++)
		for (uint32_t area = 0; area < USITE_AREAS; area++) {
			uint8_t *cell;

			if (!sites->cells[area] && !map_area(sites, area))
				continue;
			cell = sites->cells[area] + (uint64_t)i * sizeof(struct cell);
			if (!take_cell(sites, site, way, cell))
				continue;
			site->cell = cell;
			site->way = (uint8_t)way;
			return true;
		}
	return false;
}

/*
 * Write the cell of a site that will be switched on.  Write its stub, or its copy of moved
 * instructions, again, because an earlier write may have failed.
 */
static int write_again(const struct usites *sites, const struct usite *site)
{
	if (site->way == USITE_STILL)
		return has_original(sites, site) ? write_copy(sites, site, site->cell) : -EILSEQ;
	pun_write(stub_of(site), site->cell);
	return 0;
}

static int prepare_site(struct usites *sites, uint32_t i)
{
	struct usite *site = &sites->list[i];
	int r;

	if (!has_bytes(site, USDT_NOP))
		return -EILSEQ;
	if (!site->cell && !choose_way(sites, i))
		return -ENOMEM;
	r = write_again(sites, site);
	if (!r)
		write_cell(sites, site, site->way == USITE_STILL ?
			   (uint64_t)copy_of(sites, site->cell) : site->code + 1);
	return r;
}

static int prepare_sites(struct usites *sites)
{
	for (uint32_t i = 0; i < sites->nr; i++)
		if (sites->list[i].is_wanted && !sites->list[i].is_on)
			sites->list[i].error = prepare_site(sites, i);
	return patch_step();
}

/* Let no site be switched on: some cells or copies were possibly not written. */
static void refuse_new(struct usites *sites, int error)
{
	for (uint32_t i = 0; i < sites->nr; i++) {
		struct usite *site = &sites->list[i];

		if (site->is_wanted && !site->is_on && !site->error)
			site->error = error;
	}
}

static int switch_site(const struct usite *site)
{
	uint8_t *code = (uint8_t *)site->code;

	if (!site->is_wanted)
		return patch_change(PATCH_TEXT, code, PATCH_JUMP, USDT_NOP);
	if (!has_bytes(site, USDT_NOP) || !pun_is_complete(stub_of(site), site->cell))
		return -EILSEQ;
	return patch_change(PATCH_TEXT, code, USDT_NOP, PATCH_JUMP);
}

static int switch_sites(struct usites *sites)
{
	int ret = 0;

	for (uint32_t i = 0; i < sites->nr; i++) {
		struct usite *site = &sites->list[i];

		if (site->is_wanted == site->is_on)
			continue;
		if (site->way != USITE_STILL && (!site->is_wanted || !site->error))
			site->error = switch_site(site);
		if (!site->error && site->way != USITE_STILL)
			site->is_on = site->is_wanted;
		if (site->error && !ret)
			ret = site->error;
	}
	return ret;
}

static bool has_changes(const struct usites *sites)
{
	for (uint32_t i = 0; i < sites->nr; i++)
		if (sites->list[i].is_wanted != sites->list[i].is_on)
			return true;
	return false;
}

int usites_switch(struct usites *sites)
{
	int ret, r;

	if (!has_changes(sites))
		return 0;
	if (!ftrace_vectors_init())
		return -EOPNOTSUPP;
	patch_begin();
	ret = prepare_sites(sites);
	if (ret)
		refuse_new(sites, ret);
	else
		ret = switch_sites(sites);
	r = patch_step();
	patch_end();
	return ret ? ret : r;
}

/* ---- sites that are switched while no other thread runs ---- */

static bool needs_flip(const struct usite *site)
{
	return site->way == USITE_STILL && site->is_wanted != site->is_on && !site->error;
}

bool usites_need_flip(const struct usites *sites)
{
	for (uint32_t i = 0; i < sites->nr; i++)
		if (needs_flip(&sites->list[i]))
			return true;
	return false;
}

uint64_t usites_list_ranges(const struct usites *sites, struct abi_stop_range *to)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < sites->nr; i++) {
		const struct usite *site = &sites->list[i];

		if (!needs_flip(site) || !site->is_wanted || site->row->class != MOVED_SEVERAL)
			continue;
		if (to)
			to[nr] = (struct abi_stop_range){
				site->code + 1, site->code + PATCH_JUMP_BYTES,
			};
		nr++;
	}
	return nr;
}

void usites_note_use(struct usites *sites, uint64_t addr)
{
	for (uint32_t i = 0; i < sites->nr; i++) {
		struct usite *site = &sites->list[i];

		site->is_used |= needs_flip(site) && addr > site->code &&
				 addr < site->code + PATCH_JUMP_BYTES;
	}
}

static int flip_site(const struct usites *sites, struct usite *site)
{
	uint8_t jump[PATCH_JUMP_BYTES], seen[PATCH_JUMP_BYTES];
	const uint8_t *original = original_of(sites, site);
	bool is_used = site->is_used && site->is_wanted;

	site->is_used = false;
	if (is_used)
		return -EBUSY;
	patch_encode_jump(jump, (const uint8_t *)site->code, site->cell);
	patch_get(PATCH_TEXT, (const uint8_t *)site->code, seen, sizeof(seen));
	if (memcmp(seen, site->is_wanted ? original : jump, sizeof(seen)))
		return -EILSEQ;
	patch_put(PATCH_TEXT, (uint8_t *)site->code, site->is_wanted ? jump : original,
		  sizeof(jump));
	return 0;
}

int usites_flip(struct usites *sites, uint32_t *ret_used)
{
	int ret = 0, r;

	for (uint32_t i = 0; i < sites->nr; i++) {
		struct usite *site = &sites->list[i];

		if (!needs_flip(site))
			continue;
		r = flip_site(sites, site);
		if (!r)
			site->is_on = site->is_wanted;
		else if (r == -EBUSY)
			++*ret_used;
		else
			site->error = r;
		if (r && r != -EBUSY && !ret)
			ret = r;
	}
	r = patch_flush();
	return r ? r : ret;
}

static void unlink_sites(struct usites *sites)
{
	struct usites **at = &all;

	while (*at && *at != sites)
		at = &(*at)->next;
	if (*at)
		*at = sites->next;
	sites->is_listed = false;
}

void usites_done(struct usites *sites)
{
	patch_begin();
	for (uint32_t i = 0; i < sites->nr; i++) {
		if (sites->list[i].way == USITE_LIVE)
			pun_give_back(stub_of(&sites->list[i]));
		sites->list[i].cell = NULL;
		sites->list[i].way = USITE_UNDECIDED;
		sites->list[i].is_on = false;
	}
	patch_flush();
	patch_end();
	unlink_sites(sites);
	for (uint32_t area = 0; area < USITE_AREAS; area++) {
		if (!sites->cells[area])
			continue;
		fcode_remove((uint64_t)sites->cells[area]);
		arch_syscall2(SYS_munmap, sites->cells[area], area_bytes(sites));
		sites->cells[area] = NULL;
	}
}

bool usites_use(const uint8_t *addr, uint32_t nr)
{
	for (const struct usites *sites = all; sites; sites = sites->next)
		for (uint32_t i = 0; i < sites->nr; i++)
			if (sites->list[i].is_on && sites->list[i].code < (uint64_t)addr + nr &&
			    (uint64_t)addr < sites->list[i].code + usite_bytes(&sites->list[i]))
				return true;
	return false;
}

uint32_t usite_bytes(const struct usite *site)
{
	return site->way != USITE_LIVE && site->row ? site->row->original_bytes : USDT_JUMP_BYTES;
}
