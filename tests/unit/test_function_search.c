/* SPDX-License-Identifier: MIT */
/* Searches for C++ names stop when they have taken long, and continue from there later. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/functions/function_search.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/part_numbers.h"
#include "server/core/root.h"
#include "symbols/function_name.h"

#ifdef __SANITIZE_ADDRESS__
#define LIMIT_MS	2000u
#else
#define LIMIT_MS	200u		/* the budget is 20 ms */
#endif
#define NR		20000u
#define CALLS_MAX	100000

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

struct fake {
	struct root *root;
	struct functions functions;
	void *part_state[NR_ROOT_PARTS];
	struct function_object object, *list[1];
};

/* Make @nr functions with @name, but give number @other the name @other_name. */
static void fake_init(struct fake *fake, uint32_t nr, const char *name, uint32_t other,
		      const char *other_name)
{
	*fake = (struct fake){ .root = calloc(1, sizeof(*fake->root)) };
	assert_non_null(fake->root);
	fake->root->part_state = fake->part_state;
	fake->part_state[ROOT_PART_FUNCTIONS] = &fake->functions;
	fake->list[0] = &fake->object;
	fake->object.sites.nr = nr;
	fake->object.is_there = fake->object.is_written_known = true;
	fake->object.written = calloc(nr, sizeof(*fake->object.written));
	assert_non_null(fake->object.written);
	for (uint32_t i = 0; i < nr; i++)
		fake->object.written[i] = i == other ? other_name : name;
	fake->functions.objects = fake->list;
	fake->functions.nr_objects = 1;
	fake->functions.nr = nr;
}

static void fake_done(struct fake *fake)
{
	function_searches_done(&fake->functions);
	free(fake->object.written);
	free(fake->root);
}

static int search(struct fake *fake, const char *name, const uint32_t **ret_found)
{
	const struct function_match match = { .name = name, .name_len = strlen(name) };
	uint64_t started = cpu_ms();
	int r = function_search(fake->root, &match, fake->functions.nr, ret_found);

	if (cpu_ms() - started > LIMIT_MS)
		fail_msg("%s: %lu ms", name, cpu_ms() - started);
	return r;
}

/* Returns a name with two scopes in brackets, which do not count, of the maximal length. */
static const char *long_name(void)
{
	static char name[FUNCTION_SEARCH_MAX + 1];
	size_t len = 0;

	while (len < FUNCTION_SEARCH_MAX - 200)
		len += (size_t)sprintf(name + len, "aaaaaaaaaaaaaaaaaaaaaaaaa::");
	sprintf(name + len, "f<a::g, a::h>(aaaaaaa, aaaaaaaaa)");
	return name;
}

/* Without a budget a search took 343 us per name, and searched all names in one call. */
static void long_searches_stop(void **state)
{
	static const char *const words[] = { "a*g>", "*a?a*a*b", "a*a(*aa", "nosuch*f" };
	const uint32_t *found;
	struct fake fake;
	int calls = 0, r[4] = { -ERESTART, -ERESTART, -ERESTART, -ERESTART };

	(void)state;
	fake_init(&fake, NR, long_name(), NR - 2, "ns::nosuch::f(int)");
	/* Run all four in turns: no search may start again because of another. */
	for (; calls < CALLS_MAX; calls++)
		if (r[calls % 4] == -ERESTART)
			r[calls % 4] = search(&fake, words[calls % 4], &found);
		else if (r[0] != -ERESTART && r[1] != -ERESTART && r[2] != -ERESTART &&
			 r[3] != -ERESTART)
			break;
	assert_in_range(calls, 5, CALLS_MAX - 1);
	assert_int_equal(r[0], 0);
	assert_int_equal(r[1], 0);
	assert_int_equal(r[2], 0);
	assert_int_equal(r[3], 1);
	/* Each result is kept. */
	assert_int_equal(search(&fake, words[3], &found), 1);
	assert_int_equal(found[0], NR - 2);
	assert_int_equal(search(&fake, words[0], &found), 0);
	fake_done(&fake);
}

static void better_matches_replace_others(void **state)
{
	const uint32_t *found;
	struct fake fake;

	(void)state;
	fake_init(&fake, 100, "ns::f(int)", 70, "f(int)");
	assert_int_equal(search(&fake, "f", &found), 1);
	assert_int_equal(found[0], 70);
	assert_int_equal(search(&fake, "ns::f", &found), 99);
	assert_int_equal(search(&fake, "*f", &found), 100);
	fake_done(&fake);
}

static void results_are_of_the_functions_there_are(void **state)
{
	const uint32_t *found;
	struct fake fake;

	(void)state;
	fake_init(&fake, 100, "ns::f(int)", 70, "f(int)");
	assert_int_equal(search(&fake, "ns::f", &found), 99);
	fake.object.is_there = false;
	assert_int_equal(search(&fake, "ns::f", &found), 0);
	fake.object.is_there = true;
	fake.functions.nr = 50;	/* a table from before the object was loaded */
	assert_int_equal(search(&fake, "ns::f", &found), 0);
	fake.functions.nr = 100;
	assert_int_equal(search(&fake, "ns::f", &found), 99);
	fake_done(&fake);
}

static void there_may_be_many(void **state)
{
	const uint32_t *found;
	struct fake fake;
	char word[32];

	(void)state;
	fake_init(&fake, 1000, "ns::f(int)", 70, "f(int)");
	for (int i = 0; i < 2000; i++) {
		snprintf(word, sizeof(word), "ns::[f%d]", i);
		while (search(&fake, word, &found) == -ERESTART)
			;
		assert_int_equal(search(&fake, word, &found), 999);
	}
	fake_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_searches_stop),
		cmocka_unit_test(better_matches_replace_others),
		cmocka_unit_test(results_are_of_the_functions_there_are),
		cmocka_unit_test(there_may_be_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
