/* SPDX-License-Identifier: MIT */
/* The exit status says what libulf has done in this program: 0: nothing, 10: everything,
 * another number: only a part. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static int nr_calls;

static void probe(void *data, int who, long value)
{
	(void)data;
	nr_calls += who == 1 && value == 2;
}

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	return nr;
}

int main(int argc, char **argv)
{
	char roots[4096];
	int has_root, nr_threads = count_threads();

	snprintf(roots, sizeof(roots), "%s/roots", argc > 1 ? argv[1] : "");
	has_root = !access(roots, F_OK);
	printf("AT_SECURE %lu, %d threads, %s roots\n", getauxval(AT_SECURE),
	       nr_threads, has_root ? "has" : "no");
	/* Probes of the program itself always work. */
	if (register_trace_rt_hit(probe, NULL))
		return 1;
	trace_rt_hit(1, 2);
	if (nr_calls != 1 || unregister_trace_rt_hit(probe, NULL))
		return 2;
	tracepoint_synchronize_unregister();
	if (getauxval(AT_SECURE) && !has_root && nr_threads == 1)
		return 0;
	return !getauxval(AT_SECURE) && has_root && nr_threads == 2 ? 10 : 3;
}
