/* SPDX-License-Identifier: MIT */
/* The program that the worker attacks. */
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "hostile_trace.h"
#include "hostile.h"
#include "lib/check.h"
#include "lib/command.h"
#include <ulf/tracing.h>

#define CANARY_BYTES	(1ul << 20)
#define GUARD_BYTES	(1ul << 20)
#define STALL_SECONDS	30
#define NOBODY		65534

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

static struct canary canary;
static struct progress *progress;
static uint64_t turns;			/* rounds of the main thread */

/* ---- memory that must not change ---- */

static uint64_t canary_word(uint64_t i)
{
	return (i + 1) * 0x9e3779b97f4a7c15ull;
}

static void make_canary(void)
{
	char *mem = mmap(NULL, CANARY_BYTES + 2 * GUARD_BYTES, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	canary.words = (uint64_t *)(mem + GUARD_BYTES);
	canary.nr = CANARY_BYTES / sizeof(uint64_t);
	CHECK(!mprotect(canary.words, CANARY_BYTES, PROT_READ | PROT_WRITE));
	for (uint64_t i = 0; i < canary.nr; i++)
		canary.words[i] = canary_word(i);
}

static void check_canary(void)
{
	for (uint64_t i = 0; i < canary.nr; i++) {
		if (canary.words[i] != canary_word(i))
			fail("private memory was changed: word %lu is %#lx after %lu rounds",
			     i, canary.words[i], progress->rounds);
	}
}

/* ---- the work of the victim ---- */

int hostile_leaf(int x);
int hostile_deep(int x);

TRACED int hostile_leaf(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

TRACED int hostile_deep(int x)
{
	volatile int here = x;

	return x ? hostile_deep(x - 1) + 1 : hostile_leaf(here);
}

static void *in_thread(void *arg)
{
	trace_hostile_number(1);
	CHECK_EQ(hostile_deep(20), 21);
	return arg;
}

static void load_library(void)
{
	char path[PATH_MAX];
	void *library;

	snprintf(path, sizeof(path), "%s/tests/runtime-mod_events.so",
		 command_env("ULF_BUILD"));
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	dlclose(library);
}

static void fork_child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		trace_hostile_number(2);
		_exit(hostile_deep(3));
	}
	if (pid < 0)
		return;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 4);
}

static void start_thread(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, in_thread, NULL));
	CHECK(!pthread_join(thread, NULL));
}

static void work(uint64_t i)
{
	char text[100];

	memset(text, 'a', sizeof(text));
	text[i % sizeof(text)] = '\0';
	text[sizeof(text) - 1] = '\0';
	errno = 4711;
	for (long n = 0; n < 10; n++)
		trace_hostile_number(n);
	trace_hostile_text((long)(i % 8), text);
	trace_hostile_pointer(i % 2 ? text : "none");
	trace_printk("a number %lu and a text %s\n", i, text);
	trace_puts("no more than that\n");
	CHECK_EQ(hostile_deep((int)(i % 50)), (int)(i % 50) + 1);
	CHECK_EQ(errno, 4711);
}

static void turn(void)
{
	uint64_t i = __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);

	work(i);
	if (i % 16 == 0)
		check_canary();
	if (i % 64 == 1)
		start_thread();
	if (i % 128 == 3)
		load_library();
	if (i % 64 == 5)
		fork_child();
	if (i % 32 == 7)
		tracing_snapshot();
	if (i % 32 == 9)
		tracing_on();
}

/* ---- does the victim make progress? ---- */

static void *watch(void *arg)
{
	uint64_t last = 0, now;
	int seconds = 0;

	while (seconds < STALL_SECONDS) {
		sleep(1);
		now = __atomic_load_n(&turns, __ATOMIC_RELAXED);
		seconds = now == last ? seconds + 1 : 0;
		last = now;
	}
	fail("the victim hangs, after %lu rounds", progress->rounds);
	return arg;
}

static pid_t start_worker(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	if (!geteuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			   setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	worker(&canary, progress);
	_exit(0);
}

int victim(void)
{
	pthread_t watcher;
	int status = 0;
	pid_t pid;
	char c;

	progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(progress != MAP_FAILED);
	make_canary();
	for (int i = 0; i < 100; i++)
		work((uint64_t)i);
	CHECK_EQ(read(0, &c, 1), 1);
	for (int i = 0; i < 100; i++)
		work((uint64_t)i);
	pid = start_worker();
	CHECK(!pthread_create(&watcher, NULL, watch, NULL));
	while (!__atomic_load_n(&progress->is_done, __ATOMIC_ACQUIRE)) {
		turn();
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
	}
	if (!progress->is_done)
		fail("the worker died after %lu rounds: %s", progress->rounds,
		     strsignal(WTERMSIG(status)));
	check_canary();
	printf("%lu rounds, %lu turns\n", progress->rounds, turns);
	return 0;
}
