/* SPDX-License-Identifier: MIT */
/*
 * ulf run: print the recorded trace, and report lost records, processes that are still alive,
 * and programs without tracepoints.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run_impl.h"
#include "cli/terminal.h"

/* Time between two checks of the roots of this run, ms: LOOK_MS_MIN at first, doubled
 * after each check up to LOOK_MS_MAX. */
#define LOOK_MS_MIN	2
#define LOOK_MS_MAX	50

/* Return true if @row is a root of this run.  The program gets the run id in its
 * environment (ULF_HOLD), and passes it to the programs that it starts. */
bool run_root_is_ours(const struct run *run, const struct abi_root_row *row)
{
	return row->state < ABI_ROOT_CORRUPT && row->run_id == run->id &&
	       row->started_ns >= run->started_ns;
}

int run_reconnect(struct run *run)
{
	conn_close(&run->conn);
	return conn_open(&run->conn, CONN_START);
}

int run_roots(struct run *run, struct root_list *ret_roots)
{
	struct root_list list;
	size_t i, nr = 0;
	int ret = root_list_fetch(&run->conn, ABI_LIST_RUN, run->id, &list);

	/* The server was killed: try again with the next server. */
	if (ret == -EPIPE) {
		ret = run_reconnect(run);
		if (!ret)
			ret = root_list_fetch(&run->conn, ABI_LIST_RUN, run->id, &list);
	}
	if (ret < 0)
		return ret;
	for (i = 0; i < list.nr; i++) {
		if (run_root_is_ours(run, &list.rows[i]))
			list.rows[nr++] = list.rows[i];
	}
	list.nr = nr;
	*ret_roots = list;
	return 0;
}

/* Print the data of the server's last answer. */
static void print_answer(const struct run *run, struct terminal *terminal)
{
	terminal_write(terminal, run->conn.data.data, run->conn.data.len);
	fflush(terminal->to);
}

/* ---- print records while the program runs (--live, tp_printk) ---- */

/*
 * Choose the root whose records are printed: a root that has events or records.  A wrapper
 * into which libulf is loaded (timeout, env, sh) has a root without events and records.
 * Returns NULL if all roots are like this.
 */
static const struct abi_root_row *find_recorded_root(const struct root_list *roots)
{
	const struct abi_root_row *row;

	for (row = roots->rows; row < roots->rows + roots->nr; row++) {
		if (row->entries || row->overruns ||
		    (row->events_known && row->events_known != ABI_EVENTS_UNREAD))
			return row;
	}
	return NULL;
}

/* Wait until a root of this run has events or records.  Returns the name of the root, which
 * the caller must free().  If the program ends before that, returns the name of any root, or
 * NULL if there is no root. */
static char *wait_for_root(struct run *run)
{
	const struct abi_root_row *row;
	int wait_ms = LOOK_MS_MIN;
	struct root_list roots;
	bool is_over;
	char *name = NULL;

	do {
		is_over = run_has_ended(run, wait_ms);
		if (run_roots(run, &roots) < 0)
			return NULL;
		row = find_recorded_root(&roots);
		if (!row && is_over && roots.nr)
			row = roots.rows;
		if (row)
			name = strdup(row->name);
		root_list_done(&roots);
		wait_ms = wait_ms * 2 < LOOK_MS_MAX ? wait_ms * 2 : LOOK_MS_MAX;
	} while (!name && !is_over);
	return name;
}

/*
 * Read from the stream @file to run->conn.data.  When the program ends, set *@is_over and
 * cancel a read that still waits.  Returns the number of bytes; -EINTR if the read was
 * cancelled; or -errno.
 */
static int read_stream_once(struct run *run, int file, bool *is_over)
{
	const struct abi_request cancel = { .op = ABI_SOCKET_CANCEL };
	const struct abi_request request = {
		.op = ABI_SOCKET_READ,
		.file = (uint32_t)file,
		.value = ABI_SOCKET_READ_MAX,
	};
	struct pollfd fds[2] = {
		{ .fd = run->conn.fd, .events = POLLIN },
		{ .fd = run->pidfd, .events = POLLIN },
	};
	int ret = conn_send(&run->conn, &request, NULL, 0, -1);

	while (!ret && !*is_over && !(fds[0].revents)) {
		int nr = poll(fds, 2, LIFE_CHECK_MS);

		if (!nr)
			ret = conn_check_server(&run->conn);
		if (nr > 0 && !fds[0].revents && fds[1].revents)
			*is_over = true;
	}
	if (!ret && !fds[0].revents)
		ret = conn_send(&run->conn, &cancel, NULL, 0, -1);
	return ret < 0 ? ret : conn_receive(&run->conn);
}

