/* SPDX-License-Identifier: MIT */
/*
 * Snapshots under load: threads, signal handlers and children of a program write numbered
 * records and swap the sides of the buffer at random, with delays and further swaps between
 * the steps of a swap, while children are killed at each of these steps.  Every record must
 * be there once, on one side or the other.  A swap that a killed child has not finished is
 * finished after one page of records.
 *
 * timeout: 600
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testpoint.h"
#include "lib/check.h"
#include "lib/record.h"
#include "lib/trace.h"
#include "runtime/base/lock.h"
#include "runtime/function/ftrace.h"
#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "snapshot_trace.h"

#define THREADS		3
#define CHILDREN	2
#define HANDLERS	(THREADS + CHILDREN)	/* handlers of main and of the threads */
#define WRITERS		(HANDLERS + 1 + THREADS)
#define SHORT_ROUNDS	150
#define LONG_ROUNDS	20000
#define ROUND_HITS	2000

void (*testpoint_hook)(const char *name);

static const struct driver_config config = {
	.page_bytes = 4096,
	.fast_pages = 1000,
	.slow_pages = 400,
	.overwrite = true,
};

static struct driver d;

/* Memory that the processes share: for each writer the number of records that are written. */
static struct shared {
	uint64_t written[WRITERS];
	uint32_t is_over;
} *shared;

static __thread uint64_t dice;

static uint32_t roll(uint32_t sides)
{
	if (!dice)
		dice = (uint64_t)gettid() * 0x9e3779b97f4a7c15ull;
	return random_below(&dice, sides);
}

static void hit(uint32_t who)
{
	uint64_t number = shared->written[who];

	if (number % 16)
		trace_snapshot_hit((int)who, (long)number);
	else
		trace_snapshot_long((int)who, (long)number, "more than is copied at once");
	__atomic_store_n(&shared->written[who], number + 1, __ATOMIC_RELEASE);
}

static bool is_over(void)
{
	return __atomic_load_n(&shared->is_over, __ATOMIC_RELAXED);
}

/* ---- delays, swaps and kills between two steps ---- */

static pid_t parent;
static __thread bool is_in_hook;

static void trouble(const char *name)
{
	if (strncmp(name, "switch.", 7) || is_in_hook)
		return;
	is_in_hook = true;
	switch (roll(8)) {
	case 0:
		sched_yield();
		break;
	case 1:
		tracing_snapshot();
		break;
	case 2:
		usleep(roll(300));
		break;
	case 3:
		if (getpid() != parent)
			kill(getpid(), SIGKILL);
		break;
	}
	is_in_hook = false;
}

/* ---- processes and threads that write and swap ---- */

static __thread uint32_t handler;	/* number of the handler as a writer; 0: none yet */

static void on_timer(int sig)
{
	(void)sig;
	if (!handler)
		return;
	hit(handler);
	tracing_snapshot();
	hit(handler);
}

static void *write_and_swap(void *arg)
{
	uint32_t who = (uint32_t)(long)arg;

	handler = HANDLERS + 1 + who;
	for (int i = 0; i < ROUND_HITS; i++) {
		hit(who);
		if (!roll(200))
			tracing_snapshot();
		if (!roll(50))
			sched_yield();
	}
	return NULL;
}

static pid_t start_child(uint32_t who)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* no more records than fit into the rings, even if the other processes are slow */
	for (int i = 0; i < 2 * ROUND_HITS && !is_over(); i++) {
		hit(who);
		if (!roll(50))
			tracing_snapshot();
		if (!roll(20))
			usleep(50);
	}
	_exit(0);
}

/* ---- checks of the records ---- */

/* Check all records.  A killed process may have written one record that it has not counted. */
static void check_all(const struct trace *trace, const uint64_t *first,
		      bool *has_extra)
{
	for (uint32_t who = 0; who < WRITERS; who++) {
		uint64_t nr = shared->written[who] - first[who];
		uint8_t *seen = calloc(nr + 1, 1);
		uint64_t there = 0;

		CHECK(seen);
		for (size_t i = 0; i < trace->nr; i++) {
			const struct trace_record *record = &trace->records[i];
			int64_t number;

			if ((uint32_t)trace_number(&d, record, "who") != who)
				continue;
			number = trace_number(&d, record, "number") -
				 (int64_t)first[who];
			if (number < 0 || (uint64_t)number > nr || seen[number]++)
				fail("writer %u: record %lld is there twice, or never was",
				     who, (long long)number);
			there += (uint64_t)number < nr;
		}
		if (there != nr)
			fail("writer %u: %llu of %llu records", who,
			     (unsigned long long)there, (unsigned long long)nr);
		has_extra[who] = seen[nr];
		free(seen);
	}
}

