/* SPDX-License-Identifier: MIT */
/* ulf top: parse the command line, and run the loop; see top.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/conn.h"
#include "cli/event_path.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "cli/top.h"

#define TEXT_BYTES	(1u << 24)
#define PLAIN_WIDTH	120u		/* width of the lines if stdout is no terminal */
#define PLAIN_ROWS	20u		/* default of --rows if stdout is no terminal */
#define SCREEN_LINES	3u		/* number of lines of the screen that are not rows of
					 * the table */
#define SIZE_MAX_TABLE	131072u

static const char status_keys[] =
	"q quit  space pause  c clear  i interval  t table  l log2  b linear  "
	"sort: < > or k r h s a 5 9 p x  R reverse";

struct top {
	const char *key, *value;	/* arguments KEY and VALUE */
	double delay;			/* option --delay, seconds */
	unsigned long count;		/* value of the option --count; 0: the command does
					 * not end by itself */
	unsigned long size, rows;	/* options; 0: the default */

	struct conn conn;
	struct event_path event;
	struct top_trigger trigger;
	struct top_table table;		/* figures of the last read */
	struct top_view view;
	char *key_title;
	uint64_t read_ns;		/* time at which the histogram was read last; at
					 * first, time of the start */
	bool is_screen, is_paused, is_end, has_failed, has_ended;
};

/* ---- output ---- */

static void make_layout(struct top *top, struct top_layout *ret_layout)
{
	uint32_t width = PLAIN_WIDTH, height = 0;
	bool is_terminal = terminal_is(stdout);

	*ret_layout = (struct top_layout){
		.trigger = &top->trigger, .view = &top->view, .is_terminal = is_terminal,
	};
	if (is_terminal)
		screen_size(&width, &height);
	ret_layout->width = width;
	ret_layout->max_rows = (uint32_t)top->rows;
	if (height > SCREEN_LINES && (!top->rows || top->rows > height - SCREEN_LINES))
		ret_layout->max_rows = height - SCREEN_LINES;
	else if (!ret_layout->max_rows)
		ret_layout->max_rows = PLAIN_ROWS;
	top->view.max_rows = ret_layout->max_rows;
	ret_layout->key_title = top->view.kind == TOP_TABLE ? top->key_title :
							      top->trigger.range_label;
}

static void print_plain(const char *summary, const char *titles, const char *rows)
{
	printf("%s%s%s\n", summary, titles, rows);
	fflush(stdout);
}

/* Print the table that was read last. */
static int show_table(struct top *top)
{
	struct text summary, titles, lines;
	struct top_layout layout;
	struct top_rows rows;

	make_layout(top, &layout);
	if (top_rows_make(&top->table, &top->view, &rows) < 0)
		return -ENOMEM;
	text_init(&summary, TEXT_BYTES);
	text_init(&titles, TEXT_BYTES);
	text_init(&lines, TEXT_BYTES);
	top_put_summary(&layout, &top->table, &rows, &summary);
	top_put_titles(&layout, &rows, &titles);
	top_put_rows(&layout, &rows, &lines);
	if (top->is_screen)
		screen_show(text_str(&summary), text_str(&titles), text_str(&lines),
				top->is_paused ? "paused: press space to continue" : status_keys);
	else
		print_plain(text_str(&summary), text_str(&titles), text_str(&lines));
	text_done(&summary);
	text_done(&titles);
	text_done(&lines);
	top_rows_done(&rows);
	return 0;
}

/* ---- reads ---- */

/* Return false if the program of the root has ended. */
static bool is_alive(struct top *top)
{
	size_t len = strcspn(top->event.root, "/");
	const struct abi_root_row *row;
	struct root_list list;
	bool is_alive;

	if (root_list_fetch(&top->conn, ABI_LIST_NAMES, 0, &list) < 0)
		return true;
	row = root_list_search(&list, top->event.root, len);
	is_alive = row && row->state == ABI_ROOT_ALIVE;
	root_list_done(&list);
	return is_alive;
}

/* Read the histogram, and make the table from it. */
static int read_table(struct top *top)
{
	struct top_table table;
	const struct hist_block *block;
	struct hist_text hist;
	struct text text;
	uint64_t now;
	int ret = -EIO;

	block = top_trigger_read(&top->trigger, &text, &hist);
	now = clock_monotonic_ns();
	if (block)
		ret = top_table_make(&top->trigger, block, &top->table,
				     (double)(now - top->read_ns) / 1e9, &table);
	hist_text_done(&hist);
	text_done(&text);
	if (ret < 0)
		return ret;
	top_table_done(&top->table);
	top->table = table;
	top->read_ns = now;
	return 0;
}

/* Do the work of an interval: read the histogram, unless the display is paused, and print the
 * table. */
