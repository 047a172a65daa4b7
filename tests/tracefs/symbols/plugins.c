/* SPDX-License-Identifier: MIT */
/* A program that has one of two libraries loaded, changes to the other one at each SIGUSR1,
 * and calls its plugged() all the time.  The program also loads the first of two more
 * libraries, and a child of it the second one at the same address. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t turn;

static void on_signal(int signal)
{
	(void)signal;
	turn++;
}

int main(int argc, char **argv)
{
	int (*plugged)(int x) = NULL;
	void *library = NULL;

	if (argc > 4) {
		void *first = dlopen(argv[3], RTLD_NOW);
		pid_t parent = getpid();
		bool is_child = first && !fork();

		if (!first || (is_child && (dlclose(first) || !dlopen(argv[4], RTLD_NOW))))
			return 1;
		while (is_child && getppid() == parent)
			usleep(10000);
		if (is_child)
			return 0;
	}
	signal(SIGUSR1, on_signal);
	for (int loaded = -1; argc > 2; ) {
		if (loaded != turn) {
			loaded = turn;
			if (library)
				dlclose(library);
			library = dlopen(argv[1 + loaded % 2], RTLD_NOW);
			plugged = library ? (int (*)(int))dlsym(library, "plugged") : NULL;
		}
		if (!plugged)
			return 1;
		plugged(1);
		usleep(1000);
	}
	return 2;
}
