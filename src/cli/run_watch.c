/* SPDX-License-Identifier: MIT */
/*
 * ulf run: what is wrong is said while the program begins, not when it has ended.
 *
 * when			what is known		what is said
 * before the start	settings, the file	a setting that cannot be right: nothing is started;
 *						a program in which libulf cannot be
 * a root has come	its events, error_log	events that are none, settings that failed
 * none has come	why libulf made none	that, or that there is none so far
 *
 * All but the first are warnings, and the program goes on: a module that it loads later may
 * bring the event, and a program that it starts may be the one to be traced.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/dir.h"
#include "cli/cli.h"
#include "cli/reason.h"
#include "cli/run.h"

#define LOOK_MS_MIN	2
#define LOOK_MS_MAX	50
#define EVENTS_MS	500		/* for constructors, which bring events */
#define ROOT_MS		1000		/* for a script or a wrapper to start a program */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool run_has_ended(const struct run *run, int wait_ms)
{
	struct pollfd poll_fd = { .fd = run->pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, wait_ms) > 0;
}

/* ---- before the start ---- */

static bool is_disabled(void)
{
	const char *disable = getenv("ULF_DISABLE");

	return disable && *disable && strcmp(disable, "0");
}

void run_check_program(struct run *run)
{
	if (!run_wants_records(run))
		return;
	if (is_disabled()) {
		cli_error("%s cannot be traced: ULF_DISABLE is set, so libulf does nothing; "
			  "unset it", run->program);
		run->has_said_why = true;
	} else if (run->about.kind > RUN_PLAIN) {
		run_program_explain(run);
	}
}

/* ---- while it begins ---- */

/* No program reports that the directory is not for this user alone, or was removed: libulf
 * would connect to a socket of somebody else.  Returns false if the directory is usable. */
static bool explain_directory(struct run *run)
{
	int error = dir_check(run->conn.dir);
	const char *why = dir_strerror(error);

	if (!error)
		return false;
	if (!run->has_said_why)
		cli_error("%s is not traced: it could not make its root in %s: %s", run->program,
			  run->conn.dir, why ? why : strerror(-error));
	run->has_said_why = true;
	return true;
}

bool run_explain_no_root(struct run *run)
{
	struct abi_no_root row;

	if (!root_missing(&run->conn, run->id, &row))
		return explain_directory(run);
	if (run->has_said_why)
		return true;
	run->has_said_why = true;
	if (row.pid)
		cli_error("%s (pid %u) is not traced: it could not make its root in %s: %s",
			  row.comm, row.pid, run->conn.dir, reason_no_root(-(int)row.error));
	else
		cli_error("a root in %s cannot be opened by the server (pid %d): %s",
			  run->conn.dir, run->conn.server_pid,
			  reason_server(-(int)row.error));
	return true;
}

/* No root yet.  Is there nothing more to wait for? */
static bool look_at_none(struct run *run, uint64_t waited_ms)
{
	if (run_explain_no_root(run))
		return true;
	if (waited_ms < ROOT_MS)
		return false;
	if (run->about.kind != RUN_FOR_ULF)
		run_program_explain(run);
	return true;
}

/* @waited_ms: since there was a first root.  Constructors bring events one after the other,
 * and the server may wait for a parser, so what is wrong now may be right soon. */
static bool look_at_roots(struct run *run, const struct root_list *roots, uint64_t waited_ms)
{
	run_errors_report(run, roots);
	if (run_words_has(run, BOOT_EVENT) && run_events_are_known(run, roots))
		return true;
	if (waited_ms < EVENTS_MS)
		return false;
	run_events_report(run, roots);
	if (run->has_said_events)
		cli_error("%s goes on; if it loads such an event later, that is switched on "
			  "then", run->program);
	return true;
}

static bool look(struct run *run, uint64_t start_ms, uint64_t *root_ms)
{
	uint64_t now = now_ms();
	struct root_list roots;
	bool is_done;

	if (run_roots(run, &roots) < 0)
		return true;
	if (roots.nr && !*root_ms)
		*root_ms = now;
	is_done = roots.nr ? look_at_roots(run, &roots, now - *root_ms) :
			     look_at_none(run, now - start_ms);
	root_list_done(&roots);
	return is_done;
}

void run_watch(struct run *run)
{
	uint64_t start_ms = now_ms(), root_ms = 0;
	int wait_ms = LOOK_MS_MIN;

	if (run->pidfd < 0 || !run->words.len)
		return;
	while (!run_has_ended(run, wait_ms) && !look(run, start_ms, &root_ms))
		wait_ms = wait_ms * 2 < LOOK_MS_MAX ? wait_ms * 2 : LOOK_MS_MAX;
}
