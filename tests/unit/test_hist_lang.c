/* SPDX-License-Identifier: MIT */
/*
 * The language of histograms: what Linux 6.12 answered to right and wrong texts, and the
 * programs that right texts become.
 *
 * tests/data/hist/linux-6.12 has blocks of lines:
 *
 *	reset				no histograms and synthetic events
 *	synth NAME			a synthetic event; its format is in formats/
 *	with SYSTEM/EVENT TEXT		a histogram that exists
 *	event SYSTEM/EVENT		the event that the texts after this line are written to
 *	hist TEXT			the text
 *	errno, log COLUMN MESSAGE, show	what the kernel answered
 *	|LINE				hist_debug, from "n_vals" on
 *	ulf errno, ulf log, ulf show	the answer of ulf where it is another one
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "event_data.h"
#include "hist_world.h"

/* ---- recorded cases ---- */

struct lang_case {
	const char *hist, *errno_name, *show;
	struct text log, debug;
};

struct lang_test {
	struct world world;
	const struct event_format *format;
	struct lang_case c;
	bool has_own;			/* the block has lines with answers of ulf */
	uint32_t nr, nr_wrong;
};

/* Report a wrong answer.  The test fails at its end, when all were reported. */
#define wrong(t, ...) (print_error(__VA_ARGS__), (t)->nr_wrong++)

static const struct event_format *load_event(struct world *world, const char *path)
{
	char name[256], system[128], *slash, *text;
	const struct event_format *found;

	snprintf(system, sizeof(system), "%s", path);
	slash = strchr(system, '/');
	assert_non_null(slash);
	*slash = '\0';
	found = world_find_event(world, system, slash + 1);
	if (found)
		return found;
	assert_true(world->nr_events < WORLD_EVENTS);
	snprintf(name, sizeof(name), "hist/formats/%s.%s", system, slash + 1);
	text = read_data(name);
	assert_non_null(text);
	assert_int_equal(event_format_parse(system, text,
					    &world->events[world->nr_events]), 0);
	free(text);
	return world->events[world->nr_events++];
}

static int write_text(struct lang_test *t, const struct event_format *fmt, const char *text,
		      struct hist_errors *errors, struct world_hist **ret_hist)
{
	char command[4096];
	int r;

	snprintf(command, sizeof(command), "hist:%s", text);
	*errors = (struct hist_errors){ .command = command };
	r = world_write(&t->world, fmt, text, errors, ret_hist);
	errors->command = NULL;
	return r;
}

static void write_with(struct lang_test *t, char *line)
{
	char *text = strchr(line, ' ');
	struct world_hist *hist;
	struct hist_errors errors;

	*text++ = '\0';
	if (write_text(t, load_event(&t->world, line), text, &errors, &hist) != 0)
		fail_msg("with %s", text);
}

/* The addresses of the kernel are numbers in the file, by their first appearance. */
static void number_addresses(struct text *text)
{
	static const char label[] = "var.hist_data: ";
	char ids[16][20], *at = (char *)text_str(text);
	uint32_t nr = 0, found;

	while ((at = strstr(at, label))) {
		at += sizeof(label) - 1;
		for (found = 0; found < nr && strncmp(ids[found], at, 16) != 0; found++)
			;
		if (found == nr) {
			assert_true(nr < 16);
			memcpy(ids[nr++], at, 16);
		}
		*at++ = (char)('0' + found);
		memmove(at, at + 15, strlen(at + 15) + 1);
	}
	text->len = strlen(text->data);
}

static void check_debug(struct lang_test *t, const struct hist_def *def)
{
	struct text out;
	const char *from;

	text_init(&out, 1 << 20);
	hist_def_show_debug(def, &out);
	number_addresses(&out);
	from = strchr(text_str(&out), '\n');
	if (strcmp(from + 1, text_str(&t->c.debug)) != 0)
		wrong(t, "%s: hist_debug is\n%s, not\n%s", t->c.hist, from + 1,
		      text_str(&t->c.debug));
	text_done(&out);
}

static void check_program(struct lang_test *t, const struct world_hist *hist)
{
	struct hist_program *program;
	int r = hist_compile(hist->def, t->format, world_place, &t->world, 1, &program);

	if (r) {
		wrong(t, "%s: compiled to %d\n", t->c.hist, r);
		return;
	}
	if (hist_verify(program, program->bytes, world_record_bytes(t->format), 1) != 0)
		wrong(t, "%s: not verified\n", t->c.hist);
	free(program);
}

