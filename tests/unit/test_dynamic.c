/* SPDX-License-Identifier: MIT */
/* Dynamic events and inject: transcripts of a kernel are replayed on a root made by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define ANSWER_MAX	(1u << 20)

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
};

/* The event of the transcripts, as the kernel's. */
static const struct fake_field switch_fields[] = {
	{ "char[16]", "prev_comm", 8, 16, 1 },
	{ "pid_t", "prev_pid", 24, 4, 1 },
	{ "int", "prev_prio", 28, 4, 1 },
	{ "long", "prev_state", 32, 8, 1 },
	{ "char[16]", "next_comm", 40, 16, 1 },
	{ "pid_t", "next_pid", 56, 4, 1 },
	{ "int", "next_prio", 60, 4, 1 },
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	fake_root_make(&f->root, f->dir, "fake.1");
	fake_event(&f->root, 0, "sched", "sched_switch", "\"\"", switch_fields, 7);
	fake_event_n(&f->root, 0, "sched", "sched_waking");
	f->root.processes[0].reads_memory = 1;
	fake_root_show(&f->root, "fake.1");
	if (server_new(f->dir, &f->server))
		return -1;
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

/* ---- transcripts ---- */

static const char *path_of(const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), "fake.1/%s", file);
	return path;
}

/* The bytes of @text, in which \ sequences stand for one. */
static size_t decode(const char *text, char *out)
{
	char *start = out;

	for (; *text; text++) {
		unsigned int byte;

		if (*text != '\\') {
			*out++ = *text;
			continue;
		}
		text++;
		if (*text == 'x' && sscanf(text + 1, "%2x", &byte) == 1) {
			*out++ = (char)byte;
			text += 2;
		} else {
			*out++ = *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
		}
	}
	return (size_t)(out - start);
}

/* Appends the lines of @text without what comes before "] " at their start. */
static void put_log(char *answer, const char *text)
{
	while (*text) {
		const char *end = strchrnul(text, '\n'), *start = text;

		if (*text == '[' && strstr(text, "] "))
			start = strstr(text, "] ") + 2;
		strncat(answer, start, (size_t)(end - start));
		strcat(answer, "\n");
		text = *end ? end + 1 : end;
	}
}

static void answer_write(struct fixture *f, const char *file, int flags, const char *data,
			 char *answer)
{
	char bytes[8192];
	ssize_t n;

	tree_echo(f->server, path_of("error_log"), "");
	n = tree_write(f->server, path_of(file), flags, bytes, decode(data, bytes));
	if (n < 0)
		sprintf(answer, "= %s\n", strerrorname_np((int)-n));
	else
		sprintf(answer, "= %zd\n", n);
	put_log(answer, tree_cat(f->server, path_of("error_log")));
	fake_apply(&f->root);
}

static void answer_cat(struct fixture *f, const char *file, char *answer)
{
	const char *text = tree_cat(f->server, path_of(file));
	const char *id = strncmp(text, "name: ", 6) ? NULL : strstr(text, "\nID: ");

	if (id)
		sprintf(answer, "%.*s\nID: N%s", (int)(id - text), text, strchr(id + 1, '\n'));
	else
		strcpy(answer, text);
}

/* The lines of `trace` that are records, from the name of the event on. */
static void answer_records(struct fixture *f, char *answer)
{
	const char *text = tree_cat(f->server, path_of("trace"));

	while (*text) {
		const char *end = strchrnul(text, '\n'), *start = text;

		if (*text == ' ' && strstr(text, ": "))
			start = strstr(text, ": ") + 2;
		if (*text != '#') {
			strncat(answer, start, (size_t)(end - start));
			strcat(answer, "\n");
		}
		text = *end ? end + 1 : end;
	}
}

/* Store in @answer the answer of the files to the command @line, which has no "$ ". */
static void answer_to(struct fixture *f, char *line, char *answer)
{
	char *arrow = strstr(line, " <-");

	*answer = '\0';
	if (!strncmp(line, "cat ", 4)) {
		answer_cat(f, line + 4, answer);
		return;
	}
	if (!strcmp(line, "records")) {
		answer_records(f, answer);
		return;
	}
	assert_non_null(arrow);
	*arrow = '\0';
	if (arrow[3] == 't')
		answer_write(f, line, O_TRUNC, arrow + 5, answer);
	else
		answer_write(f, line, O_APPEND, arrow[3] ? arrow + 4 : "", answer);
}

/* The answer that the transcript at @text has: the kernel's, or, if it is another, ulf's.
 * Returns what follows it. */
static const char *take_answer(const char *text, char *ret_answer)
{
	*ret_answer = '\0';
	while (*text && *text != '$') {
		const char *end = strchrnul(text, '\n');

		if (*text == '%')
			*ret_answer = '\0';
		else
			strncat(ret_answer, text, (size_t)(end - text) + !!*end);
		text = *end ? end + 1 : end;
	}
	return text;
}

static void replay(struct fixture *f, const char *name)
{
	static char text[ANSWER_MAX], expected[ANSWER_MAX], answer[ANSWER_MAX];
	char path[512], line[8192];
	const char *at = text;
	size_t nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/dynamic/%s", getenv("ULF_SRC"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	while (*at) {
		size_t len = strcspn(at, "\n");

		assert_true(*at == '$' && len < sizeof(line));
		snprintf(line, sizeof(line), "%.*s", (int)len - 2, at + 2);
		at = take_answer(at + len + 1, expected);
		answer_to(f, line, answer);
		if (strcmp(expected, answer))
			fail_msg("%s: $ %s\nexpected:\n%sgot:\n%s", name, line, expected, answer);
		nr++;
	}
	assert_true(nr > 20);
}

static void synthetic_events_are_the_kernels(void **state)
{
	replay(*state, "synthetic");
}

static void dynamic_events_are_the_kernels(void **state)
{
	replay(*state, "dynamic");
}

static void event_probes_are_the_kernels(void **state)
{
	replay(*state, "eprobes");
}

static void inject_is_the_kernels(void **state)
{
	replay(*state, "inject");
}

static void inject_runs_triggers(void **state)
{
	replay(*state, "inject_triggers");
}

static void events_in_use_are_busy(void **state)
{
	replay(*state, "busy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(synthetic_events_are_the_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(dynamic_events_are_the_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(event_probes_are_the_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(inject_is_the_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(inject_runs_triggers, setup, teardown),
		cmocka_unit_test_setup_teardown(events_in_use_are_busy, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
