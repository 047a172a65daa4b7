/* SPDX-License-Identifier: MIT */
/*
 * A library whose functions call __fentry__ is loaded while threads run.  The calls become
 * NOPs, and then jumps, while threads execute them.  Calls of other functions stay.
 *
 * no-sanitize: thread it cannot see patched code
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "lib/check.h"
#include <linux/ftrace.h>

#define THREADS		3
#define LOADS		100

static char path[PATH_MAX];

struct library {
	void *handle;
	int (*late)(int x), (*across)(int x), (*other)(int x);
	int *nr_others;
};

static struct library load(void)
{
	struct library l = { .handle = dlopen(path, RTLD_NOW) };

	if (!l.handle)
		fail("%s", dlerror());
	*(void **)&l.late = dlsym(l.handle, "late");
	*(void **)&l.across = dlsym(l.handle, "late_across");
	*(void **)&l.other = dlsym(l.handle, "late_other");
	l.nr_others = dlsym(l.handle, "nr_others");
	CHECK(l.late && l.across && l.other && l.nr_others);
	CHECK((uintptr_t)l.across % 4096 == 4093);
	return l;
}

static bool is_done;
static long nr_calls;

static void *run(void *arg)
{
	const struct library *l = arg;

	for (int i = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); i++) {
		CHECK_EQ(l->late(i), i + 1);
		CHECK_EQ(l->across(i), i + 1);
		CHECK_EQ(l->other(i), i + 1);
		__atomic_add_fetch(&nr_calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)regs;
	__atomic_add_fetch((long *)ops->private, 1, __ATOMIC_RELAXED);
}

static void wait_for_calls(void)
{
	long seen = __atomic_load_n(&nr_calls, __ATOMIC_RELAXED);

	while (__atomic_load_n(&nr_calls, __ATOMIC_RELAXED) < seen + 2 * THREADS)
		sched_yield();
}

static bool is_call(int (*function)(int x))
{
	return *(volatile uint8_t *)function == 0xff;
}

static void check_calls(struct library *l)
{
	long hits = 0;
	struct ftrace_ops ops = { .func = count, .private = &hits };
	pthread_t threads[THREADS];
	int others;

	is_done = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, l));
	wait_for_calls();
	CHECK(is_call(l->late) && is_call(l->across) && is_call(l->other));
	CHECK(!register_ftrace_function(&ops));
	CHECK(!is_call(l->late) && !is_call(l->across));
	wait_for_calls();
	CHECK(__atomic_load_n(&hits, __ATOMIC_RELAXED) >= 2 * THREADS);
	CHECK(!unregister_ftrace_function(&ops));
	wait_for_calls();
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);

	CHECK(!is_call(l->late) && !is_call(l->across) && is_call(l->other));
	others = *l->nr_others;
	CHECK(l->other(1) == 2 && *l->nr_others == others + 1);
	hits = 0;
	CHECK(!ftrace_set_filter_ip(&ops, (unsigned long)l->across, 0, 0));
	CHECK(!register_ftrace_function(&ops));
	CHECK(l->across(1) == 2 && hits == 1 && l->late(1) == 2 && hits == 1);
	CHECK(!unregister_ftrace_function(&ops));
	CHECK(l->across(1) == 2 && hits == 1);
}

int main(void)
{
	char self[PATH_MAX] = "";

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/runtime-fentry-mod_calls.so",
		 dirname(self));
	for (int i = 0; i < LOADS; i++) {
		struct library l = load();

		check_calls(&l);
		CHECK(!dlclose(l.handle));
	}
	return 0;
}
