/* SPDX-License-Identifier: MIT */
/* struct text: growth, the limit, and the error that stays. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"

static void empty_text_is_an_empty_string(void **state)
{
	struct text t;

	(void)state;
	text_init(&t, 100);
	assert_string_equal(text_str(&t), "");
	text_write(&t, "x", 0);
	assert_int_equal(t.len, 0);
	text_done(&t);
}

static void text_grows(void **state)
{
	struct text t;

	(void)state;
	text_init(&t, 1 << 20);
	for (int i = 0; i < 10000; i++)
		text_printf(&t, "%d,", i % 10);
	assert_int_equal(t.error, 0);
	assert_int_equal(t.len, 20000);
	assert_int_equal(strlen(text_str(&t)), 20000);
	assert_memory_equal(text_str(&t) + 19996, "8,9,", 4);
	text_done(&t);
}

static void all_puts_append(void **state)
{
	struct text t;

	(void)state;
	text_init(&t, 100);
	text_puts(&t, "ab");
	text_putc(&t, 'c');
	text_write(&t, "dex", 2);
	text_fill(&t, '-', 3);
	text_printf(&t, "%s=%d", "n", -7);
	assert_string_equal(text_str(&t), "abcde---n=-7");
	text_truncate(&t, 5);
	text_truncate(&t, 50);
	assert_string_equal(text_str(&t), "abcde");
	text_reset(&t);
	assert_string_equal(text_str(&t), "");
	text_done(&t);
}

static void bound_is_exact_and_error_sticks(void **state)
{
	struct text t;

	(void)state;
	text_init(&t, 10);
	text_puts(&t, "0123456789");
	assert_int_equal(t.error, 0);
	text_putc(&t, 'x');
	assert_int_equal(t.error, -E2BIG);
	text_puts(&t, "");
	text_printf(&t, "y");
	assert_string_equal(text_str(&t), "0123456789");

	text_reset(&t);
	assert_int_equal(t.error, 0);
	text_printf(&t, "%011d", 5);
	assert_int_equal(t.error, -E2BIG);
	text_putc(&t, 'z');		/* would fit, but a row is missing */
	assert_string_equal(text_str(&t), "");
	text_done(&t);
}

static void huge_demand_is_an_error(void **state)
{
	struct text t;

	(void)state;
	text_init(&t, SIZE_MAX);
	text_putc(&t, 'a');
	assert_null(text_reserve(&t, SIZE_MAX - 1));
	assert_int_equal(t.error, -E2BIG);
	assert_string_equal(text_str(&t), "a");
	text_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_text_is_an_empty_string),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(all_puts_append),
		cmocka_unit_test(bound_is_exact_and_error_sticks),
		cmocka_unit_test(huge_demand_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
