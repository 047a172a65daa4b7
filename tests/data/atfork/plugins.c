/* SPDX-License-Identifier: MIT */
/* A library with a lock that must be free in children, as libraries have it that load
 * plugins. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "plugins.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_forking, is_closing;

static void prepare(void)
{
	while (!__atomic_load_n(&is_closing, __ATOMIC_RELAXED))
		usleep(1000);
	__atomic_store_n(&is_forking, true, __ATOMIC_RELAXED);
	pthread_mutex_lock(&lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(prepare, unlock, unlock);
}

int plugin_close(void *plugin)
{
	int r;

	pthread_mutex_lock(&lock);
	__atomic_store_n(&is_closing, true, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&is_forking, __ATOMIC_RELAXED))
		usleep(1000);
	r = dlclose(plugin);
	pthread_mutex_unlock(&lock);
	return r;
}
