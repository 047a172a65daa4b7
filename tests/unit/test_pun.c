/* SPDX-License-Identifier: MIT */
/* Stubs of punned jumps: where they are, and where none may be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "arch/arch.h"

#define WINDOW		(2ull << 20)
#define WINDOWS		2048u
#define STUBS		8192u
#define SPACE		(WINDOW * 2 * (WINDOWS + 256))

static uint64_t space;			/* addresses that are free, from a multiple of WINDOW on */

static int find_space(void **state)
{
	void *mem = mmap(NULL, SPACE + WINDOW, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)state;
	if (mem == MAP_FAILED)
		return -1;
	munmap(mem, SPACE + WINDOW);
	space = ((uint64_t)mem + WINDOW - 1) & -WINDOW;
	return 0;
}

static const uint8_t *target(void)
{
	return (const uint8_t *)(space + 0x1000000);
}

static bool take(uint64_t stub)
{
	bool is_taken;

	patch_begin();
	is_taken = pun_take(stub, target());
	patch_step();
	assert_true(!is_taken || pun_is_complete(stub, target()));
	patch_end();
	return is_taken;
}

static void give_back(uint64_t stub)
{
	patch_begin();
	pun_give_back(stub);
	patch_step();
	patch_end();
}

static bool is_mapped(uint64_t addr)
{
	unsigned char there;

	return !mincore((void *)(addr & -4096ull), 1, &there);
}

static bool has(uint64_t addr)
{
	uint64_t until = UINT64_MAX;

	return pun_has(addr, &until);
}

/* Returns the address to which the jump at @stub leads. */
static uint64_t jump_at(uint64_t stub)
{
	const uint8_t *code = (const uint8_t *)stub;
	int32_t distance;

	assert_int_equal(code[0], 0xe9);
	memcpy(&distance, code + 1, sizeof(distance));
	return stub + 5 + (uint64_t)(int64_t)distance;
}

