/* SPDX-License-Identifier: MIT */
/*
 * Ring torture: more threads than CPUs in several processes, timers whose handlers write,
 * too, children that write, writers that are killed at any moment, a reader that consumes and
 * readers that do not, for every kind of ring.  Every record must be read whole and once.
 * Time must not go back in a ring.  The number of records written must equal the number read
 * plus the number that the rings report as lost.
 *
 *	torture-ring			all variants, short; ULF_TORTURE=long: long
 *	torture-ring NAME [EVENTS]	one of them
 *
 * timeout: 300
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "lib/torture.h"

#define SHORT_EVENTS	200000ull
#define LONG_EVENTS	100000000ull	/* in all variants together */
#define NO_RSEQ		"glibc.pthread.rseq=0"

void (*testpoint_hook)(const char *name);

#define OVERWRITE	true
#define FULL		false		/* refuse records when full */
#define DELAYS		true		/* delays at TESTPOINTs */

static const struct torture_config variants[] = {
	{ "rseq-4k", TORTURE_RSEQ, TORTURE_TSC, 4096, 32, OVERWRITE, false },
	{ "rseq-4k-full", TORTURE_RSEQ, TORTURE_TSC, 4096, 32, FULL, false },
	{ "rseq-64k", TORTURE_RSEQ, TORTURE_JUMPY_TSC, 65536, 4, OVERWRITE, false },
	{ "rseq-64k-full", TORTURE_RSEQ, TORTURE_JUMPY_TSC, 65536, 4, FULL, false },
	{ "rseq-2-pages", TORTURE_RSEQ, TORTURE_TSC, 4096, 2, OVERWRITE, DELAYS },
	{ "rseq-given", TORTURE_RSEQ, TORTURE_GIVEN, 4096, 7, FULL, DELAYS },
	{ "slow-4k", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 32, OVERWRITE, false },
	{ "slow-4k-full", TORTURE_NO_RSEQ, TORTURE_JUMPY_TSC, 4096, 32, FULL, false },
	{ "slow-2-pages", TORTURE_NO_RSEQ, TORTURE_JUMPY_TSC, 4096, 2, OVERWRITE, DELAYS },
	{ "slow-2-pages-full", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 2, FULL, DELAYS },
	{ "slow-64k", TORTURE_NO_RSEQ, TORTURE_JUMPY_TSC, 65536, 4, OVERWRITE, DELAYS },
	{ "slow-64k-full", TORTURE_NO_RSEQ, TORTURE_GIVEN, 65536, 4, FULL, false },
	{ "mixed-4k", TORTURE_MIXED, TORTURE_JUMPY_TSC, 4096, 32, OVERWRITE, DELAYS },
	{ "mixed-64k-full", TORTURE_MIXED, TORTURE_JUMPY_TSC, 65536, 4, FULL, DELAYS },
};

static int run_variant(const struct torture_config *config, uint64_t events)
{
	bool has_rseq = arch_rseq_init();
	struct torture t;
	int r;

	if (has_rseq == (config->path == TORTURE_NO_RSEQ)) {
		printf("%s: rseq is %s\n", config->name,
		       has_rseq ? "still there" : "missing");
		return has_rseq ? 1 : 77;
	}
	r = torture_prepare(&t, config);
	if (!r)
		r = torture_make_rings(&t);
	if (r) {
		printf("%s: no memory (%d)\n", config->name, r);
		return 1;
	}
	if (config->has_delays)
		testpoint_hook = torture_delay;
	r = torture_run(&t, events);
	torture_done(&t);
	return r ? 1 : 0;
}

/* ---- run each variant in a process with or without rseq ---- */

static int run_program(const char *self, const struct torture_config *config,
		       uint64_t events)
{
	char number[32];
	int status = 0;
	pid_t pid;

	snprintf(number, sizeof(number), "%" PRIu64, events);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (config->path == TORTURE_NO_RSEQ)
			setenv("GLIBC_TUNABLES", NO_RSEQ, 1);
		execl(self, self, config->name, number, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_all(const char *self)
{
	const char *form = getenv("ULF_TORTURE");
	bool is_long = form && !strcmp(form, "long");
	uint64_t events = is_long ? LONG_EVENTS / ARRAY_SIZE(variants) + 1 :
			  SHORT_EVENTS;
	int failed = 0, skipped = 0;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		int r = run_program(self, &variants[i], events);

		if (r == 77)
			skipped++;
		else if (r)
			failed++;
	}
	printf("%zu variants of at least %" PRIu64 " events, %d failed: %s\n",
	       ARRAY_SIZE(variants) - (size_t)skipped, events, failed,
	       failed ? "FAIL" : "PASS");
	if (!failed && skipped == ARRAY_SIZE(variants))
		return 77;
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return run_all("/proc/self/exe");
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (!strcmp(argv[1], variants[i].name))
			return run_variant(&variants[i], argc < 3 ?
					   SHORT_EVENTS :
					   strtoull(argv[2], NULL, 10));
	}
	printf("no variant %s\n", argv[1]);
	return 2;
}
