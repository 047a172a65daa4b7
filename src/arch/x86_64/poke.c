/* SPDX-License-Identifier: MIT */
/*
 * Patches the sites of tracepoints in running code, without breakpoints.
 *
 *	off	0f 1f 44 ss dd	nopl dd(%reg,%reg,s)	ss, dd: anything
 *	on	e9 1f 44 ss dd	jmp  . + 5 + 0xddss441f
 *
 * Both are one instruction of 5 bytes, and they differ in the first byte only.  The NOP's
 * own bytes fix the low 16 bits of the jump's distance, so the jump's target is fixed
 * modulo 64 KiB.  At the target a stub of 5 bytes jumps on to the site's cold code.  The
 * upper 16 bits (ss, dd) select one of the 64 KiB areas within +-2 GiB.  This file maps
 * areas for stubs there.
 *
 * Switching on:
 *	1  write the stub			no thread can get there yet
 *	2  write ss dd				still a NOP, with old or new bytes
 *	3  membarrier(SYNC_CORE)		every core has the new ss dd
 *	4  change the first byte to e9		a core sees the old or the new byte
 *	5  membarrier(SYNC_CORE)		every core has the new byte
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
#include "arch/x86_64/codemem.h"
#include "base/testpoint.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define OPCODE_NOP	0x0f
#define OPCODE_JMP	0xe9
#define SITE_BYTES	5
#define DISTANCE_LOW	0x441fu		/* bytes 1 and 2 of each site, which are the low
					 * half of the distance */
#define AREA_STEP	0x10000ull	/* size of the areas that ss dd select, bytes */
#define AREA_BYTES	(AREA_STEP + ARCH_PAGE_BYTES)	/* an area has one page more,
							 * because a stub may begin at
							 * its last byte */
#define REACH		0x7ff00000ll

/* An area for stubs.  The struct is in a mapping of its own, not in the area that it
 * describes. */
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

/* Map a new area as near to @code as possible.  Returns NULL if there is no space within
 * reach. */
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
			long r;

			if (base < AREA_STEP || base >> ARCH_USER_BITS)
				continue;
			r = arch_syscall6(SYS_mmap, (long)base, AREA_BYTES,
					  PROT_READ | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS |
					  MAP_FIXED_NOREPLACE, -1, 0);
			if (r == (long)base) {
				area->base = base;
				area->next = areas;
				areas = area;
				return area;
			}
			if (r > 0)	/* an old kernel takes the address as a hint, and
					 * has mapped the area elsewhere */
				arch_syscall2(SYS_munmap, r, AREA_BYTES);
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

static void encode_jump(uint8_t *bytes, const uint8_t *from, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (from + SITE_BYTES));

	bytes[0] = OPCODE_JMP;
	memcpy(bytes + 1, &distance, 4);
}

/* Returns the address to which the site jumps when its first byte is e9. */
static uint8_t *jump_target(uint8_t *code)
{
	int32_t distance;

	memcpy(&distance, code + 1, 4);
	return code + SITE_BYTES + distance;
}

/* Returns true if the site still has the stub that it got when it was on before. */
static bool has_site_stub(uint8_t *code, const uint8_t *target)
{
	uint8_t *stub = jump_target(code), jump[SITE_BYTES];

	encode_jump(jump, stub, target);
	for (struct area *a = areas; a; a = a->next) {
		if ((uint64_t)stub - a->base < AREA_STEP &&
		    is_stub_start(a, (uint64_t)stub - a->base))
			return !memcmp(stub, jump, SITE_BYTES);
	}
	return false;
}

/* Do steps 1 and 2 of switching @site on: write the stub, and the distance to it. */
static int prepare_site_stub(int fd, const struct poke_site *site)
{
	struct area *area;
	uint8_t jump[SITE_BYTES], tail[2], *stub;
	uint64_t offset, distance;
	int r;

	if (has_site_stub(site->code, site->target))
		return 0;
	area = find_stub_area(site->code);
	if (!area)
		return -ENOMEM;
	stub = (uint8_t *)stub_address(area, site->code);
	if (!is_in_jump_reach(site->target, (uint64_t)stub) ||
	    !is_stub_space_free(area, (uint64_t)stub))
		return -ENOMEM;
	encode_jump(jump, stub, site->target);
	r = codemem_write(fd, stub, jump, SITE_BYTES);
	if (r)
		return r;
	offset = (uint64_t)stub - area->base;
	area->used[offset / 8] |= 1u << (offset % 8);
	distance = (uint64_t)(stub - (site->code + SITE_BYTES));
	tail[0] = (distance >> 16) & 0xff;
	tail[1] = (distance >> 24) & 0xff;
	return codemem_write(fd, site->code + 3, tail, 2);
}

/* ---- switch sites, all in one batch ---- */

int poke_site_state(const uint8_t *code)
{
	uint8_t opcode = __atomic_load_n(code, __ATOMIC_RELAXED);

	if (code[1] != (DISTANCE_LOW & 0xff) || code[2] != DISTANCE_LOW >> 8 ||
	    (opcode != OPCODE_NOP && opcode != OPCODE_JMP))
		return -EILSEQ;
	return opcode == OPCODE_JMP;
}

static int flip_site_opcode(int fd, const struct poke_site *site)
{
	uint8_t opcode = site->is_on ? OPCODE_JMP : OPCODE_NOP;
	int state = poke_site_state(site->code);

	if (state < 0 || state == site->is_on)
		return state < 0 ? state : 0;
	if (site->is_on && !has_site_stub(site->code, site->target))
		return 0;	/* prepare_site_stub() failed for this site; poke_sites() returns
				 * the error */
	return codemem_write(fd, site->code, &opcode, 1);
}

int poke_sites(const struct poke_site *sites, uint32_t nr)
{
	int fd = codemem_begin(), ret = 0, r;

	for (uint32_t i = 0; i < nr; i++) {
		r = poke_site_state(sites[i].code);
		if (r >= 0)
			r = sites[i].is_on ? prepare_site_stub(fd, &sites[i]) : 0;
		if (r && !ret)
			ret = r;
	}
	TESTPOINT("poke.tails");
	codemem_sync();
	for (uint32_t i = 0; i < nr; i++) {
		r = flip_site_opcode(fd, &sites[i]);
		if (r && !ret)
			ret = r;
	}
	TESTPOINT("poke.opcodes");
	codemem_sync();
	codemem_end(fd);
	return ret;
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
