/* SPDX-License-Identifier: MIT */
/*
 * Four threads hit a hundred tracepoints while these are switched 100,000 times: by the
 * agent, all in a batch, and one by one with probes.
 *
 * Each round has two parts.  During the switching, the threads hit all the time and nothing
 * is counted.  After the switching, the state of each tracepoint is known: each thread hits
 * each tracepoint a few times, and exactly these hits must arrive, or none.
 *
 * Two of the threads have all signals blocked.  A third thread hits breakpoints of the
 * program itself all the time, and a fourth looks for memory that is writable and executable.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "patch_trace.h"

#define THREADS		4
#define HITS		3	/* hits of each tracepoint, in the counted part */
#define BATCHES		500	/* batches of 100 or 15 tracepoints */
#define LONG_BATCHES	5000	/* ULF_TORTURE=long */
#define SINGLES		10000	/* switches of one tracepoint */

#define HIT(n) trace_patch_##n(thread, 1##n - 100);

/* The tracepoints are hit in several functions, so that their sites are on several pages. */
static __attribute__((noinline)) void hit_all(int thread)
{
	PATCH_EACH(HIT)
}

static __attribute__((noinline)) void hit_all_again(int thread)
{
	PATCH_EACH(HIT)
}

/* ---- rounds ---- */

enum part { HAMMER, COUNT, OVER };

/* One word has the number of the round and the part of it, so that no thread takes the part
 * of one round for that of another. */
#define PART_BITS	2
static unsigned int now;
static unsigned int done;		/* number of threads that have finished COUNT */

static enum part part_of(unsigned int round)
{
	return round & ((1u << PART_BITS) - 1);
}

static bool is_over(void)
{
	return part_of(__atomic_load_n(&now, __ATOMIC_RELAXED)) == OVER;
}

static __thread unsigned int calls[PATCH_NR];
static unsigned int expect[PATCH_NR];	/* expected calls of each tracepoint in a thread's COUNT */
static unsigned long wrong;

static void count_part(int thread)
{
	unsigned int before[PATCH_NR];

	memcpy(before, calls, sizeof(before));
	for (int i = 0; i < HITS; i++)
		i % 2 ? hit_all(thread) : hit_all_again(thread);
	for (int i = 0; i < PATCH_NR; i++) {
		if (calls[i] - before[i] != expect[i])
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	}
}

static void *hammer(void *arg)
{
	unsigned int seen = 0, round;
	int thread = (int)(long)arg;
	sigset_t all;

	sigfillset(&all);
	if (thread % 2)
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		round = __atomic_load_n(&now, __ATOMIC_ACQUIRE);
		if (part_of(round) == OVER)
			return NULL;
		if (part_of(round) == HAMMER) {
			hit_all(thread);
		} else if (round == seen) {
			sched_yield();
		} else {
			count_part(thread);
			__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
		}
		seen = round;
	}
}

static void begin(enum part part)
{
	unsigned int round = (now >> PART_BITS) + 1;

	__atomic_store_n(&done, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&now, round << PART_BITS | part, __ATOMIC_RELEASE);
}

static void count(void)
{
	begin(COUNT);
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS)
		sched_yield();
	if (__atomic_load_n(&wrong, __ATOMIC_RELAXED))
		fail("%lu tracepoints with too many or too few calls", wrong);
}

/* ---- batches: events, switched by the agent ---- */

static struct driver d;

static uint64_t recorded(void)
{
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < d.control->nr_cpus; cpu++) {
		for (int kind = 0; kind <= ABI_RING_SLOW; kind++) {
			struct abi_ring *ring = driver_ring(&d, cpu, kind);

			nr += ring->entries[ring->position & ABI_POS_FLAGS];
		}
	}
	return nr;
}

static struct abi_event *events[PATCH_NR];

static void find_events(void)
{
	struct abi_event *rows = (void *)(d.mem + d.control->events_off);
	char name[16];
	int row;

	for (int i = 0; i < PATCH_NR; i++) {
		snprintf(name, sizeof(name), "patch_%02d", i);
		row = driver_find_event(&d, "patch", name);
		CHECK(row >= 0);
		events[i] = &rows[row];
	}
}

