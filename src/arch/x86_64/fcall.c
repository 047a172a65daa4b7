/* SPDX-License-Identifier: MIT */
/*
 * Replaces calls of __fentry__ (-pg -mfentry) by instructions without effect, one byte at
 * a time, while threads run through them:
 *
 *	e8 .. .. .. ..		call __fentry__
 *	a9 .. .. .. ..		test $any, %eax
 *
 *	ff 15 d0 d1 d2 d3	call *slot(%rip)	slot: a GOT slot with the address
 *	84 15 d0 d1 d2 d3	test %dl, slot(%rip)	loads from the GOT slot
 *	84 15 d0 d1 d2 rr	test %dl, far(%rip)	loads from memory mapped for this
 *	a9 15 d0 d1 d2 | rr	test $any, %eax; rr: one without effect
 *
 * Each line is a state of the bytes of the call.  All lines of a group have the same
 * length and consist of whole instructions.  The tests only change flags, whose values no
 * function uses at its entry.  A line differs from the one before in one byte, and every
 * core executes a line before the next line is written.  rr is one of the bytes that
 * fsite.c uses as NOPs.  In the third line rr is the upper byte of a distance and so
 * selects a range of 16 MiB; readable memory is mapped there while any call has the third
 * line.  A thread can stop at one of three addresses.  Before the first byte it will
 * execute one of the lines.  If it is in the call, it will return to the address after
 * the last byte.  Between the two instructions of the last line it will execute rr, which
 * is never changed again.
 *
 * Only calls whose target is libulf's own __fentry__ (ftrace.S) are changed: "our" calls.
 */
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/codemem.h"
#include "arch/x86_64/patch.h"
#include "base/bits.h"

#define NEAR_CALL	0xe8
#define FAR_CALL	0xff
#define FAR_TEST	0x84
#define TEST		0xa9
#define FAR_BYTES	6u		/* size of a far call, which is a call through
					 * a GOT slot, bytes */
#define SPAN		(1ll << 24)	/* size of a range of addresses whose 32-bit distances
					 * have the same upper byte, bytes */

/* The function __fentry__ to which the dynamic linker binds all calls of that name.
 * Normally this is ftrace_fentry() of libulf. */
void __fentry__(void) __attribute__((visibility("default")));

/* ---- find out whether a call leads to libulf's __fentry__ ---- */

/* Returns the value in the GOT slot at address @slot, or 0 if the slot cannot be read. */
static uint64_t read_got_slot(int fd, uint64_t slot)
{
	uint64_t value;

	return codemem_read(fd, (const uint8_t *)slot, &value, sizeof(value)) ? 0 : value;
}

static bool is_our_fentry(uint64_t addr)
{
	uint64_t own = (uint64_t)ftrace_fentry;

	__asm__("" : "+r"(own));	/* hide the value from the compiler, which
					 * would otherwise optimize the comparison
					 * away */
	return addr == own;
}

/* Returns the address to which the instruction @code refers.  The instruction is at
 * address @at, has @bytes bytes and ends in a 32-bit distance. */
static uint64_t rel32_target(const uint8_t *code, uint32_t bytes, uint64_t at)
{
	int32_t distance;

	memcpy(&distance, code + bytes - 4, sizeof(distance));
	return at + bytes + (uint64_t)(int64_t)distance;
}

/*
 * Returns true if the code at @at, the target of a near call, is libulf's __fentry__
 * or a PLT entry that jumps to this function.  With lazy binding, a GOT slot points
 * back into the module until the first call, which stores the address of __fentry__()
 * in the slot.  So such a slot counts as if it had this address.
 */
static bool leads_to_our_fentry(const struct fsites *sites, int fd, uint64_t at)
{
	uint8_t code[ARCH_PLT_BYTES];
	uint64_t to, word;

	if (is_our_fentry(at))
		return true;
	if (codemem_read(fd, (const uint8_t *)at, code, sizeof(code)))
		return false;
	word = arch_plt_word(code, sizeof(code), at);
	if (!word)
		return false;
	to = read_got_slot(fd, word);
	if (to >= (uint64_t)sites->low && to < (uint64_t)sites->high)
		to = (uint64_t)__fentry__;
	return is_our_fentry(to);
}

