/* SPDX-License-Identifier: MIT */
/* ulf watch: parse the command line, run the loop and handle keys; see watch.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "cli/watch.h"

#define TEXT_BYTES	(1u << 20)
#define INPUT_BYTES	512

static const char status_keys[] =
	"q quit  space on/off  s system  f filter  h histogram  / find  r rate or name  t records  "
	"p pause";

/* The purpose of a line that the user types. */
enum input_kind { INPUT_NONE, INPUT_FILTER, INPUT_HIST, INPUT_SEARCH };

struct watch {
	struct conn conn;
	struct watch_root root;
	struct watch_view view;
	double delay;			/* option --delay, seconds */
	enum input_kind input_kind;
	char input[INPUT_BYTES];	/* the line that is typed */
	struct text hint;		/* hint for the line that the user types: the fields
					 * of the event */
	struct text message;		/* shown until the next key */
	bool is_end, is_gone;
	int error;			/* -errno of the error that has ended the command */
};

/* ---- the screen ---- */

static void put_status(const struct watch *watch, struct text *out)
{
	static const char *const titles[] = {
		[INPUT_FILTER] = "filter", [INPUT_HIST] = "histogram: KEY [VALUE]",
		[INPUT_SEARCH] = "find",
	};

	if (watch->input_kind == INPUT_NONE) {
		text_puts(out, watch->message.len ? text_str((struct text *)&watch->message) :
						    status_keys);
		return;
	}
	text_printf(out, "%s", titles[watch->input_kind]);
	if (watch->hint.len)
		text_printf(out, " (%s)", text_str((struct text *)&watch->hint));
	text_printf(out, ": %s_", watch->input);
}

static void show(struct watch *watch)
{
	struct text status;

	text_init(&status, TEXT_BYTES);
	status.is_for_terminal = true;
	put_status(watch, &status);
	watch_view_show(&watch->view, &watch->root, text_str(&status));
	text_done(&status);
}

static void sort(struct watch *watch)
{
	int r = watch_view_sort(&watch->view, &watch->root);

	if (r) {
		watch->error = r;
		watch->is_end = true;
	}
}

static void refresh(struct watch *watch)
{
	int r = watch_root_read(&watch->root);

	if (r == -ENOENT)
		watch->is_gone = watch->is_end = true;
	else if (r) {
		watch->error = r;
		watch->is_end = true;
	} else {
		sort(watch);
		show(watch);
	}
}

/* ---- what keys do ---- */

static void move(struct watch *watch, int64_t step)
{
	int64_t row = (int64_t)watch->view.selected + step, last = (int64_t)watch->view.nr - 1;

	row = row > last ? last : row;
	watch->view.selected = row < 0 ? 0 : (uint32_t)row;
}

/* Enable the selected event, or all events of its system, if one of them is disabled; else
 * disable them. */
static void switch_events(struct watch *watch, bool is_system)
{
	struct watch_event *selected = watch_view_selected(&watch->view);
	size_t len = selected ? strcspn(selected->name, ":") + 1 : 0;
	bool is_on = false;

	for (uint32_t i = 0; selected && i < watch->view.nr; i++)
		if (watch->view.list[i] == selected ||
		    (is_system && !strncmp(watch->view.list[i]->name, selected->name, len)))
			is_on |= !watch->view.list[i]->is_on;
	for (uint32_t i = 0; selected && i < watch->view.nr; i++)
		if (watch->view.list[i] == selected ||
		    (is_system && !strncmp(watch->view.list[i]->name, selected->name, len)))
			watch_root_switch(&watch->root, watch->view.list[i], is_on,
					  &watch->message);
}

/* Let the user type a line for the purpose @kind. */
static void ask(struct watch *watch, enum input_kind kind)
{
	const struct watch_event *event = watch_view_selected(&watch->view);

	if (!event && kind != INPUT_SEARCH)
		return;
	watch->input_kind = kind;
	text_reset(&watch->hint);
	snprintf(watch->input, sizeof(watch->input), "%s",
		 kind == INPUT_SEARCH ? watch->view.search :
		 kind == INPUT_FILTER && event->filter ? event->filter : "");
	if (kind != INPUT_SEARCH)
		watch_root_fields(&watch->root, event, &watch->hint);
}

