/* SPDX-License-Identifier: MIT */
#include "cli/ls_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/root_table.h"
#include "cli/screen.h"
#include "cli/terminal.h"

#define INTERVAL_NS	500000000u	/* time between two requests for the list of roots, ns */
#define TEXT_BYTES	(16u << 20)
#define SCREEN_LINES	3u		/* number of lines of the screen that are not rows of
					 * the list */

struct watch {
	struct conn *conn;
	bool is_screen;
	struct root_list list;		/* the last one */
	uint32_t first;			/* index of the first row of the list that is shown */
	bool is_end;
};

/* Get the list of roots.  If the server has ended because it had nothing to do, ask the next
 * server. */
static int fetch(struct watch *watch, struct root_list *ret_list)
{
	int r = root_list_fetch(watch->conn, ABI_LIST_ALL, 0, ret_list);

	if (r == -EPIPE) {
		conn_close(watch->conn);
		r = conn_open(watch->conn, CONN_START);
		if (r < 0)
			return r;
		r = root_list_fetch(watch->conn, ABI_LIST_ALL, 0, ret_list);
	}
	if (r < 0 && r != -ETIMEDOUT)
		cli_error("the list of roots: %s", strerror(-r));
	return r;
}

/* ---- a terminal ---- */

static void put_summary(const struct watch *watch, struct text *out)
{
	size_t nr_alive = 0;

	for (size_t i = 0; i < watch->list.nr; i++)
		nr_alive += watch->list.rows[i].state == ABI_ROOT_ALIVE;
	text_printf(out, "%zu roots, %zu alive, in %s\n", watch->list.nr, nr_alive,
		    watch->conn->dir);
}

static void show_screen(struct watch *watch)
{
	struct root_columns columns = { .name = ROOT_NAME_WIDTH };
	struct text summary, titles, rows;
	uint32_t width, height, nr = (uint32_t)watch->list.nr;

	screen_size(&width, &height);
	height = height > SCREEN_LINES ? height - SCREEN_LINES : 1;
	if (watch->first + height > nr)
		watch->first = nr > height ? nr - height : 0;
	root_table_widen_names(&columns, &watch->list);
	text_init(&summary, TEXT_BYTES);
	text_init(&titles, TEXT_BYTES);
	text_init(&rows, TEXT_BYTES);
	put_summary(watch, &summary);
	root_table_put_titles(&columns, &titles);
	for (uint32_t i = watch->first; i < nr && i < watch->first + height; i++)
		root_table_put_row(&columns, NULL, &watch->list.rows[i],
				   root_state_name(watch->list.rows[i].state), true, &rows);
	screen_show(text_str(&summary), text_str(&titles), text_str(&rows),
		    "q quit  up, down");
	text_done(&summary);
	text_done(&titles);
	text_done(&rows);
}

static void handle_key(struct watch *watch, int key)
{
	if (key == 'q')
		watch->is_end = true;
	else if (key == KEY_UP && watch->first)
		watch->first--;
	else if (key == KEY_DOWN)
		watch->first++;
	show_screen(watch);
}

/* ---- lines ---- */

static void print_row(const struct abi_root_row *row, const char *state)
{
	const struct root_columns columns = { .name = ROOT_NAME_WIDTH };
	struct text line;

	text_init(&line, TEXT_BYTES);
	root_table_put_row(&columns, NULL, row, state, false, &line);
	fputs(text_str(&line), stdout);
	text_done(&line);
}

/* Print the roots of the list @now that are new or have another state than in @before, and
 * the roots that were removed. */
static void print_changes(const struct root_list *before, const struct root_list *now)
{
	size_t old = 0;

	/* Go through both lists at the same time; both are sorted by name. */
	for (size_t i = 0; i <= now->nr; i++) {
		const struct abi_root_row *row = i < now->nr ? &now->rows[i] : NULL;
		const struct abi_root_row *last;

		while (old < before->nr &&
		       (!row || strcmp(before->rows[old].name, row->name) < 0))
			print_row(&before->rows[old++], "gone");
		if (!row)
			break;
		last = old < before->nr && !strcmp(before->rows[old].name, row->name) ?
		       &before->rows[old++] : NULL;
		if (!last || last->state != row->state || last->pid != row->pid)
			print_row(row, root_state_name(row->state));
	}
	fflush(stdout);
}

static void print_titles(void)
{
	const struct root_columns columns = { .name = ROOT_NAME_WIDTH };
	struct text line;

	text_init(&line, TEXT_BYTES);
	root_table_put_titles(&columns, &line);
	fputs(text_str(&line), stdout);
	text_done(&line);
}

/* ---- the loop ---- */

/* Return true if stdout is a pipe that nobody reads any more. */
static bool is_unread(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

static int refresh(struct watch *watch)
{
	struct root_list list;
	int r = fetch(watch, &list);

	if (r < 0)
		return r;
	if (!watch->is_screen)
		print_changes(&watch->list, &list);
	root_list_done(&watch->list);
	watch->list = list;
	if (watch->is_screen)
		show_screen(watch);
	return 0;
}

static int run_loop(struct watch *watch)
{
	uint64_t next = clock_monotonic_ns();
	int key = 0, r = 0;

	while (!r && !watch->is_end && !ferror(stdout) && !is_unread()) {
		switch (screen_wait(next, watch->is_screen, &key)) {
		case SCREEN_TIMEOUT:
			r = refresh(watch);
			next = clock_monotonic_ns() + INTERVAL_NS;
			break;
		case SCREEN_END:
			watch->is_end = true;
			break;
		case SCREEN_STOP:
			screen_stop_process();
			/* fallthrough */
		case SCREEN_RESIZE:
			if (watch->is_screen)
				show_screen(watch);
			break;
		case SCREEN_KEY:
			handle_key(watch, key);
			break;
		}
	}
	return r;
}

int ls_watch(struct conn *conn)
{
	struct watch watch = { .conn = conn, .is_screen = terminal_is(stdout) };
	int r;

	screen_signals_start();
	if (watch.is_screen)
		screen_enter();
	else
		print_titles();
	r = run_loop(&watch);
	screen_leave();
	root_list_done(&watch.list);
	if (ferror(stdout)) {
		/* Restore the default action of SIGPIPE, so that the raised signal ends this
		 * command. */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return r < 0 ? CLI_FAILED : 0;
}
