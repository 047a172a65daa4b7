/* SPDX-License-Identifier: MIT */
/* Loads a library while a registration function of an event (TRACE_EVENT_FN) runs and needs
 * libc's lock for libraries.  Prints how long the loading took, in milliseconds. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "reg_trace.h"

static bool is_called, is_loading;

int reg_begin(void)
{
	__atomic_store_n(&is_called, true, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&is_loading, __ATOMIC_RELAXED))
		usleep(1000);
	usleep(300000);
	dlsym(RTLD_DEFAULT, "no such name");
	return 0;
}

void reg_end(void)
{
}

static int now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int)(now.tv_sec % 1000000 * 1000 + now.tv_nsec / 1000000);
}

int main(int argc, char **argv)
{
	int start;

	while (!__atomic_load_n(&is_called, __ATOMIC_RELAXED))
		usleep(1000);
	__atomic_store_n(&is_loading, true, __ATOMIC_RELAXED);
	start = now_ms();
	if (!dlopen(argv[argc - 1], RTLD_NOW))
		return 1;
	printf("%d\n", now_ms() - start);
	fflush(stdout);
	pause();
}
