/* SPDX-License-Identifier: MIT */
/*
 * Patches the sites of tracepoints in running code, without breakpoints.
 *
 *	off	0f 1f 44 ss dd	nopl dd(%reg,%reg,s)	ss, dd: anything
 *	on	e9 1f 44 ss dd	jmp  . + 5 + 0xddss441f
 *
 * Each line is one instruction of 5 bytes, and the two differ in the first byte only.
 * The NOP's own bytes fix the low 16 bits of the jump's distance, so the jump's target
 * is fixed modulo 64 KiB.  At the target a stub of 5 bytes jumps on to the site's cold
 * code.  The upper 16 bits (ss, dd) select one of the 64 KiB areas within +-2 GiB.  This
 * file maps areas for stubs there.
 *
 * Switching on:
 *	1  write the stub			no thread can get there yet
 *	2  write ss dd				still a NOP, with old or new bytes
 *	3  membarrier(SYNC_CORE)		every core has the new ss dd
 *	4  change the first byte to e9		a core sees the old or the new byte
 *	5  membarrier(SYNC_CORE)		every core has the new byte
 * patch.c does the writes and the barriers: a patch_step() ends at each barrier.
 * Switching off: change the first byte to 0f, then the barrier.  ss dd stay.
 *
 * At every moment each core sees one of two valid instructions of the same length at the
 * same address.  There is never a breakpoint in the text: it would kill a thread that has
 * SIGTRAP blocked.  The program's SIGTRAP handler is not touched.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/poke.h"
#include "arch/x86_64/patch.h"

#define OPCODE_NOP	0x0f
#define OPCODE_JMP	PATCH_JUMP
#define SITE_BYTES	PATCH_JUMP_BYTES
#define DISTANCE_LOW	0x441fu		/* bytes 1 and 2 of each site, which are the
					 * low half of the jump's distance */
#define AREA_STEP	0x10000ull	/* size of an area for stubs, bytes; the bytes
					 * ss dd of a jump select the area */
/* size of an area's mapping, bytes: the last memory page is for a stub that begins
 * at the last byte of an area */
#define AREA_BYTES	(AREA_STEP + ARCH_PAGE_BYTES)
#define REACH		0x7ff00000ll

/* An area for stubs.  This struct is not in the area that it describes, but in a
 * mapping of its own. */
struct area {
	struct area *next;
	uint64_t base;			/* address of the area, a multiple of AREA_STEP */
	uint8_t used[AREA_STEP / 8];	/* bit n is 1 if a stub begins at byte n of the area */
};
static struct area *areas;		/* list of all areas, protected by the caller's lock */

/* ---- stubs ---- */

static bool is_in_jump_reach(const uint8_t *from, uint64_t to)
{
	int64_t distance = (int64_t)(to - (uint64_t)from);

	return distance > -REACH && distance < REACH;
}

/* Returns the only address in @area to which the site at @code can jump. */
static uint64_t stub_address(const struct area *area, const uint8_t *code)
{
	uint64_t low = ((uint64_t)code + SITE_BYTES + DISTANCE_LOW) &
		       (AREA_STEP - 1);

	return area->base + low;
}

static bool is_stub_start(const struct area *area, uint64_t offset)
{
	return offset < AREA_STEP &&
	       (area->used[offset / 8] & (1u << (offset % 8)));
}

/* Returns true if no other stub overlaps the 5 bytes at @stub. */
static bool is_stub_space_free(const struct area *area, uint64_t stub)
{
	uint64_t offset = stub - area->base;

	for (uint64_t i = 0; i < SITE_BYTES; i++) {
		if (is_stub_start(area, offset + i) ||
		    (i <= offset && is_stub_start(area, offset - i)))
			return false;
	}
	return true;
}

/* Map a new area for stubs as near to @code as possible.  Returns NULL if there is no
 * space within reach of a jump. */
