/* SPDX-License-Identifier: MIT */
/* trace_printk() in every context in which a program may call it. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/control.h"
#include "event/option.h"
#include "lib/said.h"
#include "parts.h"
#include <ulf/tracing.h>

#define SAID		20000
#define HANDLED		200

static uint64_t early;

/* Called before main(), when no server can know of the process. */
__attribute__((constructor)) static void constructor(void)
{
	const char *volatile variable = "early %d\n";

	trace_printk("early %d\n", 1);
	trace_puts("early\n");
	trace_printk(variable, 1);
	early = 3;
}

static void test_early(void)
{
	CHECK_EQ(early, 3);
	said_start();
	CHECK_EQ(said_buffer()->no_ring, early);
	trace_printk("early %d\n", 1);
	said_is(ABI_EVENT_ID_BPRINT, "early 1\n");
}

static __attribute__((noinline)) void here(void)
{
	const char *volatile variable = "%d\n";

	trace_printk("here %d\n", 1);
	trace_puts("here\n");
	trace_printk(variable, 1);
}

static void test_ip(void)
{
	struct said said;

	here();
	CHECK_EQ(said_take(&said), 3);
	CHECK(said.ip - (uint64_t)here < 512);
	trace_printk("there %d\n", 1);
	CHECK_EQ(said_take(&said), 1);
	CHECK(said.ip - (uint64_t)test_ip < 1024);
	__trace_printk(4711, "%d\n", 1);
	CHECK_EQ(said_take(&said), 1);
	CHECK_EQ(said.ip, 4711);
}

static int vprint(const char *variable, ...)
{
	va_list ap;
	int len;

	va_start(ap, variable);
	ftrace_vprintk("%d %s %f\n", ap);
	va_end(ap);
	said_is(ABI_EVENT_ID_BPRINT, "1 two 3.000000\n");
	va_start(ap, variable);
	ftrace_vprintk(variable, ap);
	va_end(ap);
	said_is(ABI_EVENT_ID_PRINT, "1:two:3.000000\n");
	va_start(ap, variable);
	len = trace_vprintk(4711, variable, ap);
	va_end(ap);
	said_is(ABI_EVENT_ID_PRINT, "1:two:3.000000\n");
	return len;
}

static void test_off(void)
{
	const char *volatile variable = "%d\n";

	for (int i = 0; i < 2; i++) {
		if (i)
			said_buffer()->options ^= OPTION_PRINTK;
		else
			tracing_off();
		trace_printk("%d\n", 1);
		trace_printk(variable, 1);
		CHECK_EQ(trace_puts("off\n"), 0);
		CHECK_EQ(__trace_puts(1, "off\n", 4), 0);
		said_nothing();
		tracing_on();
	}
	said_buffer()->options ^= OPTION_PRINTK;
	trace_printk("%d\n", 1);
	said_is(ABI_EVENT_ID_BPRINT, "1\n");
}

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	const char *volatile variable = "%d in a handler %f\n";

	trace_printk("%s: %d\n", "handler", sig);
	trace_printk(variable, sig, 1.5);
	handled++;
}

/* Signal handlers interrupt at any instruction. */
static void test_handlers(void)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	size_t said = 0, nr = 0;
	struct said last;

	CHECK(signal(SIGALRM, handler) != SIG_ERR);
	CHECK(!setitimer(ITIMER_REAL, &often, NULL));
	while (handled < HANDLED && nr < 100 * SAID) {
		errno = 4711;
		trace_printk("%d %s\n", (int)nr++, "some text");
		CHECK_EQ(errno, 4711);
		if (nr % 1000 == 0)
			said += said_take(&last);
	}
	CHECK(!setitimer(ITIMER_REAL, &never, NULL));
	said += said_take(&last);
	CHECK_EQ(said, nr + 2 * (size_t)handled);
}

static void *say_many(void *arg)
{
	for (int i = 0; i < SAID / 10; i++)
		trace_printk("thread %ld says %d\n", (long)arg, i);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	struct said said;

	for (long i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, say_many, (void *)i));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK_EQ(said_take(&said), 4 * (SAID / 10));
}

static void test_fork(void)
{
	struct said said;
	pid_t child = fork();

	if (!child) {
		trace_printk("child %d\n", getpid());
		_exit(0);
	}
	CHECK_EQ(waitpid(child, NULL, 0), child);
	CHECK_EQ(said_take(&said), 1);
	CHECK_EQ(said.pid, child);
	CHECK_EQ(atoi(said.text + strlen("child ")), child);
}

void test_contexts(void)
{
	test_early();
	test_ip();
	CHECK_EQ(vprint("%d:%s:%f\n", 1, "two", 3.), 15);
	test_off();
	test_handlers();
	test_threads();
	test_fork();
}
