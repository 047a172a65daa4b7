/* SPDX-License-Identifier: MIT */
/*
 * Histograms of a root in the server: their tables in the arena, and what the next server makes of
 * what the last one left there, also if the program has changed it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "abi/hist.h"
#include "abi/rules.h"
#include "event/command.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define FIRST	"fake.1/events/sched/first/"
#define SECOND	"fake.1/events/sched/second/"
#define PRINT	"fake.1/events/ftrace/print/"

enum { ROUNDS = 150, LONG_ROUNDS = 5000 };	/* LONG_ROUNDS: ULF_TORTURE=long */

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void make_root(struct fake_root *root, const char *dir)
{
	static const struct fake_field fields[] = {
		{ "char[16]", "comm", 8, 16, 0 },
		{ "__data_loc char[]", "name", 24, 4, 0 },
		{ "unsigned long", "state", 32, 8, 0 },
	};

	fake_root_make(root, dir, "fake.1");
	fake_event(root, 0, "sched", "first", "\"\"", fields, 3);
	fake_event_n(root, 0, "sched", "second");
	fake_root_show(root, "fake.1");
}

/* Append @text to the file, without a wait for an agent. */
static int add(struct server *server, const char *path, const char *text)
{
	struct tracefs_file *file;
	size_t taken;
	ssize_t n;

	if (tree_open(server, path, O_WRONLY | O_APPEND, &file))
		return -ENOENT;
	n = tracefs_write(file, text, strlen(text), getpid(), &taken);
	tracefs_close(file);
	return n < 0 && n != -EINPROGRESS ? (int)n : 0;
}

/* ---- blocks of the arena ---- */

/* The block of rules that is in force. */
static const struct abi_rules *rules_of(const struct fake_root *root)
{
	return (const void *)(root->mem + root->buffer->rules);
}