/* Return the stream to which live records are printed.  Records of tp_printk go to
 * stderr, even with the option -o. */
static FILE *live_output(const struct run *run)
{
	return run->is_live ? run->out : stderr;
}

/* Read the stream @file and print the records, until the program has ended.  Returns -EPIPE
 * if the server has ended. */
static int print_stream(struct run *run, int file)
{
	bool is_over = false, was_over;
	struct terminal terminal;
	int ret;

	terminal_start(&terminal, live_output(run));
	do {
		was_over = is_over;
		ret = read_stream_once(run, file, &is_over);
		if (ret > 0)
			print_answer(run, &terminal);
		/* After the program has ended, read once more to get the last records. */
	} while (ret > 0 || (ret == -EINTR && !was_over));
	terminal_end(&terminal);
	return ret == -EINTR ? 0 : ret;
}

/* Open the stream @path of the tree, and print its records until the program has ended. */
static int print_live_file(struct run *run, const char *path)
{
	int file = conn_file_show(&run->conn, path, terminal_is(live_output(run))), ret;

	if (file < 0)
		return file;
	ret = print_stream(run, file);
	if (ret != -EPIPE)
		conn_file_close(&run->conn, file);
	return ret;
}

void run_live(struct run *run)
{
	char *name = wait_for_root(run), *path;
	int ret;

	if (!name)
		return;
	if (asprintf(&path, run->is_live ? "%s/trace_pipe" :
		     "%s/instances/" RUN_CONSOLE "/trace_pipe", name) < 0) {
		cli_error("out of memory");
		free(name);
		return;
	}
	/* If the server ends, connect to the next server.  No record is lost: the programs
	 * continue to record, and the next server finds the records. */
	do {
		ret = print_live_file(run, path);
	} while (ret == -EPIPE && run_reconnect(run) == 0);
	if (ret < 0)
		root_path_error(path, ret);
	free(path);
	free(name);
}

/* ---- print the trace and reports after the program has ended ---- */

static bool wants_stack(const struct run *run)
{
	return run_words_has(run, BOOT_STACK) || run_words_has(run, BOOT_STACK_FILTER);
}

static int print_root_file(struct run *run, const char *root, const char *name)
{
	struct terminal terminal;
	uint64_t offset = 0;
	char *path;
	int file, ret;

	if (asprintf(&path, "%s/%s", root, name) < 0)
		return -ENOMEM;
	terminal_start(&terminal, run->out);
	file = conn_file_show(&run->conn, path, terminal.is_terminal);
	ret = file;
	while (file >= 0 && (ret = conn_file_read(&run->conn, file, offset)) > 0) {
		print_answer(run, &terminal);
		offset += (uint64_t)ret;
	}
	terminal_end(&terminal);
	if (ret < 0)
		root_path_error(path, ret);
	if (file >= 0)
		conn_file_close(&run->conn, file);
	free(path);
	return ret;
}

/*
 * Report a root that is still alive after the end of the program.  Either the program
 * has forked a child, as daemons do, or it has started another program.
 * @is_recording: false if no event has ever been enabled
 */
static void report_alive(const struct run *run, const struct abi_root_row *row,
			 bool is_recording)
{
	/* Print at least one process, because the root is alive: nr_processes is 0 while a
	 * forked child has not claimed its process slot yet. */
	uint32_t nr = row->nr_processes ? row->nr_processes : 1;

	if (is_recording)
		cli_error("%s: %s has ended, but %u of the root's processes %s alive and %s "
			  "recording; `ulf cat %s/trace_pipe` shows what comes, "
			  "`ulf echo 0 %s/tracing_on` ends it", row->name, run->program, nr,
			  nr == 1 ? "is" : "are", nr == 1 ? "goes on" : "go on", row->name,
			  row->name);
	else
		cli_error("%s: %s has ended, but %u of the root's processes %s alive; "
			  "`ulf echo 1 %s/events/enable` enables its events, "
			  "`ulf cat %s/trace_pipe` shows them", row->name, run->program, nr,
			  nr == 1 ? "is" : "are", row->name, row->name);
}

