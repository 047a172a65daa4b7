/* SPDX-License-Identifier: MIT */
/* Tables of moved functions, as the server takes them from a parser: names, sites, and tables
 * that are wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "server/functions/function_moved.h"
#include "symbols/elf_sites.h"
#include "symbols/parse_result.h"

#define NR	4u

/* A table with three functions of one instruction of 5 bytes, and one that is refused.  The
 * copies are that instruction, and a jump back. */
struct block {
	struct moved_frame frames[2];
	uint8_t original[5], copy[5];
	uint8_t padding[6];
};

struct table {
	struct moved_head head;
	struct moved_row rows[NR];
	struct block blocks[NR];
};

static const uint8_t insn[5] = { 0xb8, 1, 2, 3, 4 };	/* mov $0x4030201, %eax */

static struct table good_table(void)
{
	static const uint64_t vaddrs[NR] = { 0x1000, 0x1044, 0x1080, 0x10c0 };
	struct table table = {
		.head = {
			.magic = MOVED_MAGIC, .head_bytes = sizeof(table.head),
			.row_bytes = sizeof(table.rows[0]), .nr_rows = NR,
			.pool_at = offsetof(struct table, blocks),
			.pool_bytes = sizeof(table.blocks), .nr_refused = 1,
			.text = 0x1000, .text_end = 0x2000,
			.syscalls_at = sizeof(table),
		},
	};

	for (uint32_t i = 0; i < NR; i++) {
		struct block *block = &table.blocks[i];

		table.rows[i] = (struct moved_row){
			.vaddr = vaddrs[i], .bytes = 32, .class = MOVED_ONE,
			.pool = i * (uint32_t)sizeof(*block), .original_bytes = sizeof(insn),
			.copy_bytes = sizeof(insn), .nr_frames = 2,
			.moved_bytes = sizeof(insn),
			.lead = i == 1 ? 4 : 0,
		};
		block->frames[0] = (struct moved_frame){ .cfa_offset = 8, .cfa_register = 7 };
		block->frames[1] = block->frames[0];
		block->frames[1].copy = block->frames[1].original = sizeof(insn);
		memcpy(block->original, insn, sizeof(insn));
		memcpy(block->copy, insn, sizeof(insn));
	}
	table.rows[2] = (struct moved_row){
		.vaddr = vaddrs[2], .bytes = 3, .class = MOVED_REFUSED,
		.reason = MOVED_BY_SHORT,
	};
	return table;
}

static struct elf_symbol rows[] = {
	{ 0x1040, 40, "with_endbr" },
	{ 0x1080, 3, "short_one" },
	{ 0x10a0, 100, "around_the_last" },
};
static const struct elf_symbols symbols = { .rows = rows, .nr = 3 };

static int take(const void *table, uint64_t bytes, struct function_moved *moved,
		struct elf_sites *sites, const char ***names)
{
	const struct parsed_moved from = {
		.table = table, .bytes = bytes, .left_out = ELF_LEFT_OUT_NONE,
	};

	*moved = (struct function_moved){ .id = 77 };
	*sites = (struct elf_sites){ .kind = FSITE_MOVED, .text = 0x1000, .text_end = 0x2000 };
	*names = NULL;
	return function_moved_take(moved, &from, "/usr/lib/my lib.so.6", &symbols, sites, names);
}

static void functions_get_sites_and_names(void **state)
{
	const struct table table = good_table();
	struct function_moved moved;
	struct elf_sites sites;
	const char **names;

	(void)state;
	assert_int_equal(take(&table, sizeof(table), &moved, &sites, &names), 0);
	assert_int_equal(moved.left_out, ELF_LEFT_OUT_NONE);
	assert_int_equal(moved.file.table_bytes, sizeof(table));
	assert_int_equal(sites.table, 77);
	assert_int_equal(sites.nr_rows, NR);
	assert_int_equal(sites.nr, NR - 1);
	assert_int_equal(sites.addrs[1], 0x1044);
	assert_int_equal(sites.rows[2], 3);
	/* A symbol that begins elsewhere is not the name of a function. */
	assert_string_equal(names[0], "my_lib.so.6+0x1000");
	assert_string_equal(names[1], "with_endbr");
	assert_string_equal(names[2], "my_lib.so.6+0x10c0");
	assert_string_equal(function_moved_symbol(&moved, &symbols, &table.rows[2])->name,
			    "short_one");
	assert_string_equal(elf_symbols_find(&moved.made, 0x1010)->name, "my_lib.so.6+0x1000");
	assert_null(elf_symbols_find(&moved.made, 0x1020));
	function_moved_done(&moved);
	elf_sites_done(&sites);
	free(names);
}

