/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures what a histogram of bpftrace costs: a sum in a map, by a key, at a
 * uprobe on a NOP of 5 bytes.  bpftrace needs the right to load programs for the kernel, and
 * a kernel that has uprobes.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "worker.h"

#define ATTACH_MS	30000
#define NR_SLICES	40
#define SLICE_LOOPS	500		/* fewer than MEASURE(): a hit takes a microsecond */

extern char **environ;

static double tsc_ghz;
static pid_t bpftrace;

/* The compiler must neither inline the function nor drop its arguments. */
__attribute__((noinline, patchable_function_entry(5))) void bench_traced(int i, uint64_t u);
void bench_traced(int i, uint64_t u)
{
	__asm__ volatile("" : : "r"(i), "r"(u));
}

/* Wait until bpftrace has printed "ready", which it does after it has attached all probes.
 * @from: its output. */
static void wait_until_ready(int from)
{
	struct pollfd poll_from = { .fd = from, .events = POLLIN };
	char text[4096] = "";
	size_t len = 0;
	ssize_t n = 1;

	while (!strstr(text, "ready") && n > 0 && len < sizeof(text) - 1) {
		if (poll(&poll_from, 1, ATTACH_MS) <= 0)
			worker_fail("bpftrace does not attach");
		n = read(from, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
	}
	if (!strstr(text, "ready"))
		worker_fail("bpftrace may not attach a uprobe here");
}

static void start_bpftrace(void)
{
	char self[256], program[512];
	char *argv[] = { "bpftrace", "-e", program, NULL };
	posix_spawn_file_actions_t actions;
	int out[2];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0 || pipe(out))
		worker_fail(strerror(errno));
	self[n] = '\0';
	snprintf(program, sizeof(program),
		 "uprobe:%s:bench_traced { @[arg0 & 15] = sum(arg1); } "
		 "BEGIN { printf(\"ready\\n\"); }", self);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
	posix_spawn_file_actions_addclose(&actions, out[0]);
	if (posix_spawnp(&bpftrace, "bpftrace", &actions, NULL, argv, environ))
		worker_fail("bpftrace is not installed");
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	wait_until_ready(out[0]);
}

static void run_round(void)
{
	double slices[NR_SLICES];

	if (!bpftrace)
		start_bpftrace();
	for (int k = 0; k < NR_SLICES; k++) {
		uint64_t begin = __rdtsc();

		for (int i = 0; i < SLICE_LOOPS; i++)
			bench_traced(i & 15, (uint64_t)i);
		slices[k] = (double)(__rdtsc() - begin);
	}
	worker_result("bpftrace_map", measure_median(slices, NR_SLICES) / SLICE_LOOPS / tsc_ghz);
}

int main(void)
{
	cpu_set_t allowed;
	int status;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	status = worker_main(run_round);
	if (bpftrace) {
		kill(bpftrace, SIGKILL);
		waitpid(bpftrace, NULL, 0);
	}
	return status;
}
