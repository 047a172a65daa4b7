/* SPDX-License-Identifier: MIT */
/*
 * A library is loaded many times into programs that check themselves: programs with one thread
 * and with many, that allocate memory, wait, start threads, change their user, load libraries
 * and get signals.  Then the loading process is killed at each of its steps.  The programs never
 * see a wrong byte, a changed errno, a wrong register or an EINTR, and no thread stays stopped
 * or traced.
 *
 * The only EINTR that is allowed is that of a death before a thread that was asked to stop was
 * looked at (tests/ptrace/death.c).
 *
 * timeout: 600
 * no-sanitize: address programs with a sanitizer cannot be attached to
 * no-sanitize: thread programs with a sanitizer cannot be attached to
 */
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "child.h"
#include "ptrace/loader.h"

#define LOADS		5
#define LOADS_LONG	1000
#define DEATHS		1		/* deaths at each step in each program */
#define DEATHS_LONG	30
#define THREADS		32

static struct shared {
	_Atomic uint64_t turns;
	_Atomic uint64_t wrong;
	_Atomic uint64_t interrupted;
	_Atomic uint64_t signals;
	_Atomic uint64_t passed;
} *shared;

static char library[PATH_MAX];

static const char *deadly;			/* name of the testpoint that kills */
static uint64_t passes_left;

static void die_at(const char *name)
{
	if (!deadly || strcmp(name, deadly) || passes_left--)
		return;
	atomic_fetch_add(&shared->passed, 1);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

static void check(bool is_right)
{
	if (!is_right)
		atomic_fetch_add(&shared->wrong, 1);
}

static void turn(void)
{
	atomic_fetch_add(&shared->turns, 1);
}

/* ---- programs ---- */

/* Allocate, check and free memory. */
static void *storm(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg * 7919 + 1;
	unsigned char *blocks[64] = { NULL };
	size_t bytes[64] = { 0 };

	for (;;) {
		unsigned int i = (seed = seed * 1103515245 + 12345) >> 8 & 63;
		unsigned char value = (unsigned char)(i * 31 + (uintptr_t)arg);

		errno = (int)i;
		for (size_t k = 0; k < bytes[i]; k += 61)
			check(blocks[i][k] == value);
		check(errno == (int)i);
		free(blocks[i]);
		bytes[i] = 1 + (seed >> 16) % (i ? 3000 : 300000);
		blocks[i] = malloc(bytes[i]);
		memset(blocks[i], value, bytes[i]);
		turn();
	}
	return NULL;
}

static void run_one(void *arg)
{
	storm(arg);
}

static void run_storm(void *arg)
{
	pthread_t thread;

	for (uintptr_t i = 1; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, storm, (void *)i), 0);
	storm(arg);
}

/* Compute with many registers, in integers, with vectors, and in the red zone of the stack. */
static double add_up(const double *numbers, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++)
		sum += numbers[i] * (i & 7);
	return sum;
}

static uint64_t mix(int rounds)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;

	for (int i = 0; i < rounds; i++) {
		a = a * 6364136223846793005ull + b;
		b ^= a >> 7;
		c += b * 31;
		d = (d << 3 | d >> 61) ^ c;
		e += d ^ f;
		f = f * 3 + g;
		g ^= e >> 11;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g;
}

static void run_computing(void *arg)
{
	static double numbers[4096];
	uint64_t expected = mix(20000);
	double sum;

	(void)arg;
	for (int i = 0; i < 4096; i++)
		numbers[i] = i * 0.25;
	sum = add_up(numbers, 4096);
	for (;;) {
		check(mix(20000) == expected);
		check(add_up(numbers, 4096) == sum);
		turn();
	}
}

