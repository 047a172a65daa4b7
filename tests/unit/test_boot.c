/* SPDX-License-Identifier: MIT */
/* Settings from the start: how they are parsed, and how the server applies them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "event/boot.h"
#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

/* Position of the caret; error NULL: the token is right. */
static const struct {
	const char *word, *error;
	size_t at;
} words[] = {
	{ "trace_event=sched:*,irq", NULL, 0 },
	{ "trace-event=x", NULL, 0 },
	{ "trace_event", "A value is missing", 0 },
	{ "trace_event=", "A value is missing", 0 },
	{ "trace_even=x", "No such setting", 0 },
	{ "trace_events=x", "No such setting", 0 },
	{ "=x", "No such setting", 0 },
	{ "trace_buf_size=4096", NULL, 0 },
	{ "trace_buf_size=4m", NULL, 0 },
	{ "trace_buf_size=0x10K", NULL, 0 },
	{ "trace_buf_size=0", "Not a size: a number, and K, M or G", 15 },
	{ "trace_buf_size=K", "Not a size: a number, and K, M or G", 15 },
	{ "trace_buf_size=-1", "Not a size: a number, and K, M or G", 15 },
	{ "trace_buf_size=4MB", "Not a size: a number, and K, M or G", 15 },
	{ "trace_buf_size=16E", "Not a size: a number, and K, M or G", 15 },
	{ "trace_buf_size=99999999999999999999", "Not a size: a number, and K, M or G", 15 },
	{ "trace_clock=mono", NULL, 0 },
	{ "trace_clock=mon", "No such clock", 12 },
	{ "trace_options=raw,nooverwrite", NULL, 0 },
	{ "trace_options=raw,nonsense,hex", "No such option", 18 },
	{ "trace_instance=a", NULL, 0 },
	{ "trace_instance=a^traceoff,sched", NULL, 0 },
	{ "trace_instance=a^off", "No such flag: there is traceoff", 17 },
	{ "trace_instance=a/b", "Not a name for an instance", 15 },
	{ "trace_instance=..", "Not a name for an instance", 15 },
	{ "trace_instance=,sched", "Not a name for an instance", 15 },
	{ "trace_trigger=\"a.traceoff if x == 1,b.stacktrace:3\"", NULL, 0 },
	{ "ftrace=function_graph", NULL, 0 },
	{ "ftrace=functions", "No such tracer", 7 },
	{ "ftrace", "A value is missing", 0 },
	{ "ftrace-filter=a*,b:traceoff:1,:mod:x", NULL, 0 },
	{ "ftrace_graph_max_depth=0x10", NULL, 0 },
	{ "ftrace_graph_max_depth=1x", "Not a number", 23 },
	{ "ftrace_graph_max_depth=4294967296", "Not a number", 23 },
	{ "trace_options=func_stack_trace,nofuncgraph-cpu", NULL, 0 },
	{ "trace_trigger=a.traceoff,b", "Not a trigger: EVENT.TRIGGER", 25 },
	{ "trace_trigger=.traceoff", "Not a trigger: EVENT.TRIGGER", 14 },
	{ "trace_trigger=\"\"", "A value is missing", 0 },
	{ "trace_filter=\"sched:*,irq n > 3 && m != 'a b'\"", NULL, 0 },
	{ "trace_filter=sched", "Not a filter: EVENTS FILTER", 13 },
	{ "trace_filter=\" n > 3\"", "Not a filter: EVENTS FILTER", 14 },
	{ "trace_filter=", "A value is missing", 0 },
	{ "alloc_snapshot", NULL, 0 },
	{ "stacktrace", NULL, 0 },
	{ "stacktrace=1", "It takes no value", 0 },
	{ "stacktrace_filter=do_*,schedule", NULL, 0 },
	{ "stacktrace_filter=", "A value is missing", 0 },
	{ "ftrace_dump_on_oops", NULL, 0 },
	{ "ftrace_dump_on_oops=orig_cpu", NULL, 0 },
	{ "ftrace_dump_on_oops=7", "There is orig_cpu, or no value at all", 20 },
	{ "syscalls", NULL, 0 },
	{ "usdt", NULL, 0 },
	{ "usdt=1", "It takes no value", 0 },
	{ "syscalls=1", "It takes no value", 0 },
	{ "tp_printk", NULL, 0 },
	{ "tp_printk=1", "It takes no value", 0 },
};

static void words_are_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *text = words[i].word, *error, *at;
		struct boot_word word;

		assert_true(boot_next(&text, &word));
		assert_string_equal(text, "");
		error = boot_check(&word, &at);
		if (words[i].error) {
			assert_string_equal(error, words[i].error);
			assert_int_equal(at - words[i].word, words[i].at);
		} else if (error) {
			fail_msg("%s: %s", words[i].word, error);
		}
	}
}