bool fcall_is_ours(const struct fsites *sites, int fd, const uint8_t *code,
		   uint64_t at, struct fcall_target *last)
{
	bool is_near = code[0] == NEAR_CALL;
	uint64_t to = rel32_target(code, is_near ? FSITE_BYTES : FAR_BYTES, at);

	if (to != last->to) {
		last->to = to;
		last->is_ours = is_near ? leads_to_our_fentry(sites, fd, to) :
					  is_our_fentry(read_got_slot(fd, to));
	}
	return last->is_ours;
}

/* ---- map the memory from which `test %dl, far(%rip)` loads ---- */

struct area {
	uint8_t upper;			/* upper byte of the 32-bit distance from the
					 * instruction to this area; 0 if no area
					 * could be mapped */
	long base, bytes;
};

static void map_test_area(struct area *area, const struct fsites *sites)
{
	static const uint8_t uppers[] = {
		0x3e, 0x36, 0x2e, 0x26, 0xf9, 0xf8, 0xf5, 0x90,
	};
	uint64_t low = (uint64_t)sites->low & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
	uint64_t high = ALIGN_UP((uint64_t)sites->high, ARCH_PAGE_BYTES);

	area->bytes = (long)(high - low + SPAN + ARCH_PAGE_BYTES);
	for (uint32_t i = 0; i < ARRAY_SIZE(uppers); i++) {
		int64_t distance = (int8_t)uppers[i] * SPAN;

		area->base = (long)low + distance;
		if (area->base < (long)ARCH_PAGE_BYTES)
			continue;
		if (patch_map((uint64_t)area->base, (uint64_t)area->bytes, PROT_READ)) {
			area->upper = uppers[i];
			return;
		}
	}
}

/* ---- change calls to tests, one byte at a time ---- */

static bool is_byte_at(uint8_t *addr, uint8_t byte)
{
	return !patch_change(PATCH_TEXT, addr, byte, byte);
}

/* Each of the following functions does one step: from one line of the table at the top
 * of this file to the next.  A step is done for all sites before the next step begins.
 * A byte with an unexpected value is not changed: the text may have been unmapped
 * meanwhile, and the byte may belong to other code. */
static void call_to_test(uint8_t *code, uint8_t upper)
{
	if (is_byte_at(code, NEAR_CALL))
		patch_change(PATCH_TEXT, code, NEAR_CALL, TEST);
	else if (upper)
		patch_change(PATCH_TEXT, code, FAR_CALL, FAR_TEST);
}

static void write_upper_byte(uint8_t *code, uint8_t upper)
{
	if (is_byte_at(code, FAR_TEST))
		patch_put(PATCH_TEXT, code + FSITE_BYTES, &upper, 1);
}

static void far_test_to_test(uint8_t *code, uint8_t upper)
{
	if (is_byte_at(code + FSITE_BYTES, upper))
		patch_change(PATCH_TEXT, code, FAR_TEST, TEST);
}

static void step_all_calls(struct fsites *sites, uint8_t upper,
			   void (*step)(uint8_t *code, uint8_t upper))
{
	for (uint32_t i = 0; i < sites->nr; i++)
		if (sites->table[i].form == FSITE_CALL)
			step(fsite_code(sites, i), upper);
	patch_step();
}

/* Set the form of the sites whose calls have become tests.  Returns false if some far
 * calls are changed only in part: they are in a state between the first and the last line
 * of the table at the top of this file. */
static bool mark_silenced_calls(struct fsites *sites)
{
	bool is_done = true;

	for (uint32_t i = 0; i < sites->nr; i++) {
		struct fsite *site = &sites->table[i];

		if (site->form != FSITE_CALL)
			continue;
		if (is_byte_at(fsite_code(sites, i), TEST)) {
			site->form = FSITE_TEST;
			if (!sites->written)
				sites->written = i + 1;
		} else if (is_byte_at(fsite_code(sites, i), FAR_TEST)) {
			is_done = false;
		}
	}
	return is_done;
}

void fcalls_silence(struct fsites *sites)
{
	struct area area = { 0 };

	map_test_area(&area, sites);
	patch_begin();
	step_all_calls(sites, area.upper, call_to_test);
	if (area.upper) {
		step_all_calls(sites, area.upper, write_upper_byte);
		step_all_calls(sites, area.upper, far_test_to_test);
	}
	if (mark_silenced_calls(sites) && area.upper)
		arch_syscall2(SYS_munmap, area.base, area.bytes);
	patch_end();
}
