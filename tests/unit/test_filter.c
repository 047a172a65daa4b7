/* SPDX-License-Identifier: MIT */
/*
 * Filters as text: what kernels accept, which errors they report, and what their `filter`
 * files contain then.  tests/data/filters/ has the answers of Linux 6.12 and 6.18 on two
 * CPUs: one block per filter, with \n and \t as in C.
 */
#include "filter_run.h"

#include "event_data.h"

struct filter_case {
	char *filter, *event, *errno_name, *log, *show;
	unsigned int caret;
};

/* Unescape 'value' in place. */
static char *unquote(char *line)
{
	char *start = strchr(line, '\''), *end = strrchr(line, '\''), *out;

	assert_true(start && end > start);
	*end = '\0';
	out = ++start;
	for (char *in = start; *in; in++) {
		if (*in == '\\')
			*out++ = *++in == 'n' ? '\n' : *in == 't' ? '\t' : *in;
		else
			*out++ = *in;
	}
	*out = '\0';
	return start;
}

/* Read the next block.  Returns false at the end. */
static bool next_case(char **pos, struct filter_case *c)
{
	char *line;

	*c = (struct filter_case){ .event = "sched/sched_switch" };
	while ((line = strsep(pos, "\n")) && *line) {
		if (!strncmp(line, "filter ", 7))
			c->filter = unquote(line);
		else if (!strncmp(line, "event ", 6))
			c->event = line + 6;
		else if (!strncmp(line, "errno ", 6))
			c->errno_name = line + 6;
		else if (!strncmp(line, "log ", 4))
			c->log = unquote(line);
		else if (!strncmp(line, "caret ", 6))
			c->caret = (unsigned int)atoi(line + 6);
		else if (!strncmp(line, "show ", 5))
			c->show = unquote(line);
		else
			fail_msg("what is '%s'?", line);
	}
	return c->filter;
}

static struct event_format *load_format(const char *name)
{
	struct event_format *fmt;
	char path[256], *text;

	snprintf(path, sizeof(path), "formats/%s", name);
	text = read_data(path);
	assert_non_null(text);
	assert_int_equal(event_format_parse("test", text, &fmt), 0);
	free(text);
	return fmt;
}

static void check_show(const struct event_filter *filter, const char *expected)
{
	struct text out;

	text_init(&out, 1 << 16);
	event_filter_show(filter, &out);
	assert_string_equal(text_str(&out), expected);
	text_done(&out);
}

static void check_case(const struct filter_case *c)
{
	struct event_format *fmt = load_format(c->event);
	struct event_filter filter = { 0 };
	int r = event_filter_store(&filter, fmt, c->filter, strlen(c->filter),
				   &test_env);

	if (strcmp(r ? strerrorname_np(-r) : "", c->errno_name ?: ""))
		fail_msg("%s: %d, not %s", c->filter, r, c->errno_name);
	check_show(&filter, c->show);
	if (r) {
		assert_null(filter.program);
		assert_string_equal(filter_error_text(filter.error.code), c->log);
		assert_int_equal(filter.error.pos, c->caret);
	}
	event_filter_done(&filter);
	event_format_free(fmt);
}

static size_t check_file(const char *name)
{
	char *text = read_data(name), *pos = text;
	struct filter_case c;
	size_t nr = 0;

	assert_non_null(text);
	for (; pos && next_case(&pos, &c); nr++)
		check_case(&c);
	free(text);
	return nr;
}

static void linux_6_12(void **state)
{
	(void)state;
	assert_int_equal(check_file("filters/linux-6.12"), 71);
}

static void linux_6_18(void **state)
{
	(void)state;
	assert_int_equal(check_file("filters/linux-6.18"), 144);
}

/* Linux 6.12 refuses a filter that ends with && or ||; 6.18 accepts it. */
static void open_end(void **state)
{
	static const char *const texts[] = {
		"prev_pid == 1 ||", "prev_pid == 1 || prev_pid == 2 &&",
		"prev_pid == 1 && !", "(prev_pid == 1) && prev_pid == 2 || !!",
	};
	struct event_format *fmt = load_format("sched/sched_switch");
	struct filter_program *program;
	struct filter_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(filter_compile(fmt, texts[i], &test_env,
						&program, &err), -EINVAL);
		assert_int_equal(err.code, FILTER_ERR_INVALID_FILTER);
		assert_int_equal(err.pos, strlen(texts[i]));
	}
	event_format_free(fmt);
}

/* ---- limits ---- */

static int store_filled(struct event_filter *filter,
			const struct event_format *fmt, const char *head,
			char fill, size_t count, const char *tail)
{
	struct text t;
	int r;

	text_init(&t, 1 << 16);
	text_puts(&t, head);
	text_fill(&t, fill, count);
	text_puts(&t, tail);
	r = event_filter_store(filter, fmt, t.data, t.len, &test_env);
	text_done(&t);
	return r;
}

static void lengths(void **state)
{
	struct event_format *fmt = load_format("sched/sched_switch");
	struct event_filter f = { 0 };

	(void)state;
	assert_int_equal(store_filled(&f, fmt, "prev_pid == 1", ' ', 4082, ""), 0);
	/* too long: the old filter stays */
	assert_int_equal(store_filled(&f, fmt, "prev_pid == 2", ' ', 4083, ""),
			 -EINVAL);
	check_show(&f, "prev_pid == 1\n");
	assert_int_equal(store_filled(&f, fmt, "prev_comm == \"", 'a', 255, "\""), 0);
	assert_int_equal(store_filled(&f, fmt, "prev_comm == \"", 'a', 256, "\""),
			 -EINVAL);
	assert_int_equal(f.error.code, FILTER_ERR_OPERAND_TOO_LONG);
	assert_int_equal(f.error.pos, 271);
	/* a NUL ends the text */
	assert_int_equal(store_filled(&f, fmt, "prev_pid == 3", '\0', 5, "x"), 0);
	check_show(&f, "prev_pid == 3\n");
	event_filter_done(&f);
	event_format_free(fmt);
}

