/* SPDX-License-Identifier: MIT */
/* Records of the function tracer as text; the lines are a kernel's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "event_data.h"
#include "unit/fake_calls.h"

#define US		1000ull
#define FIRST		42031015 * US
#define UNKNOWN		0x1234ull

/* A function with an integer that is narrower than its register, and all other kinds of
 * parameters. */
struct pair { long a, b; };
enum colour { RED };
CALLED_WITH void wake(int n, unsigned char flags, enum colour colour, void *p,
		      double x, struct pair pair, long last)
{
	__asm__ volatile("" : : "m"(n), "m"(flags), "m"(colour), "m"(p), "m"(x),
			 "m"(pair), "m"(last));
}

FUNCTION(schedule)
FUNCTION(schedule_timeout)

static const uint64_t ip = (uint64_t)schedule;
/* An address after a call: the last byte of the call belongs to the caller. */
static const uint64_t parent = (uint64_t)schedule_timeout + 1;

static int setup(void **state)
{
	struct calls *c;
	int r = calls_setup(state);

	if (r)
		return r;
	c = *state;
	c->root.buffer->tracer = TRACER_FUNCTION;
	fake_comm(&c->root, 74, "python3");
	calls_function(c, 0, 74, FIRST, ip, parent);
	return 0;
}

static const char *lines(struct calls *c)
{
	const char *text = tree_cat(c->server, "fake.1/trace");

	while (*text == '#')
		text = strchr(text, '\n') + 1;
	return text;
}

static void usual_lines(void **state)
{
	static const char head[] =
		"#                                _-----=> irqs-off/BH-disabled\n"
		"#                               / _----=> need-resched\n"
		"#                              | / _---=> hardirq/softirq\n"
		"#                              || / _--=> preempt-depth\n"
		"#                              ||| / _-=> migrate-disable\n"
		"#                              |||| /     delay\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"#              | |         |   |||||     |         |\n";
	struct calls *c = *state;
	char wanted[2048];

	snprintf(wanted, sizeof(wanted),
		 "# tracer: function\n"
		 "#\n"
		 "# entries-in-buffer/entries-written: 2/2   #P:%ld\n"
		 "#\n%s"
		 "         python3-74      [000] .....    42.031015: schedule <-schedule_timeout\n"
		 "           <...>-75      [001] .....    42.031016: 0x00001234 <-0x00001235\n",
		 sysconf(_SC_NPROCESSORS_ONLN), head);
	calls_function(c, 1, 75, FIRST + US, UNKNOWN, UNKNOWN + 1);
	assert_string_equal(tree_cat(c->server, "fake.1/trace"), wanted);
	assert_string_equal(tree_cat(c->server, "fake.1/trace_pipe"),
			    strstr(wanted, "         python3"));
}

static void caller_is_printed(void **state)
{
	struct calls *c = *state;

	calls_option(c, "noprint-parent");
	assert_string_equal(lines(c),
		"         python3-74      [000] .....    42.031015: schedule\n");
	calls_option(c, "print-parent");
	calls_function(c, 0, 74, FIRST + US, ip, 0);
	assert_non_null(strstr(lines(c), "42.031016: schedule\n"));
}

static void symbols(void **state)
{
	struct calls *c = *state;
	unsigned long offset, size, parent_offset, parent_size, at, parent_at;

	calls_option(c, "sym-offset");
	assert_int_equal(sscanf(strchr(lines(c), ':'),
				": schedule+0x%lx/0x%lx <-schedule_timeout+0x%lx/0x%lx\n",
				&offset, &size, &parent_offset, &parent_size), 4);
	assert_int_equal(offset, 0);
	assert_int_equal(parent_offset, 1);
	calls_option(c, "nosym-offset");
	calls_option(c, "sym-addr");
	assert_int_equal(sscanf(strchr(lines(c), ':'),
				": schedule <%lx> <-schedule_timeout <%lx>\n",
				&at, &parent_at), 2);
	assert_int_equal(at, ip);
	assert_int_equal(parent_at, parent);
}

