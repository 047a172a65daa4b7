/* SPDX-License-Identifier: MIT */
/* ulf run --follow: also trace the programs that the traced program starts. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/reason.h"
#include "cli/run_impl.h"

#define FOLLOW_VARIABLE	"ULF_FOLLOW"	/* runtime/follow.h */

int run_follow_check(const struct run *run)
{
	if (!run->is_following || (!run->is_live && !run->is_printk))
		return 0;
	cli_error("--follow cannot be used with %s, which prints the records of one program; "
		  "without it all are printed at the end",
		  run->is_live ? "--live" : "tp_printk");
	return -EINVAL;
}

void run_follow_set(const struct run *run, const char *libulf)
{
	char *value;

	unsetenv(FOLLOW_VARIABLE);
	if (!libulf || asprintf(&value, "%u:%s", run->id, libulf) < 0)
		return;
	setenv(FOLLOW_VARIABLE, value, 1);
	free(value);
}

/* ---- reports ---- */

static int compare_starts(const void *a, const void *b)
{
	const struct abi_root_row *one = a, *other = b;

	if (one->started_ns != other->started_ns)
		return one->started_ns < other->started_ns ? -1 : 1;
	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

bool run_follow_sort(struct run *run, struct root_list *roots)
{
	size_t nr = 0, nr_all = roots->nr;

	for (size_t i = 0; i < roots->nr; i++)
		if (roots->rows[i].entries || roots->rows[i].overruns ||
		    roots->rows[i].state == ABI_ROOT_ALIVE)
			roots->rows[nr++] = roots->rows[i];
	roots->nr = nr;
	run->nr_silent = nr_all - nr;
	qsort(roots->rows, nr, sizeof(*roots->rows), compare_starts);
	if (nr || !nr_all)
		return false;
	cli_error("%zu %s followed, and nothing was recorded", nr_all,
		  nr_all == 1 ? "program was" : "programs were");
	return true;
}

static void report_unfollowed(struct run *run)
{
	struct abi_no_root rows[ROOTS_MISSING_MAX];
	size_t nr = root_list_missing(&run->conn, run->id, rows, ROOTS_MISSING_MAX);

	for (size_t i = 0; i < nr; i++) {
		if (rows[i].error > ABI_UNFOLLOWED)
			cli_error("%s was not followed: %s", rows[i].comm,
				  reason_unfollowed(rows[i].error));
		else if (rows[i].pid)
			cli_error("%s (pid %u) was not traced: it could not make its root in %s: "
				  "%s", rows[i].comm, rows[i].pid, run->conn.dir,
				  reason_no_root(-(int)rows[i].error));
	}
}

void run_follow_report(struct run *run, const struct root_list *roots)
{
	uint64_t records = 0;
	size_t nr = 0;

	for (size_t i = 0; i < roots->nr; i++) {
		records += roots->rows[i].entries;
		nr += roots->rows[i].entries != 0;
	}
	if (nr)
		cli_error("%zu %s, %" PRIu64 " records, and %zu without records; `ulf ls` lists "
			  "their roots, `ulf rm --dead` removes them", nr,
			  nr == 1 ? "program" : "programs", records, run->nr_silent);
	report_unfollowed(run);
}
