/* SPDX-License-Identifier: MIT */
/* Arguments of USDT probes: each form, and text that is none.  Tables with damaged numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/arch.h"

#define NO	USDT_NO_REGISTER
#define NAME	0x4000				/* address of the symbol "name" */

static bool find(const struct usdt_finder *finder, const char *name, uint32_t len,
		 uint64_t *ret_vaddr)
{
	(void)finder;
	*ret_vaddr = NAME;
	return (len == 4 && !memcmp(name, "name", 4)) || (len == 5 && !memcmp(name, ".L1$2", 5));
}

static const struct usdt_finder finder = { find };

static const struct {
	const char *text;
	struct usdt_arg arg;		/* kind USDT_UNKNOWN: the text is refused */
} cases[] = {
#define ARG(n, sign, what, number, b, i, s, sh)					\
	{ .bytes = n, .is_signed = sign, .kind = USDT_##what, .value = number,	\
	  .base = b, .index = i, .scale = s, .shift = sh }
#define NONE	ARG(0, 0, UNKNOWN, 0, NO, NO, 1, 0)
	{ "-4@%eax", ARG(4, 1, REGISTER, 0, 0, NO, 1, 0) },
	{ "8@%rdi", ARG(8, 0, REGISTER, 0, 7, NO, 1, 0) },
	{ "2@%r13w", ARG(2, 0, REGISTER, 0, 13, NO, 1, 0) },
	{ "-1@%r9b", ARG(1, 1, REGISTER, 0, 9, NO, 1, 0) },
	{ "1@%sil", ARG(1, 0, REGISTER, 0, 6, NO, 1, 0) },
	{ "1@%bh", ARG(1, 0, REGISTER, 0, 3, NO, 1, 8) },
	{ "4@%rsp", ARG(4, 0, REGISTER, 0, 4, NO, 1, 0) },
	{ "8@%ecx", ARG(4, 0, REGISTER, 0, 1, NO, 1, 0) },
	{ "%rdx", ARG(8, 0, REGISTER, 0, 2, NO, 1, 0) },
	{ "4@$5", ARG(4, 0, CONSTANT, 5, NO, NO, 1, 0) },
	{ "-4@$-5", ARG(4, 1, CONSTANT, -5ull, NO, NO, 1, 0) },
	{ "8@$0x7fffffffffffffff", ARG(8, 0, CONSTANT, 0x7fffffffffffffff, NO, NO, 1, 0) },
	{ "8@$18446744073709551615", ARG(8, 0, CONSTANT, ~0ull, NO, NO, 1, 0) },
	{ "8@$name", ARG(8, 0, ADDRESS, NAME, NO, NO, 1, 0) },
	{ "8@$name+16", ARG(8, 0, ADDRESS, NAME + 16, NO, NO, 1, 0) },
	{ "8@$.L1$2-1", ARG(8, 0, ADDRESS, NAME - 1, NO, NO, 1, 0) },
	{ "8@-24(%rbp)", ARG(8, 0, MEMORY, -24ull, 5, NO, 1, 0) },
	{ "4@(%rsp)", ARG(4, 0, MEMORY, 0, 4, NO, 1, 0) },
	{ "8@0x10(%rax)", ARG(8, 0, MEMORY, 16, 0, NO, 1, 0) },
	{ "-8@8(%rax,%rbx,4)", ARG(8, 1, MEMORY, 8, 0, 3, 4, 0) },
	{ "8@(%r8,%r9)", ARG(8, 0, MEMORY, 0, 8, 9, 1, 0) },
	{ "8@-8(,%rcx,8)", ARG(8, 0, MEMORY, -8ull, NO, 1, 8, 0) },
	{ "8@16+8-4(%rdi)", ARG(8, 0, MEMORY, 20, 7, NO, 1, 0) },
	{ "-4@name(%rip)", ARG(4, 1, OBJECT, NAME, NO, NO, 1, 0) },
	{ "4@name+8(%rip)", ARG(4, 0, OBJECT, NAME + 8, NO, NO, 1, 0) },
	{ "4@8+name(%rip)", ARG(4, 0, OBJECT, NAME + 8, NO, NO, 1, 0) },
	{ "4@name", ARG(4, 0, OBJECT, NAME, NO, NO, 1, 0) },
	/* not known, or wrong */
	{ "", NONE }, { "@", NONE }, { "4@", NONE }, { "3@%eax", NONE }, { "16@%rax", NONE },
	{ "-@%eax", NONE }, { "4@%", NONE }, { "4@%exx", NONE }, { "4@%rip", NONE },
	{ "8f@%xmm0", NONE }, { "8@%xmm0", NONE }, { "4@%st", NONE }, { "8@%fs:8", NONE },
	{ "8@%gs:0(%rax)", NONE }, { "8@other(%rip)", NONE }, { "8@16(%rip)", NONE },
	{ "8@name(%rax)", NONE }, { "8@(%eax)", NONE }, { "8@(%rax,%rsp)", NONE },
	{ "8@(%rax,%rbx,3)", NONE }, { "8@(%rax,%rbx,16)", NONE }, { "8@(%rax", NONE },
	{ "8@(%rax))", NONE }, { "8@()", NONE }, { "8@(,)", NONE }, { "8@8", NONE },
	{ "8@$", NONE }, { "8@$$5", NONE }, { "8@$0x", NONE }, { "8@$5x", NONE },
	{ "8@-name(%rip)", NONE }, { "8@name+name(%rip)", NONE }, { "8@%raxx", NONE },
	{ "8@name@GOTPCREL(%rip)", NONE }, { "4294967296@%eax", NONE }, { "8@*%rax", NONE },
};

