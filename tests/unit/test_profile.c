/* SPDX-License-Identifier: MIT */
/* Output of the function profiler for figures that a program has left.  The text is the
 * kernel's, the numbers are computed by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "abi/profile.h"
#include "unit/fake_calls.h"

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
#define HEAD								\
	"  Function                               Hit    Time            Avg             s^2\n" \
	"  --------                               ---    ----            ---             ---\n"
#define SECOND	1000000000ull

void often(void);
void once(void);
void a_function_with_a_name_that_is_too_long(void);

TRACED void often(void) { __asm__ volatile("# often"); }
TRACED void once(void) { __asm__ volatile("# once"); }
TRACED void a_function_with_a_name_that_is_too_long(void) { __asm__ volatile("# long"); }

/* Returns the number of a function's row.  The compiler determines the order of entries. */
static uint32_t number_of(struct calls *c, const char *name)
{
	const char *line = tree_cat(c->server, "fake.1/available_filter_functions");
	size_t len = strlen(name);
	uint32_t nr = 0;

	for (; strncmp(line, name, len) || line[len] != '\n'; nr++) {
		line = strchr(line, '\n');
		assert_non_null(line++);
	}
	return nr;
}

static struct abi_figure *figure_of(struct calls *c, uint32_t cpu, const char *name)
{
	struct abi_profile *head =
		(struct abi_profile *)(c->root.mem + c->root.control->profile);
	uint64_t bytes = (sizeof(*head) + head->path_bytes + 63) & ~63ull;

	assert_int_equal(head->magic, ABI_PROFILE_MAGIC);
	return (struct abi_figure *)((char *)head + bytes) +
	       (size_t)cpu * head->nr + number_of(c, name);
}

static void call(struct calls *c, const char *name, uint64_t took_ns)
{
	struct abi_figure *figure = figure_of(c, 1, name);
	unsigned __int128 square = (unsigned __int128)took_ns * took_ns;
	unsigned __int128 sum = (unsigned __int128)figure->squares_high << 64 |
				figure->squares;

	figure->hits++;
	figure->time_ns += took_ns;
	figure->squares = (uint64_t)(sum + square);
	figure->squares_high = (uint64_t)((sum + square) >> 64);
}

static const char *show(struct calls *c)
{
	return tree_cat(c->server, "fake.1/trace_stat/function1");
}

static int setup(void **state)
{
	int r = calls_setup(state);
	struct calls *c = *state;

	return r ? r : tree_echo(c->server, "fake.1/function_profile_enabled", "1");
}

static void longest_first(void **state)
{
	struct calls *c = *state;

	assert_string_equal(show(c), HEAD);
	call(c, "once", 250);
	call(c, "often", 1000);
	call(c, "often", 3000);
	figure_of(c, 1, "a_function_with_a_name_that_is_too_long")->hits = 12;
	/* s^2 of 1 us and 3 us is 2 us^2 */
	assert_string_equal(show(c), HEAD
		"  often                                    2    "
		"4.000 us        2.000 us        2.000 us    \n"
		"  once                                     1    "
		"0.250 us        0.250 us        0.000 us    \n"
		"  a_function_with_a_name_that_is          12    "
		"0.000 us        0.000 us        0.000 us    \n");
	assert_string_equal(tree_cat(c->server, "fake.1/trace_stat/function0"), HEAD);
}

/* The squares of these times need more than 64 bits. */
static void long_calls(void **state)
{
	struct calls *c = *state;

	call(c, "often", 10 * SECOND);
	call(c, "often", 20 * SECOND);
	/* 50 s^2, of which eight digits are shown */
	assert_string_equal(show(c), HEAD
		"  often                                    2    "
		"30000000 us     15000000 us     50000000000000 us \n");
}

static void thresh(void **state)
{
	struct calls *c = *state;

	call(c, "once", 2000);
	call(c, "often", 1500);
	call(c, "often", 1500);
	assert_int_equal(tree_echo(c->server, "fake.1/tracing_thresh", "2"), 0);
	assert_string_equal(show(c), HEAD
		"  once                                     1    "
		"2.000 us        2.000 us        0.000 us    \n");
}

/* The next server finds the figures, and whether the profiler is on.  Switching it on again
 * starts at 0. */