/* In the child process: run `ulf top` for the event.  @words: KEY and optionally VALUE */
static void run_top(const struct watch *watch, const struct watch_event *event, char *words)
{
	char *save = NULL, *key = strtok_r(words, " ", &save), *value = strtok_r(NULL, " ", &save);
	const char *argv[] = { "ulf", "top", watch->root.root, event->name, key, value, NULL };

	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTSTP, SIG_IGN);
	execv("/proc/self/exe", (char **)argv);
	_exit(CLI_NOT_STARTED);
}

/* Wait for Enter, so that the user can read the error of a command. */
static void wait_for_enter(void)
{
	int c;

	printf("press Enter\n");
	fflush(stdout);
	do
		c = getchar();
	while (c != '\n' && c != EOF);
}

/* Show a histogram of the selected event by `ulf top` until the user ends it. */
static void show_histogram(struct watch *watch, const struct watch_event *event)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	int status = 0;
	pid_t child;

	if (!*watch->input)
		return;
	screen_leave();
	/* ^C must end `ulf top`, but not this command. */
	sigaction(SIGINT, &ignore, &old);
	child = fork();
	if (child == 0)
		run_top(watch, event, watch->input);
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		wait_for_enter();
	sigaction(SIGINT, &old, NULL);
	screen_enter();
}

static void use_input(struct watch *watch)
{
	struct watch_event *event = watch_view_selected(&watch->view);

	if (watch->input_kind == INPUT_SEARCH) {
		snprintf(watch->view.search, sizeof(watch->view.search), "%.*s",
			 (int)sizeof(watch->view.search) - 1, watch->input);
		sort(watch);
	} else if (event && watch->input_kind == INPUT_FILTER) {
		watch_root_filter(&watch->root, event, watch->input, &watch->message);
	} else if (event) {
		show_histogram(watch, event);
	}
	watch->input_kind = INPUT_NONE;
}

static void edit_input(struct watch *watch, int key)
{
	size_t len = strlen(watch->input);

	if (key == '\n' || key == '\r')
		use_input(watch);
	else if (key == KEY_ESCAPE)
		watch->input_kind = INPUT_NONE;
	else if (key == 'U' - '@')
		watch->input[0] = '\0';
	else if ((key == 127 || key == '\b') && len)
		watch->input[len - 1] = '\0';
	else if (key >= ' ' && key < 127 && len + 1 < sizeof(watch->input)) {
		watch->input[len] = (char)key;
		watch->input[len + 1] = '\0';
	}
}

static void move_by_key(struct watch *watch, int key)
{
	int64_t page = watch->view.page;

	if (key == KEY_UP || key == 'k')
		move(watch, -1);
	else if (key == KEY_DOWN || key == 'j')
		move(watch, 1);
	else if (key == KEY_PAGE_UP)
		move(watch, -page);
	else if (key == KEY_PAGE_DOWN)
		move(watch, page);
	else if (key == KEY_HOME || key == 'g')
		move(watch, -(int64_t)watch->view.nr);
	else if (key == KEY_END || key == 'G')
		move(watch, watch->view.nr);
}

static void use_key(struct watch *watch, int key)
{
	switch (key) {
	case 'q':
		watch->is_end = true;
		break;
	case ' ':
		switch_events(watch, false);
		break;
	case 's':
		switch_events(watch, true);
		break;
	case 'f':
		ask(watch, INPUT_FILTER);
		break;
	case 'h':
		ask(watch, INPUT_HIST);
		break;
	case '/':
		ask(watch, INPUT_SEARCH);
		break;
	case 'r':
		watch->view.is_by_rate = !watch->view.is_by_rate;
		sort(watch);
		break;
	case 't':
		watch->view.has_tail = !watch->view.has_tail;
		break;
	case 'p':
		watch->view.is_paused = !watch->view.is_paused;
		break;
	default:
		move_by_key(watch, key);
	}
}