/* The program of trigger @nr of the first event that has triggers. */
static const struct hist_program *program_of(const struct fake_root *root, uint32_t nr)
{
	const struct abi_rules *rules = rules_of(root);
	const struct abi_triggers *list = (const void *)((const char *)rules +
							 rules->rules[0].triggers);

	assert_in_range(nr, 0, list->nr - 1);
	return (const void *)((const char *)list + list->triggers[nr].data);
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

/* A process that has not applied a change may still use all blocks from before it.  The process
 * of this root never applies anything. */
static void blocks_stay_while_they_are_in_use(void **state)
{
	struct { uint64_t off, bytes; } used[64];
	struct fake_root root;
	struct server *server;
	uint32_t nr = 0;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	make_root(&root, dir);
	root.processes[0].flags = 0;
	assert_int_equal(server_new(dir, &server), 0);
	for (int i = 0; i < 30; i++) {
		static const char *const words[] = {
			"hist:keys=comm:vals=state", "hist:keys=comm:vals=state:clear",
			"!hist:keys=comm:vals=state",
		};

		assert_int_equal(add(server, FIRST "trigger", words[i % 3]), 0);
		if (i % 3 == 2)
			continue;
		for (int k = 0; k < 2; k++) {
			const struct hist_table_ref *table = hist_tables(program_of(&root, 0));
			uint64_t off = k ? table->off : root.buffer->rules;
			uint64_t bytes = k ? table->bytes : rules_of(&root)->bytes;

			for (uint32_t n = 0; n < nr; n++)
				assert_false(overlap(off, bytes, used[n].off, used[n].bytes));
			used[nr].off = off;
			used[nr++].bytes = bytes;
		}
	}
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

static void table_is_as_described(void **state)
{
	const struct hist_program *program;
	const struct hist_table *table;
	struct hist_layout layout;
	struct fake_root root;
	struct server *server;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	make_root(&root, dir);
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(add(server, FIRST "trigger", "hist:keys=comm,name:vals=state:size=300"),
			 0);
	program = program_of(&root, 0);
	table = (const void *)(root.mem + hist_tables(program)->off);
	assert_int_equal(table->magic, HIST_TABLE_MAGIC);
	assert_memory_equal(&table->geometry, &hist_tables(program)->geometry,
			    sizeof(table->geometry));
	assert_int_equal(table->geometry.nr_entries, 512);
	assert_int_equal(table->geometry.nr_parts, FAKE_CPUS + 1);
	hist_layout_init(&table->geometry, &layout);
	assert_int_equal(table->bytes, layout.bytes);
	assert_int_not_equal(program->paused, 0);
	assert_int_equal(root.buffer->slots[program->paused - 1], 0);
	assert_int_equal(add(server, FIRST "trigger",
			     "hist:keys=comm,name:vals=state:size=300:pause"), 0);
	assert_int_equal(root.buffer->slots[program->paused - 1], 1);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* ---- a program that changes what the server has left ---- */

static uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 16, 127, 128, 255, 256, 4095, 4096, 65535, 65536, INT32_MAX,
		1u << 31, UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX, ABI_ARENA_OFF,
		ABI_ARENA_OFF + 4096, ABI_HEAP_OFF, FAKE_MAP_BYTES, FAKE_MAP_BYTES - 4096,
	};
	uint64_t r = rnd();

	return r % 4 ? values[rnd() % ARRAY_SIZE(values)] : r;
}

static void spoil(struct fake_root *root, uint64_t off, uint64_t bytes)
{
	size_t size = (size_t)1 << rnd() % 4;
	uint64_t at = off + (rnd() % bytes & ~(size - 1));
	uint64_t value = interesting();

	memcpy(root->mem + at, &value, size);
}

static void spoil_something(struct fake_root *root)
{
	uint64_t off = root->buffer->rules;

	if (off < ABI_ARENA_OFF || off > ABI_ARENA_OFF + (64u << 20))
		return;
	switch (rnd() % 3) {
	case 0:		/* the rules, where the texts are */
		spoil(root, off, rules_of(root)->bytes < 65536 ? rules_of(root)->bytes : 4096);
		break;
	case 1:		/* the tables */
		spoil(root, ABI_ARENA_OFF + rnd() % 64 * 4096, 4096);
		break;
	default:
		spoil(root, ABI_BUFFERS_OFF + offsetof(struct abi_buffer, slots), 256);
		break;
	}
}

static void use_all(struct server *server)
{
	static const char *const files[] = {
		FIRST "trigger", FIRST "hist", FIRST "hist_debug", SECOND "trigger", SECOND "hist",
		PRINT "trigger", PRINT "hist", "fake.1/error_log",
	};
	static const struct { const char *file, *words; } writes[] = {
		{ "fake.1/trace_marker", "marker" },
		{ SECOND "trigger", "hist:keys=n:clear" },
		{ FIRST "trigger", "hist:name=two:keys=comm:vals=state:pause" },
		{ FIRST "trigger", "hist:name=two:keys=comm:vals=state:clear" },
		{ PRINT "trigger", "hist:keys=ip:clear" },
		{ "fake.1/trace_marker", "marker" },
		{ SECOND "trigger", "!hist:keys=n:y=$x" },
		{ FIRST "trigger", "!hist:keys=state:x=state" },
		{ FIRST "trigger", "hist:keys=comm,name,state" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		tree_cat(server, files[i]);
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++)
		add(server, writes[i].file, writes[i].words);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		tree_cat(server, files[i]);
	server_tick(server);
}

static void run_round(const char *dir)
{
	static const struct { const char *file, *words; } writes[] = {
		{ FIRST "trigger", "hist:keys=state:x=state" },
		{ FIRST "trigger", "hist:name=two:keys=comm:vals=state" },
		{ FIRST "trigger", "hist:name=two:keys=comm:vals=state if state > 3" },
		{ SECOND "trigger", "hist:keys=n:y=$x" },
		{ SECOND "trigger", "hist:keys=n" },
		{ SECOND "trigger", "hist:keys=common_stacktrace:pause" },
		{ PRINT "trigger", "hist:keys=ip" },
		{ PRINT "trigger", "disable_hist:sched:first" },
	};
	struct fake_root root;
	struct server *server;

	alarm(30);
	make_root(&root, dir);
	if (server_new(dir, &server))
		_exit(3);
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++)
		if (add(server, writes[i].file, writes[i].words))
			_exit(4);
	add(server, "fake.1/trace_marker", "marker");
	for (int turn = 0; turn < 3; turn++) {
		server_free(server);
		for (uint64_t nr = 1 + rnd() % 8; nr--; )
			spoil_something(&root);
		if (server_new(dir, &server))
			_exit(3);
		use_all(server);
	}
	server_free(server);
	_exit(0);
}

static void changed_memory_harms_nobody(void **state)
{
	const char *torture = getenv("ULF_TORTURE");
	int rounds = torture && !strcmp(torture, "long") ? LONG_ROUNDS : ROUNDS;

	(void)state;
	for (int i = 0; i < rounds; i++) {
		seed = 0x9e3779b97f4a7c15ull * (uint64_t)(i + 1);
		assert_int_equal(fake_dir_run(run_round), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_stay_while_they_are_in_use),
		cmocka_unit_test(table_is_as_described),
		cmocka_unit_test(changed_memory_harms_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
