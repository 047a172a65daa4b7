/* SPDX-License-Identifier: MIT */
/* TRACE_EVENT_FN in modules. */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>

#include "lib/asleep.h"
#include "hooks.h"
#include "regfunc.h"

static int mod_reg, mod_unreg;
static int (*mod_does)(void);

static int count_reg(void)
{
	int r = mod_does ? mod_does() : 0;

	mod_reg++;
	return r;
}

static void count_unreg(void)
{
	mod_unreg++;
}

static struct hooks hooks = { count_reg, count_unreg };

void *module_load(void)
{
	char exe[PATH_MAX] = "", path[PATH_MAX];
	void *handle;

	hooks_of_module = &hooks;
	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/runtime-regfunc-mod_fn.so",
		 dirname(exe));
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		fail("%s", dlerror());
	return handle;
}

static void want_mod(bool on)
{
	CHECK_EQ(driver_enable(&d, "fnmod", "fnmod_hit", on), 0);
}

static void test_come_and_go(void)
{
	void *handle = module_load();
	void (*hit)(int who);

	*(void **)&hit = dlsym(handle, "fnmod_hit");
	CHECK_EQ(mod_reg, 0);
	want_mod(true);
	CHECK_EQ(mod_reg, 1);
	hit(1);
	CHECK_EQ(trace_drain(&d, "fnmod", "fnmod_hit"), 1);
	/* Unload the module while the event is on, and load it while the event is switched
	 * on. */
	CHECK_EQ(dlclose(handle), 0);
	CHECK_EQ(mod_unreg, 1);
	handle = module_load();
	CHECK_EQ(mod_reg, 2);
	want_mod(false);
	CHECK_EQ(mod_unreg, 2);
	CHECK_EQ(dlclose(handle), 0);
	CHECK_EQ(mod_reg, 2);
	CHECK_EQ(mod_unreg, 2);
}

static int say_enomem(void)
{
	return -ENOMEM;
}

static void test_failure(void)
{
	void *handle;

	mod_does = say_enomem;
	want_mod(true);			/* the module is not loaded */
	handle = module_load();
	mod_does = NULL;
	CHECK_EQ(driver_apply(&d), 0);
	CHECK_EQ(dlclose(handle), 0);
	CHECK_EQ(mod_reg, 3);
	CHECK_EQ(mod_unreg, 2);
	want_mod(false);
}

static void *switch_mod_on(void *arg)
{
	want_mod(true);
	return arg;
}

static void *close_mod(void *arg)
{
	CHECK_EQ(dlclose(arg), 0);
	CHECK(has_ended);
	return NULL;
}

/* dlclose() waits for a function that runs in the module. */
static void test_under_way(void)
{
	void *handle = module_load();
	pthread_t one, other;

	mod_does = take_long;
	has_ended = false;
	CHECK_EQ(pthread_create(&one, NULL, switch_mod_on, NULL), 0);
	sem_wait(&has_begun);
	CHECK_EQ(pthread_create(&other, NULL, close_mod, handle), 0);
	asleep_wait_for_others();
	sem_post(&may_end);
	CHECK_EQ(pthread_join(one, NULL), 0);
	CHECK_EQ(pthread_join(other, NULL), 0);
	mod_does = NULL;
	CHECK_EQ(mod_reg, 4);
	CHECK_EQ(mod_unreg, 3);
	want_mod(false);
}

static void *switch_mod_off(void *arg)
{
	want("fn_plain", true);
	want("fn_plain", false);
	want_mod(false);
	return arg;
}

static int switch_off_meanwhile(void)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, switch_mod_off, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return 0;
}

/* While a module is loaded, the thread in dlopen() itself calls the event's function, because
 * a call in another thread could wait for the lock of dlopen().  A setting that changes
 * during this call is applied, too. */
static void test_coming(void)
{
	void *handle;

	mod_reg = mod_unreg = 0;
	want_mod(true);
	mod_does = switch_off_meanwhile;
	handle = module_load();
	mod_does = NULL;
	CHECK_EQ(mod_reg, 1);
	CHECK_EQ(mod_unreg, 1);
	want_mod(true);
	CHECK_EQ(mod_reg, 2);
	want_mod(false);
	CHECK_EQ(dlclose(handle), 0);
}

void test_modules(void)
{
	test_come_and_go();
	test_failure();
	test_under_way();
	test_coming();
}
