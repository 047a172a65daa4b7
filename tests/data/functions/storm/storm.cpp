// SPDX-License-Identifier: MIT
// storm LIBRARY: threads recurse, throw, jump, get signals, fork, and load and unload the
// library, with short pauses, until SIGTERM.  Status 0: all results were right.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS		4
#define STACK_BYTES	(512ul * 1024)
#define APART		(256ul * 1024 * 1024)
#define NOINLINE	__attribute__((noinline))
#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%d: not true: %s\n",	\
				     __LINE__, #condition);		\
			std::_Exit(1);					\
		}							\
	} while (0)

static bool is_over;
static const char *library;

extern "C" NOINLINE long storm_fib(long n)
{
	return n < 2 ? n : storm_fib(n - 1) + storm_fib(n - 2);
}

extern "C" NOINLINE long storm_throws(long depth)
{
	if (!depth)
		throw std::runtime_error("storm");
	return storm_throws(depth - 1) + 1;
}

extern "C" NOINLINE bool storm_catches(long depth)
{
	try {
		storm_throws(depth);
	} catch (std::exception &) {
		return storm_fib(5) == 5;
	}
	return false;
}

extern "C" NOINLINE void storm_jumps(jmp_buf back, long depth)
{
	volatile long left = depth;

	if (!depth)
		longjmp(back, 1);
	storm_jumps(back, left - 1);
	left = 0;
}

extern "C" NOINLINE bool storm_lands(long depth)
{
	jmp_buf back;

	if (setjmp(back))
		return storm_fib(5) == 5;
	storm_jumps(back, depth);
	return false;
}

extern "C" NOINLINE long storm_pong(long n, long sum);

extern "C" NOINLINE long storm_ping(long n, long sum)
{
	return n ? storm_pong(n - 1, sum + 1) : sum;
}

extern "C" NOINLINE long storm_pong(long n, long sum)
{
	return n ? storm_ping(n - 1, sum + 2) : sum;
}

extern "C" NOINLINE void storm_handler(int)
{
	CHECK(storm_fib(6) == 8);
}

extern "C" NOINLINE bool storm_forks(long depth)
{
	int status;
	pid_t pid;

	if (depth)
		return storm_forks(depth - 1);
	pid = fork();
	if (!pid)
		_exit((int)storm_fib(8));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 21;
}

extern "C" NOINLINE bool storm_plugs(long x)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*adds)(int);
	bool is_right;

	CHECK(handle);
	adds = (int (*)(int))dlsym(handle, "plugged_adds");
	is_right = adds && adds((int)x) == x + 1;
	return !dlclose(handle) && is_right;
}

extern "C" NOINLINE void storm_turn(unsigned long dice)
{
	long depth = (long)(dice >> 8) % 20;

	switch (dice % 16) {
	case 0:
		CHECK(storm_forks(depth % 5));
		break;
	case 1:
		CHECK(storm_plugs(depth));
		break;
	case 2: case 3: case 4:
		CHECK(storm_catches(depth));
		break;
	case 5: case 6: case 7:
		CHECK(storm_lands(depth));
		break;
	case 8: case 9:
		raise(SIGUSR1);
		break;
	case 10: case 11:
		CHECK(storm_ping(2 * depth, 0) == 3 * depth);
		break;
	default:
		CHECK(storm_fib(9) == 34);
	}
}

// Stacks of the signal handlers; the stacks of their threads are above them.  All of these
// have the same place in the table of shadow stacks.
static char *stacks;

static char *stack_at(long i)
{
	return stacks + i * APART;
}

static void *storms(void *arg)
{
	unsigned long dice = (unsigned long)arg * 0x9e3779b97f4a7c15ul + 1;
	stack_t alternate = {};

	alternate.ss_sp = stack_at((long)arg);
	alternate.ss_size = STACK_BYTES;
	CHECK(!sigaltstack(&alternate, NULL));
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		dice = dice * 6364136223846793005ul + 1442695040888963407ul;
		storm_turn(dice >> 33);
		usleep((unsigned)(dice >> 40) % 500);
	}
	return NULL;
}

static void *interrupts(void *arg)
{
	pthread_t *threads = (pthread_t *)arg;

	for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
		pthread_kill(threads[i % THREADS], SIGUSR1);
		usleep(700);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], interrupter;
	struct sigaction action = {};
	pthread_attr_t attr;
	sigset_t end;
	int signal_nr;

	CHECK(argc == 2);
	library = argv[1];
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	CHECK(!pthread_sigmask(SIG_BLOCK, &end, NULL));
	action.sa_handler = storm_handler;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	CHECK(!sigaction(SIGUSR1, &action, NULL));
	stacks = (char *)mmap(NULL, 2 * THREADS * APART, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(stacks != MAP_FAILED);
	pthread_attr_init(&attr);
	for (long i = 0; i < THREADS; i++) {
		CHECK(!pthread_attr_setstack(&attr, stack_at(THREADS + i), STACK_BYTES));
		CHECK(!pthread_create(&threads[i], &attr, storms, (void *)i));
	}
	CHECK(!pthread_create(&interrupter, NULL, interrupts, threads));
	CHECK(!sigwait(&end, &signal_nr));
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	CHECK(!pthread_join(interrupter, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	return 0;
}