static void sizes_have_suffixes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} sizes[] = {
		{ "1", 1 }, { "2k", 2048 }, { "3M", 3ull << 20 },
		{ "1G", 1ull << 30 }, { "1t", 1ull << 40 }, { "15E", 15ull << 60 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct boot_token value = { sizes[i].text, strlen(sizes[i].text) };
		uint64_t bytes;

		assert_int_equal(boot_size(&value, &bytes), 0);
		assert_int_equal(bytes, sizes[i].bytes);
	}
}

static void blanks_and_commas_separate(void **state)
{
	const char *text = "  tp_printk\ttrace_event=a,,b, \n";
	struct boot_token item;
	struct boot_word word;

	(void)state;
	assert_true(boot_next(&text, &word));
	assert_int_equal(word.id, BOOT_TP_PRINTK);
	assert_null(word.value.text);
	assert_true(boot_next(&text, &word));
	assert_int_equal(word.id, BOOT_EVENT);
	assert_true(boot_item(&word.value, &item));
	assert_memory_equal(item.text, "a", item.len);
	assert_true(boot_item(&word.value, &item));
	assert_memory_equal(item.text, "b", item.len);
	assert_false(boot_item(&word.value, &item));
	assert_false(boot_next(&text, &word));
}

static void quotes_keep_blanks(void **state)
{
	const char *text = "trace_trigger=\"a.b if c == 1\" trace_event=\"x\" trace_clock=\"m n";
	struct boot_word word;

	(void)state;
	assert_true(boot_next(&text, &word));
	assert_true(boot_token_is(&word.value, "a.b if c == 1"));
	assert_true(boot_next(&text, &word));
	assert_true(boot_token_is(&word.value, "x"));
	assert_true(boot_next(&text, &word));
	assert_true(boot_token_is(&word.value, "m n"));
	assert_false(boot_next(&text, &word));
}

/* ---- the server ---- */

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	fake_root_make(&f->root, f->dir, "one.1");
	f->root.control->boot_state = ABI_BOOT_WANTED;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

static void start(struct fixture *f, const char *boot)
{
	strcpy(f->root.control->boot, boot);
	fake_root_show(&f->root, "one.1");
	assert_int_equal(server_new(f->dir, &f->server), 0);
	assert_int_equal(f->root.control->boot_state, ABI_BOOT_DONE);
}

#define assert_file(f, path, text) \
	assert_string_equal(tree_cat((f)->server, "one.1/" path), text)

static bool has_option(struct fixture *f, const char *path, const char *line)
{
	return strstr(tree_cat(f->server, path), line);
}

/* The program itself has named the instance. */
static void each_file_has_what_was_said(void **state)
{
	struct fixture *f = *state;

	strcpy(f->root.buffer[1].name, "small");
	start(f, "trace_event=sched trace_clock=boot trace_buf_size=200000 "
		 "trace_options=raw,nooverwrite trace_instance=small^traceoff");
	assert_file(f, "error_log", "");
	assert_true(f->root.buffer[0].cpu_kb[0] >= 196);
	assert_true(f->root.buffer[0].cpu_kb[0] < 210);
	assert_int_equal(f->root.buffer[1].cpu_kb[0], f->root.buffer[0].cpu_kb[0]);
	assert_non_null(strstr(tree_cat(f->server, "one.1/trace_clock"), "[boot]"));
	assert_non_null(strstr(tree_cat(f->server, "one.1/instances/small/trace_clock"),
			       "[local]"));
	assert_true(has_option(f, "one.1/trace_options", "\nraw\n"));
	assert_true(has_option(f, "one.1/trace_options", "\nnooverwrite\n"));
	assert_true(has_option(f, "one.1/instances/small/trace_options", "\nraw\n"));
	assert_file(f, "tracing_on", "1\n");
	assert_file(f, "instances/small/tracing_on", "0\n");
	/* Events that are registered later find rings. */
	assert_int_equal(f->root.buffer[0].used, 1);
	assert_int_equal(f->root.buffer[1].used, 0);
	assert_int_equal(f->root.buffer[0].side[0].ring[0][ABI_RING_FAST].bytes,
			 f->root.buffer[0].side[0].ring[1][ABI_RING_FAST].bytes);
}

static void wrong_words_are_logged_and_leave_no_trace(void **state)
{
	struct fixture *f = *state;
	const char *log;

	start(f, "trace_options=raw,nonsense trace_clock=boot nonsense");
	log = tree_cat(f->server, "one.1/error_log");
	assert_non_null(strstr(log, "] boot: error: No such option\n"
				    "  Command: trace_options=raw,nonsense\n"
				    "                             ^\n"));
	assert_non_null(strstr(log, "] boot: error: No such setting\n"
				    "  Command: nonsense\n"
				    "           ^\n"));
	assert_true(has_option(f, "one.1/trace_options", "\nnoraw\n"));
	assert_non_null(strstr(tree_cat(f->server, "one.1/trace_clock"), "[boot]"));
}

