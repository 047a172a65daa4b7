/* SPDX-License-Identifier: MIT */
/* The runtime's memory: what was stable stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "runtime/runtime.h"

static bool is_all(const char *mem, char c, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (mem[i] != c)
			return false;
	}
	return true;
}

/* One of a class, and one of a mapping of its own. */
static void test_stable(void **state)
{
	static const size_t sizes[] = { 3000, 100000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t bytes = sizes[i];
		char *mem = memory_alloc_stable(bytes), *others[4];

		assert_non_null(mem);
		assert_true(is_all(mem, 0, bytes));
		memset(mem, 'x', bytes);
		memory_free(mem);
		for (size_t j = 0; j < ARRAY_SIZE(others); j++) {
			others[j] = memory_alloc(bytes);
			assert_non_null(others[j]);
			assert_ptr_not_equal(others[j], mem);
		}
		assert_true(is_all(mem, 'x', bytes));
		assert_ptr_equal(memory_alloc_stable(bytes), mem);
		assert_true(is_all(mem, 'x', bytes));
		for (size_t j = 0; j < ARRAY_SIZE(others); j++)
			memory_free(others[j]);
	}
}

/* What is free and large enough is taken, wherever it is in the list. */
static void test_stable_sizes(void **state)
{
	char *small = memory_alloc_stable(100), *large = memory_alloc_stable(5000);

	(void)state;
	assert_non_null(small);
	assert_non_null(large);
	memory_free(large);
	memory_free(small);
	assert_ptr_equal(memory_alloc_stable(5000), large);
	assert_ptr_equal(memory_alloc_stable(100), small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_stable_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
