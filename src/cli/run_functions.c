/* SPDX-License-Identifier: MIT */
/* ulf run: report if the boot settings trace functions, but the program has no function that
 * can be traced. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run_impl.h"

/* Return true if a boot setting traces functions, because it selects a tracer other than nop,
 * or the stack tracer. */
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

/*
 * Copy the first bytes of the file @name of @root to @ret_start, which the caller must free with
 * text_done(), even on failure.  The copy is needed because the answer to the close() replaces
 * conn->data.  Returns false if the file cannot be read.
 */
static bool read_start(struct conn *conn, const char *root, const char *name,
		       struct text *ret_start)
{
	char *path;
	int file, ret;

	text_init(ret_start, ABI_SOCKET_ANSWER_MAX + 1);
	if (asprintf(&path, "%s/%s", root, name) < 0)
		return false;
	file = conn_file_open(conn, path, O_RDONLY);
	free(path);
	if (file < 0)
		return false;
	ret = conn_file_read(conn, file, 0);
	if (ret > 0)
		text_write(ret_start, conn->data.data, (size_t)ret);
	conn_file_close(conn, file);
	return ret >= 0 && !ret_start->error;
}

/* Return true if functions of the root @root are being traced, or if this is not known. */
static bool is_tracing(struct conn *conn, const char *root)
{
	struct text start;
	bool is = !read_start(conn, root, "enabled_functions", &start) || start.len;

	text_done(&start);
	return is;
}

/* Return true if the first line of @lines, a list of functions, ends with [MODULE], as the line of
 * a function of a library does. */
static bool is_of_module(const char *lines)
{
	size_t len = strcspn(lines, "\n");
	const char *word = memrchr(lines, ' ', len);

	return word && word[1] == '[' && lines[len - 1] == ']';
}

/*
 * Return true if a function of the program of @root can be traced, or if this is not known.  The
 * list of functions starts with those of the program.  Reading the list is slow, because the
 * server analyses all libraries for it.
 */
static bool has_functions(struct conn *conn, const char *root)
{
	struct text start;
	bool has = !read_start(conn, root, "available_filter_functions", &start) ||
		   (start.len && !is_of_module(text_str(&start)));

	text_done(&start);
	return has;
}

bool run_functions_are_missing(struct run *run, const struct root_list *roots)
{
	size_t i;

	if (run->has_reported_functions || !roots->nr || !wants_functions(run) ||
	    run_words_has(run, BOOT_FILTER))
		return false;
	for (i = 0; i < roots->nr; i++) {
		if (roots->rows[i].entries || is_tracing(&run->conn, roots->rows[i].name))
			return false;
	}
	return true;
}

void run_functions_report(struct run *run, const struct root_list *roots)
{
	size_t i;

	if (!run_functions_are_missing(run, roots))
		return;
	for (i = 0; i < roots->nr; i++)
		if (has_functions(&run->conn, roots->rows[i].name))
			return;
	run->has_reported_functions = true;
	cli_error("%s has no function that can be traced; the reasons are in %s/"
		  "untraceable_functions. Functions of a module that it loads, or of a program "
		  "that it starts, are traced", run->program, roots->rows[0].name);
}