static void want(bool on, int step)
{
	for (int i = 0; i < PATCH_NR; i += step)
		__atomic_store_n(&events[i]->wanted, on, __ATOMIC_RELAXED);
	CHECK_EQ(driver_apply(&d), 0);
}

/* The threads wait between the parts. */
static void batch(bool on, int step)
{
	uint64_t before, nr = on ? (PATCH_NR + step - 1) / step : 0;

	begin(HAMMER);
	want(on, step);
	count();
	before = recorded();
	count();
	CHECK_EQ(recorded() - before, nr * THREADS * HITS);
}

/* ---- singles: probes of the program ---- */

static struct tracepoint *tracepoints[PATCH_NR];

static void probe(void *data, int thread, int number)
{
	CHECK(data == &tracepoints[number]);
	(void)thread;
	calls[number]++;
}

static void find(struct tracepoint *tp, void *priv)
{
	int number;

	(void)priv;
	if (sscanf(tp->name, "patch_%d", &number) == 1)
		tracepoints[number] = tp;
}

static void single(int i, unsigned int *random)
{
	int number = (int)((*random = *random * 1103515245 + 12345) >> 16) %
		     PATCH_NR;
	struct tracepoint *tp = tracepoints[number];
	void *data = &tracepoints[number];

	if (i % 20 == 0)
		begin(HAMMER);
	if (expect[number]) {
		CHECK_EQ(tracepoint_probe_unregister(tp, (void *)probe, data), 0);
		expect[number] = 0;
	} else {
		CHECK_EQ(tracepoint_probe_register(tp, (void *)probe, data), 0);
		expect[number] = HITS;
	}
	if (i % 20 == 19) {
		tracepoint_synchronize_unregister();
		count();
	}
}

static void singles(void)
{
	unsigned int random = 1;

	for_each_kernel_tracepoint(find, NULL);
	for (int i = 0; i < SINGLES; i++)
		single(i, &random);
	begin(HAMMER);
	for (int i = 0; i < PATCH_NR; i++) {
		if (expect[i])
			CHECK_EQ(tracepoint_probe_unregister(tracepoints[i],
				(void *)probe, &tracepoints[i]), 0);
		expect[i] = 0;
	}
	tracepoint_synchronize_unregister();
	count();
}

/* ---- the program's own SIGTRAP ---- */

static volatile sig_atomic_t traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void trap_twice(void)
{
	int before = traps;

	raise(SIGTRAP);
	__asm__ volatile("int3");
	CHECK_EQ(traps, before + 2);
}

static void *trapper(void *arg)
{
	while (!is_over()) {
		trap_twice();
		usleep(500);
	}
	return arg;
}

/* ---- W^X ---- */

static unsigned long looked;

static void look_at_maps(void)
{
	static char maps[1 << 20];
	size_t len = 0;
	ssize_t n;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	while ((n = read(fd, maps + len, sizeof(maps) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	maps[len] = '\0';
	if (strstr(maps, " rwx") || strstr(maps, " -wx"))
		fail("writable and executable:\n%s", maps);
	looked++;
}

static void *looker(void *arg)
{
	while (!is_over()) {
		look_at_maps();
		usleep(300);
	}
	return arg;
}

int main(void)
{
	int nr_batches = getenv("ULF_TORTURE") ? LONG_BATCHES : BATCHES;
	pthread_t threads[THREADS + 2];

	CHECK(signal(SIGTRAP, on_trap) != SIG_ERR);
	trap_twice();
	trace_open(&d, getpid());
	find_events();
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)i),
			 0);
	CHECK_EQ(pthread_create(&threads[THREADS], NULL, trapper, NULL), 0);
	CHECK_EQ(pthread_create(&threads[THREADS + 1], NULL, looker, NULL), 0);
	for (int i = 0; i < nr_batches; i += 2) {
		batch(true, i % 6 ? 1 : 7);
		batch(false, 1);
	}
	singles();
	begin(OVER);
	for (int i = 0; i < THREADS + 2; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	trap_twice();
	look_at_maps();
	driver_close(&d);
	return 0;
}