static void one_round(uint64_t *nr_deaths, uint64_t *nr_records)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } }, never = { 0 };
	uint64_t first[WRITERS];
	bool has_extra[WRITERS];
	pthread_t threads[THREADS];
	pid_t pids[CHILDREN];
	struct trace trace;
	int status;

	memcpy(first, shared->written, sizeof(first));
	shared->is_over = 0;
	for (uint32_t i = 0; i < CHILDREN; i++)
		pids[i] = start_child(THREADS + i);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, write_and_swap,
					(void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < CHILDREN; i++) {
		CHECK_EQ(waitpid(pids[i], &status, 0), pids[i]);
		*nr_deaths += WIFSIGNALED(status);
		CHECK(!status || WTERMSIG(status) == SIGKILL);
	}
	trace_read(&d, &trace);
	CHECK_EQ(trace.lost, 0);
	check_all(&trace, first, has_extra);
	*nr_records += trace.nr;
	for (uint32_t who = 0; who < WRITERS; who++)
		shared->written[who] += has_extra[who];
	trace_free(&trace);
}

static int nr_rounds(void)
{
	const char *form = getenv("ULF_TORTURE");

	return form && !strcmp(form, "long") ? LONG_ROUNDS : SHORT_ROUNDS;
}

/* ---- checks after the load ---- */

/* Check that hits go to the main side once a page of each ring is full. */
static void check_quiet(void)
{
	const struct abi_buffer *buffer = trace_buffer(&d);
	struct trace trace;

	for (uint32_t i = 0; i < 200 * d.control->nr_cpus; i++)
		hit(0);
	trace_read(&d, &trace);
	trace_free(&trace);
	for (int i = 0; i < 3; i++) {
		uint64_t before = shared->written[0];
		uint32_t side = abi_main_side(buffer, 0);

		hit(0);
		tracing_snapshot();
		hit(0);
		trace_read(&d, &trace);
		CHECK_EQ(trace.nr, 2);
		for (size_t at = 0; at < trace.nr; at++) {
			const struct trace_record *record = &trace.records[at];
			bool is_first = (uint64_t)trace_number(&d, record, "number") ==
					before;

			CHECK_EQ(record->side, is_first ? side : !side);
		}
		CHECK_EQ(abi_main_side(buffer, 0), !side);
		trace_free(&trace);
	}
}

/* Let a child die once, for certain, at each point, after it has changed the words. */
static const char *deadly_point;

static void die_here(const char *name)
{
	if (getpid() != parent && !strcmp(name, deadly_point))
		kill(getpid(), SIGKILL);
}

static void die_at(const char *point)
{
	uint32_t seen = trace_buffer(&d)->spare;
	int status;
	pid_t pid;

	deadly_point = point;
	testpoint_hook = die_here;
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		tracing_snapshot();
		hit(1);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	testpoint_hook = NULL;
	CHECK_EQ(trace_buffer(&d)->spare, seen + ABI_SPARE_SWAP);
}

static void test_death(const char *point)
{
	hit(0);
	die_at(point);
	check_quiet();
	shared->written[1] = 0;
}

/* Call the function tracer's hook as ftrace.S does when a page has no space. */
static void hit_function(void)
{
	static const struct fsite_slot slot = { .users = 1u << FTRACE_FUNCTION };
	uint64_t parent = 0;

	ftrace_hit((uint64_t)hit_function, &parent, slot.code + FSITE_SLOT_CALL, NULL);
}

static void set_function_tracer(uint32_t users)
{
	runtime_lock();
	CHECK_EQ(ftrace_apply_users(users, &(struct ftrace_graph_settings){ .buffers = 0 }), 0);
	runtime_unlock();
}

