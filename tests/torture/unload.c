/* SPDX-License-Identifier: MIT */
/*
 * A library is unloaded just when its text is about to be patched: dlclose() waits, and
 * memory that is mapped there later is not changed.
 *
 * no-sanitize: address its dlclose() comes before ours in a program without libulf.so
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/testpoint.h"
#include "lib/check.h"
#include "lib/command.h"
#include <linux/ftrace.h>

void (*testpoint_hook)(const char *name);

static void *library;
static long (*plugged)(long x);
static bool is_closing, is_closed;
static int nr_looks;

static void load(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tests/runtime-unload-mod_one.so",
		 command_env("ULF_BUILD"));
	library = dlopen(path, RTLD_NOW);
	if (!library)
		fail("%s", dlerror());
	*(void **)&plugged = dlsym(library, "plug_adds");
	CHECK(plugged);
}

static void *unload(void *arg)
{
	(void)arg;
	__atomic_store_n(&is_closing, true, __ATOMIC_RELEASE);
	CHECK_EQ(dlclose(library), 0);
	__atomic_store_n(&is_closed, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Start a dlclose() and delay the write long enough for a dlclose() that does not wait. */
static void on_write(const char *name)
{
	static pthread_t thread;

	if (strcmp(name, "patch.flush"))
		return;
	if (!nr_looks++) {
		CHECK_EQ(pthread_create(&thread, NULL, unload, NULL), 0);
		CHECK_EQ(pthread_detach(thread), 0);
		while (!__atomic_load_n(&is_closing, __ATOMIC_ACQUIRE))
			usleep(100);
		usleep(20000);
	}
	CHECK(!__atomic_load_n(&is_closed, __ATOMIC_ACQUIRE));
	CHECK_EQ(plugged(1), 2);
}

static void count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)ops;
	(void)regs;
}

int main(void)
{
	struct ftrace_ops ops = { .func = count };

	for (int i = 0; i < 10; i++) {
		load();
		nr_looks = 0;
		is_closing = is_closed = false;
		testpoint_hook = on_write;
		CHECK_EQ(register_ftrace_function(&ops), 0);
		testpoint_hook = NULL;
		CHECK(nr_looks > 0);
		while (!__atomic_load_n(&is_closed, __ATOMIC_ACQUIRE))
			usleep(100);
		CHECK(!dlopen("runtime-unload-mod_one.so", RTLD_NOW | RTLD_NOLOAD));
		CHECK_EQ(unregister_ftrace_function(&ops), 0);
	}
	return 0;
}
