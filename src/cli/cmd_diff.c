/* SPDX-License-Identifier: MIT */
/* ulf diff: compare the times of functions in two files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/call_sum.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "export/call_tree.h"

#define ROWS	20			/* default of --rows */

/* A figure of a function by which two files can be compared. */
struct diff_key {
	const char *name;
	double (*get)(const struct call_figures *figures);
};

struct diff_cmd {
	const struct diff_key *key;
	unsigned long rows;		/* maximum number of rows for slower functions, and
					 * for faster functions */
	struct datfile *files[2];
	struct call_tree *trees[2];
	struct call_sum *sums;		/* array of nr functions */
	size_t nr;
};

/* ---- figures ---- */

static double get_self(const struct call_figures *figures)
{
	return (double)figures->self_ns / 1e3;
}

static double get_total(const struct call_figures *figures)
{
	return (double)figures->total_ns / 1e3;
}

static double get_average(const struct call_figures *figures)
{
	return figures->count ? get_self(figures) / (double)figures->count : 0;
}

static double get_calls(const struct call_figures *figures)
{
	return (double)figures->count;
}

static const struct diff_key diff_keys[] = {
	{ "self", get_self },
	{ "total", get_total },
	{ "average", get_average },
	{ "calls", get_calls },
};

static double change_of(const struct diff_key *key, const struct call_sum *sum)
{
	return key->get(&sum->trees[1]) - key->get(&sum->trees[0]);
}

/* Order functions by the change of the figure: the largest increase is first.  Functions with
 * equal changes are ordered by name. */
static int compare_changes(const void *a, const void *b, void *key)
{
	double x = change_of(key, a), y = change_of(key, b);

	return x > y ? -1 : x < y ? 1 : call_sum_compare(a, b);
}

/* ---- print ---- */

static void print_ratio(const struct diff_key *key, const struct call_sum *sum, char ret_text[16])
{
	if (!sum->trees[0].count)
		snprintf(ret_text, 16, "new");
	else if (!sum->trees[1].count)
		snprintf(ret_text, 16, "gone");
	else if (key->get(&sum->trees[0]) == 0)
		snprintf(ret_text, 16, "-");
	else
		snprintf(ret_text, 16, "%+.1f%%",
			 100 * change_of(key, sum) / key->get(&sum->trees[0]));
}

static void print_sum(const struct diff_key *key, const struct call_sum *sum)
{
	char addr[32], ratio[16];

	snprintf(addr, sizeof(addr), "0x%" PRIx64, sum->addr);
	print_ratio(key, sum, ratio);
	terminal_line(stdout, "%+14.3f %9s %10" PRIu64 " %10" PRIu64 " %13.3f %13.3f %13.3f %13.3f"
		      "  %s", change_of(key, sum), ratio, sum->trees[0].count, sum->trees[1].count,
		      get_total(&sum->trees[0]), get_total(&sum->trees[1]),
		      get_self(&sum->trees[0]), get_self(&sum->trees[1]),
		      sum->name ? sum->name : addr);
}

/* Print the sums over all functions.  The total time is the sum for the outermost calls only,
 * because the time of a caller contains the times of the functions that it calls. */
static void print_all(const struct diff_cmd *diff, const struct call_node *const tops[2])
{
	struct call_sum all = { .name = "(all functions)" };

	for (size_t i = 0; i < diff->nr; i++) {
		for (int tree = 0; tree < 2; tree++) {
			all.trees[tree].count += diff->sums[i].trees[tree].count;
			all.trees[tree].self_ns += diff->sums[i].trees[tree].self_ns;
		}
	}
	for (int tree = 0; tree < 2; tree++)
		all.trees[tree].total_ns = tops[tree]->total_ns;
	print_sum(diff->key, &all);
}

static void print_table(const struct diff_cmd *diff, const struct call_node *const tops[2])
{
	printf("%14s %9s %10s %10s %13s %13s %13s %13s  FUNCTION\n", "CHANGE", "%", "CALLS A",
	       "CALLS B", "TOTAL A us", "TOTAL B us", "SELF A us", "SELF B us");
	for (size_t i = 0; i < diff->nr; i++) {
		double change = change_of(diff->key, &diff->sums[i]);

		if (change > 0 ? i < diff->rows : change < 0 && diff->nr - i <= diff->rows)
			print_sum(diff->key, &diff->sums[i]);
	}
	print_all(diff, tops);
}

