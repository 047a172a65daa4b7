/* SPDX-License-Identifier: MIT */
/*
 * Calls of __fentry__ (-pg -mfentry) become instructions without effect, under
 * threads that run through them, a byte at a time:
 *
 *	e8 .. .. .. ..		call __fentry__
 *	a9 .. .. .. ..		test $any, %eax
 *
 *	ff 15 d0 d1 d2 d3	call *slot(%rip)	position independent code
 *	84 15 d0 d1 d2 d3	test %dl, slot(%rip)	a load of what was called
 *	84 15 d0 d1 d2 rr	test %dl, far(%rip)	a load from an area of ours
 *	a9 15 d0 d1 d2 | rr	test $any, %eax; and an instruction without effect
 *
 * Every line is whole instructions of the same length, of which nothing is left but
 * flags, which are dead at a function's entry; each differs from the one before
 * in one byte; every core knows a line before the next one is written.  rr is one
 * of the bytes that fsite.c has for NOPs.  As the upper byte of a distance it names
 * 16 MiB, and where it is put there, readable memory is mapped so far from the
 * text, as long as it takes.  A thread may stand in front of the first byte, where
 * it finds any of the lines, behind the last one if it is in the call, or between
 * the two instructions of the last line: rr is never changed again.
 *
 * A call is ours if it leads to our own __fentry__; others are left as they are.
 */
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/text.h"
#include "base/bits.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define NEAR_CALL	0xe8
#define FAR_CALL	0xff
#define FAR_TEST	0x84
#define TEST		0xa9
#define FAR_BYTES	6u		/* of a far call */
#define SPAN		(1ll << 24)	/* what the upper byte leaves open */

/* What everybody gets; it should be ftrace_fentry(). */
void __fentry__(void) __attribute__((visibility("default")));

/* ---- whose call is it? ---- */

/* What is in a slot; 0. */
static uint64_t slot_value(int fd, uint64_t slot)
{
	uint64_t value;

	return text_read(fd, (const uint8_t *)slot, &value, sizeof(value)) ? 0 : value;
}

static bool is_our_fentry(uint64_t addr)
{
	uint64_t own = (uint64_t)ftrace_fentry;

	__asm__("" : "+r"(own));	/* no compiler shall know better */
	return addr == own;
}

/* Of an instruction at @at: what the distance at its end says. */
static uint64_t rel32(const uint8_t *code, uint32_t bytes, uint64_t at)
{
	int32_t distance;

	memcpy(&distance, code + bytes - 4, sizeof(distance));
	return at + bytes + (uint64_t)(int64_t)distance;
}

/* Near calls go to __fentry__ itself or to what jumps there by a slot:
 * [endbr64] [bnd] jmp *slot(%rip).  If a lazy linker has not been asked yet the slot
 * leads back into the module, and will get what everybody gets. */
static bool is_our_code(const struct fsites *sites, int fd, uint64_t at)
{
	uint8_t code[11];
	uint64_t to;
	uint32_t i = 0;

	if (is_our_fentry(at))
		return true;
	if (text_read(fd, (const uint8_t *)at, code, sizeof(code)))
		return false;
	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		i += 4;
	if (code[i] == 0xf2)
		i++;
	if (code[i] != 0xff || code[i + 1] != 0x25)
		return false;
	to = slot_value(fd, rel32(code + i, FAR_BYTES, at + i));
	if (to >= (uint64_t)sites->low && to < (uint64_t)sites->high)
		to = (uint64_t)__fentry__;
	return is_our_fentry(to);
}

bool fcall_is_ours(const struct fsites *sites, int fd, const uint8_t *code,
		   uint64_t at, struct fcall_target *last)
{
	bool is_near = code[0] == NEAR_CALL;
	uint64_t to = rel32(code, is_near ? FSITE_BYTES : FAR_BYTES, at);

	if (to != last->to) {
		last->to = to;
		last->is_ours = is_near ? is_our_code(sites, fd, to) :
					  is_our_fentry(slot_value(fd, to));
	}
	return last->is_ours;
}

