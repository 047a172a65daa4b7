/* SPDX-License-Identifier: MIT */
/* Names that exist never, once or often, that begin alike, and that are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "symbols/name_index.h"

static const char *const names[] = {
	"main", "init", NULL, "init_all", "init", "", "exit", NULL, "init",
};

/* Returns the numbers of the rows that have this name, as digits. */
static const char *found(const struct name_index *index, const char *name, size_t len)
{
	static char text[16];
	size_t nr = 0;

	for (uint32_t at = 0; (at = name_index_find(index, name, len, at)); )
		text[nr++] = (char)('0' + at - 1);
	text[nr] = '\0';
	return text;
}

static void finds(void **state)
{
	static const struct {
		const char *name, *places;
	} cases[] = {
		{ "main", "0" },	{ "init", "148" },	{ "init_all", "3" },
		{ "", "5" },		{ "exit", "6" },	{ "ini", "" },
		{ "init_", "" },	{ "nosuch", "" },
	};
	struct name_index index;

	(void)state;
	assert_int_equal(name_index_init(&index, names, ARRAY_SIZE(names)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(found(&index, cases[i].name, strlen(cases[i].name)),
				    cases[i].places);
	assert_string_equal(found(&index, "init:mod:x", 4), "148");
	name_index_done(&index);
	assert_string_equal(found(&index, "init", 4), "");
}

/* All rows have one name.  A hostile file may have such names to make searches slow. */
static void finds_among_many(void **state)
{
	static const char *many[1 << 20];
	struct name_index index;
	uint32_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = i % 3 ? "same" : "other";
	assert_int_equal(name_index_init(&index, many, ARRAY_SIZE(many)), 0);
	for (uint32_t at = 0; (at = name_index_find(&index, "same", 4, at)); nr++)
		assert_int_not_equal((at - 1) % 3, 0);
	assert_int_equal(nr, ARRAY_SIZE(many) - (ARRAY_SIZE(many) + 2) / 3);
	name_index_done(&index);
}

static void has_none(void **state)
{
	struct name_index index;

	(void)state;
	assert_int_equal(name_index_init(&index, NULL, 0), 0);
	assert_string_equal(found(&index, "main", 4), "");
	name_index_done(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(finds_among_many),
		cmocka_unit_test(has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