static void report_root(struct run *run, const struct abi_root_row *row)
{
	if (row->overruns)
		cli_error("%s: %" PRIu64 " events were lost, the buffers were full; a larger "
			  "buffer (--trace-buf-size)%s helps", row->name, row->overruns,
			  run->is_live ? "" : ", or --live,");
	if (row->state == ABI_ROOT_ALIVE) {
		report_alive(run, row, true);
		return;
	}
	if (run->is_live || run->is_following)
		return;
	if (row->entries)
		cli_error("%s: %" PRIu64 " records; `ulf cat %s/trace` shows them again, "
			  "`ulf rm %s` removes them", row->name, row->entries, row->name,
			  row->name);
	else if (wants_stack(run))
		cli_error("%s: `ulf cat %s/stack_trace` shows the stack again, `ulf rm %s` "
			  "removes it", row->name, row->name, row->name);
	else
		cli_error("%s: nothing was recorded", row->name);
}

/* Print the trace and the deepest stack of a root.  If nothing was recorded and the user
 * asked for the deepest stack, the trace is not printed, because it consists of a header
 * only. */
static int print_root(struct run *run, const struct abi_root_row *row)
{
	int ret = 0;

	if (!run->is_live && (row->entries || !wants_stack(run)))
		ret = print_root_file(run, row->name, "trace");
	if (ret >= 0 && wants_stack(run))
		ret = print_root_file(run, row->name, "stack_trace");
	return ret;
}

static int print_roots(struct run *run, const struct root_list *roots)
{
	bool has_heads = (roots->nr > 1 || run->is_following) &&
			 (!run->is_live || wants_stack(run));
	int ret = 0;
	size_t i;

	for (i = 0; i < roots->nr && ret >= 0; i++) {
		if (has_heads)
			terminal_line(run->out, "==> %s <==", roots->rows[i].name);
		ret = print_root(run, &roots->rows[i]);
	}
	return ret;
}

/*
 * Remove roots without records from @roots, so that they are not shown.  Without -e, a root
 * has records only if another command has turned recording on.  Report each removed root that
 * is alive.  Returns true if a root was reported.
 */
static bool drop_idle_roots(const struct run *run, struct root_list *roots)
{
	bool is_alive = false;
	size_t i, nr = 0;

	for (i = 0; i < roots->nr; i++) {
		if (roots->rows[i].entries || roots->rows[i].overruns) {
			roots->rows[nr++] = roots->rows[i];
		} else if (roots->rows[i].state == ABI_ROOT_ALIVE) {
			report_alive(run, &roots->rows[i], false);
			is_alive = true;
		}
	}
	roots->nr = nr;
	return is_alive;
}

/* Explain why no root of this run is shown.  For example, no root was made if the program is
 * a script, or only starts other programs. */
static void explain_no_roots(struct run *run, bool wants_records)
{
	bool is_for_ulf = run->about.kind == RUN_FOR_ULF;

	if (!wants_records)
		cli_error("nothing to show: there was no -e or --ftrace, and there are no "
			  "records of events that were enabled later");
	else if (run_explain_no_root(run) || run->has_reported_why || run->has_reported_events)
		return;
	else if (is_for_ulf)
		run_explain_nothing(run);
	if (!is_for_ulf)
		run_program_explain(run);
}

bool run_wants_records(const struct run *run)
{
	return run_words_has(run, BOOT_EVENT) || run_words_has(run, BOOT_INSTANCE) ||
	       run_words_has(run, BOOT_TRACER) || wants_stack(run);
}

int run_report(struct run *run)
{
	bool wants_records = run_wants_records(run), is_idle = false;
	struct root_list roots;
	int ret = run_roots(run, &roots);
	size_t i;

	if (ret < 0) {
		cli_error("cannot list the roots in %s: %s", run->conn.dir, strerror(-ret));
		return ret;
	}
	if (!wants_records && !run->is_live)
		is_idle = drop_idle_roots(run, &roots);
	if (run->is_following)
		is_idle |= run_follow_sort(run, &roots);
	if (!roots.nr && !is_idle)
		explain_no_roots(run, wants_records);
	ret = print_roots(run, &roots);
	run_events_report(run, &roots);
	run_functions_report(run, &roots);
	run_errors_report(run, &roots);
	for (i = 0; i < roots.nr; i++)
		report_root(run, &roots.rows[i]);
	if (run->is_following)
		run_follow_report(run, &roots);
	root_list_done(&roots);
	return ret;
}
