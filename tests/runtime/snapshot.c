/* SPDX-License-Identifier: MIT */
/*
 * tracing_snapshot(), tracing_alloc_snapshot(), tracing_snapshot_alloc(): their results, and
 * their effect on the trace.
 *
 * waits: until a request for a snapshot gets no answer
 * timeout: 60
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static struct driver d;

/* Count the records of each side.  Records that are not events have rows beyond the table. */
static void count_sides(size_t ret_nr[ABI_SIDES])
{
	struct trace trace;

	ret_nr[0] = ret_nr[1] = 0;
	trace_read(&d, &trace);
	for (size_t i = 0; i < trace.nr; i++)
		ret_nr[trace.records[i].side]++;
	trace_free(&trace);
}

static void check_sides(size_t first, size_t second)
{
	size_t nr[ABI_SIDES];

	count_sides(nr);
	CHECK_EQ(nr[0], first);
	CHECK_EQ(nr[1], second);
}

/* ---- without a snapshot ---- */

static bool is_text(const struct trace_record *record, const char *text)
{
	uint16_t type;
	uint64_t ip;

	memcpy(&type, record->data, sizeof(type));
	memcpy(&ip, record->data + 8, sizeof(ip));
	return type == ABI_EVENT_ID_PRINT && ip == ABI_IP_SNAPSHOT &&
	       !strcmp((const char *)record->data + 16, text);
}

static void test_refused(void)
{
	struct trace trace;

	errno = 4711;
	tracing_snapshot();
	CHECK_EQ(errno, 4711);
	CHECK(!tracing_is_on());
	trace_rt_hit(1, 1);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 2);
	CHECK(is_text(&trace.records[0], "*** SNAPSHOT NOT ALLOCATED ***\n"));
	CHECK(is_text(&trace.records[1], "*** stopping trace here!   ***\n"));
	CHECK_EQ(trace.records[0].pid, getpid());
	trace_free(&trace);
	/* The second call has no buffer for its message. */
	tracing_snapshot();
	check_sides(0, 0);
	tracing_on();
	trace_rt_hit(1, 1);
	check_sides(1, 0);
}

/* ---- requests ---- */

/* Answer as the server does, with this errno.  0: there is a snapshot now. */
static void *answer(void *arg)
{
	struct abi_buffer *buffer = trace_buffer(&d);
	uint32_t error = (uint32_t)(long)arg;

	while (!__atomic_load_n(&buffer->spare_asked, __ATOMIC_ACQUIRE))
		usleep(1000);
	if (!error)
		CHECK_EQ(driver_spare(&d, &trace_config), 0);
	buffer->spare_error = error;
	__atomic_store_n(&buffer->spare_asked, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &buffer->spare_asked, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return NULL;
}

static void with_answer(long error, void (*ask)(long error))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, answer, (void *)error), 0);
	ask(error);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void ask(long error)
{
	CHECK_EQ(tracing_alloc_snapshot(), -error);
}

static void ask_and_take(long error)
{
	trace_rt_hit(1, 1);
	tracing_snapshot_alloc();
	CHECK(tracing_is_on());
	trace_rt_hit(2, 2);
	/* if there is no snapshot, both records are on the first side */
	check_sides(error ? 2 : 1, error ? 0 : 1);
}

static void test_asking(void)
{
	struct abi_buffer *buffer = trace_buffer(&d);

	CHECK_EQ(tracing_alloc_snapshot(), -ENODEV);	/* after some seconds */
	buffer->spare_asked = 0;
	with_answer(ENOMEM, ask);
	with_answer(ENOSPC, ask_and_take);
	with_answer(0, ask_and_take);
	/* There is a snapshot, so the server is not asked. */
	CHECK_EQ(tracing_alloc_snapshot(), 0);
	CHECK_EQ(buffer->spare_asked, 0);
	tracing_snapshot_alloc();
	trace_rt_hit(3, 3);
	check_sides(1, 0);
	/* A reader of `trace' has paused the buffer: no snapshot is taken. */
	buffer->paused = 1;
	tracing_snapshot();
	buffer->paused = 0;
	trace_rt_hit(4, 4);
	check_sides(1, 0);
}

static int not_traced(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	CHECK_EQ(tracing_alloc_snapshot(), -ENODEV);
	tracing_snapshot_alloc();
	tracing_snapshot();
	return 0;
}

static const struct self_role roles[] = {
	{ "not_traced", not_traced },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	struct self self;

	self_role(argc, argv, roles);
	trace_open(&d, getpid());
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	test_refused();
	test_asking();
	setenv("ULF_DISABLE", "1", 1);
	self = self_start("not_traced", NULL);
	CHECK_EQ(self_wait(&self), 0);
	driver_close(&d);
	return 0;
}
