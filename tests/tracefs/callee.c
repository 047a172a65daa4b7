/* SPDX-License-Identifier: MIT */
/* A program without tracepoints whose functions can be traced: main() calls outer(), outer()
 * calls middle() twice, and middle() calls leaf() twice, again and again.  Between SIGUSR1
 * and SIGUSR2 the program has the library loaded that argv names, and calls plugged() of
 * it. */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int leaf(int x);
int middle(int x);
int outer(int x);
void never_called(void);

__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) int middle(int x)
{
	int once = leaf(x);

	return once + leaf(once) + 1;
}

__attribute__((noinline)) int outer(int x)
{
	int first = middle(x);

	usleep(1000);
	return first + middle(first);
}

void never_called(void)
{
	leaf(0);
	__asm__ volatile("");
}

static volatile sig_atomic_t has_to_load;

static void on_signal(int signal)
{
	has_to_load = signal == SIGUSR1;
}

static int (*plugged)(int x);

static __attribute__((noinline)) void load_or_unload(const char *path)
{
	static void *library;

	if (has_to_load && !library) {
		library = dlopen(path, RTLD_NOW);
		plugged = library ? (int (*)(int))dlsym(library, "plugged") : NULL;
	} else if (!has_to_load && library) {
		plugged = NULL;
		dlclose(library);
		library = NULL;
	}
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	for (volatile int x = 0; ; ) {
		x = outer(x) & 1;
		if (argc > 1)
			load_or_unload(argv[1]);
		if (plugged && plugged(x) != x + 1)
			return 1;
	}
}
