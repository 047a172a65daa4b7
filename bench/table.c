/* SPDX-License-Identifier: MIT */
/*
 * Rows and ratios of the benchmark.  To add a measurement, add a row here and a
 * worker_result() to a worker.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "table.h"

#define MAX_VALUES 101

enum unit { NS, US, KB };

static const struct row {
	const char *name;
	const char *title;
	enum unit unit;
} rows[] = {
	{ "empty_loop", "empty loop", NS },
	{ "clock", "clock read alone (rdtsc)", NS },
	{ "limit", "limit: rdtsc, 48-byte record, one store", NS },
	{ "event_off", "event off", NS },
	{ "event_on", "event on (int, u64, char[16])", NS },
	{ "filter_reject", "  a filter of two terms rejects it", NS },
	{ "filter_accept", "  one accepts it", NS },
	{ "string_on", "event on (int, u64, __string; 48 bytes)", NS },
	{ "printk_on", "trace_printk(), an int and a long", NS },
	{ "printk_str", "  an int and a string", NS },
	{ "puts_on", "  trace_puts()", NS },
	{ "printk_off", "  while tracing_on is 0", NS },
	{ "event_on_2threads", "event on, 2 threads, each", NS },
	{ "event_on_4threads", "event on, 4 threads, each", NS },
	{ "hist_on", "histogram: an int as key, a sum", NS },
	{ "hist_log2_on", "  .log2 as key, a sum", NS },
	{ "hist_string_on", "  char[16] as key, a sum", NS },
	{ "hist_on_4threads", "  an int as key, 4 threads, each", NS },
	{ "event_pair", "two events on", NS },
	{ "onmatch_pair", "  their latency to a histogram, by onmatch()", NS },
	{ "bpftrace_map", "bpftrace: an int as key, a sum, uprobe", NS },
	{ "lttng_off", "LTTng-UST, event off", NS },
	{ "lttng_on", "LTTng-UST, the same event on", NS },
	{ "lttng_reject", "LTTng-UST, a filter rejects it", NS },
	{ "lttng_tracef", "LTTng-UST, tracef() as trace_printk()", NS },
	{ "leaf_plain", "a call of a small function", NS },
	{ "leaf_off", "  with NOPs at its entry", NS },
	{ "leaf_neighbour", "  the same, its neighbour is traced", NS },
	{ "leaf_function", "  tracer function", NS },
	{ "leaf_graph", "  tracer function_graph, entry and exit", NS },
	{ "moved_function", "  function, of a library without NOPs", NS },
	{ "moved_graph", "  function_graph, of that library", NS },
	{ "leaf_untraced", "  of that library, not traced", NS },
	{ "moved_off", "  of that library, off after on", NS },
	{ "leaf_hooks", "  -finstrument-functions, empty hooks", NS },
	{ "leaf_uftrace_pg", "  uftrace, -pg", NS },
	{ "leaf_uftrace_nops", "  uftrace, NOPs at its entry", NS },
	{ "fib_plain", "a call of many in each other (fib)", NS },
	{ "fib_off", "  with NOPs at its entry", NS },
	{ "fib_function", "  tracer function", NS },
	{ "fib_graph", "  tracer function_graph, entry and exit", NS },
	{ "moved_fib_graph", "  function_graph, of a library without NOPs", NS },
	{ "fib_hooks", "  -finstrument-functions, empty hooks", NS },
	{ "fib_uftrace_pg", "  uftrace, -pg", NS },
	{ "fib_uftrace_nops", "  uftrace, NOPs at its entry", NS },
	{ "fib_uftrace_moved", "  uftrace -P, without NOPs", NS },
	{ "syscall_off", "getppid(), with the setting syscalls", NS },
	{ "syscall_on", "  both events raw_syscalls on", NS },
	{ "syscall_extra", "    more than without events", NS },
	{ "syscall_named", "  all events of the system syscalls on", NS },
	{ "syscall_strace", "  strace", NS },
	{ "print_line", "a line of trace, sched_switch (<= 1000)", NS },
	{ "print_tep", "  libtraceevent, the same line", NS },
	{ "dormant_plain_start", "start to end of a program", US },
	{ "dormant_ulf_start", "  with ulf, dormant", US },
	{ "dormant_plain_fork", "fork(), in the parent", US },
	{ "dormant_ulf_fork", "  with ulf, dormant", US },
	{ "dormant_detached_fork", "  attached to, traced, detached", US },
	{ "dormant_plain_child", "fork(), child exits, wait", US },
	{ "dormant_ulf_child", "  with ulf, dormant", US },
	{ "dormant_detached_child", "  attached to, traced, detached", US },
	{ "dormant_plain_malloc", "free() and malloc(), one thread", NS },
	{ "dormant_ulf_malloc", "  with ulf, dormant", NS },
	{ "dormant_detached_malloc", "  attached to, traced, detached", NS },
	{ "dormant_plain_fib", "a call in a program never touched (fib)", NS },
	{ "dormant_ulf_fib", "  with ulf, dormant", NS },
	{ "dormant_detached_fib", "  attached to, traced, detached", NS },
	{ "resident_plain", "memory of a process", KB },
	{ "resident_ulf", "  with ulf, dormant", KB },
	{ "resident_detached", "  attached to, traced, detached", KB },
	{ "root_dormant", "shared memory of a dormant root", KB },
	{ "root_per_cpu", "ring memory for a CPU when on", KB },
};

#define NR_ROWS		(sizeof(rows) / sizeof(*rows))

/* The values that were measured for each row. */
static struct result {
	int nr;
	double values[MAX_VALUES];	/* one for each round */
} results[NR_ROWS];

