/* SPDX-License-Identifier: MIT */
/*
 * Programs that /proc does not show, or not in the usual place.  unseen hides: nobody
 * may look at it; unseen leads: its main thread ends; unseen runs FILE: so does a child
 * of it, which the root then has no more.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile int nr;

__attribute__((noinline)) void work(void)
{
	nr++;
}

static void *work_on(void *arg)
{
	for (;;) {
		work();
		usleep(1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "runs") && !fork()) {
		execl(argv[2], argv[2], "1000", NULL);
		_exit(1);
	}
	if (!strcmp(argv[1], "hides") && prctl(PR_SET_DUMPABLE, 0))
		return 1;
	if (!strcmp(argv[1], "leads")) {
		if (pthread_create(&thread, NULL, work_on, NULL))
			return 1;
		pthread_exit(NULL);
	}
	work_on(NULL);
}
