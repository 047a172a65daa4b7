/* SPDX-License-Identifier: MIT */
/* Blocks of rules that no server has written.  The server must not crash or hang when it loads
 * them, and must check every offset and number. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <cmocka.h>

#include "abi/rules.h"
#include "event/command.h"
#include "unit/fake_root.h"
#include "unit/harms_nobody.h"
#include "unit/tree.h"

/* Make a block of rules that no server has written. */
static struct abi_rules *make_rules(struct fake_root *root, const char *dir,
				    uint32_t bytes, uint32_t nr_rules)
{
	struct abi_rules *rules;
	char path[256];

	alarm(30);
	fake_root_make(root, dir, "bad.1");
	fake_event_n(root, 0, "sched", "first");
	fake_event_n(root, 0, "sched", "second");
	fake_root_show(root, "bad.1");
	snprintf(path, sizeof(path), "%s/memory", root->path);
	if (truncate(path, (off_t)(ABI_ARENA_OFF + bytes)))
		_exit(2);
	rules = (void *)(root->mem + ABI_ARENA_OFF);
	*rules = (struct abi_rules){
		.magic = ABI_RULES_MAGIC, .bytes = bytes,
		.nr_rules = nr_rules, .nr_slots = 2,
	};
	root->buffer->rules = ABI_ARENA_OFF;
	root->buffer->used = 1;
	return rules;
}

/* As many triggers as fit, all with one long text, and each event has all of them. */
static void load_many_triggers(const char *dir)
{
	const uint32_t start = 4096, text = 1 << 20;
	const uint32_t bytes = ABI_RULES_BYTES_MAX - start;
	const uint32_t nr = (bytes - text) / sizeof(struct abi_trigger) - 1;
	struct abi_triggers *list;
	struct abi_rules *rules;
	struct fake_root root;
	struct server *server;

	rules = make_rules(&root, dir, ABI_RULES_BYTES_MAX, 2);
	list = (void *)((char *)rules + start);
	list->nr = nr;
	for (uint32_t i = 0; i < nr; i++)
		list->triggers[i] = (struct abi_trigger){
			.text = bytes - text, .text_bytes = text,
		};
	memset((char *)list + bytes - text, 'x', text);
	for (uint32_t i = 0; i < 2; i++)
		rules->rules[i] = (struct abi_rule){
			.row = ABI_DYNAMIC + i, .soft = i + 1, .triggers = start,
			.triggers_bytes = bytes,
		};
	if (server_new(dir, &server))
		_exit(3);
	server_free(server);
	_exit(0);
}

static void many_triggers_are_not_all_taken(void **state)
{
	(void)state;
	harms_nobody(load_many_triggers);
}

/* Commands that ftrace:print does not have, and targets and counters that do not exist. */
static void load_print_triggers(const char *dir)
{
	const uint32_t start = 64;
	struct abi_triggers *list;
	struct abi_rules *rules;
	struct fake_root root;
	struct server *server;

	rules = make_rules(&root, dir, ABI_PAGE_BYTES_MIN, 1);
	rules->rules[0] = (struct abi_rule){
		.row = ABI_ROW_PRINT, .triggers = start,
		.triggers_bytes = ABI_PAGE_BYTES_MIN - start,
	};
	list = (void *)((char *)rules + start);
	for (uint32_t command = 0; command <= NR_COMMANDS; command++) {
		for (uint32_t i = 0; i < 2; i++)
			list->triggers[list->nr++] = (struct abi_trigger){
				.command = command, .target = 1,
				.target_row = i ? UINT32_MAX : 0,
				.counter = i ? UINT32_MAX : 0,
			};
	}
	if (server_new(dir, &server))
		_exit(3);
	tree_echo(server, "bad.1/trace_marker", "a marker");
	server_free(server);
	_exit(0);
}

static void triggers_of_markers_are_checked(void **state)
{
	(void)state;
	harms_nobody(load_print_triggers);
}

/* Rules for addresses without a function, all in one place, and settings of modules of which
 * only the last is right. */
static void load_function_rules(const char *dir)
{
	static const char text[] = "\n:mod:\nx:mod:y\nf\nnfilter\n\n"
				   "f*:mod:m\nn:mod:m:mod:";
	const uint32_t start = 256;
	struct abi_probes *list;
	struct abi_rules *rules;
	struct fake_root root;
	struct server *server;

	rules = make_rules(&root, dir, ABI_PAGE_BYTES_MIN, 4);
	list = (void *)((char *)rules + start);
	list->nr = (ABI_PAGE_BYTES_MIN - start) / sizeof(list->probes[0]);
	memcpy((char *)rules + ABI_PAGE_BYTES_MIN - sizeof(text), text, sizeof(text));
	for (uint32_t i = 0; i < 4; i++)
		rules->rules[i] = (struct abi_rule){
			.row = ABI_ROW_FUNCTIONS,
			.triggers = i < 2 ? UINT32_MAX - 7 : start,
			.triggers_bytes = ABI_PAGE_BYTES_MIN - start,
			.text = i < 3 ? ABI_PAGE_BYTES_MIN : ABI_PAGE_BYTES_MIN -
				(uint32_t)sizeof(text),
			.text_bytes = i < 3 ? UINT32_MAX : (uint32_t)sizeof(text),
		};
	if (server_new(dir, &server))
		_exit(3);
	if (strcmp(tree_cat(server, "bad.1/set_ftrace_filter"), "*:mod:m\n"))
		_exit(4);
	server_free(server);
	_exit(0);
}

static void commands_of_functions_are_checked(void **state)
{
	(void)state;
	harms_nobody(load_function_rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_triggers_are_not_all_taken),
		cmocka_unit_test(triggers_of_markers_are_checked),
		cmocka_unit_test(commands_of_functions_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
