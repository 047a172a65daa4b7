/* SPDX-License-Identifier: MIT */
/*
 * The ring torture (tests/torture/ring.c) through libulf: TRACE_EVENTs of all sizes are hit
 * by threads, signal handlers and forked processes of one root, some of which are killed.  A
 * consumer and other readers read at the same time.
 *
 * timeout: 300
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <inttypes.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "ring_ops.h"

#define SHORT_EVENTS	150000ull
#define LONG_EVENTS	10000000ull	/* per variant */

static const struct torture_config variants[] = {
	{ "rseq-4k", TORTURE_RSEQ, TORTURE_TSC, 4096, 64, true, false },
	{ "rseq-64k-full", TORTURE_RSEQ, TORTURE_TSC, 65536, 4, false, false },
	{ "slow-4k-full", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 64, false, false },
	{ "slow-64k", TORTURE_NO_RSEQ, TORTURE_TSC, 65536, 4, true, false },
	{ "vfork-4k", TORTURE_VFORK, TORTURE_TSC, 4096, 64, true, false },
	{ "vfork-4k-full", TORTURE_VFORK, TORTURE_TSC, 4096, 64, false, false },
};

static int run_variant(const struct torture_config *config, uint64_t events)
{
	static struct ring_root root;
	struct torture t;
	int r;

	CHECK_EQ(torture_prepare(&t, config), 0);
	ring_root_start(&root, getpid(), config);
	ring_root_look(&t, &root);
	r = torture_run(&t, events);
	printf("%15s %9" PRIu64 " lost without a ring or a lock\n", "",
	       ring_event_unreported(&t));
	torture_done(&t);
	driver_close(&root.driver);
	return r ? 1 : 0;
}

/* Start the program again, so that each run has a root of its own. */
static int run_program(const struct torture_config *config, uint64_t events)
{
	char number[32];
	int status = 0;
	pid_t pid;

	snprintf(number, sizeof(number), "%" PRIu64, events);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (config->path == TORTURE_NO_RSEQ)
			setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		execl("/proc/self/exe", "ring_events", config->name, number,
		      NULL);
		_exit(127);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	driver_remove(pid);
	return status;
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");
	uint64_t events = form && !strcmp(form, "long") ? LONG_EVENTS :
			  SHORT_EVENTS;
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (argc < 2)
			failed += run_program(&variants[i], events) != 0;
		else if (!strcmp(argv[1], variants[i].name))
			return run_variant(&variants[i], argc < 3 ? events :
					   strtoull(argv[2], NULL, 10));
	}
	printf("%zu variants, %d failed: %s\n", ARRAY_SIZE(variants), failed,
	       failed ? "FAIL" : "PASS");
	return failed ? 1 : 0;
}
