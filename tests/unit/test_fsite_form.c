/* SPDX-License-Identifier: MIT */
/* The code that compilers put at function entries, and code that looks like it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "base/bits.h"

#define ENDBR	"\xf3\x0f\x1e\xfa"
#define NOP5	"\x0f\x1f\x44\x00\x08"
#define BODY	"\x8d\x47\x01\xc3"
#define NOPS	"\x90\x90\x90\x90\x90"

#define P	FSITE_PATCHABLE
#define M	FSITE_MCOUNT
#define X	FSITE_XRAY
#define CODE(code)	code, sizeof(code) - 1
static const struct {
	enum fsite_kind kind;
	const char *code;
	uint32_t nr;
	enum fsite_form form;
	uint32_t at;
} cases[] = {
	{ P, CODE(NOPS BODY), FSITE_NOPS, 0 },
	{ P, CODE(ENDBR NOPS BODY), FSITE_NOPS, 4 },
	{ P, CODE("\x90\x90" NOPS BODY), FSITE_NOPS, 2 },
	{ P, CODE("\x90\x90" ENDBR NOPS "\x90" BODY), FSITE_NOPS, 7 },
	{ P, CODE(NOPS), FSITE_NOPS, 0 },
	{ P, CODE("\x90\x90\x90\x90" BODY), FSITE_OTHER, 0 },
	{ P, CODE(NOPS ENDBR "\x90\x90" BODY), FSITE_OTHER, 0 },
	{ P, CODE("\x90\x90\x90\x90"), FSITE_OTHER, 0 },
	{ P, CODE(NOP5 BODY), FSITE_NOP5, 0 },
	{ P, CODE(ENDBR NOP5 BODY), FSITE_NOP5, 4 },
	{ P, CODE("\x90\x90" NOP5 BODY), FSITE_NOP5, 2 },
	{ P, CODE(NOPS ENDBR NOP5 BODY), FSITE_NOP5, 9 },
	{ P, CODE("\x0f\x1f\x44\x00"), FSITE_OTHER, 0 },
	{ P, CODE("\x66" NOP5 BODY), FSITE_NOP6, 0 },
	{ P, CODE("\x0f\x1f\x80\x00\x02\x00\x00" BODY), FSITE_NOP7, 0 },
	{ P, CODE("\x0f\x1f\x84\x00\x00\x02\x00\x00" BODY), FSITE_NOP8, 0 },
	{ P, CODE("\x66\x0f\x1f\x84\x00\x00\x02\x00\x00"), FSITE_NOP9, 0 },
	{ P, CODE("\x66\x0f\x1f\x84\x00\x00\x02\x00"), FSITE_OTHER, 0 },
	{ P, CODE("\x2e\x66\x0f\x1f\x84\x00\x00\x02\x00\x00"), FSITE_OTHER, 0 },
	{ P, CODE("\x0f\x1f\x00" BODY), FSITE_OTHER, 0 },
	{ P, CODE("\xe9\x00\x00\x00\x00" BODY), FSITE_OTHER, 0 },
	{ P, CODE("\xe8\x00\x00\x00\x00" BODY), FSITE_OTHER, 0 },
	{ P, CODE("\xa9\x00\x00\x00\x00" BODY), FSITE_OTHER, 0 },
	{ P, CODE(""), FSITE_OTHER, 0 },
	{ M, CODE("\xe8\x00\x00\x00\x00" BODY), FSITE_CALL, 0 },
	{ M, CODE("\x67\xe8\x00\x00\x00\x00" BODY), FSITE_CALL, 1 },
	{ M, CODE("\xff\x15\x00\x00\x00\x00" BODY), FSITE_CALL, 0 },
	{ M, CODE("\xff\x15\x00\x00\x00"), FSITE_OTHER, 0 },
	{ M, CODE("\xff\x25\x00\x00\x00\x00" BODY), FSITE_OTHER, 0 },
	{ M, CODE("\x84\x15\x00\x00\x00\x00" BODY), FSITE_OTHER, 0 },
	{ M, CODE("\xa9\x00\x00\x00\x00\x3e" BODY), FSITE_TEST, 0 },
	{ M, CODE(NOP5 BODY), FSITE_NOP5, 0 },
	{ M, CODE(NOPS BODY), FSITE_OTHER, 0 },
	{ X, CODE("\xeb\x09\x66\x0f\x1f\x84\x00\x00\x02\x00\x00"), FSITE_SLED, 2 },
	{ X, CODE("\xeb\x09\x66\x0f\x1f\x84\x00\x00\x02\x00"), FSITE_OTHER, 0 },
	{ X, CODE("\x41\xba\x01\x00\x00\x00\xe8\x00\x00\x00\x00"), FSITE_OTHER, 0 },
	{ X, CODE(NOPS BODY), FSITE_OTHER, 0 },
};

static void test_forms(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum fsite_form form;
		uint32_t at;

		form = fsite_form(cases[i].kind, (const uint8_t *)cases[i].code,
				  cases[i].nr, &at);
		if (form != cases[i].form)
			fail_msg("case %u: form %d", i, (int)form);
		if (form != FSITE_OTHER)
			assert_int_equal(at, cases[i].at);
	}
}

static void test_rows(void **state)
{
	uint8_t row[32] = { 0x10, 0x20 };

	(void)state;
	assert_int_equal(fsite_row_addr(FSITE_PATCHABLE, row, 77), 0x2010);
	assert_int_equal(fsite_row_addr(FSITE_MCOUNT, row, 77), 0x2010);
	row[18] = 2;		/* version */
	assert_int_equal(fsite_row_addr(FSITE_XRAY, row, 0x1000), 0x3010);
	row[16] = 3;		/* an entry whose arguments are logged */
	assert_int_equal(fsite_row_addr(FSITE_XRAY, row, 0x1000), 0x3010);
	row[16] = 1;		/* an exit */
	assert_int_equal(fsite_row_addr(FSITE_XRAY, row, 0x1000), 0);
	row[16] = row[18] = 0;
	assert_int_equal(fsite_row_addr(FSITE_XRAY, row, 0x1000), 0);
}

/* The lower bytes of the jump are those of the long NOPs. */
static void test_shapes(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint8_t *site = (const uint8_t *)cases[i].code + cases[i].at;
		const struct fsite_shape *shape;

		if (cases[i].form >= FSITE_FORMS)
			continue;
		shape = &fsite_shapes[cases[i].form];
		assert_int_equal(*(site - shape->switch_before), shape->off);
		for (uint32_t low = shape->low, at = 1; low; low >>= 8)
			assert_int_equal(site[at++], low & 0xff);
		assert_true(cases[i].at + FSITE_BYTES + shape->tail <= cases[i].nr);
	}
}

static void test_twins(void **state)
{
	uint8_t seen[3] = { 0 };

	(void)state;
	assert_false(fsite_is_twin(seen, 0));
	assert_false(fsite_is_twin(seen, 1));
	assert_false(fsite_is_twin(seen, 17));
	assert_true(fsite_is_twin(seen, 1));
	assert_true(fsite_is_twin(seen, 17));
	assert_false(fsite_is_twin(seen, 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