/* ---- an area to load from ---- */

struct area {
	uint8_t upper;			/* of the distance to it; 0: none */
	long base, bytes;
};

static void area_map(struct area *area, const struct fsites *sites)
{
	static const uint8_t uppers[] = {
		0x3e, 0x36, 0x2e, 0x26, 0xf9, 0xf8, 0xf5, 0x90,
	};
	uint64_t low = (uint64_t)sites->low & ~(uint64_t)(TEXT_PAGE - 1);
	uint64_t high = ALIGN_UP((uint64_t)sites->high, TEXT_PAGE);

	area->bytes = (long)(high - low + SPAN + TEXT_PAGE);
	for (uint32_t i = 0; i < ARRAY_SIZE(uppers); i++) {
		int64_t distance = (int8_t)uppers[i] * SPAN;
		long r;

		area->base = (long)low + distance;
		if (area->base < (long)TEXT_PAGE)
			continue;
		r = arch_syscall6(SYS_mmap, area->base, area->bytes, PROT_READ,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  MAP_FIXED_NOREPLACE, -1, 0);
		if (r == area->base) {
			area->upper = uppers[i];
			return;
		}
		if (r > 0)	/* a kernel that takes it as a hint */
			arch_syscall2(SYS_munmap, r, area->bytes);
	}
}

/* ---- a byte at a time ---- */

static bool is_at(struct text_batch *batch, uint8_t *addr, uint8_t byte)
{
	return !text_batch_change(batch, addr, byte, byte);
}

/* What does not stand there is not changed: a page may have been lost on the
 * way.  Each of these is done with all sites before the next. */
static void step_call(struct text_batch *batch, uint8_t *code, uint8_t upper)
{
	if (is_at(batch, code, NEAR_CALL))
		text_batch_change(batch, code, NEAR_CALL, TEST);
	else if (upper)
		text_batch_change(batch, code, FAR_CALL, FAR_TEST);
}

static void step_upper(struct text_batch *batch, uint8_t *code, uint8_t upper)
{
	if (is_at(batch, code, FAR_TEST))
		text_batch_put(batch, code + FSITE_BYTES, &upper, 1);
}

static void step_test(struct text_batch *batch, uint8_t *code, uint8_t upper)
{
	if (is_at(batch, code + FSITE_BYTES, upper))
		text_batch_change(batch, code, FAR_TEST, TEST);
}

static void step_all(struct fsites *sites, int fd, uint8_t upper,
		     void (*step)(struct text_batch *batch, uint8_t *code,
				  uint8_t upper))
{
	struct text_batch batch;

	text_batch_init(&batch, fd);
	for (uint32_t i = 0; i < sites->nr; i++)
		if (sites->table[i].form == FSITE_CALL)
			step(&batch, fsite_code(sites, i), upper);
	text_batch_done(&batch);
	text_sync();
}

/* What has become of them; false: some are still under way. */
static bool take_tests(struct fsites *sites, int fd)
{
	struct text_batch batch;	/* which only reads */
	bool is_done = true;

	text_batch_init(&batch, fd);
	for (uint32_t i = 0; i < sites->nr; i++) {
		struct fsite *site = &sites->table[i];

		if (site->form != FSITE_CALL)
			continue;
		if (is_at(&batch, fsite_code(sites, i), TEST)) {
			site->form = FSITE_TEST;
			if (!sites->written)
				sites->written = i + 1;
		} else if (is_at(&batch, fsite_code(sites, i), FAR_TEST)) {
			is_done = false;
		}
	}
	return is_done;
}

void fcalls_silence(struct fsites *sites, int fd)
{
	struct area area = { 0 };

	area_map(&area, sites);
	step_all(sites, fd, area.upper, step_call);
	if (area.upper) {
		step_all(sites, fd, area.upper, step_upper);
		step_all(sites, fd, area.upper, step_test);
	}
	if (take_tests(sites, fd) && area.upper)
		arch_syscall2(SYS_munmap, area.base, area.bytes);
}
