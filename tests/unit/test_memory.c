/* SPDX-License-Identifier: MIT */
/* The runtime's memory: stable memory stays mapped, large reservations leave space near the
 * code, and unmapped memory is not written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <stdbool.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/memory.h"

static bool is_all(const char *mem, char c, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (mem[i] != c)
			return false;
	}
	return true;
}

/* One size of a class, and one that gets a mapping of its own. */
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

/* A free block that is large enough is used, wherever it is in the list. */
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

#define REACH	(1ul << 31)

static bool is_free(char *at, size_t bytes)
{
	char *mem = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
			 MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(mem, MAP_FAILED);
	munmap(mem, bytes);
	return mem == at;
}

static void test_reserve(void **state)
{
	const size_t bytes = 3ul << 30;
	char *mem = memory_reserve(bytes - 4000);

	(void)state;
	assert_non_null(mem);
	assert_false(is_free(mem, 4096));
	assert_false(is_free(mem + bytes - 4096, 4096));
	assert_true(is_free(mem - REACH, REACH));
	assert_true(is_free(mem + bytes, REACH));
	munmap(mem, bytes);
}

static size_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu", &pages), 1);
	fclose(file);
	return pages * 4096;
}

/* If address space is scarce, reserving less than the limit allows works, and more fails. */
static void test_reserve_little(void **state)
{
	struct rlimit old, few;
	char *mem;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	few = old;
	few.rlim_cur = mapped_bytes() + (2ul << 30);
	assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
	mem = memory_reserve(1ul << 30);
	assert_non_null(mem);
	assert_null(memory_reserve(1ul << 32));
	assert_null(memory_alloc_table(1ul << 32));
	munmap(mem, 1ul << 30);
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
}

static void test_table(void **state)
{
	const size_t bytes = 3ul << 30;
	char *mem = memory_alloc_table(bytes);

	(void)state;
	assert_non_null(mem);
	assert_int_equal(mem[0], 0);
	mem[0] = mem[bytes - 1] = 1;
	munmap(mem, bytes);
}

/* Read without /proc/self/mem, up to the end of the mapping. */
static void test_read_in_place(void **state)
{
	uint8_t *mem = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t seen[4096];

	(void)state;
	assert_ptr_not_equal(mem, MAP_FAILED);
	munmap(mem + 4096, 4096);
	assert_int_equal(codemem_read(-1, mem, seen, sizeof(seen)), 0);
	assert_int_equal(codemem_read(-1, mem + 4092, seen, 4), 0);
	assert_int_equal(codemem_read(-1, mem + 4092, seen, 5), -EFAULT);
	assert_int_equal(codemem_read(-1, mem + 4096, seen, 1), -EFAULT);
	munmap(mem, 4096);
}

static void test_write(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	uint8_t *mem = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = codemem_begin();

	(void)state;
	assert_ptr_not_equal(mem, MAP_FAILED);
	assert_true(fd >= 0);
	assert_int_equal(codemem_write(fd, mem + 9, bytes, sizeof(bytes)), 0);
	assert_memory_equal(mem + 9, bytes, sizeof(bytes));
	munmap(mem, 4096);
	assert_int_equal(codemem_write(fd, mem + 9, bytes, sizeof(bytes)), -EFAULT);
	assert_int_equal(codemem_write(-1, mem + 9, bytes, sizeof(bytes)), -EFAULT);
	codemem_end(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_stable_sizes),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_reserve_little),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_read_in_place),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
