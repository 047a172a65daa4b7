/* SPDX-License-Identifier: MIT */
/* The tags of graph tracers: the tag that a buffer gets, and the tag of a slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/shadow_tags.h"

#define SEARCH_SECONDS	10		/* a search that takes longer never ends */

static uint32_t lanes_of(uint32_t tags)
{
	uint32_t lanes = 0;

	for (; tags; tags &= tags - 1)
		lanes |= 1u << (uint32_t)__builtin_ctz(tags) % FTRACE_LANES;
	return lanes;
}

static void check_tag(uint8_t tag, uint32_t used)
{
	assert_in_range(tag, 1, SHADOW_TAG_MAX);
	assert_false(used >> tag & 1);
}

/* Give tags to @nr buffers, as set_graphs() does.  @kept: tags of buffers that keep theirs. */
static uint32_t give(uint32_t nr, uint32_t kept, uint32_t old)
{
	uint32_t used = kept;

	while (nr--) {
		uint8_t tag = shadow_new_tag(used, old);

		check_tag(tag, used);
		used |= 1u << tag;
	}
	return used & ~kept;
}

/* 16 tags are in use and 16 new ones are needed, but there are 31. */
static void test_all_buffers_change(void **state)
{
	uint32_t tags = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		tags = give(ABI_BUFFERS, 0, tags);
		assert_int_equal(__builtin_popcount(tags), ABI_BUFFERS);
	}
}

static void test_some_buffers_change(void **state)
{
	uint32_t tags = give(ABI_BUFFERS, 0, 0);

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t nr = 1 + i % ABI_BUFFERS, old = 0;

		for (uint32_t left = tags; nr > (uint32_t)__builtin_popcount(old);
		     left &= left - 1)
			old |= left & -left;
		tags = (tags & ~old) | give(nr, tags & ~old, old);
		assert_int_equal(__builtin_popcount(tags), ABI_BUFFERS);
	}
}

/* An old tag is chosen only if there is no other. */
static void test_old_tags_last(void **state)
{
	uint32_t old = 0xffffu << 1, tags = give(SHADOW_TAG_MAX - ABI_BUFFERS, 0, old);

	(void)state;
	assert_int_equal(tags & old, 0);
	/* All but one tag are used or old. */
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(shadow_new_tag(0x7fffu << 17, 0xffffu << 1 & ~(1u << 5)), 5);
}

static void test_lanes(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t used = 1u << shadow_new_tag(0, 0);
		uint32_t old = 1u << shadow_new_tag(used, 0);
		uint32_t new = 1u << shadow_new_tag(used, old);

		assert_int_equal(lanes_of(new) & lanes_of(used | old), 0);
	}
}

/* ---- slots ---- */

static void test_slots(void **state)
{
	uint8_t body[32];
	struct fsite_slot slot = { .users = 1u << FTRACE_GRAPH | 1u << 3 };

	(void)state;
	slot.body.at = body;
	slot.body.word = 32;
	ftrace_state.graphs = 1u << 3;
	ftrace_state.tag_of[3] = 6;
	assert_int_equal(ftrace_word_of(&slot), 6u << 24 | 32);
	assert_true(ftrace_entry_of(&slot) == ftrace_entry_graph2);
	/* a buffer that should have got function_graph, but could not */
	ftrace_state.graphs = 1u << 4;
	assert_int_equal(ftrace_word_of(&slot), 32);
	assert_true(ftrace_entry_of(&slot) == ftrace_entry);
	/* several buffers */
	ftrace_state.graphs = 3u << 3;
	slot.users |= 1u << 4;
	assert_int_equal(ftrace_word_of(&slot), 32);
	assert_true(ftrace_entry_of(&slot) == ftrace_entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_buffers_change),
		cmocka_unit_test(test_some_buffers_change),
		cmocka_unit_test(test_old_tags_last),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_slots),
	};

	alarm(SEARCH_SECONDS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