static void test_args(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_known = cases[i].arg.kind != USDT_UNKNOWN;
		size_t len = strlen(cases[i].text);
		char *text = malloc(len + !len);	/* without a NUL, for AddressSanitizer */
		struct usdt_arg arg;

		memcpy(text, cases[i].text, len);
		if (usdt_parse_arg(text, (uint32_t)len, &finder, &arg) != is_known ||
		    memcmp(&arg, &cases[i].arg, sizeof(arg)))
			fail_msg("%s: kind %u bytes %u value %lx base %u index %u scale %u",
				 cases[i].text, arg.kind, arg.bytes, (unsigned long)arg.value,
				 arg.base, arg.index, arg.scale);
		free(text);
	}
}

static void test_no_symbols(void **state)
{
	struct usdt_arg arg;

	(void)state;
	assert_false(usdt_parse_arg("8@name(%rip)", 12, NULL, &arg));
	assert_int_equal(arg.kind, USDT_UNKNOWN);
}

static void test_list(void **state)
{
	const char *at = "  4@%eax 8@-24(%rbp)\t1@$3 ", *arg;
	char seen[64] = "";
	uint32_t len;

	(void)state;
	while ((arg = usdt_next_arg(&at, &len)))
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "[%.*s]", (int)len, arg);
	assert_string_equal(seen, "[4@%eax][8@-24(%rbp)][1@$3]");
}

/* ---- tables ---- */

static struct table {
	struct usdt_head head;
	struct usdt_event event;
	struct usdt_site sites[2];
	struct usdt_arg args[2];
	char strings[8];
} good = {
	.head = {
		.magic = USDT_MAGIC, .head_bytes = sizeof(struct usdt_head), .nr_events = 1,
		.nr_sites = 2, .nr_args = 2, .strings_bytes = 8, .text = 0x1000,
		.text_end = 0x2000,
	},
	.event = { .provider = 0, .name = 3, .nr_args = 1, .bytes = { 4 } },
	.sites = { { .vaddr = 0x1100, .first_arg = 0 }, { .vaddr = 0x1105, .first_arg = 1 } },
	.args = {
		ARG(4, 0, REGISTER, 0, 1, NO, 1, 0), ARG(4, 0, MEMORY, 0, 1, 2, 8, 0),
	},
	.strings = "ab\0c_d",
};

static bool is_good(const struct table *table)
{
	struct table *copy = malloc(sizeof(*copy));	/* AddressSanitizer knows its end */
	bool is_ok;

	memcpy(copy, table, sizeof(*copy));
	is_ok = usdt_check(copy, sizeof(*copy));
	free(copy);
	return is_ok;
}

