/* SPDX-License-Identifier: MIT */
/*
 * libulf must be transparent: errno stays, whatever happens to a record, and no system call
 * is interrupted while events are switched.  The test runs with rseq, and a second time
 * without.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "lib/asleep.h"
#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define ODD_ERRNO	4711
#define THREADS		150	/* more threads than libulf has slots at first */

static struct driver d;

/* ---- errno ---- */

static void hit_all_kinds(void)
{
	errno = ODD_ERRNO;
	trace_rt_hit(1, 1);
	CHECK_EQ(errno, ODD_ERRNO);
	trace_rt_long("text");
	CHECK_EQ(errno, ODD_ERRNO);
	trace_rt_bytes(5000);
	CHECK_EQ(errno, ODD_ERRNO);
}

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	hit_all_kinds();
	errno = saved;
}

static pthread_barrier_t barrier;

/* All threads exist at the same time, and each hits for the first time. */
static void *first_hit(void *arg)
{
	pthread_barrier_wait(&barrier);
	if (arg)
		raise(SIGUSR1);
	hit_all_kinds();
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void hit_in_threads(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, first_hit,
					i % 2 ? &d : NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	pthread_barrier_destroy(&barrier);
}

static void want(bool on)
{
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", on), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_long", on), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_bytes", on), 0);
}

static void test_errno(void)
{
	struct driver_config full = trace_config;
	struct abi_buffer *buffer;
	struct trace trace;

	signal(SIGUSR1, on_signal);
	hit_all_kinds();
	CHECK_EQ(driver_open(&d, getpid()), 0);
	buffer = trace_buffer(&d);

	/* There is no ring yet. */
	buffer->stopped = 0;
	want(true);
	hit_all_kinds();
	CHECK(buffer->no_ring >= 2);
	CHECK_EQ(buffer->too_big, 1);

	CHECK_EQ(driver_rings(&d, &trace_config), 0);
	hit_all_kinds();
	hit_in_threads();
	trace_read(&d, &trace);
	CHECK_EQ(trace_count(&d, &trace, "rt", "rt_hit", 0),
		 1 + THREADS + THREADS / 2);
	CHECK_EQ(trace_count(&d, &trace, "rt", "rt_long", 0),
		 1 + THREADS + THREADS / 2);
	CHECK_EQ(buffer->too_big, 2 + THREADS + THREADS / 2);
	trace_free(&trace);

	/* The rings are full, and records are not overwritten. */
	full.fast_pages = full.slow_pages = 2;
	full.overwrite = false;
	CHECK_EQ(driver_rings(&d, &full), 0);
	for (int i = 0; i < 2000; i++)
		hit_all_kinds();
	trace_read(&d, &trace);
	CHECK(trace_count(&d, &trace, "rt", "rt_hit", 0) < 2000);
	trace_free(&trace);

	/* Recording is off. */
	buffer->stopped = 1;
	CHECK_EQ(driver_apply(&d), 0);
	hit_all_kinds();
	want(false);
	CHECK_EQ(driver_rings(&d, &trace_config), 0);
}

/* ---- EINTR ---- */

static int pipe_end;			/* gets a byte at the end */
static sem_t over;
static bool is_over;
static unsigned int nr_waiting;

static void waiting(void)
{
	__atomic_fetch_add(&nr_waiting, 1, __ATOMIC_RELEASE);
}

static void *wait_in_read(void *arg)
{
	char c;

	waiting();
	CHECK_EQ(read(pipe_end, &c, 1), 1);
	return arg;
}

static void *wait_in_poll(void *arg)
{
	struct pollfd pfd = { .fd = pipe_end, .events = POLLIN };

	waiting();
	CHECK_EQ(poll(&pfd, 1, -1), 1);
	return arg;
}

static void *wait_in_epoll(void *arg)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	CHECK_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, pipe_end, &event), 0);
	waiting();
	CHECK_EQ(epoll_wait(fd, &event, 1, -1), 1);
	close(fd);
	return arg;
}

static void *wait_in_sem(void *arg)
{
	waiting();
	CHECK_EQ(sem_wait(&over), 0);
	return arg;
}

static void *wait_in_sleep(void *arg)
{
	struct timespec time = { 0, 5000000 };

	waiting();
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		CHECK_EQ(nanosleep(&time, NULL), 0);
		trace_rt_hit(2, 2);
	}
	return arg;
}

static void test_interruptions(void)
{
	void *(*const waits[])(void *) = {
		wait_in_read, wait_in_poll, wait_in_epoll, wait_in_sem,
		wait_in_sleep,
	};
	pthread_t threads[5];
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	pipe_end = ends[0];
	sem_init(&over, 0, 0);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, waits[i], NULL), 0);
	while (__atomic_load_n(&nr_waiting, __ATOMIC_ACQUIRE) < 5)
		sched_yield();
	asleep_wait_for_others();
	for (int i = 0; i < 200; i++)
		want(i % 2 == 0);
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	/* one byte for read(); poll() and epoll_wait() do not consume theirs */
	CHECK_EQ(write(ends[1], "12", 2), 2);
	sem_post(&over);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static int run(int argc, char **argv)
{
	uint32_t has_rseq = argc && !strcmp(argv[0], "with");

	test_errno();
	CHECK_EQ(d.control->has_rseq, has_rseq);
	test_interruptions();
	driver_close(&d);
	return 0;
}

static const struct self_role roles[] = {
	{ "run", run },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	struct self self;

	self_role(argc, argv, roles);
	self = self_start("run", "with");
	CHECK_EQ(self_wait(&self), 0);
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	self = self_start("run", "without");
	CHECK_EQ(self_wait(&self), 0);
	return 0;
}