static void the_console_is_that_of_ulf_run(void **state)
{
	struct fixture *f = *state;

	start(f, "tp_printk");
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"),
			       "Operation not supported\n  Command: tp_printk\n"));
}

static void the_next_server_leaves_them_alone(void **state)
{
	struct fixture *f = *state;

	start(f, "trace_clock=boot trace_options=raw");
	assert_int_equal(tree_echo(f->server, "one.1/trace_options", "noraw"), 0);
	server_free(f->server);
	assert_int_equal(server_new(f->dir, &f->server), 0);
	assert_true(has_option(f, "one.1/trace_options", "\nnoraw\n"));
	assert_non_null(strstr(tree_cat(f->server, "one.1/trace_clock"), "[boot]"));
}

/* Triggers of an event are set when the event is registered, each once. */
static void triggers_wait_for_their_event(void **state)
{
	struct fixture *f = *state;

	fake_event_n(&f->root, 0, "sched", "tick");
	f->root.control->hold = 1;
	start(f, "trace_trigger=\"tick.traceoff if n == 7,tock.stacktrace:3,tock.nonsense\"");
	assert_int_equal(f->root.control->hold, 0);
	assert_file(f, "events/sched/tick/trigger", "traceoff:unlimited if n == 7\n");
	assert_file(f, "error_log", "");
	assert_int_equal(tree_append(f->server, "one.1/events/sched/tick/trigger", "!traceoff"),
			 0);
	fake_event_n(&f->root, 0, "sched", "tock");
	f->root.control->hold = 1;
	assert_int_equal(utimensat(AT_FDCWD, f->root.path, NULL, 0), 0);
	server_dispatch(f->server);
	assert_int_equal(f->root.control->hold, 0);
	assert_file(f, "events/sched/tock/trigger", "stacktrace:count=3\n");
	assert_null(strstr(tree_cat(f->server, "one.1/events/sched/tick/trigger"), "traceoff:"));
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"),
			       "  Command: tock.nonsense\n"
			       "                ^\n"));
}

/* A filter is set when its event is registered.  The last one that names an event is in force. */
static void filters_wait_for_their_event(void **state)
{
	struct fixture *f = *state;

	fake_event_n(&f->root, 0, "sched", "tick");
	f->root.control->hold = 1;
	start(f, "trace_filter=\"sched:* n > 3\" trace_filter=\"none,tock n == 7\" "
	      "trace_filter=\"*:toc? nonsense > 3\"");
	assert_int_equal(f->root.control->hold, 0);
	assert_file(f, "events/sched/tick/filter", "n > 3\n");
	assert_file(f, "error_log", "");
	assert_int_equal(tree_echo(f->server, "one.1/events/sched/tick/filter", "0"), 0);
	fake_event_n(&f->root, 0, "sched", "tock");
	f->root.control->hold = 1;
	assert_int_equal(utimensat(AT_FDCWD, f->root.path, NULL, 0), 0);
	server_dispatch(f->server);
	assert_int_equal(f->root.control->hold, 0);
	assert_file(f, "events/sched/tick/filter", "none\n");
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"),
			       "  Command: trace_filter=\"*:toc? nonsense > 3\"\n"));
}

/* Triggers of ftrace:print are set at once. */
static void markers_have_triggers(void **state)
{
	struct fixture *f = *state;

	start(f, "trace_trigger=print.traceoff:2,print.nonsense");
	assert_file(f, "events/ftrace/print/trigger", "traceoff:count=2\n");
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"),
			       "  Command: print.nonsense\n"));
}

static void words_without_an_end_are_cut(void **state)
{
	struct fixture *f = *state;

	memset(f->root.control->boot, 'x', sizeof(f->root.control->boot));
	fake_root_show(&f->root, "one.1");
	assert_int_equal(server_new(f->dir, &f->server), 0);
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"), "No such setting"));
}

static void too_many_bytes_are_reported(void **state)
{
	struct fixture *f = *state;

	f->root.control->boot_state = ABI_BOOT_TOO_LONG;
	start(f, "");
	assert_non_null(strstr(tree_cat(f->server, "one.1/error_log"),
			       "Too long: none of it is in force\n"
			       "  Command: ULF_TRACE and ulf.conf\n"));
}

#define SERVER_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_checked),
		cmocka_unit_test(sizes_have_suffixes),
		cmocka_unit_test(blanks_and_commas_separate),
		cmocka_unit_test(quotes_keep_blanks),
		SERVER_TEST(each_file_has_what_was_said),
		SERVER_TEST(wrong_words_are_logged_and_leave_no_trace),
		SERVER_TEST(the_console_is_that_of_ulf_run),
		SERVER_TEST(the_next_server_leaves_them_alone),
		SERVER_TEST(triggers_wait_for_their_event),
		SERVER_TEST(filters_wait_for_their_event),
		SERVER_TEST(markers_have_triggers),
		SERVER_TEST(words_without_an_end_are_cut),
		SERVER_TEST(too_many_bytes_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