static void outlives_the_server(void **state)
{
	struct calls *c = *state;
	static const char text[] = HEAD
		"  once                                     1    "
		"5.000 us        5.000 us        0.000 us    \n";

	call(c, "once", 5000);
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	assert_string_equal(tree_cat(c->server, "fake.1/function_profile_enabled"), "1\n");
	assert_string_equal(show(c), text);
	assert_int_equal(tree_echo(c->server, "fake.1/function_profile_enabled", "1"), 0);
	assert_string_equal(show(c), text);
	assert_int_equal(tree_echo(c->server, "fake.1/function_profile_enabled", "0"), 0);
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	assert_string_equal(tree_cat(c->server, "fake.1/function_profile_enabled"), "0\n");
	assert_string_equal(show(c), text);
	assert_int_equal(tree_echo(c->server, "fake.1/function_profile_enabled", "1"), 0);
	assert_string_equal(show(c), HEAD);
}

/* The figures of an object whose file was removed come before those of an existing object. */
static void one_file_is_gone(void **state)
{
	static const char path[] = "/nosuch";
	struct calls *c = *state;
	struct abi_control *control = c->root.control;
	struct abi_profile *gone;

	call(c, "once", 5000);
	/* any block of the arena can be used for it */
	assert_int_equal(tree_echo(c->server, "fake.1/stack_tracer_enabled", "1"), 0);
	gone = (struct abi_profile *)(c->root.mem + control->stack + 4096);
	*gone = *(struct abi_profile *)(c->root.mem + control->profile);
	gone->path_bytes = sizeof(path);
	gone->next = control->profile;
	memcpy(gone + 1, path, sizeof(path));
	control->profile = control->stack + 4096;
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	assert_string_equal(show(c), HEAD
		"  once                                     1    "
		"5.000 us        5.000 us        0.000 us    \n");
}

/* A process counts in the old figures until it has applied the settings. */
static void one_file_has_changed(void **state)
{
	struct calls *c = *state;
	uint64_t off = c->root.control->profile;
	struct abi_profile *head = (struct abi_profile *)(c->root.mem + off);
	uint32_t nr = ++head->nr;

	c->root.processes[0].applied = c->root.control->generation;
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	assert_int_equal(tree_echo(c->server, "fake.1/max_graph_depth", "3"), 0);
	assert_int_equal(head->magic, ABI_PROFILE_MAGIC);
	assert_int_equal(head->nr, nr);
}

/* Limit the size of files, so that lists can be written or not. */
static void limit_room(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A change for which there is no space is undone. */
static void no_room(void **state)
{
	static const struct {
		const char *file, *old, *new;
	} files[] = {
		{ "fake.1/set_ftrace_filter", "often\n", "once\n" },
		{ "fake.1/set_graph_function", "often\n", "once\n" },
		{ "fake.1/max_graph_depth", "3\n", "4\n" },
		{ "fake.1/tracing_thresh", "5\n", "6\n" },
	};
	struct calls *c = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *file = files[i].file;

		assert_int_equal(tree_echo(c->server, file, files[i].old), 0);
		limit_room(0);
		/* the error of a list comes from close(), which tree_echo() does not check */
		tree_echo(c->server, file, files[i].new);
		limit_room(RLIM_INFINITY);
		assert_string_equal(tree_cat(c->server, file), files[i].old);
		assert_int_equal(tree_echo(c->server, file, files[i].new), 0);
		assert_string_equal(tree_cat(c->server, file), files[i].new);
	}
}

/* Values that a program may write to the head. */
static void hostile_heads(void **state)
{
	struct calls *c = *state;
	struct abi_profile *head =
		(struct abi_profile *)(c->root.mem + c->root.control->profile);
	uint64_t first = c->root.control->profile;
	struct abi_profile good = *head;
	struct abi_profile bad[] = { good, good, good, good, good, good, good };

	call(c, "once", 5000);
	bad[0].magic++;
	bad[1].nr++;
	bad[2].nr_cpus = UINT32_MAX;
	bad[3].path_bytes = UINT32_MAX;
	bad[4].path_bytes = 0;
	bad[5].kind = UINT32_MAX;
	bad[6].next = c->root.control->profile;		/* a circle */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*head = bad[i];
		c->root.control->profile = first;
		server_free(c->server);
		assert_int_equal(server_new(c->dir, &c->server), 0);
		assert_string_equal(show(c), i < 6 ? HEAD : HEAD
			"  once                                     1    "
			"5.000 us        5.000 us        0.000 us    \n");
	}
	c->root.control->profile = UINT64_MAX - 4095;
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	assert_string_equal(show(c), HEAD);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, setup, calls_teardown)
	const struct CMUnitTest tests[] = {
		T(longest_first),
		T(long_calls),
		T(thresh),
		T(outlives_the_server),
		T(one_file_is_gone),
		T(one_file_has_changed),
		T(no_room),
		T(hostile_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
