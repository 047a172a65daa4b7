/* SPDX-License-Identifier: MIT */
/* ulf graph: print the tree of calls of a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "export/call_tree.h"

#define INDENT_MAX	256

struct graph_cmd {
	unsigned long depth;		/* maximum depth of the functions that are printed */
	double percent;			/* minimum share of the total time that a printed
					 * function has, percent */
	const struct call_node *top;
};

static void print_node(const struct graph_cmd *graph, const struct call_node *node, int depth)
{
	char addr[32];
	uint64_t count = node->count ? node->count : 1;

	snprintf(addr, sizeof(addr), "0x%" PRIx64, node->addr);
	terminal_line(stdout, "%6.2f%% %10" PRIu64 " %12.3f %12.3f %10.3f %10.3f %10.3f  %*s%s",
		      100.0 * (double)node->total_ns / ((double)graph->top->total_ns + 0.1),
		      node->count, (double)node->total_ns / 1e3, (double)node->self_ns / 1e3,
		      node->count ? (double)node->min_ns / 1e3 : 0.0,
		      (double)node->total_ns / 1e3 / (double)count, (double)node->max_ns / 1e3,
		      2 * depth, "", node->name ? node->name : addr);
}

static bool is_printed(const struct graph_cmd *graph, const struct call_node *node, int depth)
{
	return (unsigned long)depth < graph->depth && depth < INDENT_MAX &&
	       (double)node->total_ns * 100 >= graph->percent * (double)graph->top->total_ns;
}

static void print_tree(const struct graph_cmd *graph)
{
	const struct call_node *node = graph->top->children;
	int depth = 0;

	puts("  SHARE      CALLS     TOTAL us      SELF us     MIN us     AVG us     MAX us  "
	     "FUNCTION");
	while (node) {
		bool is_there = is_printed(graph, node, depth);

		if (is_there)
			print_node(graph, node, depth);
		if (is_there && node->children) {
			node = node->children;
			depth++;
			continue;
		}
		while (node != graph->top && !node->next) {
			node = node->parent;
			depth--;
		}
		node = node == graph->top ? NULL : node->next;
	}
}

static int print_file(struct graph_cmd *graph, const char *path)
{
	struct call_tree *tree;
	struct datfile *file;
	const char *why;
	int r = datfile_open(path, &file, &why);

	if (r) {
		cli_error("%s: %s", path, why ? why : strerror(-r));
		return r;
	}
	r = call_tree_read(file, &tree, &graph->top);
	if (!r) {
		print_tree(graph);
		call_tree_free(tree);
	} else if (r == -ENOENT) {
		cli_error("%s has no calls; record them with `ulf record -p function_graph`",
			  path);
	} else {
		cli_error("%s: %s", path, strerror(-r));
	}
	datfile_close(file);
	return r;
}

static int apply_option(struct graph_cmd *graph, int option)
{
	char *end;

	if (option == 'd')
		graph->depth = strtoul(optarg, &end, 10);
	else
		graph->percent = strtod(optarg, &end);
	if (*optarg && !*end)
		return 0;
	cli_error("`%s` is no number", optarg);
	return -EINVAL;
}

static int cmd_graph(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "depth", required_argument, NULL, 'd' },
		{ "share", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct graph_cmd graph = { .depth = INDENT_MAX };
	int option, status = CLI_USAGE, r;

	while ((option = cli_option(cmd, argc, argv, "d:s:h", options, &status)) != -1)
		if (option == -2 || apply_option(&graph, option))
			return option == -2 ? status : CLI_USAGE;
	if (argc - optind > 1)
		return cli_usage(cmd);
	r = print_file(&graph, optind < argc ? argv[optind] : "trace.dat");
	return r || fflush(stdout) ? CLI_FAILED : 0;
}

const struct cli_cmd cli_graph = {
	.name = "graph",
	.args = "[-d DEPTH] [-s PERCENT] [FILE]",
	.summary = "print the calls in a file as a tree, with their times",
	.help =
"Prints the functions of a file of `ulf record -p function_graph` as a tree: under\n"
"each function those that it has called, the longest first, with the number of\n"
"calls and their times.  SELF is the time without the calls in it.  Calls that had\n"
"not returned when the recording ended do not count.  Without FILE: trace.dat.\n"
"\n"
"  -d, --depth=N      print functions up to this depth; 1: only the outermost ones\n"
"  -s, --share=P      print functions that take P percent of the time or more\n"
"\n"
"Example:  ulf record -p function_graph -- ./prog\n"
"          ulf graph -s 1\n",
	.run = cmd_graph,
};