/* ---- read ---- */

static int read_file(struct diff_cmd *diff, int number, const char *path,
		     const struct call_node **ret_top)
{
	const char *why = NULL;
	int r = datfile_open(path, &diff->files[number], &why);

	if (!r)
		r = call_tree_read(diff->files[number], &diff->trees[number], ret_top);
	if (r == -ENOENT && diff->files[number])
		cli_error("%s has no calls; record them with `ulf record -p function_graph`",
			  path);
	else if (r)
		cli_error("%s: %s", path, why ? why : strerror(-r));
	return r;
}

static int compare_files(struct diff_cmd *diff, char **paths)
{
	const struct call_node *tops[2];
	int r = read_file(diff, 0, paths[0], &tops[0]);

	if (!r)
		r = read_file(diff, 1, paths[1], &tops[1]);
	if (r)
		return r;
	r = call_sums(tops, &diff->sums, &diff->nr);
	if (r) {
		cli_error("the functions of %s and %s cannot be compared: %s", paths[0], paths[1],
			  strerror(-r));
		return r;
	}
	qsort_r(diff->sums, diff->nr, sizeof(*diff->sums), compare_changes,
		(void *)diff->key);
	print_table(diff, tops);
	return 0;
}

static void free_diff(struct diff_cmd *diff)
{
	free(diff->sums);
	for (int i = 0; i < 2; i++) {
		call_tree_free(diff->trees[i]);
		datfile_close(diff->files[i]);
	}
}

/* ---- parse the command line ---- */

static int set_key(struct diff_cmd *diff, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(diff_keys); i++) {
		if (!strcmp(diff_keys[i].name, name)) {
			diff->key = &diff_keys[i];
			return 0;
		}
	}
	cli_error("--by: `%s` is no figure; there are self, total, average and calls", name);
	return -EINVAL;
}

static int apply_option(struct diff_cmd *diff, int option)
{
	char *end;

	if (option == 'b')
		return set_key(diff, optarg);
	diff->rows = strtoul(optarg, &end, 10);
	if (*optarg >= '0' && *optarg <= '9' && !*end)
		return 0;
	cli_error("--rows: `%s` is no number", optarg);
	return -EINVAL;
}

static int cmd_diff(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "rows", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct diff_cmd diff = { .key = &diff_keys[0], .rows = ROWS };
	int option, status = CLI_USAGE, r;

	while ((option = cli_option(cmd, argc, argv, "b:n:h", options, &status)) != -1)
		if (option == -2 || apply_option(&diff, option))
			return option == -2 ? status : CLI_USAGE;
	if (argc - optind != 2)
		return cli_usage(cmd);
	r = compare_files(&diff, argv + optind);
	free_diff(&diff);
	return r || fflush(stdout) ? CLI_FAILED : 0;
}

const struct cli_cmd cli_diff = {
	.name = "diff",
	.args = "[-b FIGURE] [-n ROWS] FILE_A FILE_B",
	.summary = "compare the times of functions in two files",
	.help =
"Compares two files of `ulf record -p function_graph`, function by function: those\n"
"that became slower from FILE_A to FILE_B come first, the largest change at the top,\n"
"then those that became faster.  Functions are compared by their names, so the\n"
"files may be of two builds of a program.\n"
"\n"
"SELF is the time of a function without the calls in it; TOTAL is the time with\n"
"them.  `new' and `gone' are functions that only one of the files has.  Calls that\n"
"had not returned when the recording ended do not count.\n"
"\n"
"  -b, --by=FIGURE  figure whose change is printed and sorted by: self (default),\n"
"                   total, average (self time of a call), calls; times are in us\n"
"  -n, --rows=N     print up to N functions of each kind; default: 20\n"
"\n"
"Example:  ulf record -o a.dat -p function_graph -- ./old\n"
"          ulf record -o b.dat -p function_graph -- ./new\n"
"          ulf diff a.dat b.dat\n",
	.choices = "FIGURE: self total average calls",
	.run = cmd_diff,
};
