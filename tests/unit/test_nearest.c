/* SPDX-License-Identifier: MIT */
/* The name that is suggested for a word with a mistake, and the limit of the work for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/nearest.h"

static const char *const names[] = {
	"sched_switch", "sched_wakeup", "sched_waking", "sched_process_fork", "function",
	"function_graph", "nop", "prev_prio", "prev_pid", "op", "KVD_SET", "KVD_GET",
	"bad\nname", "x", "traceon", "traceoff",
};

static const char *nearest_of(const char *word)
{
	static struct nearest near;

	nearest_init(&near, word, strlen(word));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		nearest_offer(&near, names[i]);
	return nearest_name(&near);
}

static void suggests(void **state)
{
	static const struct {
		const char *word, *name;
	} cases[] = {
		{ "functon", "function" },		/* one letter is missing */
		{ "funcction", "function" },		/* one letter too many */
		{ "funktion", "function" },		/* another letter */
		{ "fucntion", "function" },		/* two letters have changed places */
		{ "FUNCTION", "function" },
		{ "Functoin", "function" },
		{ "graph", "function_graph" },		/* the beginning is missing */
		{ "function_gr", "function_graph" },	/* the end is missing */
		{ "sched_swich", "sched_switch" },
		{ "shced_swich", "sched_switch" },
		{ "schde_wkaeup", "sched_wakeup" },
		{ "prev_pio", "prev_prio" },
		{ "prev_pdi", "prev_pid" },
		{ "kvd_set", "KVD_SET" },
		{ "KVD_STE", "KVD_SET" },
		{ "KVD_S", "KVD_SET" },
		{ "po", "op" },
		{ "nopp", "nop" },
		{ "traceof", "traceoff" },		/* not traceon, which comes first in
							 * the list */
		{ "X", "x" },
		/* no name is near */
		{ "", NULL }, { "y", NULL }, { "ip_rcv", NULL }, { "printer", NULL },
		{ "sc", NULL }, { "quite_another_thing", NULL },
		{ "bad\nnam", NULL }, { "badname", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *name = nearest_of(cases[i].word);

		if (name && cases[i].name)
			assert_string_equal(name, cases[i].name);
		else if (name != cases[i].name)
			fail_msg("%s: %s instead of %s", cases[i].word,
				 name ? name : "none", cases[i].name);
	}
}

/* Returns the optimal string alignment distance, computed by its definition. */
static unsigned int edits(const char *a, const char *b)
{
	unsigned int d[16][16];
	size_t n = strlen(a), m = strlen(b);

	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			unsigned int best = (unsigned int)(i + j);

			if (i && j) {
				best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
				best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
			}
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[n][m];
}

static void random_word(char *word, uint64_t *seed)
{
	size_t len = 1 + *seed % 14;

	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
		word[i] = (char)('a' + (*seed >> 40) % 3);
	}
	word[len] = '\0';
	*seed += *seed >> 33;
}

/* nearest.c computes a narrow band of the matrix of edits; compare it with the whole matrix. */
static void counts_edits(void **state)
{
	uint64_t seed = 42;
	unsigned int nr_near = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char a[16], b[16];
		unsigned int most, right;
		struct nearest near;

		random_word(a, &seed);
		random_word(b, &seed);
		most = strlen(a) < 2 ? 0 : strlen(a) < 6 ? 1 : strlen(a) < 12 ? 2 : 3;
		right = edits(a, b);
		nearest_init(&near, a, strlen(a));
		nearest_offer(&near, b);
		if (right <= most) {
			nr_near++;
			/* the rank is one less if the word is the beginning of the name */
			if ((near.rank + 1) / 2 != right)
				fail_msg("%s %s: %u edits, not %u", a, b, right, near.rank);
		} else if (near.rank <= 2 * most) {
			fail_msg("%s %s: %u edits, not %u", a, b, right, near.rank);
		}
	}
	assert_true(nr_near > 1000);
}

/* Very long names, and too many of them. */
static void is_bounded(void **state)
{
	static char word[NEAREST_MAX + 1], name[4 * NEAREST_MAX];
	struct nearest near;
	uint32_t nr = 0;

	(void)state;
	memset(word, 'a', NEAREST_MAX);
	memset(name, 'a', NEAREST_MAX - 3);
	name[0] = name[NEAREST_MAX - 4] = 'b';
	nearest_init(&near, word, NEAREST_MAX);
	while (near.work_left) {
		nearest_offer(&near, name);
		nr++;
	}
	assert_true(nr <= NEAREST_WORK / (NEAREST_MAX - 3));
	nearest_offer(&near, word);
	assert_null(nearest_name(&near));

	memset(name, 'a', sizeof(name) - 1);
	nearest_init(&near, name, sizeof(name) - 1);
	nearest_offer(&near, name);
	assert_null(nearest_name(&near));
	nearest_init(&near, word, NEAREST_MAX);
	nearest_offer(&near, name);
	assert_null(nearest_name(&near));
	nearest_offer(&near, word);
	assert_string_equal(nearest_name(&near), word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggests),
		cmocka_unit_test(counts_edits),
		cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