/* Wait in system calls that the kernel ends with EINTR at each stop. */
static void *wait_epoll(void *arg)
{
	int fd = epoll_create1(0);
	struct epoll_event event;
	struct timespec start, end;

	for (;;) {
		int r;

		clock_gettime(CLOCK_MONOTONIC, &start);
		r = epoll_wait(fd, &event, 1, 5);
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (r < 0 && errno == EINTR)
			atomic_fetch_add(&shared->interrupted, 1);
		else
			check(!r && (end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec -
				    start.tv_nsec >= 4900000);
		turn();
	}
	return arg;
}

static void run_waiting_one(void *arg)
{
	wait_epoll(arg);
}

static void *wait_sleep(void *arg)
{
	const struct timespec time = { 0, 3000000 };

	for (;;) {
		check(!nanosleep(&time, NULL));
		check(!poll(NULL, 0, 3));
		turn();
	}
	return arg;
}

static void run_waiting(void *arg)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		CHECK_EQ(pthread_create(&thread, NULL, wait_epoll, NULL), 0);
		CHECK_EQ(pthread_create(&thread, NULL, wait_sleep, NULL), 0);
	}
	wait_sleep(arg);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *start_threads(void *arg)
{
	pthread_t thread;

	for (;;) {
		check(!pthread_create(&thread, NULL, nothing, NULL));
		check(!pthread_join(thread, NULL));
		turn();
	}
	return arg;
}

static void *load_libraries(void *arg)
{
	for (;;) {
		void *handle = dlopen("libm.so.6", RTLD_NOW);

		check(handle);
		if (handle)
			dlclose(handle);
		turn();
	}
	return arg;
}

/* setuid() sends a signal to all threads, and waits for them. */
static void run_changing(void *arg)
{
	pthread_t thread;

	(void)arg;
	CHECK_EQ(pthread_create(&thread, NULL, start_threads, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, load_libraries, NULL), 0);
	for (;;) {
		check(!setuid(getuid()));
		turn();
	}
}

static void count_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&shared->signals, 1);
	free(malloc(10));
}

/* Signals all the time, to a program with one thread that does not expect them in malloc(). */
static void run_signals(void *arg)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	struct itimerspec time = { { 0, 200000 }, { 0, 200000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	uint64_t expected = mix(1000);
	timer_t timer;

	(void)arg;
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK_EQ(timer_settime(timer, 0, &time, NULL), 0);
	for (;;) {
		check(mix(1000) == expected);
		turn();
	}
}

/* A thread that libc does not know, with a control block of its own in which only the first word
 * is set, as libulf's agent has one.  The thread waits for a futex, so that `ulf attach` would
 * choose it before the threads of libc, which run. */
static int wait_for_ever(void *arg)
{
	uint32_t *word = arg;

	for (;;)
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return 0;
}

static void run_with_stranger(void *arg)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_SETTLS;
	static uint64_t block[1024], word;
	static char stack[65536] __attribute__((aligned(16)));
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, storm, arg), 0);
	block[512] = (uint64_t)&block[512];
	CHECK(clone(wait_for_ever, stack + sizeof(stack), flags, &word, NULL, &block[512]) > 0);
	run_computing(arg);
}

static const struct program {
	const char *name;
	void (*run)(void *arg);
	bool has_signals;
} programs[] = {
	{ "malloc, one thread", run_one, false },
	{ "malloc, 32 threads", run_storm, false },
	{ "computing", run_computing, false },
	{ "a thread that libc does not know", run_with_stranger, false },
	{ "waiting, one thread", run_waiting_one, false },
	{ "waiting", run_waiting, false },
	{ "setuid, threads, dlopen", run_changing, false },
	{ "signals", run_signals, true },
};
#define NR_PROGRAMS	(sizeof(programs) / sizeof(programs[0]))

/* ---- checks ---- */

static void check_program(const struct program *program, pid_t pid)
{
	uint64_t turns = atomic_load(&shared->turns), signals = atomic_load(&shared->signals);
	struct task_list list = { 0 };

	CHECK_EQ(tasks_read(pid, &list), 0);
	for (size_t i = 0; i < list.nr; i++)
		CHECK_EQ(task_tracer(pid, list.tids[i]), 0);
	tasks_done(&list);
	wait_for(&shared->turns, turns + THREADS);
	if (program->has_signals)
		wait_for(&shared->signals, signals + 10);
	if (atomic_load(&shared->wrong))
		fail("%s: %llu wrong results", program->name,
		     (unsigned long long)atomic_load(&shared->wrong));
}

