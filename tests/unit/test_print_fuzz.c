/* SPDX-License-Identifier: MIT */
/* A short run of tests/fuzz/fuzz_print.c; it aborts where something is wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define FUZZ_NO_MAIN
#include "fuzz/fuzz_print.c"

static void mutated_formats_do_no_harm(void **state)
{
	(void)state;
	assert_int_equal(fuzz_run(20000, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_formats_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
