/* SPDX-License-Identifier: MIT */
/* The rows of the tables of options, tracers, commands and clocks agree with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/control.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"
#include "server/rules/triggers.h"

/* ---- options ---- */

static void options_say_who_must_know_them(void **state)
{
	const uint64_t function = OPTION_FUNC_STACK | OPTION_FUNC_NO_REPEATS | OPTION_FUNC_ARGS;
	const uint64_t graph = OPTION_GRAPH_RETADDR | OPTION_GRAPH_ARGS | OPTION_GRAPH_IRQS |
			       OPTION_SLEEP_TIME;

	(void)state;
	assert_true(option_tracer_bits(TRACER_NOP) == 0);
	assert_true(option_tracer_bits(TRACER_FUNCTION) == function);
	assert_true(option_tracer_bits(TRACER_GRAPH) == graph);
	assert_true(option_tracer_bits(NR_TRACERS) == 0);
	/* graph-time belongs to the profiler: the tracer does not apply it */
	assert_true(OPTION_PROGRAM ==
		    (function | graph | OPTION_STACKTRACE | OPTION_GRAPH_TIME |
		     OPTION_FUNCTIONS | OPTION_USDT));
	assert_true((uint64_t)OPTION_FUNCTIONS == (uint64_t)OPTION_ALL_OBJECTS);
}

static void options_of_a_tracer_name_one_that_exists(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_table_rows; i++)
		assert_true(option_table[i].tracer < NR_TRACERS);
}

/* ---- tracers ---- */

static void tracers_are_found_by_name(void **state)
{
	(void)state;
	for (int i = 0; i < NR_TRACERS; i++) {
		assert_non_null(tracer_table[i].name);
		assert_non_null(tracer_table[i].help);
		assert_int_equal(tracer_find(tracer_table[i].name), i);
	}
	assert_true(tracer_find("nosuch") < 0);
	assert_string_equal(tracer_table[0].name, "nop");
}

/* ---- commands ---- */

static void commands_have_a_scope(void **state)
{
	uint32_t events = 0, functions = 0;

	(void)state;
	assert_int_equal(nr_trigger_cmds, NR_COMMANDS);
	for (uint32_t i = 0; i < nr_trigger_cmds; i++) {
		const struct trigger_cmd *cmd = &trigger_cmds[i];

		assert_ptr_equal(trigger_cmd_find(cmd->name), cmd);
		assert_ptr_equal(trigger_cmd_of(cmd->command), cmd);
		assert_in_range(cmd->command, 0, NR_COMMANDS - 1);
		assert_true(cmd->scope & CMD_ANY);
		if (cmd->scope & CMD_EVENT)
			events |= 1u << cmd->command;
		if (cmd->scope & CMD_FUNCTION)
			functions |= 1u << cmd->command;
	}
	assert_true(events == COMMANDS_OF_EVENTS);
	assert_true(functions == COMMANDS_OF_FUNCTIONS);
	assert_int_equal(COMMANDS_FIRST, 1 << COMMAND_SNAPSHOT);
	assert_true(trigger_has_cmd(NULL, trigger_cmd_find("dump")));
}

/* ---- clocks ---- */

static void clocks_are_listed_once(void **state)
{
	uint32_t seen = 0;

	(void)state;
	for (size_t i = 0; i < clock_table_rows; i++) {
		const struct clock_row *row = clock_nth(i);
		int number = clock_find(row->name);

		assert_ptr_equal(clock_get((uint32_t)number), row);
		assert_false(seen >> number & 1);
		seen |= 1u << number;
		assert_non_null(row->read);
	}
	assert_true(seen == (1u << clock_table_rows) - 1);
	assert_ptr_equal(clock_get(UINT32_MAX), &clock_table[0]);
	assert_true(clock_find("nosuch") < 0);
}

static void a_look_at_the_counter_counts_nothing(void **state)
{
	const struct clock_row *row = clock_get((uint32_t)clock_find("counter"));
	struct abi_control control = { .counter = 41 };

	(void)state;
	assert_int_equal(row->peek(row, &control), 42);
	assert_int_equal(row->peek(row, &control), 42);
	assert_int_equal(clock_read(row, &control), 42);
	assert_int_equal(clock_read(row, &control), 43);
}

static void perf_adds_the_offset_that_the_server_measures(void **state)
{
	const struct clock_row *perf = clock_get((uint32_t)clock_find("perf"));
	const struct clock_row *raw = clock_get((uint32_t)clock_find("mono_raw"));
	struct abi_control control = { .perf_ns = 1ull << 60 };
	uint64_t before = clock_read(raw, NULL);
	uint64_t time = clock_read(perf, &control);

	(void)state;
	assert_true(perf->has_offset && !raw->has_offset);
	assert_in_range(time - control.perf_ns, before, clock_read(raw, NULL));
}

/* A ring computes ns only if the root has a time base, and the plain TSC always. */
static void rings_scale_the_tsc(void **state)
{
	const struct clock_row *local = clock_get((uint32_t)clock_find("local"));
	const struct clock_row *tsc = clock_get((uint32_t)clock_find("x86-tsc"));
	const struct abi_clock none = { .mult = 0 };
	const struct abi_clock base = { .mult = 5, .tsc0 = 6, .ns0 = 7 };
	struct abi_clock scale;

	(void)state;
	assert_false(local->ring(&none, &scale));
	assert_true(local->ring(&base, &scale));
	assert_memory_equal(&scale, &base, sizeof(base));
	assert_true(tsc->ring(&none, &scale));
	assert_true(scale.mult == 1ull << 32 && !scale.tsc0 && !scale.ns0);
	assert_true(tsc->is_tsc && !tsc->is_ns && local->is_ns);
	assert_null(clock_get((uint32_t)clock_find("mono"))->ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_say_who_must_know_them),
		cmocka_unit_test(options_of_a_tracer_name_one_that_exists),
		cmocka_unit_test(tracers_are_found_by_name),
		cmocka_unit_test(commands_have_a_scope),
		cmocka_unit_test(clocks_are_listed_once),
		cmocka_unit_test(a_look_at_the_counter_counts_nothing),
		cmocka_unit_test(perf_adds_the_offset_that_the_server_measures),
		cmocka_unit_test(rings_scale_the_tsc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
