/* SPDX-License-Identifier: MIT */
/*
 * Kills and interference at each TESTPOINT of the ring: writers are killed between two steps
 * while others continue, readers are killed while they have a page, and pages arrive as fast
 * as they are read.
 *
 * timeout: 600
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "lib/torture.h"
#include "lib/ring_locked.h"

#define SHORT_KILLS	40		/* per point */
#define LONG_KILLS	1500
#define SURVIVORS	2
#define PATIENCE_MS	60000		/* time after which the test fails because something
					 * hangs */

void (*testpoint_hook)(const char *name);

static uint32_t kills_a_point(void)
{
	const char *form = getenv("ULF_TORTURE");

	return form && !strcmp(form, "long") ? LONG_KILLS : SHORT_KILLS;
}

static void sleep_ms(uint32_t ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&ts, NULL);
}

/* ---- a process that dies when it passes a point for the nth time ---- */

static const char *deadly_point;
static uint32_t deadly_passes;
static pid_t deadly_pid;	/* pid of the only process that is killed */

static void die_here(const char *name)
{
	if (strcmp(name, deadly_point) || getpid() != deadly_pid)
		return;
	if (__atomic_sub_fetch(&deadly_passes, 1, __ATOMIC_RELAXED) == 0)
		kill(deadly_pid, SIGKILL);
}

static void become_deadly(const char *point, uint32_t passes)
{
	deadly_point = point;
	deadly_passes = passes;
	deadly_pid = getpid();
	testpoint_hook = die_here;
}

/* ---- writers ---- */

static uint64_t written_by_all(const struct torture *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < min_u32(t->shared->nr_contexts,
					 RECORD_WRITERS); i++)
		sum += __atomic_load_n(&t->shared->contexts[i].written,
				       __ATOMIC_RELAXED);
	return sum;
}

/* The other writers must continue to write, and no dead writer may keep a lock. */
static void check_life_goes_on(struct torture *t, const uint32_t *locks)
{
	uint64_t before = written_by_all(t);
	uint32_t ms = 0;

	while (written_by_all(t) < before + 100 && ++ms < PATIENCE_MS)
		sleep_ms(1);
	for (uint32_t i = 1; i < t->nr_rings; i += 2) {
		uint32_t *lock = &t->views[i].ring->lock;

		while (locks[i] && __atomic_load_n(lock, __ATOMIC_RELAXED) ==
		       locks[i] && kill((pid_t)locks[i], 0) &&
		       ++ms < PATIENCE_MS)
			sleep_ms(1);
	}
	if (ms >= PATIENCE_MS)
		torture_fail(t, "the other writers do not continue");
}

