/* SPDX-License-Identifier: MIT */
/* Roots with lists of strings, and of names for numbers, that are wrong or too long. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

/* Blocks of strings, each with a wrong part.  The first two words are nr and bytes. */
static void read_strings(const char *dir)
{
	static const struct {
		uint64_t off;			/* 0: unchanged */
		uint32_t nr, bytes;
		bool has_one, has_two;
	} cases[] = {
		{ 0, 2, 8, true, true }, { 0, 1, 16, false, false },
		{ 0, 2, 7, true, false }, { 0, 2, 4, true, false }, { 0, 2, 0, false, false },
		{ 0, 2, UINT32_MAX, false, false }, { 0, UINT32_MAX, 8, false, false },
		{ 0, UINT32_MAX, UINT32_MAX, false, false }, { 0, 1u << 29, 8, false, false },
		{ 0, 3, 8, false, false }, { 0, 0, 8, false, false },
		{ 1, 2, 8, false, false }, { 8, 2, 8, false, false },
		{ ABI_ARENA_OFF, 2, 8, false, false }, { ABI_ARENA_OFF - 4, 2, 8, false, false },
		{ ABI_ARENA_OFF - 8, 2, 8, false, false },
		{ UINT64_MAX, 2, 8, false, false }, { UINT64_MAX - 7, 2, 8, false, false },
	};
	struct abi_module *module;
	struct abi_strings *head;
	struct fake_root root;
	struct server *server;
	uint64_t off;

	fake_root_make(&root, dir, "bad.1");
	module = (void *)(root.mem + root.control->modules_off);
	fake_strings(&root, module);
	fake_root_show(&root, "bad.1");
	off = module->strings;
	head = (void *)(root.mem + off);
	root.control->nr_modules = 1;
	if (server_new(dir, &server))
		_exit(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text;

		module->strings = cases[i].off ? cases[i].off : off;
		*head = (struct abi_strings){ cases[i].nr, cases[i].bytes };
		root.control->tables_changed++;
		server_tick(server);
		text = tree_cat(server, "bad.1/printk_formats");
		if (!strstr(text, "\"one\"") == cases[i].has_one ||
		    !strstr(text, "\"two\"") == cases[i].has_two) {
			print_error("case %zu: %s\n", i, text);
			_exit(3);
		}
	}
	server_free(server);
	_exit(0);
}

static void strings_are_checked(void **state)
{
	(void)state;
	assert_int_equal(fake_dir_run(read_strings), 0);
}

/* There are more names than one search may read.  The error says so, and nothing changes. */
static void search_many_names(const char *dir)
{
	struct fake_root root;
	struct server *server;
	char name[32];
	uint64_t off;

	fake_root_make(&root, dir, "bad.1");
	off = fake_heap(&root, ABI_NAMES_BYTES);
	memset(root.mem + off, 0, ABI_NAMES_BYTES);
	memcpy(root.mem + off, "\1\0\0\0\0\0\0\0ONE", 12);
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "tick%u", i);
		fake_event_n(&root, 0, "sched", name);
		root.events[i].names = off;
		root.events[i].names_bytes = ABI_NAMES_BYTES;
	}
	fake_root_show(&root, "bad.1");
	if (server_new(dir, &server) ||
	    tree_echo(server, "bad.1/events/sched/filter", "n == 1") ||
	    tree_echo(server, "bad.1/events/sched/filter", "n == ONE") != -EBUSY ||
	    strcmp(tree_cat(server, "bad.1/events/sched/tick7/filter"), "n == 1\n") ||
	    !strstr(tree_cat(server, "bad.1/error_log"), "too many names to search"))
		_exit(3);
	/* The limit is per write. */
	if (tree_echo(server, "bad.1/events/sched/tick7/filter", "n == ONE") ||
	    tree_echo(server, "bad.1/events/sched/tick0/trigger", "traceoff if n == ONE"))
		_exit(4);
	server_free(server);
	_exit(0);
}

static void many_names_are_refused(void **state)
{
	(void)state;
	assert_int_equal(fake_dir_run(search_many_names), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_checked),
		cmocka_unit_test(many_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