/* A ratio of two rows.  It is printed in the row of the numerator, and as a RATIO line. */
static const struct ratio {
	const char *name, *numerator, *denominator, *goal;
} ratios[] = {
	{ "event_on/limit", "event_on", "limit", "<= 1.5" },
	{ "filter_reject/event_on", "filter_reject", "event_on", "<= 0.7" },
	{ "string_on/limit", "string_on", "limit", "<= 1.5" },
	{ "printk_on/event_on", "printk_on", "event_on", "<= 2" },
	{ "hist_on/event_on", "hist_on", "event_on", "<= 0.5" },
	{ "hist_log2_on/event_on", "hist_log2_on", "event_on", "<= 0.5" },
	{ "hist_string_on/event_on", "hist_string_on", "event_on", "<= 1" },
	{ "hist_on_4threads/hist_on", "hist_on_4threads", "hist_on", "1" },
	{ "onmatch_pair/event_pair", "onmatch_pair", "event_pair", "<= 3" },
	{ "bpftrace_map/hist_on", "bpftrace_map", "hist_on", ">= 50" },
	{ "lttng_reject/hist_on", "lttng_reject", "hist_on", ">= 3" },
	{ "lttng_tracef/printk_on", "lttng_tracef", "printk_on", ">= 7" },
	{ "lttng_on/event_on", "lttng_on", "event_on", ">= 7" },
	{ "event_on_2threads/event_on", "event_on_2threads", "event_on", "1" },
	{ "event_on_4threads/event_on", "event_on_4threads", "event_on", "1" },
	{ "function_off/plain", "leaf_off", "leaf_plain", "1" },
	{ "neighbour/plain", "leaf_neighbour", "leaf_plain", "1" },
	{ "function_on/limit", "leaf_function", "limit", "<= 1.5" },
	{ "graph_on/limit", "leaf_graph", "limit", "<= 3" },
	{ "moved_function/function_on", "moved_function", "leaf_function", "<= 1.1" },
	{ "moved_graph/graph_on", "moved_graph", "leaf_graph", "<= 1.1" },
	{ "moved_fib/fib_graph", "moved_fib_graph", "fib_graph", "<= 1.1" },
	{ "moved_off/untraced", "moved_off", "leaf_untraced", "1" },
	{ "uftrace/graph_on", "leaf_uftrace_pg", "leaf_graph", ">= 3" },
	{ "uftrace_nops/graph_on", "leaf_uftrace_nops", "leaf_graph", ">= 3" },
	{ "fib_off/plain", "fib_off", "fib_plain", "1" },
	{ "fib_function/limit", "fib_function", "limit", "<= 1.5" },
	{ "fib_graph/limit", "fib_graph", "limit", "<= 3" },
	{ "fib_uftrace/graph", "fib_uftrace_pg", "fib_graph", ">= 3" },
	{ "fib_uftrace_nops/graph", "fib_uftrace_nops", "fib_graph", ">= 3" },
	{ "fib_uftrace_moved/graph", "fib_uftrace_moved", "moved_fib_graph", ">= 4" },
	{ "print_tep/print_line", "print_tep", "print_line", ">= 2" },
	{ "syscall_extra/event_on", "syscall_extra", "event_on", "<= 2.5" },
	{ "syscall_named/syscall_on", "syscall_named", "syscall_on", "1" },
	{ "strace/syscall_on", "syscall_strace", "syscall_on", ">= 10" },
	{ "event_off/empty_loop", "event_off", "empty_loop", "1" },
	{ "start/plain", "dormant_ulf_start", "dormant_plain_start", "1" },
	{ "fork/plain", "dormant_ulf_fork", "dormant_plain_fork", "1" },
	{ "child/plain", "dormant_ulf_child", "dormant_plain_child", "1" },
	{ "malloc/plain", "dormant_ulf_malloc", "dormant_plain_malloc", "1" },
	{ "detached_fib/plain", "dormant_detached_fib", "dormant_plain_fib", "1" },
	{ "detached_malloc/plain", "dormant_detached_malloc", "dormant_plain_malloc", "1.2" },
	{ "detached_fork/plain", "dormant_detached_fork", "dormant_plain_fork", "1" },
	{ "detached_child/plain", "dormant_detached_child", "dormant_plain_child", "1" },
};

