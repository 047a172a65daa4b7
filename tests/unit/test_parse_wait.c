/* SPDX-License-Identifier: MIT */
/*
 * Requests that wait for a parser, as in the server.  Nothing happens before parse_dispatch()
 * is called, so the test sees each step.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <poll.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "symbols/parse.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "unit/fake_calls.h"

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
#define SECOND	1000000000ull

void often(void);
void seldom(void);
TRACED void often(void) { __asm__ volatile("# often"); }
TRACED void seldom(void) { __asm__ volatile("# seldom"); }

/* Run the event loop until the read does not return -ERESTART. */
static ssize_t read_later(struct calls *c, struct tracefs_file *file, char *buf,
			  size_t size, off_t offset)
{
	ssize_t n;

	while ((n = tracefs_read(file, buf, size, offset)) == -ERESTART) {
		struct pollfd fd = { .fd = parse_poll_fd(), .events = POLLIN };

		poll(&fd, 1, 1000);
		if (parse_dispatch())
			server_parsed(c->server);
	}
	return n;
}

static ssize_t write_later(struct calls *c, struct tracefs_file *file, const char *data)
{
	size_t taken;
	ssize_t n;

	while ((n = tracefs_write(file, data, strlen(data), getpid(), &taken)) ==
	       -ERESTART) {
		struct pollfd fd = { .fd = parse_poll_fd(), .events = POLLIN };

		poll(&fd, 1, 1000);
		if (parse_dispatch())
			server_parsed(c->server);
	}
	return n == -EINPROGRESS ? (ssize_t)taken : n;
}

static struct tracefs_file *open_file(struct calls *c, const char *path, int flags)
{
	struct tracefs_file *file;

	assert_int_equal(tree_open(c->server, path, flags, &file), 0);
	return file;
}

/* Read a file later, and close it. */
static const char *show_later(struct calls *c, const char *path)
{
	static char text[65536];
	struct tracefs_file *file = open_file(c, path, O_RDONLY);
	ssize_t n = read_later(c, file, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	tracefs_close(file);
	return text;
}

/* ---- lines of trace ---- */

static void lines_wait(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;
	char text[4096];
	ssize_t head, n;

	c->root.buffer->tracer = TRACER_FUNCTION;
	calls_function(c, 0, 74, SECOND, (uint64_t)often, (uint64_t)seldom + 1);
	file = open_file(c, "fake.1/trace", O_RDONLY | O_NONBLOCK);
	head = tracefs_read(file, text, sizeof(text), 0);
	assert_true(head > 0 && text[0] == '#');
	for (int i = 0; i < 3; i++)
		assert_int_equal(tracefs_read(file, text, sizeof(text), head), -ERESTART);
	/* other files do not wait */
	assert_string_equal(tree_cat(c->server, "fake.1/tracing_on"), "1\n");
	n = read_later(c, file, text, sizeof(text) - 1, head);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, ": often <-seldom\n"));
	assert_int_equal(tracefs_read(file, text, sizeof(text), head + n), 0);
	tracefs_close(file);
}

/* Each record is read once, and none before its names are known. */
static void a_pipe_waits(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;
	char text[4096];
	ssize_t n;

	c->root.buffer->tracer = TRACER_FUNCTION;
	calls_function(c, 0, 74, SECOND, (uint64_t)often, (uint64_t)seldom + 1);
	file = open_file(c, "fake.1/trace_pipe", O_RDONLY | O_NONBLOCK);
	assert_int_equal(tracefs_read(file, text, sizeof(text), 0), -ERESTART);
	n = read_later(c, file, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, ": often <-seldom\n"));
	assert_int_equal(tracefs_read(file, text, sizeof(text), 0), -EAGAIN);
	tracefs_close(file);
}

/* ---- lists of functions ---- */

static void a_list_waits(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;
	size_t taken;

	file = open_file(c, "fake.1/set_ftrace_filter", O_WRONLY | O_TRUNC);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tracefs_write(file, "often\n", 6, getpid(), &taken),
				 -ERESTART);
	assert_int_equal(tracefs_settle(file), -ERESTART);
	assert_int_equal(tracefs_flush(file), -ERESTART);
	assert_int_equal(write_later(c, file, "often\n"), 6);
	tracefs_close(file);
	assert_string_equal(show_later(c, "fake.1/set_ftrace_filter"), "often\n");
	/* > empties the list even if nothing is written */
	tracefs_close(open_file(c, "fake.1/set_ftrace_filter", O_WRONLY | O_TRUNC));
	assert_string_equal(show_later(c, "fake.1/set_ftrace_filter"),
			    "#### all functions enabled ####\n");
}

/* The last token of the first write continues in the second one. */
static void half_a_word_waits(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;
	size_t taken;

	file = open_file(c, "fake.1/set_ftrace_filter", O_WRONLY | O_APPEND);
	assert_int_equal(tracefs_write(file, "sel", 3, getpid(), &taken), -ERESTART);
	assert_int_equal(write_later(c, file, "sel"), 3);
	assert_int_equal(write_later(c, file, "dom\n"), 4);
	tracefs_close(file);
	assert_string_equal(show_later(c, "fake.1/set_ftrace_filter"), "seldom\n");
}

/* The next server has the list once the parser is done; until then the root waits. */
static void a_root_waits(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;

	file = open_file(c, "fake.1/set_ftrace_filter", O_WRONLY | O_TRUNC);
	assert_int_equal(write_later(c, file, "often\n"), 6);
	tracefs_close(file);
	server_free(c->server);
	assert_int_equal(server_new(c->dir, &c->server), 0);
	while (!server_find_root(c->server, "fake.1")) {
		struct pollfd fd = { .fd = parse_poll_fd(), .events = POLLIN };

		poll(&fd, 1, 1000);
		if (parse_dispatch())
			server_parsed(c->server);
	}
	assert_string_equal(show_later(c, "fake.1/set_ftrace_filter"), "often\n");
}

/* The root is removed: its parsers are ended, and nothing is left. */
static void a_root_goes_meanwhile(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *file;
	size_t taken;

	file = open_file(c, "fake.1/set_ftrace_filter", O_WRONLY | O_TRUNC);
	assert_int_equal(tracefs_write(file, "often\n", 6, getpid(), &taken), -ERESTART);
	tracefs_close(file);
	server_free(c->server);
	parse_dispatch();
	assert_null(parse_next_ended());
	assert_int_equal(server_new(c->dir, &c->server), 0);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, calls_setup, calls_teardown)
	const struct CMUnitTest tests[] = {
		TEST(lines_wait),
		TEST(a_pipe_waits),
		TEST(a_list_waits),
		TEST(half_a_word_waits),
		TEST(a_root_waits),
		TEST(a_root_goes_meanwhile),
	};

	if (parse_init(true))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
