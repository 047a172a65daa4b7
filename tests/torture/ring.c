/* SPDX-License-Identifier: MIT */
/*
 * Ring torture: more threads than CPUs in several processes, timers whose
 * handlers write too, children that write, writers killed with SIGKILL at any
 * moment, a consuming reader and others that only look, over every kind of
 * ring.  Every record read must be whole and read once, time must not run
 * back in a ring, and the books must balance to the event: what was written
 * is what was read and what the rings say was lost.
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
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "lib/torture.h"

#define SHORT_EVENTS	600000ull
#define LONG_EVENTS	100000000ull	/* of all variants together */
#define PROCESSES	3
#define OBSERVERS	2
#define NO_RSEQ		"glibc.pthread.rseq=0"

void (*testpoint_hook)(const char *name);

#define OVERWRITE	true
#define FULL		false		/* refuse when full */
#define DELAYS		true		/* at TESTPOINTs */

static const struct torture_config variants[] = {
	{ "rseq-4k", TORTURE_RSEQ, TORTURE_TSC, 4096, 32, OVERWRITE, false },
	{ "rseq-4k-full", TORTURE_RSEQ, TORTURE_TSC, 4096, 32, FULL, false },
	{ "rseq-64k", TORTURE_RSEQ, TORTURE_FAST_TSC, 65536, 4, OVERWRITE, false },
	{ "rseq-64k-full", TORTURE_RSEQ, TORTURE_FAST_TSC, 65536, 4, FULL, false },
	{ "rseq-2-pages", TORTURE_RSEQ, TORTURE_TSC, 4096, 2, OVERWRITE, DELAYS },
	{ "rseq-given", TORTURE_RSEQ, TORTURE_GIVEN, 4096, 7, FULL, DELAYS },
	{ "slow-4k", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 32, OVERWRITE, false },
	{ "slow-4k-full", TORTURE_NO_RSEQ, TORTURE_FAST_TSC, 4096, 32, FULL, false },
	{ "slow-64k", TORTURE_NO_RSEQ, TORTURE_FAST_TSC, 65536, 4, OVERWRITE, DELAYS },
	{ "slow-64k-full", TORTURE_NO_RSEQ, TORTURE_GIVEN, 65536, 4, FULL, false },
	{ "mixed-4k", TORTURE_MIXED, TORTURE_FAST_TSC, 4096, 32, OVERWRITE, DELAYS },
	{ "mixed-64k-full", TORTURE_MIXED, TORTURE_FAST_TSC, 65536, 4, FULL, DELAYS },
};

/* ---- one variant ---- */

struct run {
	struct torture t;
	pid_t consumer, observers[OBSERVERS], writers[PROCESSES];
	uint32_t nr_threads;
	uint64_t random;
	uint64_t kills, pauses;
};

static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0) {
		/* our children die with us; -1 must never get to kill() */
		printf("fork: errno %d\n", errno);
		exit(1);
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

static void start_writer(struct run *run, uint32_t i)
{
	uint64_t seed = random_next(&run->random);

	run->writers[i] = start();
	if (run->writers[i] == 0)
		torture_writer(&run->t, run->nr_threads, seed);
}

static void start_readers(struct run *run)
{
	struct timespec pause = { 0, 1000000 };
	struct torture_shared *shared = run->t.shared;

	for (uint32_t i = 0; i < OBSERVERS; i++) {
		run->observers[i] = start();
		if (run->observers[i] == 0)
			torture_observer(&run->t);
	}
	while (__atomic_load_n(&shared->observers_ready, __ATOMIC_ACQUIRE) <
	       OBSERVERS)
		nanosleep(&pause, NULL);
	run->consumer = start();
	if (run->consumer == 0)
		torture_consumer(&run->t);
}

/* 0 if the process ended as it should: by itself, or by @signal. */
static int reap(struct run *run, const char *what, pid_t pid, int signal)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (signal && WIFSIGNALED(status) && WTERMSIG(status) == signal)
		return 0;
	torture_fail(&run->t, "a %s ended with status %#x", what, status);
	return -ECHILD;
}

static uint64_t attempts(const struct torture_shared *shared)
{
	uint32_t nr = min_u32(shared->nr_contexts, RECORD_WRITERS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct torture_context *c = &shared->contexts[i];

		sum += __atomic_load_n(&c->written, __ATOMIC_RELAXED) +
		       __atomic_load_n(&c->refused, __ATOMIC_RELAXED);
	}
	return sum;
}

