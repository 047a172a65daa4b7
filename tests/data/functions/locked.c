/* SPDX-License-Identifier: MIT */
/* A program that locks its memory, at once or at SIGUSR1: locked now|later FLAGS.  Prints
 * "locked" or the error, and calls outer() for ever. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t is_wanted;

static void on_signal(int signal)
{
	(void)signal;
	is_wanted = 1;
}

__attribute__((noinline)) static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) static int outer(int x)
{
	return leaf(x) + leaf(x + 1);
}

int main(int argc, char **argv)
{
	bool is_locked = false;

	if (argc < 3)
		return 2;
	signal(SIGUSR1, on_signal);
	is_wanted = !strcmp(argv[1], "now");
	for (int x = 0;; x = outer(x)) {
		if (is_wanted && !is_locked) {
			puts(mlockall(atoi(argv[2])) ? strerror(errno) : "locked");
			fflush(stdout);
			is_locked = true;
		}
		usleep(1000);
	}
}
