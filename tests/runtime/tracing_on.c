/* SPDX-License-Identifier: MIT */
/*
 * tracing_on(), tracing_off(), tracing_is_on() and disable_trace_on_warning(): before and
 * after there is a server, in any thread, handler and process of the root, and the state
 * after a process was killed in one of them.
 *
 * timeout: 60
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static struct driver d;

/* Hit, sometimes on the slow path.  Returns the number of records. */
static size_t hits(int nr)
{
	for (int i = 0; i < nr; i++) {
		trace_rt_hit(i, 0);
		if (i % 8 == 0)
			trace_rt_long("text");
	}
	return trace_drain(&d, "rt", "rt_hit");
}

static void open_root(void)
{
	trace_open(&d, getpid());
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_long", true), 0);
}

static void test_before_server(void)
{
	CHECK(tracing_is_on());
	tracing_off();
	CHECK(!tracing_is_on());
	open_root();
	CHECK(!tracing_is_on());
	CHECK_EQ(hits(100), 0);
	tracing_on();
	CHECK(tracing_is_on());
	CHECK_EQ(hits(100), 100);
}

static void test_errno(void)
{
	errno = 4711;
	disable_trace_on_warning();	/* has no effect without traceoff_on_warning */
	CHECK(tracing_is_on());
	tracing_off();
	tracing_on();
	CHECK(tracing_is_on());
	CHECK_EQ(errno, 4711);
}

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		tracing_off();
	else
		tracing_on();
}

static void test_handler(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	raise(SIGUSR1);
	CHECK_EQ(hits(100), 0);
	raise(SIGUSR2);
	CHECK_EQ(hits(100), 100);
}

/* Parent and child switch for each other. */
static void test_fork(void)
{
	for (int on = 0; on < 2; on++) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (!pid) {
			on_signal(on ? SIGUSR2 : SIGUSR1);
			_exit(tracing_is_on() == on ? 0 : 1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		CHECK_EQ(hits(100), on ? 100 : 0);
	}
}

/* Only the word was changed: it is in force once a page is full. */
static void test_half_done(void)
{
	size_t left;

	CHECK_EQ(hits(1), 1);
	__atomic_store_n(&trace_buffer(&d)->stopped, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 1000; i++)
		trace_rt_hit(i, 0);
	left = trace_drain(&d, "rt", "rt_hit");
	CHECK(left < 4096 / 24 * (size_t)d.control->nr_cpus);
	CHECK_EQ(hits(100), 0);
	__atomic_store_n(&trace_buffer(&d)->stopped, 0, __ATOMIC_RELAXED);
	CHECK_EQ(hits(100), 100);
}

/* ---- many calls at once ---- */

static bool is_over;			/* written by main, read by the threads */

static void *switch_it(void *arg)
{
	for (long i = (long)arg; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
		if (i % 3)
			tracing_off();
		else
			tracing_on();
		if (i % 7 == 0)
			pthread_kill(pthread_self(), SIGUSR1);
	}
	return NULL;
}

/* After the storm, the last call is in force from the next record on. */
static void test_storm(void)
{
	pthread_t threads[4];

	for (int round = 0; round < 20; round++) {
		is_over = false;
		for (long i = 0; i < 4; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, switch_it,
						(void *)i), 0);
		hits(2000);
		__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
		for (int i = 0; i < 4; i++)
			CHECK_EQ(pthread_join(threads[i], NULL), 0);
		trace_drain(&d, "rt", "rt_hit");
		CHECK_EQ(hits(100), tracing_is_on() ? 100 : 0);
		if (round % 2)
			tracing_on();
		else
			tracing_off();
		CHECK_EQ(hits(100), round % 2 ? 100 : 0);
	}
	tracing_on();
}

static int not_traced(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	disable_trace_on_warning();
	tracing_on();
	CHECK(!tracing_is_on());
	tracing_off();
	return 0;
}

static int without_rseq(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	open_root();
	tracing_off();
	CHECK_EQ(hits(100), 0);
	tracing_on();
	CHECK_EQ(hits(100), 100);
	return 0;
}

/* Started with traceoff_on_warning: recording stops, and a line says so. */
static int warned(int argc, char **argv)
{
	struct trace trace;

	(void)argc;
	(void)argv;
	open_root();
	CHECK_EQ(hits(100), 100);
	errno = 4711;
	disable_trace_on_warning();
	CHECK_EQ(errno, 4711);
	CHECK(!tracing_is_on());
	disable_trace_on_warning();
	CHECK(!tracing_is_on());
	trace_rt_hit(0, 0);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 1);
	trace_free(&trace);
	tracing_on();
	CHECK_EQ(hits(100), 100);
	return 0;
}

static const struct self_role roles[] = {
	{ "warned", warned },
	{ "not_traced", not_traced },
	{ "without_rseq", without_rseq },
	{ NULL, NULL },
};

static void test_self(const char *role, const char *name, const char *value)
{
	struct self self;

	setenv(name, value, 1);
	self = self_start(role, NULL);
	unsetenv(name);
	CHECK_EQ(self_wait(&self), 0);
}

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	test_before_server();
	test_errno();
	test_handler();
	test_fork();
	test_half_done();
	test_storm();
	test_self("warned", "ULF_TRACE", "traceoff_on_warning");
	test_self("not_traced", "ULF_DISABLE", "1");
	test_self("without_rseq", "GLIBC_TUNABLES", "glibc.pthread.rseq=0");
	driver_close(&d);
	return 0;
}