static struct area *map_stub_area(const uint8_t *code)
{
	uint64_t around = (uint64_t)code & ~(AREA_STEP - 1);
	long mem = arch_syscall6(SYS_mmap, 0, sizeof(struct area),
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct area *area = (struct area *)mem;

	if (arch_is_error(mem))
		return NULL;
	for (uint64_t step = 0x100000; step < REACH / 2; step += 0x100000) {
		for (int sign = -1; sign <= 1; sign += 2) {
			uint64_t base = around + (uint64_t)sign * step;

			if (base < AREA_STEP || base >> ARCH_USER_BITS ||
			    !patch_map(base, AREA_BYTES, PROT_READ | PROT_EXEC))
				continue;
			area->base = base;
			area->next = areas;
			areas = area;
			return area;
		}
	}
	arch_syscall2(SYS_munmap, mem, sizeof(struct area));
	return NULL;
}

static struct area *find_stub_area(const uint8_t *code)
{
	for (struct area *a = areas; a; a = a->next) {
		uint64_t stub = stub_address(a, code);

		if (is_in_jump_reach(code, stub) && is_stub_space_free(a, stub))
			return a;
	}
	return map_stub_area(code);
}

/* Returns the address to which the site jumps when its first byte is e9. */
static uint8_t *jump_target(uint8_t *code)
{
	int32_t distance;

	memcpy(&distance, code + 1, 4);
	return code + SITE_BYTES + distance;
}

/*
 * Returns true if the site's jump leads to a stub that jumps to @target.  If the site was on
 * before, such a stub exists.
 */
static bool has_site_stub(uint8_t *code, const uint8_t *target)
{
	uint8_t *stub = jump_target(code), jump[SITE_BYTES], seen[SITE_BYTES];

	patch_encode_jump(jump, stub, target);
	for (struct area *a = areas; a; a = a->next) {
		if ((uint64_t)stub - a->base >= AREA_STEP ||
		    !is_stub_start(a, (uint64_t)stub - a->base))
			continue;
		patch_get(PATCH_STUBS, stub, seen, SITE_BYTES);
		return !memcmp(seen, jump, SITE_BYTES);
	}
	return false;
}

/* Do steps 1 and 2 of switching @site on: write the stub, and the distance from the
 * site to the stub. */
static int prepare_site_stub(struct poke_site *site)
{
	struct area *area;
	uint8_t jump[SITE_BYTES], tail[2], *stub;
	uint64_t offset, distance;

	if (has_site_stub(site->code, site->target))
		return 0;
	area = find_stub_area(site->code);
	if (!area)
		return -ENOMEM;
	stub = (uint8_t *)stub_address(area, site->code);
	if (!is_in_jump_reach(site->target, (uint64_t)stub) ||
	    !is_stub_space_free(area, (uint64_t)stub))
		return -ENOMEM;
	patch_encode_jump(jump, stub, site->target);
	patch_put(PATCH_STUBS, stub, jump, SITE_BYTES);
	offset = (uint64_t)stub - area->base;
	area->used[offset / 8] |= 1u << (offset % 8);
	site->stub = stub;
	distance = (uint64_t)(stub - (site->code + SITE_BYTES));
	tail[0] = (distance >> 16) & 0xff;
	tail[1] = (distance >> 24) & 0xff;
	patch_put(PATCH_TEXT, site->code + 3, tail, 2);
	return 0;
}

/* ---- switch tracepoint sites, all in one batch ---- */

int poke_site_state(const uint8_t *code)
{
	uint8_t opcode = __atomic_load_n(code, __ATOMIC_RELAXED);

	if (code[1] != (DISTANCE_LOW & 0xff) || code[2] != DISTANCE_LOW >> 8 ||
	    (opcode != OPCODE_NOP && opcode != OPCODE_JMP))
		return -EILSEQ;
	return opcode == OPCODE_JMP;
}

/* Free the address of @stub, so that other sites can use it.  @stub is NULL if there is
 * no stub. */
static void free_stub(const uint8_t *stub)
{
	for (struct area *a = areas; stub && a; a = a->next) {
		uint64_t offset = (uint64_t)stub - a->base;

		if (offset < AREA_STEP)
			a->used[offset / 8] &= (uint8_t)~(1u << (offset % 8));
	}
}

static int flip_site_opcode(const struct poke_site *site)
{
	int state = poke_site_state(site->code);

	if (state < 0 || state == site->is_on)
		return state < 0 ? state : 0;
	if (site->is_on && !has_site_stub(site->code, site->target)) {
		/*
		 * The site cannot be switched on: it has no stub, or the stub could not be
		 * written. poke_sites() returns the error.
		 */
		free_stub(site->stub);
		return 0;
	}
	return patch_change(PATCH_TEXT, site->code, site->is_on ? OPCODE_NOP : OPCODE_JMP,
			    site->is_on ? OPCODE_JMP : OPCODE_NOP);
}

int poke_sites(struct poke_site *sites, uint32_t nr)
{
	int ret = 0, r;

	patch_begin();
	for (uint32_t i = 0; i < nr; i++) {
		r = poke_site_state(sites[i].code);
		if (r >= 0)
			r = sites[i].is_on ? prepare_site_stub(&sites[i]) : 0;
		if (r && !ret)
			ret = r;
	}
	patch_step();
	for (uint32_t i = 0; i < nr; i++) {
		r = flip_site_opcode(&sites[i]);
		if (r && !ret)
			ret = r;
	}
	r = patch_step();
	patch_end();
	return ret ? ret : r;
}

void poke_forget(const uint8_t *start, const uint8_t *end)
{
	for (struct area *a = areas; a; a = a->next) {
		for (uint64_t i = 0; i < AREA_STEP; i++) {
			uint8_t *stub = (uint8_t *)(a->base + i);
			const uint8_t *target;

			if (!a->used[i / 8]) {
				i |= 7;
				continue;
			}
			if (!is_stub_start(a, i))
				continue;
			target = jump_target(stub);
			if (target >= start && target < end)
				a->used[i / 8] &= ~(1u << (i % 8));
		}
	}
}