/* A parser may have been taken over by the file.  Whatever its table says is refused, or can be
 * used: sites are in the text, and rows are rows. */
static void lies_are_found(void **state)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 5, 8, 0x40, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1ull << 32,
		1ull << 63, ~0ull,
	};
	uint32_t nr_refused = 0;

	(void)state;
	for (size_t at = 0; at < sizeof(struct table); at++) {
		for (size_t i = 0; i < 2 * sizeof(values) / sizeof(values[0]); i++) {
			size_t bytes = i % 2 && at + 8 <= sizeof(struct table) ? 8 : 1;
			struct table bad = good_table();
			struct function_moved moved;
			struct elf_sites sites;
			const char **names;

			memcpy((char *)&bad + at, &values[i / 2], bytes);
			if (take(&bad, sizeof(bad), &moved, &sites, &names)) {
				nr_refused++;
				assert_null(moved.head);
				assert_int_equal(sites.nr, 0);
				continue;
			}
			for (uint32_t n = 0; n < sites.nr; n++) {
				assert_in_range(sites.addrs[n], 0x1000, 0x1fff);
				assert_in_range(sites.rows[n], 0, NR - 1);
				assert_true(!names[n] || strlen(names[n]) < ELF_NAME_MAX);
			}
			function_moved_done(&moved);
			elf_sites_done(&sites);
			free(names);
		}
	}
	assert_true(nr_refused > 1000);
}

static void short_tables_are_refused(void **state)
{
	const struct table table = good_table();
	struct function_moved moved;
	struct elf_sites sites;
	const char **names;

	(void)state;
	for (uint64_t bytes = 0; bytes < sizeof(table); bytes++)
		assert_true(take(&table, bytes, &moved, &sites, &names) < 0);
	assert_int_equal(moved.left_out, ELF_LEFT_OUT_FAILED);
}

/* A table of another file, with another build id or code elsewhere, is refused. */
static void tables_of_other_files_are_refused(void **state)
{
	const struct parsed_moved left_out = {
		.left_out = ELF_LEFT_OUT_LIBULF,
	};
	struct table table = good_table();
	struct function_moved moved;
	struct elf_sites sites;
	const char **names;

	(void)state;
	table.head.build_id_bytes = 20;
	assert_true(take(&table, sizeof(table), &moved, &sites, &names) < 0);
	table = good_table();
	table.head.text_end = 0x2001;
	assert_true(take(&table, sizeof(table), &moved, &sites, &names) < 0);
	assert_int_equal(function_moved_take(&moved, &left_out, "x", &symbols, &sites, &names), 0);
	assert_null(moved.head);
	assert_int_equal(moved.left_out, ELF_LEFT_OUT_LIBULF);
}

/* Each change of a file, and each copy of it, has a number of its own. */
static void files_are_identified(void **state)
{
	char path[] = "/tmp/test_function_moved.XXXXXX";
	const struct timespec times[2] = { { 5, 7 }, { 5, 7 } };
	struct function_moved a = { .id = 0 }, b = { .id = 0 };
	int fd = mkstemp(path);
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(function_moved_identify(fd, &a), 0);
	assert_int_equal(function_moved_identify(fd, &b), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(a.id == b.id);
	assert_memory_equal(&a.file, &b.file, sizeof(a.file));
	assert_int_equal(a.file.ino, st.st_ino);
	assert_int_equal(a.file.bytes, 1);
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(function_moved_identify(fd, &b), 0);
	assert_true(a.id != b.id);
	assert_int_equal(b.file.mtime_ns, 5000000007);
	assert_true(function_moved_identify(-1, &b) < 0);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_get_sites_and_names),
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(short_tables_are_refused),
		cmocka_unit_test(tables_of_other_files_are_refused),
		cmocka_unit_test(files_are_identified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
