/* SPDX-License-Identifier: MIT */
/* The registration functions, their callers, and what they may do. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "regfunc.h"

/* ---- the functions ---- */

int nr_reg, nr_unreg;
int (*reg_does)(void), (*unreg_does)(void);

static int nr_second_reg, nr_second_unreg;

int fn_hit_reg(void)
{
	CHECK(!trace_fn_hit_enabled());
	CHECK_EQ(nr_reg, nr_unreg);
	if (reg_does) {
		int r = reg_does();

		if (r)
			return r;
	}
	nr_reg++;
	return 0;
}

void fn_hit_unreg(void)
{
	nr_unreg++;
	CHECK_EQ(nr_reg, nr_unreg);
	if (unreg_does)
		unreg_does();
}

int fn_second_reg(void)
{
	nr_second_reg++;
	return 0;
}

void fn_second_unreg(void)
{
	nr_second_unreg++;
}

static int nr_hits;

static void probe(void *data, int who)
{
	nr_hits += who;
	CHECK(nr_reg != nr_unreg || data);
}

void want(const char *name, bool on)
{
	CHECK_EQ(driver_enable(&d, "fn", name, on), 0);
}

/* ---- order and number of calls ---- */

static void test_probes(void)
{
	CHECK_EQ(register_trace_fn_hit(probe, NULL), 0);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(register_trace_fn_hit(probe, &d), 0);
	CHECK_EQ(register_trace_fn_hit(probe, &d), -EEXIST);
	trace_fn_hit(3);
	CHECK_EQ(nr_hits, 6);
	CHECK_EQ(unregister_trace_fn_hit(probe, NULL), 0);
	CHECK_EQ(unregister_trace_fn_hit(probe, NULL), -ENOENT);
	CHECK_EQ(nr_unreg, 0);
	CHECK_EQ(unregister_trace_fn_hit(probe, &d), 0);
	CHECK_EQ(unregister_trace_fn_hit(probe, &d), -ENOENT);
	CHECK_EQ(nr_unreg, 1);
	nr_reg = nr_unreg = 0;
	CHECK_EQ(tracepoint_probe_register(&__tracepoint_fn_hit, NULL, NULL),
		 -EINVAL);
	CHECK_EQ(nr_reg, nr_unreg);
	nr_reg = nr_unreg = 0;
}

static void test_event(void)
{
	want("fn_hit", true);
	CHECK_EQ(nr_reg, 1);
	trace_fn_hit(1);
	CHECK_EQ(trace_drain(&d, "fn", "fn_hit"), 1);
	want("fn_plain", true);		/* must not call the functions of fn_hit */
	CHECK_EQ(register_trace_fn_hit(probe, NULL), 0);
	want("fn_hit", false);
	CHECK_EQ(nr_unreg, 0);
	want("fn_hit", true);
	CHECK_EQ(unregister_trace_fn_hit(probe, NULL), 0);
	want("fn_plain", false);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(nr_unreg, 0);
	want("fn_hit", false);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(nr_unreg, 1);
	trace_fn_hit(1);
	CHECK_EQ(trace_drain(&d, "fn", "fn_hit"), 0);
	nr_reg = nr_unreg = 0;
}

/* ---- a function that fails ---- */

static int say_eio(void)
{
	return -EIO;
}

static struct abi_event *row_of(const char *name)
{
	struct abi_event *rows = (void *)(d.mem + d.control->events_off);

	return &rows[driver_find_event(&d, "fn", name)];
}

static uint32_t failed(const char *name)
{
	return row_of(name)->failed;
}

/* Write a setting without waking the agent: it is applied with the next change. */
static void set_event(const char *name, bool on)
{
	__atomic_store_n(&row_of(name)->wanted, on, __ATOMIC_RELEASE);
}

static void test_failure(void)
{
	reg_does = say_eio;
	CHECK_EQ(register_trace_fn_hit(probe, NULL), -EIO);
	CHECK(!trace_fn_hit_enabled());
	CHECK_EQ(driver_enable(&d, "fn", "fn_hit", true), -EIO);
	CHECK_EQ(failed("fn_hit"), EIO);
	CHECK(!trace_fn_hit_enabled());
	/* A failed function is called again only when the event is switched again. */
	want("fn_plain", true);
	want("fn_plain", false);
	reg_does = NULL;
	CHECK_EQ(driver_apply(&d), 0);
	CHECK(!trace_fn_hit_enabled());
	CHECK_EQ(nr_reg, 0);
	want("fn_hit", true);
	CHECK(trace_fn_hit_enabled());
	CHECK_EQ(failed("fn_hit"), 0);
	want("fn_hit", false);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(nr_unreg, 1);
	nr_reg = nr_unreg = 0;
}