static void kill_a_writer(struct torture *t, const char *point,
			  uint64_t *random, bool is_zombie)
{
	uint32_t passes = 1 + random_below(random, 40);
	uint32_t *locks = calloc(t->nr_rings, sizeof(*locks));
	uint64_t seed = random_next(random);
	siginfo_t info = { 0 };
	pid_t pid = torture_fork();

	if (pid == 0) {
		become_deadly(point, passes);
		torture_writer(t, 2, seed);
	}
	if (!locks || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		exit(1);
	if (info.si_code != CLD_KILLED || info.si_status != SIGKILL)
		torture_fail(t, "%s: ended with %d", point, info.si_status);
	for (uint32_t i = 1; i < t->nr_rings; i += 2)
		locks[i] = __atomic_load_n(&t->views[i].ring->lock,
					   __ATOMIC_RELAXED);
	if (!is_zombie)
		waitpid(pid, NULL, 0);
	check_life_goes_on(t, locks);
	if (is_zombie)
		waitpid(pid, NULL, 0);
	free(locks);
}

static int kill_writers(const struct torture_config *config,
			const char *const *points)
{
	pid_t consumer, survivors[SURVIVORS];
	uint32_t kills = kills_a_point();
	struct torture t;
	int failed;

	if (torture_prepare(&t, config) || torture_make_rings(&t))
		exit(1);
	consumer = torture_fork();
	if (consumer == 0)
		_exit(torture_consume(&t) ? 1 : 0);
	for (uint32_t i = 0; i < SURVIVORS; i++) {
		survivors[i] = torture_fork();
		if (survivors[i] == 0)
			torture_writer(&t, 2, t.seed + i);
	}
	for (; *points; points++) {
		for (uint32_t i = 0; i < kills && !t.shared->failures; i++)
			kill_a_writer(&t, *points, &t.seed, i % 2);
		printf("%-12s %-20s %u writers killed\n", config->name, *points,
		       kills);
		fflush(stdout);
	}
	t.shared->stop = 1;
	for (uint32_t i = 0; i < SURVIVORS; i++)
		waitpid(survivors[i], NULL, 0);
	t.shared->drain = 1;
	waitpid(consumer, NULL, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
	failed = t.shared->failures || !t.shared->read;
	printf("%-12s %llu written, %llu read, %llu overrun, %llu dropped: %s\n",
	       config->name, (unsigned long long)written_by_all(&t),
	       (unsigned long long)t.shared->read,
	       (unsigned long long)t.shared->lost,
	       (unsigned long long)t.shared->dropped,
	       failed ? "FAIL" : "PASS");
	torture_done(&t);
	return failed;
}

/* ---- readers ---- */

struct reading {
	uint64_t consumed;		/* number of records, stored after the consume */
	uint32_t failures;
};

static int write_number(struct abi_ring *ring, uint64_t number)
{
	uint64_t buffer[3] = { 0, number, ~number };

	return ring_write_locked(ring, &buffer[1], 16, 0, (uint32_t)getpid());
}

/* The number in a record must be its index in the ring. */
static void read_until_killed(struct torture *t, struct reading *reading)
{
	struct ring_cursor cursor;
	struct ring_record record;
	uint64_t numbers[2];

	if (ring_cursor_init(&cursor, &t->views[1]))
		_exit(1);
	/* A reader that was killed between the consume and the store is one batch ahead. */
	if (cursor.entries < reading->consumed ||
	    cursor.entries > reading->consumed + 50)
		reading->failures++;
	for (;;) {
		for (int i = 0; i < 50; i++) {
			if (!ring_cursor_peek(&cursor, &record))
				break;
			memcpy(numbers, record.data, 16);
			if (cursor.lost || numbers[0] != cursor.entries ||
			    numbers[1] != ~numbers[0])
				reading->failures++;
			ring_cursor_advance(&cursor, &record);
		}
		ring_cursor_consume(&cursor);
		reading->consumed = cursor.entries;
	}
}

static int kill_readers(void)
{
	static const struct torture_config config = {
		"readers", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 4, false, false,
	};
	uint32_t kills = kills_a_point();
	struct reading *reading;
	uint64_t number = 0;
	struct torture t;
	int status;

	if (torture_prepare(&t, &config) || torture_make_rings(&t))
		exit(1);
	reading = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (uint32_t i = 0; i < kills && !reading->failures; i++) {
		uint32_t passes = 1 + random_below(&t.seed, 40);
		pid_t pid = torture_fork();

		if (pid == 0) {
			become_deadly("ring.read.copied", passes);
			read_until_killed(&t, reading);
		}
		/* A full ring stays full until the reader continues. */
		while (!waitpid(pid, &status, WNOHANG))
			number += !write_number(t.views[1].ring, number);
	}
	printf("%u readers killed, %llu records read, %llu written: %s\n",
	       kills, (unsigned long long)reading->consumed,
	       (unsigned long long)number, reading->failures ? "FAIL" : "PASS");
	torture_done(&t);
	return reading->failures || reading->consumed < kills;
}

/* ---- a ring that grows by a page for each page that is read ---- */

static struct abi_ring *endless_ring;
static uint64_t nr_copies;

/* Add one more page, which is closed and has no record, for each page that is read. */
static void add_a_page(const char *name)
{
	if (strcmp(name, "ring.read.copied"))
		return;
	nr_copies++;
	if (nr_copies > 1000000) {
		printf("a reader does not get away from empty pages: FAIL\n");
		exit(1);
	}
	endless_ring->position += endless_ring->page_bytes;
}

static int read_without_end(void)
{
	static const struct torture_config config = {
		"endless", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 16, true, false,
	};
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;
	struct torture t;

	if (torture_prepare(&t, &config) || torture_make_rings(&t) ||
	    ring_cursor_init(&cursor, &t.views[1]))
		exit(1);
	endless_ring = t.views[1].ring;
	endless_ring->position = 4096 + 16;
	testpoint_hook = add_a_page;
	for (int i = 0; i < 100; i++) {
		if (ring_cursor_peek(&cursor, &record))
			return 1;
		ring_stats(&t.views[1], &stats);
	}
	testpoint_hook = NULL;
	printf("%llu empty pages were read, and it ended: PASS\n",
	       (unsigned long long)nr_copies);
	ring_cursor_done(&cursor);
	torture_done(&t);
	return 0;
}

int main(void)
{
	static const struct torture_config fast = {
		"fast", TORTURE_RSEQ, TORTURE_JUMPY_TSC, 4096, 8, true, false,
	}, slow = {
		"slow", TORTURE_NO_RSEQ, TORTURE_JUMPY_TSC, 4096, 8, true, false,
	}, slow_pages = {
		"slow-pages", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 3, false, false,
	}, full = {
		"slow-full", TORTURE_NO_RSEQ, TORTURE_TSC, 65536, 3, false,
		false,
	};
	static const char *const fast_points[] = {
		"ring.open", "ring.close", NULL,
	};
	static const char *const slow_points[] = {
		"ring.locked.store", "ring.locked.commit", "ring.locked.append",
		NULL,
	}, *const fill_points[] = {
		"ring.locked.store", "ring.locked.commit", "ring.locked.append",
		"ring.locked.fill", NULL,
	};
	int failed = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (arch_rseq_init())
		failed += kill_writers(&fast, fast_points);
	else
		printf("no rseq: its points are not tried\n");
	failed += kill_writers(&slow, fill_points);
	failed += kill_writers(&slow_pages, fill_points);
	failed += kill_writers(&full, slow_points);
	failed += kill_readers();
	failed += read_without_end();
	return failed ? 1 : 0;
}
