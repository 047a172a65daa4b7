/* SPDX-License-Identifier: MIT */
/* The library of plugs.cpp. */
#include <pthread.h>

int plugged_adds(int x);
int plugged_leaves(int (*last)(void *), void *arg);
void plugged_waits(pthread_barrier_t *barrier);

int plugged_adds(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

/* The compiler must make a jump of this call, because @last may unload this library. */
int plugged_leaves(int (*last)(void *), void *arg)
{
	return last(arg);
}

void plugged_waits(pthread_barrier_t *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	plugged_adds(1);
}
