/* SPDX-License-Identifier: MIT */
/* A module with a custom event is unloaded, but the tracepoint stays; see near.h. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asleep.h"
#include "lib/check.h"
#include "lib/trace.h"
#include "near.h"
#define CREATE_TRACE_POINTS
#include "near_trace.h"

static struct driver d;

static void *load(void)
{
	char path[PATH_MAX];
	int (*attach)(void);
	void *module;

	CHECK(getenv("ULF_BUILD"));
	snprintf(path, sizeof(path),
		 "%s/tests/lang-custom_module-mod_near.so", getenv("ULF_BUILD"));
	module = dlopen(path, RTLD_NOW);
	if (!module)
		fail("%s", dlerror());
	*(void **)&attach = dlsym(module, "attach_near");
	CHECK(attach);
	CHECK_EQ(attach(), 1);
	return module;
}

static int get_one(void)
{
	return 1;
}

/* ---- dlclose() while the probe of the event runs ---- */

static sem_t has_begun, may_end;
static bool has_ended;

static int get_slowly(void)
{
	sem_post(&has_begun);
	while (sem_wait(&may_end))
		;
	__atomic_store_n(&has_ended, true, __ATOMIC_RELAXED);
	return 1;
}

static void *hit_slowly(void *arg)
{
	trace_near_hit(get_slowly);
	return arg;
}

static void *close_module(void *module)
{
	CHECK_EQ(dlclose(module), 0);
	CHECK(__atomic_load_n(&has_ended, __ATOMIC_RELAXED));
	return NULL;
}

static void test_under_way(void)
{
	pthread_t hitter, closer;
	void *module = load();

	CHECK_EQ(driver_enable(&d, "custom", "near_hit", true), 0);
	trace_near_hit(get_one);
	CHECK_EQ(trace_drain(&d, "custom", "near_hit"), 1);
	sem_init(&has_begun, 0, 0);
	sem_init(&may_end, 0, 0);
	CHECK_EQ(pthread_create(&hitter, NULL, hit_slowly, NULL), 0);
	while (sem_wait(&has_begun))
		;
	CHECK_EQ(pthread_create(&closer, NULL, close_module, module), 0);
	asleep_wait_for_others();
	sem_post(&may_end);
	CHECK_EQ(pthread_join(hitter, NULL), 0);
	CHECK_EQ(pthread_join(closer, NULL), 0);
	trace_near_hit(get_one);
}

/* ---- dlclose() in a handler of exit() ---- */

static void *held;

static void close_late(void)
{
	int status;
	pid_t pid;

	CHECK_EQ(dlclose(held), 0);
	trace_near_hit(get_one);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	self_say('c');
	self_hear();
}

static int leave(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	atexit(close_late);		/* runs before libulf's handler for the module */
	held = load();
	self_say('r');
	self_hear();
	trace_near_hit(get_one);
	return 0;
}

const struct self_role near_roles[] = {
	{ "leave", leave },
	{ NULL, NULL },
};

static void test_exit(void)
{
	struct self self = self_start("leave", NULL);

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);
	CHECK_EQ(driver_enable(&d, "custom", "near_hit", true), 0);
	self_put(&self, 'g');
	CHECK_EQ(self_get(&self), 'c');
	/* The agent still works. */
	CHECK_EQ(driver_enable(&d, "custom", "near_hit", false), 0);
	CHECK_EQ(trace_drain(&d, "custom", "near_hit"), 1);
	CHECK_EQ(self_wait(&self), 0);
	driver_close(&d);
}

void test_near(void)
{
	trace_open(&d, getpid());
	test_under_way();
	driver_close(&d);
	test_exit();
}