static void next_interval(struct top *top)
{
	bool was_alive = is_alive(top);

	if (!top->is_paused && read_table(top) < 0)
		top->has_failed = top->is_end = true;
	else if (show_table(top) < 0)
		top->has_failed = top->is_end = true;
	if (top->count && !--top->count)
		top->is_end = true;
	if (!was_alive)
		top->has_ended = top->is_end = true;
	if (ferror(stdout))
		top->is_end = true;
}

/* ---- keys ---- */

/* Sort by the next shown column to the left or to the right of the current sort column. */
static void move_sort(struct top *top, int step)
{
	int column = (int)top->view.sort;

	do
		column = (column + step + TOP_COLUMNS) % TOP_COLUMNS;
	while ((!top->trigger.has_value && (column == TOP_SUM || column == TOP_AVG)) ||
	       (!top->trigger.has_range && column >= TOP_P50) || column == TOP_SHARE);
	top->view.sort = (enum top_column)column;
}

static void choose_view(struct top *top, enum top_view_kind kind)
{
	if (kind == TOP_TABLE ? !top->trigger.is_range_only : top->trigger.has_range)
		top->view.kind = kind;
}

static void sort_by_key(struct top *top, int key)
{
	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (top_columns[i].key == key)
			top->view.sort = (enum top_column)i;
	}
}

static void handle_key(struct top *top, int key)
{
	switch (key) {
	case 'q':
		top->is_end = true;
		return;
	case ' ':
		top->is_paused = !top->is_paused;
		break;
	case 'c':
		if (top_trigger_clear(&top->trigger) == 0)
			top_table_done(&top->table);
		break;
	case 'i':
		top->view.is_interval = !top->view.is_interval;
		break;
	case 't':
		choose_view(top, TOP_TABLE);
		break;
	case 'l':
		choose_view(top, TOP_LOG2);
		break;
	case 'b':
		choose_view(top, TOP_LINEAR);
		break;
	case 'R':
		top->view.is_reversed = !top->view.is_reversed;
		break;
	case '<':
	case '>':
		move_sort(top, key == '<' ? -1 : 1);
		break;
	default:
		sort_by_key(top, key);
	}
	show_table(top);
}

/* ---- the loop ---- */

static void run_loop(struct top *top)
{
	uint64_t delay_ns = (uint64_t)(top->delay * 1e9), next = top->read_ns + delay_ns;
	int key = 0;

	while (!top->is_end) {
		switch (screen_wait(next, top->is_screen, &key)) {
		case SCREEN_TIMEOUT:
			next_interval(top);
			/* Even if the server is slow, wait some time before the next read. */
			next += delay_ns;
			if (next < clock_monotonic_ns() + delay_ns / 2)
				next = clock_monotonic_ns() + delay_ns;
			break;
		case SCREEN_END:
			top->is_end = true;
			break;
		case SCREEN_RESIZE:
			if (top->is_screen)
				show_table(top);
			break;
		case SCREEN_STOP:
			screen_stop_process();
			if (top->is_screen)
				show_table(top);
			break;
		case SCREEN_KEY:
			handle_key(top, key);
			break;
		}
	}
}

/* Show the histogram until the command ends.  The caller has set its trigger.  On a terminal
 * the last figures stay on the screen. */
static void run_screen(struct top *top)
{
	top->read_ns = clock_monotonic_ns();
	if (top->is_screen) {
		screen_enter();
		show_table(top);
	}
	run_loop(top);
	if (top->is_screen) {
		screen_leave();
		top->is_screen = false;
		if (top->table.nr)
			show_table(top);
	}
	if (top->has_ended)
		cli_error("%s: the program has ended", top->event.root);
}

/* ---- parse the command line ---- */

/* Set the title of the first column: KEY, without the last field if that has buckets. */
static int set_key_title(struct top *top)
{
	const char *last = strrchr(top->key, ',');
	bool is_without = last && top->trigger.has_range && !top->trigger.has_means;

	top->key_title = is_without ? strndup(top->key, (size_t)(last - top->key)) :
				      strdup(top->key);
	if (top->trigger.is_range_only)
		top->view.kind = strstr(top->key, ".bucket") ? TOP_LINEAR : TOP_LOG2;
	return top->key_title ? 0 : -ENOMEM;
}

static int start_top(struct top *top, char **argv)
{
	int ret = conn_open(&top->conn, CONN_START);

	if (!ret)
		ret = event_path_find(&top->conn, argv[0], argv[1], &top->event);
	if (!ret && !is_alive(top)) {
		cli_error("%s: the program has ended; `ulf hist` prints its histograms",
			  top->event.root);
		ret = -ENODEV;
	}
	if (ret < 0)
		return ret;
	top->trigger.conn = &top->conn;
	top->trigger.event = &top->event;
	screen_signals_start();
	ret = top_trigger_set(&top->trigger, top->key, top->value, (unsigned int)top->size);
	return ret < 0 ? ret : set_key_title(top);
}