#define NR_RATIOS	(sizeof(ratios) / sizeof(*ratios))

static struct result *result_find(const char *name)
{
	for (size_t k = 0; k < NR_ROWS; k++)
		if (!strcmp(rows[k].name, name))
			return &results[k];
	fprintf(stderr, "bench: no row is called %s\n", name);
	exit(1);
}

void table_add(const char *name, double value)
{
	struct result *result = result_find(name);

	if (result->nr < MAX_VALUES)
		result->values[result->nr++] = value;
}

/* Compute the ratio of each round, then the median of these ratios.  A machine that is slow
 * for some rounds slows numerator and denominator in the same way.  Returns 0 if one of the
 * two was not measured. */
static int ratio_median(const struct ratio *ratio, double *ret_median)
{
	const struct result *above = result_find(ratio->numerator);
	const struct result *below = result_find(ratio->denominator);
	int nr = above->nr < below->nr ? above->nr : below->nr;
	double values[MAX_VALUES];

	if (!nr)
		return 0;
	for (int k = 0; k < nr; k++)
		values[k] = above->values[k] / below->values[k];
	*ret_median = measure_median(values, nr);
	return 1;
}

static void row_print(const struct row *row, const struct result *result)
{
	static const struct { const char *name; double scale; } units[] = {
		[NS] = { "ns", 1 }, [US] = { "us", 1000 }, [KB] = { "KiB", 1024 },
	};
	double scale = units[row->unit].scale, value;
	double sorted[MAX_VALUES], median;

	if (!result->nr) {
		printf("%-42s %9s\n", row->title, "-");
		return;
	}
	memcpy(sorted, result->values, sizeof(sorted));
	median = measure_median(sorted, result->nr);
	printf("%-42s %9.2f %-3s %9.2f %9.2f", row->title, median / scale,
	       units[row->unit].name, sorted[0] / scale,
	       sorted[result->nr - 1] / scale);
	for (size_t k = 0; k < NR_RATIOS; k++)
		if (!strcmp(ratios[k].numerator, row->name) &&
		    ratio_median(&ratios[k], &value))
			printf("   %s %.2f (goal %s)", ratios[k].name, value,
			       ratios[k].goal);
	putchar('\n');
}

int table_print(int nr_rounds)
{
	int missing = 0;
	double value;

	printf("%-42s %9s %-3s %9s %9s   %s\n", "", "median", "", "min", "max",
	       "ratio");
	for (size_t k = 0; k < NR_ROWS; k++)
		row_print(&rows[k], &results[k]);
	printf("Medians of %d interleaved rounds, ratios too (each round's own"
	       " ratio).\nTimes are for one event or call, with the loop around"
	       " it.\n\n", nr_rounds);
	for (size_t k = 0; k < NR_RATIOS; k++) {
		if (ratio_median(&ratios[k], &value)) {
			printf("RATIO %s %.3f\n", ratios[k].name, value);
		} else {
			printf("RATIO %s -\n", ratios[k].name);
			missing = 1;
		}
	}
	return missing;
}