static void distances_are_the_bytes_after_the_opcode(void **state)
{
	static const struct {
		uint64_t at;
		uint8_t distance[4];
		uint64_t stub;
	} cases[] = {
		{ 0x1000, { 0, 0, 0, 0 }, 0x1005 },
		{ 0x555555554000, { 0x48, 0x89, 0xe5, 0x41 }, 0x5555973ac94d },
		{ 0x555555554000, { 0x48, 0x89, 0xe5, 0x90 }, 0x5554e63ac94d },
		{ 0x7ffff7000000, { 0xff, 0xff, 0xff, 0xff }, 0x7ffff7000004 },
		{ 0x401000, { 0, 0, 0, 0x80 }, 0xffffffff80401005 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(pun_stub(cases[i].at, cases[i].distance), cases[i].stub);
}

static void stubs_jump_and_can_be_used_again(void **state)
{
	uint64_t stub = space + 0x1237, until = UINT64_MAX;

	(void)state;
	assert_false(pun_has(stub, &until));
	assert_true(take(stub));
	assert_int_equal(jump_at(stub), (uint64_t)target());
	until = UINT64_MAX;
	assert_true(pun_has(stub, &until));
	assert_int_equal(until, space + WINDOW);
	until = UINT64_MAX;
	assert_false(pun_has(space - 1, &until));
	assert_int_equal(until, space);
	give_back(stub);
	assert_false(is_mapped(stub));
	assert_false(has(stub));
	assert_true(take(stub + 2));
	give_back(stub + 2);
}

/* Stubs that are closer than their length overlap. */
static void overlaps_are_refused(void **state)
{
	uint64_t stub = space + WINDOW + 0x800;

	(void)state;
	assert_true(take(stub));
	for (uint64_t i = 0; i < 5; i++) {
		assert_false(take(stub + i));
		assert_false(take(stub - i));
	}
	assert_true(take(stub + 5));
	assert_true(take(stub - 5));
	give_back(stub);
	assert_true(take(stub));
	assert_int_equal(jump_at(stub - 5), (uint64_t)target());
	assert_int_equal(jump_at(stub + 5), (uint64_t)target());
	give_back(stub);
	give_back(stub - 5);
	give_back(stub + 5);
	assert_false(is_mapped(stub));
}

/* A stub may be in two pages, and in two windows.  Without the second one it is refused. */
static void ends_of_windows_are_used(void **state)
{
	uint64_t border = space + 4 * WINDOW;
	void *taken;

	(void)state;
	assert_true(take(border - 3));
	assert_true(is_mapped(border) && is_mapped(border - 1));
	assert_int_equal(jump_at(border - 3), (uint64_t)target());
	assert_false(take(border));
	assert_false(take(border + 1));
	assert_true(take(border + 2));
	give_back(border - 3);
	assert_false(is_mapped(border - 1));
	give_back(border + 2);
	assert_false(is_mapped(border));

	taken = mmap((void *)border, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uint64_t)taken, border);
	assert_false(take(border - 3));
	assert_false(is_mapped(border - 4096));
	assert_true(take(border - 5));
	give_back(border - 5);
	munmap(taken, 4096);
}

static void memory_of_the_program_is_left_alone(void **state)
{
	uint64_t at = space + 6 * WINDOW + 5 * 4096;
	char *mine = mmap((void *)at, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)state;
	assert_int_equal((uint64_t)mine, at);
	strcpy(mine, "mine");
	assert_false(take(at));
	assert_false(take(at - 20000));
	assert_string_equal(mine, "mine");
	assert_false(is_mapped(at - 4096));
	munmap(mine, 4096);
}

/* No window is where the heap and the main stack may grow, or where a null pointer leads. */
static void room_to_grow_is_left_alone(void **state)
{
	uint64_t heap = (uint64_t)sbrk(0), top = getauxval(AT_EXECFN), at;
	const struct {
		uint64_t stub;
	} cases[] = {
		{ 0x1000 }, { 0x3ffffff }, { heap + 4096 }, { heap + (200 << 20) },
		{ top - (16 << 20) }, { top - (900 << 20) }, { 1ull << 47 },
		{ 0xffffffff80401005 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		at = cases[i].stub;
		patch_begin();
		assert_false(pun_take(at, (const uint8_t *)at + 4096));
		patch_step();
		patch_end();
		assert_false(has(at));
	}
}

static void slots_out_of_reach_are_refused(void **state)
{
	uint64_t stub = space + 8 * WINDOW;

	(void)state;
	patch_begin();
	assert_false(pun_take(stub, (const uint8_t *)(stub + 5 + (1ull << 31))));
	assert_false(pun_take(stub, (const uint8_t *)(stub + 4 - (1ull << 31))));
	assert_false(is_mapped(stub));
	assert_true(pun_take(stub, (const uint8_t *)(stub + 4 + (1ull << 31))));
	patch_step();
	patch_end();
	assert_int_equal(jump_at(stub), stub + 4 + (1ull << 31));
	give_back(stub);
}

static void limits_of_the_program_are_kept(void **state)
{
	struct rlimit old, limit;
	uint64_t stub = space + 10 * WINDOW;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	limit = old;
	limit.rlim_cur = 1ull << 40;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	assert_false(take(stub));
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	if (old.rlim_cur != RLIM_INFINITY)
		return;
	assert_true(take(stub));
	give_back(stub);
}

static void stubs_have_a_limit(void **state)
{
	uint64_t base = space + 12 * WINDOW;

	(void)state;
	for (uint64_t i = 0; i < STUBS; i++)
		assert_true(take(base + 16 * i));
	assert_false(take(base + 16 * STUBS));
	give_back(base);
	assert_true(take(base + 16 * STUBS));
	for (uint64_t i = 1; i <= STUBS; i++)
		give_back(base + 16 * i);
	assert_false(is_mapped(base));
}

static void windows_have_a_limit(void **state)
{
	uint64_t nr = 0, first = space + 0x20000000, stub = first;

	(void)state;
	patch_begin();
	/* Not side by side, so that each one is a mapping. */
	while (pun_take(stub, (const uint8_t *)stub + 0x1000)) {
		nr++;
		stub += 2 * WINDOW;
		assert_true(nr <= WINDOWS && stub < space + SPACE);
	}
	assert_true(nr >= 16 && nr <= WINDOWS);
	assert_false(is_mapped(stub));
	patch_step();
	while (nr--) {
		stub -= 2 * WINDOW;
		assert_true(has(stub));
		pun_give_back(stub);
		assert_false(has(stub));
	}
	patch_step();
	patch_end();
	assert_false(is_mapped(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_the_bytes_after_the_opcode),
		cmocka_unit_test(stubs_jump_and_can_be_used_again),
		cmocka_unit_test(overlaps_are_refused),
		cmocka_unit_test(ends_of_windows_are_used),
		cmocka_unit_test(memory_of_the_program_is_left_alone),
		cmocka_unit_test(room_to_grow_is_left_alone),
		cmocka_unit_test(slots_out_of_reach_are_refused),
		cmocka_unit_test(limits_of_the_program_are_kept),
		cmocka_unit_test(stubs_have_a_limit),
		cmocka_unit_test(windows_have_a_limit),
	};

	return cmocka_run_group_tests(tests, find_space, NULL);
}