/* A child dies during a swap.  The hook of the function tracer opens pages by itself, so it
 * must look at the words of the swap, too. */
static void test_death_among_functions(void)
{
	struct trace trace;

	set_function_tracer(1u << FTRACE_FUNCTION);
	hit_function();
	die_at("switch.word");
	for (uint32_t i = 0; i < 200 * d.control->nr_cpus; i++)
		hit_function();
	trace_read(&d, &trace);
	trace_free(&trace);
	hit_function();
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 1);
	CHECK_EQ(trace.records[0].side, abi_main_side(trace_buffer(&d), 0));
	trace_free(&trace);
	set_function_tracer(0);
}

/* ---- one case at a time ---- */

/* Hit, and check that all records are on this side and in rings of this kind. */
static void check_hits(uint32_t side, uint32_t kind)
{
	struct trace trace;

	for (int i = 0; i < 10; i++)
		hit(0);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 10);
	for (size_t i = 0; i < trace.nr; i++) {
		CHECK_EQ(trace.records[i].side, side);
		if (d.control->has_rseq)
			CHECK_EQ(trace.records[i].kind, kind);
	}
	trace_free(&trace);
}

static void swap_here(const char *name)
{
	if (strcmp(name, "switch.seen"))
		return;
	testpoint_hook = NULL;
	tracing_snapshot();
}

/* Swap after a writer has read the words, and before it records by them. */
static void test_between(void)
{
	struct trace trace;

	tracing_snapshot();
	testpoint_hook = swap_here;
	hit(0);
	CHECK(!testpoint_hook);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 1);
	trace_free(&trace);
	check_hits(abi_main_side(trace_buffer(&d), 0), ABI_RING_FAST);
}

/* The agent is late and does not know the main side, so hits are written to the other side. */
static void test_late(void)
{
	struct abi_buffer *buffer = trace_buffer(&d);
	struct abi_side *kept = malloc(sizeof(*kept));

	CHECK(kept);
	while (abi_main_side(buffer, 0))
		tracing_snapshot();
	*kept = buffer->side[1];
	memset(&buffer->side[1], 0, sizeof(*kept));
	buffer->spare &= ~(uint32_t)ABI_SPARE_THERE;
	CHECK_EQ(driver_apply(&d), 0);
	check_hits(0, ABI_RING_FAST);
	buffer->side[1] = *kept;
	buffer->spare |= ABI_SPARE_THERE;
	tracing_snapshot();
	CHECK_EQ(abi_main_side(buffer, 0), 1);
	check_hits(0, ABI_RING_SLOW);
	CHECK_EQ(driver_apply(&d), 0);
	check_hits(1, ABI_RING_FAST);
	free(kept);
}

int main(int argc, char **argv)
{
	uint64_t nr_deaths = 0, nr_records = 0;

	(void)argc;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	parent = getpid();
	CHECK_EQ(driver_open(&d, parent), 0);
	CHECK_EQ(driver_rings(&d, &config), 0);
	CHECK_EQ(driver_spare(&d, &config), 0);
	CHECK_EQ(driver_enable(&d, "snapshot", "snapshot_hit", true), 0);
	CHECK_EQ(driver_enable(&d, "snapshot", "snapshot_long", true), 0);
	check_quiet();
	test_late();
	test_death("switch.word");
	if (d.control->has_rseq) {
		test_between();
		test_death("switch.off");
		test_death_among_functions();
	}
	handler = HANDLERS;
	signal(SIGALRM, on_timer);
	testpoint_hook = trouble;
	for (int i = 0; i < nr_rounds(); i++)
		one_round(&nr_deaths, &nr_records);
	testpoint_hook = NULL;
	check_quiet();
	CHECK_EQ(trace_buffer(&d)->no_ring, 0);
	CHECK(nr_deaths > 0);
	printf("%llu records, %u swaps, %llu deaths\n",
	       (unsigned long long)nr_records,
	       trace_buffer(&d)->spare / ABI_SPARE_SWAP,
	       (unsigned long long)nr_deaths);
	driver_remove(parent);
	if (d.control->has_rseq) {
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		execv("/proc/self/exe", argv);
	}
	return 0;
}