static void check_show(struct lang_test *t, const struct world_hist *hist)
{
	struct text out;

	text_init(&out, 1 << 16);
	if (hist)
		hist_def_show(hist->def, &out);
	if (strcmp(text_str(&out), t->c.show ?: "") != 0)
		wrong(t, "%s: shown as\n%s, not\n%s\n", t->c.hist, text_str(&out), t->c.show);
	text_done(&out);
}

static void check_log(struct lang_test *t, const struct hist_errors *errors)
{
	struct text out;

	text_init(&out, 1 << 16);
	for (uint32_t i = 0; i < errors->nr; i++)
		text_printf(&out, "%u %s\n", errors->list[i].pos,
			    hist_error_text(errors->list[i].code));
	if (strcmp(text_str(&out), text_str(&t->c.log)) != 0)
		wrong(t, "%s: logged\n%s, not\n%s\n", t->c.hist, text_str(&out),
		      text_str(&t->c.log));
	text_done(&out);
}

static void check_case(struct lang_test *t)
{
	uint32_t nr = t->world.nr_hists;
	struct world_hist *hist;
	struct hist_errors errors;
	int r = write_text(t, t->format, t->c.hist, &errors, &hist);

	if (strcmp(r ? strerrorname_np(-r) : "", t->c.errno_name ?: "") != 0)
		wrong(t, "%s: %d, not %s\n", t->c.hist, r, t->c.errno_name);
	check_log(t, &errors);
	check_show(t, hist);
	if (hist && t->c.debug.len)
		check_debug(t, hist->def);
	if (hist)
		check_program(t, hist);
	world_forget(&t->world, nr);
	t->nr++;
}

static void end_case(struct lang_test *t)
{
	if (t->c.hist)
		check_case(t);
	t->c.hist = t->c.errno_name = t->c.show = NULL;
	text_reset(&t->c.log);
	text_reset(&t->c.debug);
	t->has_own = false;
}

/* A line about ulf replaces what the kernel answered. */
static const char *own_line(struct lang_test *t, const char *line)
{
	if (strncmp(line, "ulf ", 4) != 0)
		return line;
	if (!t->has_own) {
		t->c.errno_name = t->c.show = NULL;
		text_reset(&t->c.log);
	}
	t->has_own = true;
	return line + 4;
}

static void read_answer(struct lang_test *t, const char *line)
{
	line = own_line(t, line);
	if (!strncmp(line, "errno ", 6))
		t->c.errno_name = line + 6;
	else if (!strncmp(line, "log ", 4))
		text_printf(&t->c.log, "%s\n", line + 4);
	else if (!strncmp(line, "show ", 5))
		t->c.show = line + 5;
	else if (*line == '|')
		text_printf(&t->c.debug, "%s\n", line + 1);
	else if (*line && *line != '#')
		fail_msg("what is '%s'?", line);
}

static void read_line(struct lang_test *t, char *line)
{
	if (!*line) {
		end_case(t);
	} else if (!strcmp(line, "reset")) {
		world_done(&t->world);
	} else if (!strncmp(line, "synth ", 6)) {
		char path[128];

		snprintf(path, sizeof(path), "synthetic/%s", line + 6);
		load_event(&t->world, path);
	} else if (!strncmp(line, "with ", 5)) {
		write_with(t, line + 5);
	} else if (!strncmp(line, "event ", 6)) {
		t->format = load_event(&t->world, line + 6);
	} else if (!strncmp(line, "hist ", 5)) {
		t->c.hist = line + 5;
	} else {
		read_answer(t, line);
	}
}

static void answers_are_those_of_linux_6_12(void **state)
{
	char *text = read_data("hist/linux-6.12"), *pos = text, *line;
	struct lang_test t = { .nr = 0 };

	(void)state;
	assert_non_null(text);
	text_init(&t.c.log, 1 << 16);
	text_init(&t.c.debug, 1 << 16);
	/* events that the texts mention */
	while ((line = strsep(&pos, "\n"))) {
		if (!strcmp(line, "reset"))
			end_case(&t);
		read_line(&t, line);
		if (!strcmp(line, "reset")) {
			load_event(&t.world, "sched/sched_waking");
			load_event(&t.world, "sched/sched_process_fork");
		}
	}
	end_case(&t);
	assert_true(t.nr > 600);
	assert_int_equal(t.nr_wrong, 0);
	text_done(&t.c.log);
	text_done(&t.c.debug);
	world_done(&t.world);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_linux_6_12),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
