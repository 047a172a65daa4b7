/* SPDX-License-Identifier: MIT */
/* Names for numbers in print formats: which are replaced, and which are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "abi/control.h"
#include "base/text.h"
#include "runtime/event/eval.h"

static const struct ulf_eval one = { "sys", "ONE", 1 };
static const struct ulf_eval one_more = { "sys", "ONE_MORE", 1000000000000 };
static const struct ulf_eval minus = { "sys", "_minus", -5 };
static const struct ulf_eval size = { "sys", "sizeof(struct a)", 48 };
static const struct ulf_eval other = { "other", "OTHER", 9 };
static const struct ulf_eval *rows[] = { &one, &one_more, &minus, &size, &other };

static const struct ulf_module module = {
	.evals = rows, .evals_end = rows + 5,
};

static void put(void *arg, const char *s, size_t len)
{
	strncat(arg, s, len);
}

static void replaces_whole_words(void **state)
{
	static const struct {
		const char *text, *expect;
	} cases[] = {
		{ "", "" },
		{ "ONE", "1" },
		{ "ONE_MORE", "1000000000000" },
		{ "{ ONE, ONE_MORE }", "{ 1, 1000000000000 }" },
		{ "_minus*-ONE", "-5*-1" },
		{ "ONER ONE2 XONE _ONE 1ONE", "ONER ONE2 XONE _ONE 1ONE" },
		{ "0x1FUL | ONE", "0x1FUL | 1" },
		{ "sizeof(struct a) sizeof(struct ab)", "48 sizeof(struct ab)" },
		{ "sizeof(struct", "sizeof(struct" },
		{ "OTHER", "OTHER" },
		{ "REC->ONE", "REC->ONE" },
		{ "REC->x.ONE + ONE", "REC->x.ONE + 1" },
		{ "(a)->ONE", "(a)->ONE" },
		{ "a - ONE > ONE", "a - 1 > 1" },
		{ "\"ONE\" ONE \"\\\"ONE\\\\\" ONE", "\"ONE\" 1 \"\\\"ONE\\\\\" 1" },
		{ "'\\'' ONE '\"' ONE", "'\\'' 1 '\"' 1" },
		{ "\"ONE", "\"ONE" },
		{ "\"ONE\\", "\"ONE\\" },
		{ "->ONE .ONE", "->ONE .ONE" },
		{ "[ONE]", "[1]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128] = "";

		eval_resolve(&module, "sys", cases[i].text, put, text);
		assert_string_equal(text, cases[i].expect);
	}
}

static void put_bytes(void *arg, const char *s, size_t len)
{
	struct text *out = arg;

	text_write(out, s, len);
}

/* Only identifiers of this system are listed. */
static void tells_names(void **state)
{
	static const struct {
		const char *name;
		int64_t value;
	} names[] = { { "ONE", 1 }, { "ONE_MORE", 1000000000000 }, { "_minus", -5 } };
	struct text out, expect;

	(void)state;
	text_init(&out, 1 << 20);
	text_init(&expect, 1 << 20);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		text_write(&expect, &names[i].value, sizeof(names[i].value));
		text_write(&expect, names[i].name, strlen(names[i].name) + 1);
	}
	eval_names(&module, "sys", put_bytes, &out);
	assert_int_equal(out.len, expect.len);
	assert_memory_equal(out.data, expect.data, out.len);
	text_reset(&out);
	eval_names(&module, "nosuch", put_bytes, &out);
	assert_int_equal(out.len, 0);
	text_done(&out);
	text_done(&expect);
}

/* There are more names than fit. */
static void tells_no_more_names(void **state)
{
	enum { NR = ABI_NAMES_BYTES / 8 };
	static const struct ulf_eval *many[NR];
	const struct ulf_module large = { .evals = many, .evals_end = many + NR };
	struct text out;

	(void)state;
	for (size_t i = 0; i < NR; i++)
		many[i] = &one;
	text_init(&out, 1 << 20);
	eval_names(&large, "sys", put_bytes, &out);
	assert_int_equal(out.len, ABI_NAMES_BYTES / 12 * 12);
	text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_whole_words),
		cmocka_unit_test(tells_names),
		cmocka_unit_test(tells_no_more_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