static void numbers(void **state)
{
	struct calls *c = *state;
	char wanted[256];
	const struct {
		int32_t pid;
		uint32_t cpu;
		uint64_t time, ip, parent;
	} bytes = { 74, 0, FIRST, ip, parent };

	calls_option(c, "raw");
	snprintf(wanted, sizeof(wanted), "74 0 %llu %lx %lx\n", FIRST, ip, parent);
	assert_string_equal(lines(c), wanted);
	calls_option(c, "hex");
	snprintf(wanted, sizeof(wanted), "%08x %08x %016llx %016lx %016lx \n", 74, 0,
		 FIRST, ip, parent);
	assert_string_equal(lines(c), wanted);
	calls_option(c, "bin");
	assert_memory_equal(lines(c), &bytes, sizeof(bytes));
	calls_option(c, "nobin");
	calls_option(c, "nohex");
	calls_option(c, "noraw");
	calls_option(c, "fields");
	assert_non_null(strstr(lines(c), ": UNKNOWN TYPE 1\n"));
}

/* Records of the graph tracer in a buffer of another tracer. */
static void calls_of_the_graph(void **state)
{
	struct calls *c = *state;

	calls_entry(c, 0, ABI_RING_FAST, 74, FIRST + US, ip, 1);
	calls_entry(c, 0, ABI_RING_FAST, 74, FIRST + 2 * US, ip, 2);
	calls_exit(c, 0, ABI_RING_FAST, 74, FIRST + 3 * US, ip, 2, 500, 0);
	calls_exit(c, 0, ABI_RING_FAST, 74, FIRST + 4 * US, ip, 1, 2500, 0);
	assert_non_null(strstr(lines(c),
		"         python3-74      [000] .....    42.031016: "
		" 0)               |    schedule() {\n"
		"         python3-74      [000] .....    42.031017: "
		" 0)   0.500 us    |      schedule();\n"
		"         python3-74      [000] .....    42.031019: "
		" 0)   2.500 us    |    }\n"));
}

static void too_short(void **state)
{
	const struct calls_head head = { ABI_EVENT_ID_FUNCTION, 0, 0, 74 };
	struct calls *c = *state;

	calls_write(c, 0, ABI_RING_FAST, FIRST + US, &head, sizeof(head));
	assert_non_null(strstr(lines(c), "42.031016: [a function cut short]\n"));
}

static void formats(void **state)
{
	static const char *const names[] = {
		"function", "funcgraph_entry", "funcgraph_exit",
	};
	struct calls *c = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[256], *wanted;

		snprintf(path, sizeof(path), "formats/ftrace/%s", names[i]);
		wanted = read_data(path);
		assert_non_null(wanted);
		snprintf(path, sizeof(path), "fake.1/events/ftrace/%s/format", names[i]);
		assert_string_equal(tree_cat(c->server, path), wanted);
		free(wanted);
	}
}

static void arguments(void **state)
{
	static const uint64_t args[6] = {
		0x12345678fffffffeull, 0xffffffffffffff81ull, 0xdead00000001ull,
		0x7ffe0000, 0x11, 0x22,
	};
	struct calls *c = *state;

	calls_function_args(c, 0, 74, FIRST + US, (uint64_t)wake, parent, args);
	calls_function_args(c, 0, 74, FIRST + 2 * US, ip, parent, args);
	calls_function_args(c, 0, 74, FIRST + 3 * US, UNKNOWN, parent, args);
	assert_string_equal(lines(c),
		"         python3-74      [000] .....    42.031015: "
		"schedule <-schedule_timeout\n"
		"         python3-74      [000] .....    42.031016: "
		"wake(n=-2, flags=0x81, colour=1, p=0x7ffe0000, x=(FLOAT)[?], "
		"pair=(STRUCT)[0x11:0x22], ...) <-schedule_timeout\n"
		"         python3-74      [000] .....    42.031017: "
		"schedule() <-schedule_timeout\n"
		"         python3-74      [000] .....    42.031018: "
		"0x00001234() <-schedule_timeout\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, calls_teardown)
		TEST(usual_lines),
		TEST(caller_is_printed),
		TEST(symbols),
		TEST(numbers),
		TEST(calls_of_the_graph),
		TEST(arguments),
		TEST(too_short),
		TEST(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