/* ---- what a function may do ---- */

static void *say_hello(void *arg)
{
	trace_fn_plain(1);
	return arg;
}

static int use_libc(void)
{
	char *text = NULL;
	pthread_t thread;

	errno = 0;
	CHECK(asprintf(&text, "%p %f", (void *)&thread, 1.5) > 0);
	free(text);
	CHECK_EQ(close(-1), -1);
	CHECK_EQ(errno, EBADF);
	CHECK_EQ(pthread_create(&thread, NULL, say_hello, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return 0;
}

static int use_others(void)
{
	CHECK_EQ(register_trace_fn_plain(probe, &d), 0);
	CHECK_EQ(register_trace_fn_second(probe, &d), 0);
	trace_fn_plain(1);
	CHECK_EQ(unregister_trace_fn_second(probe, &d), 0);
	CHECK_EQ(unregister_trace_fn_plain(probe, &d), 0);
	tracepoint_synchronize_unregister();
	return 0;
}

static int use_itself(void)
{
	CHECK_EQ(register_trace_fn_hit(probe, &d), -EDEADLK);
	CHECK_EQ(unregister_trace_fn_hit(probe, &d), -EDEADLK);
	return 0;
}

static int fork_one(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void find(struct tracepoint *tp, void *priv)
{
	*(int *)priv += !strncmp(tp->name, "fn_", 3);
}

static int walk(void)
{
	int nr = 0;

	for_each_kernel_tracepoint(find, &nr);
	CHECK_EQ(nr, 3);
	return 0;
}

static void test_contents(void)
{
	static int (*const all[])(void) = {
		use_libc, use_others, use_itself, fork_one, walk,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		reg_does = all[i];
		nr_reg = nr_unreg = 0;
		want("fn_hit", true);
		CHECK_EQ(nr_reg, 1);
		want("fn_hit", false);
		CHECK_EQ(register_trace_fn_hit(probe, NULL), 0);
		CHECK_EQ(unregister_trace_fn_hit(probe, NULL), 0);
		CHECK_EQ(nr_reg, 2);
		CHECK_EQ(nr_unreg, 2);
	}
	CHECK_EQ(nr_second_reg, 2);
	CHECK_EQ(nr_second_unreg, 2);
	reg_does = NULL;
	nr_reg = nr_unreg = 0;
}

static void register_it(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, "fn_hit"))
		CHECK_EQ(tracepoint_probe_register(tp, (void *)probe, priv), 0);
}

static void test_walk(void)
{
	for_each_kernel_tracepoint(register_it, &d);
	CHECK(trace_fn_hit_enabled());
	CHECK_EQ(unregister_trace_fn_hit(probe, &d), 0);
	nr_reg = nr_unreg = 0;
}

/* libc lets all its threads change their user; every thread must react to its signal. */
static void test_setuid(void)
{
	CHECK_EQ(setuid(getuid()), 0);
}

/* ---- a function that runs for a long time ---- */

sem_t has_begun, may_end;
bool has_ended;

int take_long(void)
{
	sem_post(&has_begun);
	while (sem_wait(&may_end))
		;
	has_ended = true;
	return 0;
}

static void *switch_on(void *arg)
{
	want(arg, true);
	return NULL;
}

/* The rest of the program does not wait for the function. */
static void test_under_way(void)
{
	pthread_t thread;
	void *handle;
	int nr = 0;

	reg_does = take_long;
	set_event("fn_plain", true);
	CHECK_EQ(pthread_create(&thread, NULL, switch_on, "fn_hit"), 0);
	sem_wait(&has_begun);
	trace_fn_plain(1);
	CHECK_EQ(trace_drain(&d, "fn", "fn_plain"), 1);
	CHECK_EQ(fork_one(), 0);
	CHECK_EQ(register_trace_fn_plain(probe, &d), 0);
	CHECK_EQ(register_trace_fn_second(probe, &d), 0);
	CHECK_EQ(unregister_trace_fn_second(probe, &d), 0);
	CHECK_EQ(unregister_trace_fn_plain(probe, &d), 0);
	for_each_kernel_tracepoint(find, &nr);
	CHECK_EQ(nr, 3);
	handle = module_load();
	CHECK_EQ(dlclose(handle), 0);
	CHECK(!trace_fn_hit_enabled());
	sem_post(&may_end);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(trace_fn_hit_enabled());
	reg_does = NULL;
	want("fn_hit", false);
	want("fn_plain", false);
	nr_reg = nr_unreg = 0;
}

void test_calls(void)
{
	sem_init(&has_begun, 0, 0);
	sem_init(&may_end, 0, 0);
	test_probes();
	test_event();
	test_failure();
	test_contents();
	test_walk();
	test_setuid();
	test_under_way();
}
