/* SPDX-License-Identifier: MIT */
/*
 * Worker that is built three times: without ulf (DORMANT_NAME "dormant_plain"), with ulf
 * ("dormant_ulf"), and again without ulf ("dormant_detached"): this one lets `ulf attach` trace
 * all its functions, and `ulf detach` switch everything off, before it measures.  While it
 * measures the worker is not traced, so its work should cost the same in all builds.  With an
 * argument it exits at once: the driver measures the start-up in this way.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#ifdef WITH_ULF
#define CREATE_TRACE_POINTS
#include "bench_trace.h"
#endif

#define NR_FORKS	20
#define NR_BLOCKS	1024		/* must be a power of two */
#define NR_MALLOCS	1000
#define NR_SLICES	100

/* Measure fork() until it returns in the parent, and until the child has exited. */
static void measure_fork(void)
{
	double call[NR_FORKS], whole[NR_FORKS];

	for (int k = 0; k < NR_FORKS; k++) {
		uint64_t begin = measure_now_ns();
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		call[k] = measure_now_ns() - begin;
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			worker_fail("fork failed");
		whole[k] = measure_now_ns() - begin;
	}
	worker_result(DORMANT_NAME "_fork", measure_median(call, NR_FORKS));
	worker_result(DORMANT_NAME "_child", measure_median(whole, NR_FORKS));
}

/* Measure malloc(): one thread frees and allocates blocks of 16 to 1039 bytes at random.
 * glibc's malloc() is faster as long as the process has never had a second thread. */
static void measure_malloc(void)
{
	static void *blocks[NR_BLOCKS];
	double slices[NR_SLICES];
	uint32_t random = 12345;

	for (int k = 0; k < NR_SLICES; k++) {
		uint64_t begin = measure_now_ns();

		for (int n = 0; n < NR_MALLOCS; n++) {
			void **block;

			random = random * 1664525 + 1013904223;
			block = &blocks[random >> 8 & (NR_BLOCKS - 1)];
			free(*block);
			*block = malloc(16 + (random >> 20 & 1023));
			if (!*block)
				worker_fail("malloc failed");
		}
		slices[k] = (double)(measure_now_ns() - begin) / NR_MALLOCS;
	}
	worker_result(DORMANT_NAME "_malloc", measure_median(slices, NR_SLICES));
}

#ifdef DETACHED
/* Run a command with the root @root, or with this process, as $1. */
static void run_command(const char *command, const char *argument, char *ret_line, int bytes)
{
	char line[512];
	FILE *from;

	snprintf(line, sizeof(line), "set -- %s; %s", argument, command);
	from = popen(line, "r");
	if (!from || !fgets(ret_line, bytes, from) || pclose(from))
		worker_fail("ulf attach, or ulf detach, has failed");
	ret_line[strcspn(ret_line, "\n")] = '\0';
}

static void attach_and_detach(void)
{
	char pid[16], root[128], line[128];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	run_command("\"$ULF\" attach --ftrace=function_graph \"$1\"", pid, root, sizeof(root));
	if (fib_plain(FIB_N) != 8)
		worker_fail("a traced function returned something else");
	run_command("\"$ULF\" cat \"$1/trace\" | grep fib_plain", root, line, sizeof(line));
	run_command("\"$ULF\" detach \"$1\"", root, line, sizeof(line));
}
#else
static void attach_and_detach(void)
{
}
#endif

static void run_round(void)
{
	static double tsc_ghz;

	if (!tsc_ghz) {
		attach_and_detach();
		tsc_ghz = measure_tsc_ghz();
	}
	measure_fork();
	measure_malloc();
	measure_fib(DORMANT_NAME "_fib", fib_plain, tsc_ghz);
}

int main(int argc, char **argv)
{
	cpu_set_t allowed;

	(void)argv;
	if (argc > 1)
		return 0;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	return worker_main(run_round);
}