#define REFUSES(change)								\
	do {									\
		struct table table = good;					\
										\
		table.change;							\
		if (is_good(&table))						\
			fail_msg("accepted: %s", #change);			\
	} while (0)

static void test_tables(void **state)
{
	(void)state;
	assert_true(is_good(&good));
	for (size_t bytes = 0; bytes < sizeof(good); bytes++)
		assert_false(usdt_check(&good, bytes));
	REFUSES(head.magic++);
	REFUSES(head.head_bytes--);
	REFUSES(head.nr_events = 0);
	REFUSES(head.nr_events = ~0u);
	REFUSES(head.nr_sites = 0x10000000);
	REFUSES(head.nr_args--);
	REFUSES(head.nr_args = 0x20000000);
	REFUSES(head.strings_bytes++);
	REFUSES(head.moved_bytes = 8);
	REFUSES(head.build_id_bytes = 33);
	REFUSES(head.text_end = 0x900);
	REFUSES(head.text_end = 0x1109);
	REFUSES(head.text = 0x1101);
	REFUSES(event.provider = 8);
	REFUSES(event.provider = 2);
	REFUSES(event.name = ~0u);
	REFUSES(event.nr_args = 2);
	REFUSES(event.nr_args = 13);
	REFUSES(event.bytes[0] = 3);
	REFUSES(strings[0] = '/');
	REFUSES(strings[0] = '1');
	REFUSES(strings[4] = '.');
	REFUSES(sites[0].event = 1);
	REFUSES(sites[0].first_arg = 3);
	REFUSES(sites[1].first_arg = 2);
	REFUSES(sites[1].first_arg = ~0u);
	REFUSES(sites[0].reason = USDT_REASONS_NR);
	REFUSES(sites[1].vaddr = 0x1104);
	REFUSES(sites[1].vaddr = 0x10ff);
	REFUSES(sites[1].vaddr = 0x1ffc);
	REFUSES(args[0].kind = USDT_ARG_KINDS);
	REFUSES(args[0].base = 16);
	REFUSES(args[0].base = NO);
	REFUSES(args[1].index = 16);
	REFUSES(args[1].scale = 3);
	REFUSES(args[1].scale = 0);
	REFUSES(args[0].shift = 1);
	REFUSES(args[0].bytes = 0);
	REFUSES(args[0].bytes = 16);
}

/* A table of probes with moved instructions: the first site has nop; movl $1,%eax. */
static struct moved_table {
	struct table table;
	struct moved_head moved;
	struct moved_row row;
	struct moved_frame frames[2];
	uint8_t original[6], copy[6], padding[4];
} good_moved;

static void make_moved(void)
{
	static const uint8_t code[] = { 0x90, 0xb8, 1, 0, 0, 0 };

	good_moved = (struct moved_table){
		.table = good,
		.moved = {
			.magic = MOVED_MAGIC, .head_bytes = sizeof(struct moved_head),
			.row_bytes = sizeof(struct moved_row), .nr_rows = 1,
			.pool_at = offsetof(struct moved_table, frames) -
				   offsetof(struct moved_table, moved),
			.pool_bytes = sizeof(good_moved) - offsetof(struct moved_table, frames),
			.text = 0x1000, .text_end = 0x2000,
			.syscalls_at = sizeof(good_moved) - offsetof(struct moved_table, moved),
		},
		.row = {
			.vaddr = 0x1100, .bytes = 6, .class = MOVED_SEVERAL, .original_bytes = 6,
			.copy_bytes = 6, .nr_frames = 2, .moved_bytes = 6,
		},
		.frames = { { .copy = 0 }, { .copy = 1, .original = 1 } },
	};
	good_moved.table.head.moved_bytes =
		sizeof(good_moved) - offsetof(struct moved_table, moved);
	good_moved.table.sites[1].vaddr = 0x1106;
	memcpy(good_moved.original, code, sizeof(code));
	memcpy(good_moved.copy, code, sizeof(code));
	memcpy(good_moved.table.sites[0].original, code, USDT_JUMP_BYTES);
}

static bool is_moved_good(const struct moved_table *table)
{
	struct moved_table *copy = malloc(sizeof(*copy));
	bool is_ok;

	memcpy(copy, table, sizeof(*copy));
	is_ok = usdt_check(copy, sizeof(*copy));
	free(copy);
	return is_ok;
}

#define REFUSES_MOVED(change)							\
	do {									\
		struct moved_table table = good_moved;				\
										\
		table.change;							\
		if (is_moved_good(&table))					\
			fail_msg("accepted: %s", #change);			\
	} while (0)

static void test_moved(void **state)
{
	static_assert(sizeof(struct table) % 8 == 0, "the moved table follows without a gap");

	(void)state;
	make_moved();
	assert_true(is_moved_good(&good_moved));
	assert_ptr_equal(usdt_moved(&good_moved.table.head), &good_moved.moved);
	for (size_t bytes = 0; bytes < sizeof(good_moved); bytes++)
		assert_false(usdt_check(&good_moved, bytes));
	REFUSES_MOVED(table.head.moved_bytes -= 8);
	REFUSES_MOVED(moved.magic++);
	REFUSES_MOVED(moved.text = 0xfff);
	REFUSES_MOVED(moved.text_end = 0x2001);
	REFUSES_MOVED(row.vaddr = 0x1101);	/* no site is there */
	REFUSES_MOVED(row.vaddr = 0x1106);	/* the site there has other bytes */
	REFUSES_MOVED(row.class = MOVED_BYTE);
	REFUSES_MOVED(row.lead = 4);
	REFUSES_MOVED(original[1] = 0xb9);
	REFUSES_MOVED(table.sites[0].original[4]++);
	REFUSES_MOVED(table.sites[0].reason = USDT_BY_NEIGHBOUR);
}

static void test_unterminated(void **state)
{
	struct table table = good;

	(void)state;
	memset(table.strings, 'a', sizeof(table.strings));
	assert_false(is_good(&table));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_no_symbols),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_unterminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
