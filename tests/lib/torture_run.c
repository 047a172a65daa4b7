/* SPDX-License-Identifier: MIT */
/* One run of the torture: start all processes, kill some, and report. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "lib/torture.h"

#define EVENTS_PER_REST	100000u	/* at least, because a rest takes 150 ms */
#define PROCESSES	3
#define OBSERVERS	2

struct run {
	struct torture *t;
	pid_t consumer, observers[OBSERVERS], writers[PROCESSES];
	pid_t group;		/* process group of the writers and of all their children */
	uint32_t nr_threads;
	uint64_t random;
	uint64_t kills, pauses;
};

int torture_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0) {
		/* Exit: our children die with this process, and kill() must never get -1. */
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

	run->writers[i] = torture_fork();
	if (run->writers[i] == 0) {
		/* Set the group twice: here, before this writer has children, and below,
		 * before the next writer starts. */
		setpgid(0, run->group);
		torture_writer(run->t, run->nr_threads, seed);
	}
	setpgid(run->writers[i], run->group);
	if (!run->group)
		run->group = run->writers[i];
}

static void start_readers(struct run *run)
{
	struct timespec pause = { 0, 1000000 };
	struct torture_shared *shared = run->t->shared;

	for (uint32_t i = 0; i < OBSERVERS; i++) {
		run->observers[i] = torture_fork();
		if (run->observers[i] == 0)
			torture_observer(run->t);
	}
	while (__atomic_load_n(&shared->observers_ready, __ATOMIC_ACQUIRE) <
	       OBSERVERS)
		nanosleep(&pause, NULL);
	run->consumer = torture_fork();
	if (run->consumer == 0)
		_exit(torture_consume(run->t) ? 1 : 0);
}

/* Wait for the end of a process.  Returns 0 if it exited with status 0, or died of @signal. */
static int reap(struct run *run, const char *what, pid_t pid, int signal)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (signal && WIFSIGNALED(status) && WTERMSIG(status) == signal)
		return 0;
	torture_fail(run->t, "a %s ended with status %#x", what, status);
	return -ECHILD;
}

static uint64_t written_so_far(const struct torture_shared *shared)
{
	uint32_t nr = min_u32(shared->nr_contexts, RECORD_WRITERS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		sum += __atomic_load_n(&shared->contexts[i].written,
				       __ATOMIC_RELAXED);
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

/* Let all writers pause for longer than a time delta can express. */
static void rest(struct run *run)
{
	__atomic_store_n(&run->t->shared->pause, 1, __ATOMIC_RELAXED);
	sleep_us(150000);
	__atomic_store_n(&run->t->shared->pause, 0, __ATOMIC_RELAXED);
	run->pauses++;
}

/* Switch recording off and on again while the writers write. */
static void blink(struct run *run)
{
	struct torture *t = run->t;

	if (t->ops->unreported)
		return;		/* nobody would know how many records are missing */
	for (int on = 0; on < 2; on++) {
		for (uint32_t i = 0; i < t->nr_rings; i++)
			ring_set_recording(t->views[i].ring, on);
		if (!on)
			sleep_us(random_below(&run->random, 200));
	}
}

/* Run until @events records are written.  Kills are spread so that there are enough numbers
 * for writers. */
static void go_on(struct run *run, uint64_t events)
{
	struct torture_shared *shared = run->t->shared;
	uint32_t room = (RECORD_WRITERS - 4096) / (4 * run->nr_threads);
	uint64_t per_kill = max_u64(events / room, 2000);
	uint64_t per_rest = max_u64(events / 3, EVENTS_PER_REST);
	uint64_t done = 0, next_kill = per_kill, next_rest = per_rest;

	while (done < events && !shared->failures) {
		sleep_us(500 + random_below(&run->random, 10000));
		done = written_so_far(shared);
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
			next_rest += per_rest;
		}
	}
}

/* Wait for the children of killed writers.  They are now children of this process, and end
 * soon.  Children of vfork() kill themselves. */
static void reap_orphans(struct run *run)
{
	int status;

	while (waitpid(-run->group, &status, 0) > 0 || errno == EINTR) {
		if (status && !(run->t->config->path == TORTURE_VFORK && status == SIGKILL))
			torture_fail(run->t, "a child ended with %#x", status);
	}
}

static void stop(struct run *run)
{
	struct torture_shared *shared = run->t->shared;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < PROCESSES; i++)
		reap(run, "writer", run->writers[i], 0);
	/* The consumer sums up the records of the rings, then those of the writers.  An orphan
	 * that writes in between would make the sums differ. */
	reap_orphans(run);
	__atomic_store_n(&shared->drain, 1, __ATOMIC_RELEASE);
	reap(run, "consumer", run->consumer, 0);
	for (uint32_t i = 0; i < OBSERVERS; i++)
		reap(run, "observer", run->observers[i], 0);
}

static void report(const struct run *run)
{
	const struct torture_shared *s = run->t->shared;
	uint64_t written = 0, busy = 0, cancelled = 0;

	for (uint32_t i = 0; i < s->nr_contexts; i++) {
		written += s->contexts[i].written;
		busy += s->contexts[i].busy;
		cancelled += s->contexts[i].cancelled;
	}
	printf("%-15s %9" PRIu64 " written %9" PRIu64 " read %9" PRIu64
	       " overrun %9" PRIu64 " dropped %" PRIu64 " busy %" PRIu64
	       " off\n", run->t->config->name, written, s->read, s->lost,
	       s->dropped, busy, cancelled);
	printf("%15s %9u writers %9u forks %u vforks %8" PRIu64 " kills %11" PRIu64
	       " rests %" PRIu64 " extends; observed %" PRIu64 " in %" PRIu64
	       " pages: %s\n", "", s->nr_contexts, s->forks, s->vforks,
	       run->kills, run->pauses, s->extends, s->observed, s->observed_pages,
	       s->failures ? "FAIL" : "PASS");
	fflush(stdout);
}

int torture_run(struct torture *t, uint64_t events)
{
	struct run run = {
		.t = t,
		.random = t->seed,
		.nr_threads = (uint32_t)max_u64(t->nr_cpus, 2) + 1,
	};

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start_readers(&run);
	for (uint32_t i = 0; i < PROCESSES; i++)
		start_writer(&run, i);
	go_on(&run, events);
	stop(&run);
	if (t->config->clock != TORTURE_TSC && !t->config->overwrite &&
	    !t->shared->extends)
		torture_fail(t, "no time extend was met");
	report(&run);
	return t->shared->failures ? -EBADMSG : 0;
}
