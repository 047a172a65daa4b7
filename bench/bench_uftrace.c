/* SPDX-License-Identifier: MIT */
/*
 * Worker: the same calls under uftrace, which records entry and exit to memory, by -pg,
 * by patching NOPs at the entry, and by patching a function without NOPs.  uftrace runs this
 * program, too:
 *
 *	bench_uftrace			the worker: runs uftrace on itself
 *	bench_uftrace mcount | nops	run by uftrace; prints its results
 *	bench_uftrace_plain plain	run by uftrace, too
 *
 * The last is a program of its own, because uftrace patches functions without NOPs only if no
 * function has NOPs.  uftrace cannot patch leaf_plain(), which has 4 bytes.
 */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

static char *self;

/* Run uftrace.  Each run records about 80 MB, which are deleted before the next run. */
static void record_with_uftrace(const char *kind, const char *options)
{
	const char *directory = getenv("ULF_DIR");
	char command[1024], line[128];
	bool has_any = false;
	FILE *from;

	if (!directory)
		worker_fail("ULF_DIR is not set");
	snprintf(command, sizeof(command),
		 "uftrace record --no-libcall --no-event --no-sched -b 4M %s"
		 " -d %s/uftrace.data '%s'%s %s 2>/dev/null;"
		 " rm -rf %s/uftrace.data",
		 options, directory, self, strcmp(kind, "plain") ? "" : "_plain", kind, directory);
	from = popen(command, "r");
	while (from && fgets(line, sizeof(line), from)) {
		has_any = true;
		fputs(line, stdout);
	}
	if (!from || pclose(from) || !has_any)
		worker_fail("uftrace failed");
}

static void run_round(void)
{
	record_with_uftrace("mcount", "");
	record_with_uftrace("nops", "-P .");
	record_with_uftrace("plain", "-P .");
}

static int measure_kind(const char *kind)
{
	double tsc_ghz = measure_tsc_ghz();
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
#ifdef ONLY_PLAIN
	if (!strcmp(kind, "plain"))
		measure_fib("fib_uftrace_moved", fib_plain, tsc_ghz);
#else
	if (!strcmp(kind, "nops")) {
		measure_leaf("leaf_uftrace_nops", leaf_nops, tsc_ghz);
		measure_fib("fib_uftrace_nops", fib_nops, tsc_ghz);
	} else {
		measure_leaf("leaf_uftrace_pg", leaf_mcount, tsc_ghz);
		measure_fib("fib_uftrace_pg", fib_mcount, tsc_ghz);
	}
#endif
	return 0;
}

int main(int argc, char **argv)
{
	self = realpath("/proc/self/exe", NULL);
	return argc > 1 ? measure_kind(argv[1]) : worker_main(run_round);
}
