/* SPDX-License-Identifier: MIT */
/* A library that starts a thread before the program's own constructors run.  The thread loads
 * a module while another thread is in dladdr(), which this library makes slow, or on
 * request. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "early.h"

static int (*next)(const void *addr, Dl_info *info);
static bool may_load;
static void *loaded;
static pthread_t thread;

int dladdr(const void *addr, Dl_info *info)
{
	__atomic_store_n(&may_load, true, __ATOMIC_RELAXED);
	usleep(500000);
	return next(addr, info);
}

static void *load(void *arg)
{
	char exe[PATH_MAX] = "", path[PATH_MAX];

	while (!__atomic_load_n(&may_load, __ATOMIC_RELAXED))
		usleep(1000);
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0) {
		snprintf(path, sizeof(path), "%.4000s/runtime-mod_events.so", dirname(exe));
		loaded = dlopen(path, RTLD_NOW);
	}
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	*(void **)&next = dlsym(RTLD_NEXT, "dladdr");
	pthread_create(&thread, NULL, load, NULL);
}

void *early_loaded(void)
{
	__atomic_store_n(&may_load, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return loaded;
}
