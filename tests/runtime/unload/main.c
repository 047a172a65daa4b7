/* SPDX-License-Identifier: MIT */
/*
 * Libraries are loaded and unloaded as fast as possible, one at the address of the other,
 * while callbacks for their functions are registered and unregistered.  Every call of a
 * function returns the right result, and exactly the functions that are loaded are traced.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "plug.h"
#include <linux/ftrace.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define LOADERS		2
#define SHORT_ROUNDS	300
#define LONG_ROUNDS	100000

static int nr_rounds;
static bool is_done;

long own(long x);
TRACED long own(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

/* ---- callbacks ---- */

static unsigned long nr_hits;

static void count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)ops;
	(void)regs;
	__atomic_add_fetch(&nr_hits, 1, __ATOMIC_RELAXED);
}

static int on_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	(void)ent;
	(void)ops;
	return 1;
}

static void on_exit_(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	(void)ret;
	(void)ops;
	__atomic_add_fetch(&nr_hits, 1, __ATOMIC_RELAXED);
}

static void *switches(void *arg)
{
	struct ftrace_ops ops = { .func = count };
	struct fgraph_ops gops = { .entryfunc = on_entry, .retfunc = on_exit_ };

	(void)arg;
	while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED)) {
		CHECK_EQ(register_ftrace_function(&ops), 0);
		CHECK_EQ(register_ftrace_graph(&gops), 0);
		CHECK_EQ(unregister_ftrace_function(&ops), 0);
		unregister_ftrace_graph(&gops);
	}
	return NULL;
}

/* ---- libraries ---- */

static const char *const names[] = { "one", "two", "events", "slow" };

static void *plug_in(uint32_t which)
{
	char path[PATH_MAX];
	void *handle;

	snprintf(path, sizeof(path), "%s/tests/runtime-unload-mod_%s.so",
		 command_env("ULF_BUILD"), names[which]);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		fail("%s", dlerror());
	return handle;
}

static long (*function(void *handle, const char *name))(long)
{
	long (*found)(long);

	*(void **)&found = dlsym(handle, name);
	CHECK(found);
	return found;
}

static void call_all(void *handle, long x)
{
	long (*calls)(long x, long (*back)(long));

	*(void **)&calls = dlsym(handle, "plug_calls");
	CHECK_EQ(function(handle, "plug_adds")(x), x + 1);
	CHECK_EQ(calls(x, own), x + 3);
}

static void *loads(void *arg)
{
	uint32_t first = (uint32_t)(long)arg;

	for (int i = 0; i < nr_rounds; i++) {
		void *handle = plug_in((first + (uint32_t)i) % 3);

		for (long x = 0; x < 5; x++)
			call_all(handle, x);
		CHECK_EQ(dlclose(handle), 0);
	}
	return NULL;
}

static void test_storm(void)
{
	pthread_t loaders[LOADERS], switcher;

	CHECK_EQ(pthread_create(&switcher, NULL, switches, NULL), 0);
	for (long i = 0; i < LOADERS; i++)
		CHECK_EQ(pthread_create(&loaders[i], NULL, loads, (void *)i), 0);
	for (int i = 0; i < LOADERS; i++)
		CHECK_EQ(pthread_join(loaders[i], NULL), 0);
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(switcher, NULL), 0);
	CHECK(nr_hits > 0);
}

/* ---- libulf forgets unloaded libraries ---- */

static uint64_t base_of(void *handle)
{
	struct link_map *map;

	CHECK_EQ(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	return map->l_addr;
}

/* A library is loaded again at the address where it was, with the bytes of its file.  After
 * the next registration of a callback it is traced as before. */
static void test_again(void)
{
	struct ftrace_ops ops = { .func = count }, other = { .func = count };
	uint64_t base = 0;
	int nr_same = 0;

	CHECK_EQ(register_ftrace_function(&other), 0);
	for (int i = 0; i < 20; i++) {
		void *handle = plug_in(0);
		unsigned long before;

		nr_same += base_of(handle) == base;
		base = base_of(handle);
		CHECK_EQ(register_ftrace_function(&ops), 0);
		before = nr_hits;
		CHECK_EQ(function(handle, "plug_adds")(1), 2);
		CHECK_EQ(nr_hits, before + 2);
		CHECK_EQ(unregister_ftrace_function(&ops), 0);
		CHECK_EQ(dlclose(handle), 0);
	}
	CHECK_EQ(unregister_ftrace_function(&other), 0);
	CHECK(nr_same > 0);
}

/* ---- fork() during a dlclose() ---- */

static int is_going;			/* 1: dlclose() is in the destructor; 2: the
					 * destructor may end */

static void wait_in_destructor(void)
{
	__atomic_store_n(&is_going, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&is_going, __ATOMIC_ACQUIRE) == 1)
		sched_yield();
}