static void depth(void **state)
{
	struct event_format *fmt = load_format("sched/sched_switch");
	struct event_filter f = { 0 };
	struct text t;

	(void)state;
	text_init(&t, 1 << 16);
	text_fill(&t, '(', 2000);
	text_puts(&t, "prev_pid==1");
	text_fill(&t, ')', 2000);
	assert_int_equal(event_filter_store(&f, fmt, t.data, t.len, &test_env), 0);
	assert_int_equal(f.program->nr_insns, 1);

	text_reset(&t);
	for (int i = 0; i < 580; i++)
		text_puts(&t, i ? "&&cpu<1" : "cpu<1");
	assert_int_equal(event_filter_store(&f, fmt, t.data, t.len, &test_env), 0);
	assert_int_equal(f.program->nr_insns, 580);
	assert_int_equal(filter_verify(f.program, filter_program_bytes(f.program),
				       64), 0);
	text_done(&t);
	event_filter_done(&f);
	event_format_free(fmt);
}

/* Only with thousands of CPUs the pool can overflow. */
static void too_big(void **state)
{
	const struct filter_env env = { .nr_cpus = 8192 };
	struct event_format *fmt = load_format("sched/sched_switch");
	struct filter_program *program;
	struct filter_error err;
	struct text t;

	(void)state;
	text_init(&t, 1 << 16);
	for (int i = 0; i < 100; i++)
		text_puts(&t, i ? "||cpu&CPUS{0,8191}" : "cpu&CPUS{0,8191}");
	assert_int_equal(filter_compile(fmt, text_str(&t), &env, &program, &err),
			 -E2BIG);
	assert_int_equal(err.code, FILTER_ERR_NONE);
	text_done(&t);
	event_format_free(fmt);
}

/* ---- the files of kernels ---- */

static void store_and_clear(void **state)
{
	struct event_format *fmt = load_format("sched/sched_switch");
	struct event_filter f = { 0 };

	(void)state;
	check_show(&f, "none\n");
	assert_int_equal(event_filter_store(&f, fmt, "prev_pid == 1\n", 14,
					    &test_env), 0);
	assert_non_null(f.program);
	assert_int_equal(event_filter_store(&f, fmt, "nosuch == 1", 11,
					    &test_env), -EINVAL);
	assert_null(f.program);
	assert_int_equal(event_filter_store(&f, fmt, "0\n", 2, &test_env), 0);
	check_show(&f, "none\n");
	event_format_free(fmt);
}

static void system_filter(void **state)
{
	const struct event_format *formats[] = {
		load_format("sched/sched_switch"),
		load_format("sched/sched_waking"),
	};
	struct event_filter f[2] = { 0 }, *filters[] = { &f[0], &f[1] };
	struct text out;

	(void)state;
	assert_int_equal(system_filter_store(filters, formats, 2,
					     "common_pid == 1", 15, &test_env), 0);
	check_show(&f[0], "common_pid == 1\n");
	check_show(&f[1], "common_pid == 1\n");
	assert_int_equal(system_filter_store(filters, formats, 2,
					     "prev_pid == 1", 13, &test_env), 0);
	check_show(&f[0], "prev_pid == 1\n");
	check_show(&f[1], "prev_pid == 1\n^\nparse_error: Couldn't find or set "
		   "field in one of a subsystem's events\n\n");
	assert_null(f[1].program);
	assert_int_equal(system_filter_store(filters, formats, 2, "0", 1,
					     &test_env), 0);
	check_show(&f[0], "none\n");
	check_show(&f[1], "none\n");
	assert_int_equal(system_filter_store(filters, formats, 0, "0", 1,
					     &test_env), -ENODEV);
	text_init(&out, 1 << 12);
	system_filter_show(&out);
	assert_string_equal(text_str(&out), "### global filter ###\n"
		"# Use this to set filters for multiple events.\n"
		"# Only events with the given fields will be affected.\n"
		"# If no events are modified, an error message will be displayed here\n");
	text_done(&out);
	for (int i = 0; i < 2; i++)
		event_format_free((struct event_format *)formats[i]);
}

/* Without symbols, no function is found. */
static void no_symbols(void **state)
{
	static const char *const texts[] = {
		"prev_state.function == schedule", "prev_state.function != 0x1000",
	};
	const struct filter_env env = { .nr_cpus = 2 };
	struct event_format *fmt = load_format("sched/sched_switch");
	struct filter_program *program;
	struct filter_error err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(filter_compile(fmt, texts[i], &env, &program,
						&err), -EINVAL);
		assert_int_equal(err.code, FILTER_ERR_NO_FUNCTION);
		assert_int_equal(err.pos, strlen(texts[i]) + 1);
	}
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_6_12),
		cmocka_unit_test(linux_6_18),
		cmocka_unit_test(open_end),
		cmocka_unit_test(lengths),
		cmocka_unit_test(depth),
		cmocka_unit_test(too_big),
		cmocka_unit_test(store_and_clear),
		cmocka_unit_test(system_filter),
		cmocka_unit_test(no_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
