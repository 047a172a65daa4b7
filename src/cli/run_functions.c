/* SPDX-License-Identifier: MIT */
/* ulf run: report that a program has no function which the boot settings could trace. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/run_impl.h"

/* Return true if a boot setting traces functions: a tracer other than nop, or the stack
 * tracer. */
static bool wants_functions(const struct run *run)
{
	const char *words = text_str((struct text *)&run->words);
	struct boot_word word;
	bool is_wanted = false;

	while (boot_next(&words, &word)) {
		if (word.id == BOOT_TRACER)
			is_wanted = !boot_token_is(&word.value, "nop");
		else if (word.id == BOOT_STACK || word.id == BOOT_STACK_FILTER)
			return true;
	}
	return is_wanted;
}

/* Return true if a function of @root can be traced.  An error counts as true, because
 * nothing is known then. */
static bool has_functions(struct conn *conn, const char *root)
{
	char *path;
	int file, ret;

	if (asprintf(&path, "%s/available_filter_functions", root) < 0)
		return true;
	file = conn_file_open(conn, path, O_RDONLY);
	free(path);
	if (file < 0)
		return true;
	ret = conn_file_read(conn, file, 0);
	conn_file_close(conn, file);
	return ret != 0;
}

bool run_functions_are_missing(struct run *run, const struct root_list *roots)
{
	size_t i;

	if (run->has_reported_functions || !roots->nr || !wants_functions(run))
		return false;
	for (i = 0; i < roots->nr; i++) {
		if (roots->rows[i].entries || has_functions(&run->conn, roots->rows[i].name))
			return false;
	}
	return true;
}

void run_functions_report(struct run *run, const struct root_list *roots)
{
	if (!run_functions_are_missing(run, roots))
		return;
	run->has_reported_functions = true;
	cli_error("%s has no function that can be traced; was it compiled with "
		  "-fpatchable-function-entry=5? Functions of a module that it loads, or of a "
		  "program that it starts, are traced", run->program);
}