static void *close_slowly(void *handle)
{
	CHECK_EQ(dlclose(handle), 0);
	return NULL;
}

/* While a dlclose() runs, libulf does not patch libraries; in a child of fork() it patches at
 * once. */
static void test_fork_in_dlclose(void)
{
	struct ftrace_ops ops = { .func = count };
	void *handle = plug_in(0), *slow = plug_in(3);
	long (*adds)(long) = function(handle, "plug_adds");
	unsigned long before;
	pthread_t closer;
	int status;
	pid_t pid;

	*(void (**)(void))dlsym(slow, "slow_going") = wait_in_destructor;
	CHECK_EQ(pthread_create(&closer, NULL, close_slowly, slow), 0);
	while (!__atomic_load_n(&is_going, __ATOMIC_ACQUIRE))
		sched_yield();
	CHECK_EQ(register_ftrace_function(&ops), 0);
	before = nr_hits;
	CHECK_EQ(adds(1), 2);
	CHECK_EQ(nr_hits, before);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(adds(1) != 2 || nr_hits == before);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	__atomic_store_n(&is_going, 2, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(closer, NULL), 0);
	CHECK_EQ(adds(1), 2);
	CHECK(nr_hits > before);
	CHECK_EQ(unregister_ftrace_function(&ops), 0);
	CHECK_EQ(dlclose(handle), 0);
}

/* While a dlclose() runs, any library may be unmapped, so libulf does not change the reference to
 * _dl_find_object() of one.  After the dlclose() it does. */
static void test_unwinders_in_dlclose(void)
{
	struct ftrace_ops ops = { .func = count };
	void *handle = plug_in(0), *slow = plug_in(3);
	const void *(*unwinder)(void);
	const void *before;
	pthread_t closer;

	*(void **)&unwinder = dlsym(handle, "plug_unwinder");
	CHECK(unwinder);
	before = unwinder();
	is_going = 0;
	*(void (**)(void))dlsym(slow, "slow_going") = wait_in_destructor;
	CHECK_EQ(pthread_create(&closer, NULL, close_slowly, slow), 0);
	while (!__atomic_load_n(&is_going, __ATOMIC_ACQUIRE))
		sched_yield();
	CHECK_EQ(register_ftrace_function(&ops), 0);
	CHECK(unwinder() == before);
	__atomic_store_n(&is_going, 2, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(closer, NULL), 0);
	CHECK(unwinder() != before || !before);
	CHECK_EQ(unregister_ftrace_function(&ops), 0);
	CHECK_EQ(dlclose(handle), 0);
}

/* Other memory at the address of an unloaded library is not patched. */
static void test_other_memory(void)
{
	struct ftrace_ops ops = { .func = count };
	void *handle = plug_in(0);
	char *page = (char *)((uint64_t)function(handle, "plug_adds") & ~4095ull);
	char *place;

	CHECK_EQ(register_ftrace_function(&ops), 0);
	call_all(handle, 1);
	CHECK_EQ(dlclose(handle), 0);
	place = mmap(page, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK(place == page);
	memset(page, 0xe9, 4096);	/* jumps, like those of libulf */
	CHECK_EQ(unregister_ftrace_function(&ops), 0);
	CHECK_EQ(register_ftrace_function(&ops), 0);
	CHECK_EQ(unregister_ftrace_function(&ops), 0);
	for (int i = 0; i < 4096; i++)
		CHECK_EQ((unsigned char)page[i], 0xe9);
	munmap(page, 4096);
}

/* Without address randomisation, as under gdb, the kernel puts libraries directly below the
 * stack.  There must be space for jumps below them, whatever else is mapped. */
static void test_no_random(char **argv)
{
	int status;
	pid_t pid;

	if (personality(0xffffffff) & ADDR_NO_RANDOMIZE)
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		CHECK(personality(ADDR_NO_RANDOMIZE) != -1);
		execv("/proc/self/exe", argv);
		fail("execv: %s", strerror(errno));
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");

	(void)argc;
	nr_rounds = form && !strcmp(form, "long") ? LONG_ROUNDS : SHORT_ROUNDS;
	test_again();
	test_fork_in_dlclose();
	test_unwinders_in_dlclose();
	test_other_memory();
	test_storm();
	test_no_random(argv);
	printf("%lu hits\n", nr_hits);
	return 0;
}