static int top_main(struct top *top, char **argv)
{
	int ret = start_top(top, argv);

	if (!ret)
		run_screen(top);
	top_trigger_remove(&top->trigger);
	top_table_done(&top->table);
	event_path_done(&top->event);
	conn_close(&top->conn);
	free(top->key_title);
	if (ferror(stdout)) {
		/* Restore the default action of SIGPIPE, so that the raised signal ends this
		 * command. */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return ret < 0 || top->has_failed ? CLI_FAILED : 0;
}

/* Parse a decimal number from 1 to @max. */
static bool parse_number(const char *text, unsigned long max, unsigned long *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *ret_number &&
	       *ret_number <= max;
}

static bool parse_delay(const char *text, double *ret_delay)
{
	char *end;

	*ret_delay = strtod(text, &end);
	return end != text && !*end && *ret_delay >= 0.1 && *ret_delay <= 3600;
}

static bool parse_sort(const char *text, enum top_column *ret_column)
{
	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (!strcmp(top_columns[i].name, text)) {
			*ret_column = (enum top_column)i;
			return true;
		}
	}
	return false;
}

/* Parse one option.  Returns false, and prints an error, if its argument is wrong. */
static bool parse_option(struct top *top, int option)
{
	const char *what = NULL;

	switch (option) {
	case 'n':
		if (!parse_number(optarg, ~0ul, &top->count))
			what = "-n needs a number of intervals, at least 1";
		break;
	case 'd':
		if (!parse_delay(optarg, &top->delay))
			what = "-d needs seconds, from 0.1 to 3600";
		break;
	case 'r':
		if (!parse_number(optarg, SIZE_MAX_TABLE, &top->rows))
			what = "-r needs a number of rows, at least 1";
		break;
	case 's':
		if (!parse_sort(optarg, &top->view.sort))
			what = "-s needs a column: key rate hits share sum avg p50 p90 p99 p99.9";
		break;
	case 'S':
		if (!parse_number(optarg, SIZE_MAX_TABLE, &top->size))
			what = "--size needs a number of entries, from 1 to 131072";
		break;
	default:
		top->trigger.filter = optarg;
		break;
	}
	if (what)
		cli_error("%s, not `%s`", what, optarg);
	return !what;
}

static int cmd_top(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "delay", required_argument, NULL, 'd' },
		{ "rows", required_argument, NULL, 'r' },
		{ "sort", required_argument, NULL, 's' },
		{ "filter", required_argument, NULL, 'f' },
		{ "size", required_argument, NULL, 'S' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct top top = { .delay = 1, .view = { .sort = TOP_RATE }, .conn = { .fd = -1 } };
	int option, status = 0, nr;

	while ((option = cli_option(cmd, argc, argv, "n:d:r:s:f:h", options, &status)) != -1) {
		if (option == -2)
			return status;
		if (!parse_option(&top, option))
			return cli_usage(cmd);
	}
	nr = argc - optind;
	if (nr < 3 || nr > 4)
		return cli_usage(cmd);
	top.key = argv[optind + 2];
	top.value = nr == 4 ? argv[optind + 3] : NULL;
	top.is_screen = terminal_is(stdout);
	return top_main(&top, argv + optind);
}

const struct cli_cmd cli_top = {
	.name = "top",
	.args = "[OPTIONS] ROOT EVENT KEY [VALUE]",
	.summary = "show a live histogram of an event",
	.help =
"Counts the hits of EVENT for each value of KEY while the command runs, in the\n"
"program itself; no records are written.  ROOT and EVENT are as in `ulf help hist`.\n"
"KEY is a field, or up to three with commas, with the modifiers of `hist` triggers:\n"
"op, call_site.sym, common_pid.execname, size.log2, size.buckets=100.  VALUE is a\n"
"field: its sum, average and quantiles are shown for each key.  A KEY that ends with\n"
"a field with .log2 or .buckets=N shows the distribution of this field.\n"
"\n"
"  -n, --count=N        end after N intervals\n"
"  -d, --delay=SECONDS  length of an interval; default 1\n"
"  -r, --rows=N         show N rows at most; default 20, or the terminal's height\n"
"  -s, --sort=COLUMN    key, rate, hits, share, sum, avg, p50, p90, p99 or p99.9\n"
"  -f, --filter=FILTER  count only hits for which the filter is true: 'size > 100'\n"
"      --size=N         number of entries of the table\n"
"\n"
"Keys on a terminal:  q quit, space pause, c set all to zero, i figures of the last\n"
"interval or of all time, t table, l log2 and b linear distribution of VALUE, R\n"
"reverse; sort: < and >, or k key, r rate, h hits, s sum, a average, 5 p50, 9 p90,\n"
"p p99, x p99.9.  If the output is no terminal, each interval prints a block.\n"
"\n"
"Example:  ulf top -f 'size > 100' kvd kv:op op ns\n",
	.run = cmd_top,
};
