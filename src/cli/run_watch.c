/* SPDX-License-Identifier: MIT */
/*
 * `ulf run` reports mistakes while the program starts, not when the program has ended.
 *
 * Before the start `ulf run` checks the settings and the program's file.  If a setting
 * is wrong, it reports this and does not start the program.  It also reports that a
 * program cannot load libulf.
 *
 * When a root has events, `ulf run` reports three kinds of settings: those that name unknown
 * events, those that trace functions although no function can be traced, and those that the
 * server could not apply (error_log).
 *
 * While there is no root, or no root has events, `ulf run` reports why libulf could not make
 * a root, or that there is no root yet.
 *
 * All reports except that of a wrong setting are warnings, and the program keeps running,
 * because it may later load a module that has the event, or start another program that can be
 * traced.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir.h"
#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/reason.h"
#include "cli/run_impl.h"

/* Time between two checks of the roots of this run, ms: LOOK_MS_MIN at first, doubled
 * after each check up to LOOK_MS_MAX. */
#define LOOK_MS_MIN	2
#define LOOK_MS_MAX	50
#define EVENTS_MS	500		/* time to wait for constructors of the program to
					 * register events, ms */
#define ROOT_MS		1000		/* time to wait until a script or wrapper has started
					 * the program, ms */

bool run_has_ended(const struct run *run, int wait_ms)
{
	struct pollfd poll_fd = { .fd = run->pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, wait_ms) > 0;
}

/* ---- check the program before it starts ---- */

static bool is_libulf_disabled(void)
{
	const char *disable = getenv("ULF_DISABLE");

	return disable && *disable && strcmp(disable, "0");
}

void run_check_program(struct run *run)
{
	if (!run_wants_records(run))
		return;
	if (is_libulf_disabled()) {
		cli_error("%s cannot be traced: ULF_DISABLE is set, so libulf does nothing; "
			  "unset it", run->program);
		run->has_reported_why = true;
	} else if (run->about.kind > RUN_PLAIN) {
		run_program_explain(run);
	}
}

/* ---- check the roots of the run while the program starts ---- */

/*
 * If the ulf directory was removed, or other users can enter it, print that it cannot be
 * used.  Only the first call prints.  libulf cannot report this to the server, because the
 * socket in the directory may belong to another user.  Returns false if the directory can be
 * used.
 */
static bool explain_directory(struct run *run)
{
	int error = dir_check(run->conn.dir);
	const char *why = dir_strerror(error);

	if (!error)
		return false;
	if (!run->has_reported_no_root)
		cli_error("%s is not traced: it could not make its root in %s: %s", run->program,
			  run->conn.dir, why ? why : strerror(-error));
	run->has_reported_no_root = true;
	return true;
}

bool run_explain_no_root(struct run *run)
{
	struct abi_no_root row;

	if (!root_get_missing(&run->conn, run->id, &row))
		return explain_directory(run);
	if (run->has_reported_no_root)
		return true;
	run->has_reported_no_root = true;
	if (row.pid)
		cli_error("%s (pid %u) is not traced: it could not make its root in %s: %s",
			  row.comm, row.pid, run->conn.dir, reason_no_root(-(int)row.error));
	else
		cli_error("a root in %s cannot be opened by the server (pid %d): %s",
			  run->conn.dir, run->conn.server_pid,
			  reason_server(-(int)row.error));
	return true;
}

void run_explain_nothing(struct run *run)
{
	if (run->has_reported_why)
		return;
	run->has_reported_why = true;
	cli_error("%s has made no root: it has no events and no functions that can be traced, or "
		  "it is linked with another version of libulf, or has unset ULF_DIR",
		  run->program);
}

/* Look for mistakes while there is no root, or while no root has events.  Returns true
 * if no further check is needed. */
static bool check_missing_root(struct run *run, bool has_root, uint64_t waited_ms)
{
	if (run_explain_no_root(run))
		return true;
	if (waited_ms < ROOT_MS)
		return false;
	if (has_root)
		cli_error("%s has no events so far; those of the settings are enabled if a program "
			  "that it starts, or a module that it loads, has them", run->program);
	else if (run->about.kind == RUN_FOR_ULF)
		run_explain_nothing(run);
	else
		run_program_explain(run);
	return true;
}

/*
 * Report events that settings name but no root has; also report if no root has functions that
 * a tracer could trace.  Returns true if no further check is needed.
 * @waited_ms: time since the first root with events was seen.  Nothing is reported
 *	before EVENTS_MS, because constructors register events one after the other, and
 *	the server may wait for a parser
 */
static bool check_missing_parts(struct run *run, const struct root_list *roots,
				enum run_events state, uint64_t waited_ms)
{
	if (run_words_has(run, BOOT_EVENT) && state == RUN_EVENTS_KNOWN &&
	    !run_functions_are_missing(run, roots))
		return true;
	if (waited_ms < EVENTS_MS)
		return false;
	run_functions_report(run, roots);
	run_events_report(run, roots);
	if (run->has_reported_events)
		cli_error("%s keeps running; the event is enabled if a module that is loaded later "
			  "has it", run->program);
	return true;
}

/* Check the roots of this run once.  Returns true if no further check is needed.  *@root_ms:
 * time when a root with events was first seen; 0: none was seen yet. */
static bool check_run_roots(struct run *run, uint64_t start_ms, uint64_t *root_ms)
{
	enum run_events state = RUN_EVENTS_NONE;
	uint64_t now = clock_monotonic_ms();
	struct root_list roots;
	bool is_done;

	if (run_roots(run, &roots) < 0)
		return true;
	run_errors_report(run, &roots);
	if (roots.nr)
		state = run_events_check(run, &roots);
	if (state != RUN_EVENTS_NONE && !*root_ms)
		*root_ms = now;
	is_done = state == RUN_EVENTS_NONE ?
		check_missing_root(run, roots.nr, now - start_ms) :
		check_missing_parts(run, &roots, state, now - *root_ms);
	root_list_done(&roots);
	return is_done;
}

void run_watch(struct run *run)
{
	uint64_t start_ms = clock_monotonic_ms(), root_ms = 0;
	int wait_ms = LOOK_MS_MIN;

	if (run->pidfd < 0 || !run->words.len)
		return;
	while (!run_has_ended(run, wait_ms) && !check_run_roots(run, start_ms, &root_ms))
		wait_ms = wait_ms * 2 < LOOK_MS_MAX ? wait_ms * 2 : LOOK_MS_MAX;
}