static void sleep_us(uint32_t us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static void kill_one(struct run *run)
{
	uint32_t i = random_below(&run->random, PROCESSES);

	kill(run->writers[i], SIGKILL);
	reap(run, "writer", run->writers[i], SIGKILL);
	run->kills++;
	start_writer(run, i);
}

/* No record for longer than a time delta can say. */
static void rest(struct run *run)
{
	__atomic_store_n(&run->t.shared->pause, 1, __ATOMIC_RELAXED);
	sleep_us(150000);
	__atomic_store_n(&run->t.shared->pause, 0, __ATOMIC_RELAXED);
	run->pauses++;
}

/* Recording off and on again, under the writers' hands. */
static void blink(struct run *run)
{
	struct torture *t = &run->t;

	for (int on = 0; on < 2; on++) {
		for (uint32_t i = 0; i < t->nr_rings; i++)
			ring_set_recording(t->views[i].ring,
					   t->config->page_bytes, on);
		if (!on)
			sleep_us(random_below(&run->random, 200));
	}
}

/* Deaths are spread so that the numbers of the writers last for all. */
static void go_on(struct run *run, uint64_t events)
{
	struct torture_shared *shared = run->t.shared;
	uint32_t room = (RECORD_WRITERS - 4096) / (4 * run->nr_threads);
	uint64_t per_kill = max_u64(events / room, 2000);
	uint64_t done = 0, next_kill = per_kill, next_rest = events / 3;

	while (done < events && !shared->failures) {
		sleep_us(500 + random_below(&run->random, 10000));
		done = attempts(shared);
		if (done >= next_kill) {
			kill_one(run);
			next_kill = done + per_kill / 2 +
				    random_below(&run->random,
						 (uint32_t)per_kill);
		}
		if (!random_below(&run->random, 4))
			blink(run);
		if (done >= next_rest) {
			rest(run);
			next_rest += events / 3;
		}
	}
}

static void stop(struct run *run)
{
	struct torture_shared *shared = run->t.shared;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < PROCESSES; i++)
		reap(run, "writer", run->writers[i], 0);
	__atomic_store_n(&shared->drain, 1, __ATOMIC_RELEASE);
	reap(run, "consumer", run->consumer, 0);
	for (uint32_t i = 0; i < OBSERVERS; i++)
		reap(run, "observer", run->observers[i], 0);
}

/* Children of killed writers are ours now; they end soon. */
static void reap_orphans(struct run *run)
{
	int status;

	while (waitpid(-1, &status, 0) > 0 || errno == EINTR) {
		if (status)
			torture_fail(&run->t, "a child ended with %#x", status);
	}
}

static void report(const struct run *run)
{
	const struct torture_shared *s = run->t.shared;
	uint64_t written = 0, refused = 0, busy = 0, cancelled = 0;

	for (uint32_t i = 0; i < s->nr_contexts; i++) {
		written += s->contexts[i].written;
		refused += s->contexts[i].refused;
		busy += s->contexts[i].busy;
		cancelled += s->contexts[i].cancelled;
	}
	printf("%-15s %9" PRIu64 " written %9" PRIu64 " read %9" PRIu64
	       " overrun %9" PRIu64 " dropped %" PRIu64 " busy %" PRIu64
	       " off\n", run->t.config->name, written, s->read, s->lost,
	       refused, busy, cancelled);
	printf("%15s %9u writers %9u forks %8" PRIu64 " kills %11" PRIu64
	       " rests %" PRIu64 " extends; observed %" PRIu64 " in %" PRIu64
	       " pages: %s\n", "", s->nr_contexts, s->forks, run->kills,
	       run->pauses, s->extends, s->observed, s->observed_pages,
	       s->failures ? "FAIL" : "PASS");
	fflush(stdout);
}

static int run_variant(const struct torture_config *config, uint64_t events)
{
	struct run run = { .random = (uint64_t)time(NULL) };
	bool has_rseq = arch_rseq_init();
	int r;

	if (has_rseq == (config->path == TORTURE_NO_RSEQ)) {
		printf("%s: rseq is %s\n", config->name,
		       has_rseq ? "still there" : "missing");
		return has_rseq ? 1 : 77;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r = torture_init(&run.t, config, run.random);
	if (r) {
		printf("%s: no memory (%d)\n", config->name, r);
		return 1;
	}
	run.nr_threads = max_u64(run.t.nr_cpus, 2) + 1;
	if (config->has_delays)
		testpoint_hook = torture_delay;
	start_readers(&run);
	for (uint32_t i = 0; i < PROCESSES; i++)
		start_writer(&run, i);
	go_on(&run, events);
	stop(&run);
	reap_orphans(&run);
	if (config->clock != TORTURE_TSC && !config->overwrite &&
	    !run.t.shared->extends)
		torture_fail(&run.t, "no time extend was met");
	report(&run);
	return run.t.shared->failures ? 1 : 0;
}

/* ---- all of them, each in a process of its own kind ---- */

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