static bool load(pid_t pid, struct inject_result *result, struct text *why)
{
	const struct inject_request request = {
		.pid = pid, .libulf = library, .dir = "/tmp", .words = "", .run_id = 1,
	};

	text_init(why, 8192);
	return inject(&request, result, why);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_loads(const struct program *program, pid_t pid, int loads)
{
	uint64_t *stopped = calloc((size_t)loads, sizeof(*stopped));
	uint64_t interrupted = atomic_load(&shared->interrupted);
	unsigned int tries = 0;

	for (int i = 0; i < loads; i++) {
		struct inject_result result;
		struct text why;

		if (!load(pid, &result, &why))
			fail("%s: %d: %s", program->name, i, text_str(&why));
		CHECK_STR(result.root, "none");
		stopped[i] = result.stopped_ns;
		tries = result.tries > tries ? result.tries : tries;
		text_done(&why);
		check_program(program, pid);
	}
	CHECK_EQ(atomic_load(&shared->interrupted), interrupted);
	qsort(stopped, (size_t)loads, sizeof(*stopped), by_value);
	printf("%s: %d loads, stopped for %llu us (median), %llu us (longest), %u tries at most\n",
	       program->name, loads, (unsigned long long)stopped[loads / 2] / 1000,
	       (unsigned long long)stopped[loads - 1] / 1000, tries);
	free(stopped);
}

static const struct {
	const char *name;
	uint64_t passes;		/* how often a load passes the step */
	bool may_interrupt;
} steps[] = {
	{ "inject.seized", 1, false },
	{ "inject.interrupted", 1, true },
	{ "inject.stopped", 1, false },
	{ "inject.carrier", 1, false },
	{ "inject.moved", 3, false },
	{ "inject.blocked", 3, false },
	{ "inject.entered", 3, false },
	{ "inject.exited", 3, false },
	{ "inject.filled", 1, false },
	{ "inject.started", 1, false },
	{ "inject.waited", 1, false },
	{ "inject.returned", 1, false },
	{ "inject.unblocked", 1, false },
	{ "inject.restored", 1, false },
	{ "inject.cleaned", 1, false },
	{ "inject.released", 1, false },
};
#define NR_STEPS	(sizeof(steps) / sizeof(steps[0]))

static void die(pid_t pid, const char *name, uint64_t pass)
{
	struct inject_result result;
	struct text why;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	deadly = name;
	passes_left = pass;
	testpoint_hook = die_at;
	load(pid, &result, &why);
	fputs(text_str(&why), stderr);
	_exit(1);
}

static void check_death(const struct program *program, pid_t pid, size_t step, uint64_t pass)
{
	uint64_t passed = atomic_load(&shared->passed);
	uint64_t interrupted = atomic_load(&shared->interrupted);
	pid_t killed = fork();

	CHECK(killed >= 0);
	if (!killed)
		die(pid, steps[step].name, pass);
	CHECK_EQ(waitpid(killed, NULL, 0), killed);
	if (atomic_load(&shared->passed) != passed + 1)
		fail("%s: no death at %s", program->name, steps[step].name);
	check_program(program, pid);
	if (!steps[step].may_interrupt && atomic_load(&shared->interrupted) != interrupted)
		fail("%s: EINTR after a death at %s", program->name, steps[step].name);
}

static int check_deaths(const struct program *program, pid_t pid, int deaths)
{
	int nr = 0;

	for (int i = 0; i < deaths; i++)
		for (size_t step = 0; step < NR_STEPS; step++)
			for (uint64_t pass = 0; pass < steps[step].passes; pass++, nr++)
				check_death(program, pid, step, pass);
	return nr;
}

static void find_library(void)
{
	ssize_t len = readlink("/proc/self/exe", library, sizeof(library) - 64);

	CHECK(len > 0);
	while (len > 0 && library[len - 1] != '/')
		len--;
	strcpy(library + len, "ptrace-mod_attach.so");
}

int main(int argc, char **argv)
{
	bool is_long = getenv("ULF_TORTURE");
	int loads = is_long ? LOADS_LONG : LOADS, deaths = 0;

	shared = map_shared(sizeof(*shared));
	find_library();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < NR_PROGRAMS; i++) {
		pid_t pid;

		if (argc > 1 && !strstr(programs[i].name, argv[1]))
			continue;
		memset(shared, 0, sizeof(*shared));
		pid = target_start(programs[i].run, NULL);
		check_program(&programs[i], pid);
		check_loads(&programs[i], pid, loads);
		deaths += check_deaths(&programs[i], pid, is_long ? DEATHS_LONG : DEATHS);
		check_loads(&programs[i], pid, 2);
		target_kill(pid);
	}
	printf("score: %zu programs, %d loads each, %d deaths\n", NR_PROGRAMS, loads, deaths);
	return 0;
}