static void handle_key(struct watch *watch, int key)
{
	text_reset(&watch->message);
	if (watch->input_kind != INPUT_NONE)
		edit_input(watch, key);
	else
		use_key(watch, key);
	if (!watch->is_end)
		show(watch);
}

/* ---- the loop ---- */

static void run_loop(struct watch *watch)
{
	uint64_t delay_ns = (uint64_t)(watch->delay * 1e9), next = clock_monotonic_ns();
	int key = 0;

	while (!watch->is_end) {
		switch (screen_wait(next, true, &key)) {
		case SCREEN_TIMEOUT:
			if (!watch->view.is_paused)
				refresh(watch);
			next = clock_monotonic_ns() + delay_ns;
			break;
		case SCREEN_END:
			watch->is_end = true;
			break;
		case SCREEN_STOP:
			screen_stop_process();
			show(watch);
			break;
		case SCREEN_RESIZE:
			show(watch);
			break;
		case SCREEN_KEY:
			handle_key(watch, key);
			break;
		}
	}
}

static int watch_main(struct watch *watch, const char *word)
{
	int r = conn_open(&watch->conn, CONN_START);

	screen_signals_start();
	if (!r)
		r = watch_root_start(&watch->root, &watch->conn, word);
	if (!r) {
		screen_enter();
		run_loop(watch);
		screen_leave();
		if (watch->is_gone)
			cli_error("%s: the root was removed", watch->root.root);
		else if (watch->error && watch->error != -ETIMEDOUT)
			cli_error("%s: %s", watch->root.root, strerror(-watch->error));
	}
	watch_root_stop(&watch->root);
	free(watch->view.list);
	text_done(&watch->hint);
	text_done(&watch->message);
	conn_close(&watch->conn);
	return r < 0 || watch->error || watch->is_gone ? CLI_FAILED : 0;
}

static bool parse_delay(const char *text, double *ret_delay)
{
	char *end;

	*ret_delay = strtod(text, &end);
	if (end != text && !*end && *ret_delay >= 0.1 && *ret_delay <= 3600)
		return true;
	cli_error("-d needs seconds, from 0.1 to 3600, not `%s`", text);
	return false;
}

static int cmd_watch(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct watch watch = { .delay = 1, .view.has_tail = true, .conn = { .fd = -1 } };
	int option, status = 0;

	while ((option = cli_option(cmd, argc, argv, "d:h", options, &status)) != -1) {
		if (option == -2)
			return status;
		if (!parse_delay(optarg, &watch.delay))
			return cli_usage(cmd);
	}
	if (argc - optind > 1)
		return cli_usage(cmd);
	if (!terminal_is(stdout) || !terminal_is(stdin)) {
		cli_error("ulf watch needs a terminal; `ulf top` and `ulf cat ROOT/trace_pipe` "
			  "print to pipes and files");
		return CLI_FAILED;
	}
	text_init(&watch.hint, TEXT_BYTES);
	text_init(&watch.message, TEXT_BYTES);
	return watch_main(&watch, argv[optind]);
}

const struct cli_cmd cli_watch = {
	.name = "watch",
	.args = "[-d SECONDS] [ROOT]",
	.summary = "watch the events of a root in a terminal",
	.help =
"Fills the terminal with the events of a root, how often each of them happens, and\n"
"the last records.  Keys switch events on and off, set filters and show histograms.\n"
"The command works in an instance of its own, watch.PID: the root's own settings and\n"
"records stay as they are.  At first, events are on that are on in the root.  Without\n"
"ROOT: the only root that is alive.\n"
"\n"
"  -d, --delay=SECONDS  time between two readings; default 1\n"
"\n"
"Keys:  up, down, page up, page down or j, k, g, G choose an event; space switches it\n"
"on or off, s all listed events of its system; f sets its filter; h shows a histogram\n"
"of it, as `ulf top` does; / lists only events with a text in their names; r sorts by\n"
"rate or by name; t shows or hides records; p pauses; q quits.\n"
"\n"
"Example:  ulf watch minikernel\n",
	.run = cmd_watch,
};
