/* SPDX-License-Identifier: MIT */
/*
 * Callbacks at function entries: which are called and with which arguments, functions chosen
 * by address and by name, switching while threads run through the sites, and a thread that is
 * at a site, or inside of it, when the site is switched.
 *
 * An argument: how often to switch.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "lib/check.h"
#include "traced.h"
#include <linux/ftrace.h>

/* ---- the calls of callbacks ---- */

/* Volatile, because the compiler knows that no function here changes it. */
struct seen {
	volatile unsigned long hits, ip, parent;
};

static void see(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		struct ftrace_regs *regs)
{
	struct seen *seen = ops->private;

	CHECK(!regs);
	__atomic_add_fetch(&seen->hits, 1, __ATOMIC_RELAXED);
	seen->ip = ip;
	seen->parent = parent;
	/* Functions that a callback calls are not traced, or this would never end. */
	CHECK(one(1) == 2);
	errno = EBADMSG;		/* libulf must restore errno */
}

static bool is_in(unsigned long addr, const void *function)
{
	return addr >= (unsigned long)function &&
	       addr < (unsigned long)function + 64;
}

static void test_callbacks(void)
{
	struct seen all_seen = { 0 }, one_seen = { 0 };
	struct ftrace_ops all = { .func = see, .private = &all_seen };
	struct ftrace_ops only = { .func = see, .private = &one_seen };
	struct ftrace_ops none = { 0 };

	CHECK(register_ftrace_function(&none) == -EINVAL);
	CHECK(unregister_ftrace_function(&all) == -EBUSY);
	CHECK(!ftrace_set_filter_ip(&only, (unsigned long)one, 0, 0));
	CHECK(!register_ftrace_function(&all));
	CHECK(!register_ftrace_function(&only));
	CHECK(register_ftrace_function(&only) == -EBUSY);
	errno = ENOTTY;
	CHECK(caller(3) == 9);
	CHECK(*(volatile int *)&errno == ENOTTY);
	CHECK(two(1.5, 2) == 3.0);
	CHECK(all_seen.hits == 4 && is_in(all_seen.ip, two));
	CHECK(one_seen.hits == 2 && is_in(one_seen.ip, one) &&
	      is_in(one_seen.parent, caller));
	CHECK(!unregister_ftrace_function(&all));
	CHECK(caller(3) == 9 && all_seen.hits == 4 && one_seen.hits == 4);
	/* choose another function while the callback is registered */
	CHECK(!ftrace_set_filter_ip(&only, (unsigned long)two, 0, 1));
	CHECK(caller(3) == 9 && one_seen.hits == 4);
	CHECK(two(2, 2) == 4 && one_seen.hits == 5);
	CHECK(!unregister_ftrace_function(&only));
	CHECK(two(2, 2) == 4 && one_seen.hits == 5);
}

/* ---- the flags of callbacks ---- */

static void see_once(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		     struct ftrace_regs *regs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent);

	CHECK(bit >= 0);
	see(ip, parent, ops, regs);
	ftrace_test_recursion_unlock(bit);
}

static const struct {
	unsigned long flags;
	int answer;
} asked[] = {
	{ 0, 0 },
	{ FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_PERMANENT, 0 },
	{ FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED, 0 },
	{ FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED | FTRACE_OPS_FL_SAVE_REGS, 0 },
	{ FTRACE_OPS_FL_SAVE_REGS, -EINVAL },
	{ FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION, -EINVAL },
	{ FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED, -EINVAL },
	{ 1ul << 40, -EINVAL },
};

static void test_flags(void)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct seen seen = { 0 };
		struct ftrace_ops ops = {
			.func = see_once, .private = &seen, .flags = asked[i].flags,
		};

		CHECK(!ftrace_set_filter_ip(&ops, (unsigned long)two, 0, 0));
		CHECK(register_ftrace_function(&ops) == asked[i].answer);
		CHECK(two(1.5, 2) == 3.0 && seen.hits == !asked[i].answer);
		CHECK(unregister_ftrace_function(&ops) ==
		      (asked[i].answer ? -EBUSY : 0));
		ftrace_free_filter(&ops);
	}
}

/* ---- by name ---- */

/* Returns how often the callback is called while caller() and two() run. */
static unsigned long hits_of(struct seen *seen)
{
	seen->hits = 0;
	CHECK(caller(3) == 9 && two(1.5, 2) == 3.0);
	return seen->hits;
}

static int set(int (*list)(struct ftrace_ops *ops, unsigned char *buf, int len,
			   int reset), struct ftrace_ops *ops, const char *glob,
	       int reset)
{
	char copy[64] = "";

	strcpy(copy, glob);
	return list(ops, (unsigned char *)copy, (int)strlen(glob), reset);
}

static void test_names(void)
{
	struct seen seen = { 0 };
	struct ftrace_ops ops = { .func = see, .private = &seen };

	CHECK(set(ftrace_set_filter, &ops, "nosuch*", 0) == -EINVAL);
	CHECK(set(ftrace_set_filter, &ops, "main", 0) == -EINVAL);	/* no space at its entry */
	CHECK(ftrace_set_filter(&ops, (unsigned char *)"one", -1, 0) == -EINVAL);
	CHECK(ftrace_set_filter_ip(&ops, (unsigned long)hits_of, 0, 0) == -EINVAL);
	CHECK(!set(ftrace_set_filter, &ops, "o[mn]?", 0));
	CHECK(!register_ftrace_function(&ops));
	CHECK(hits_of(&seen) == 2);
	/* While it is registered: add a function, remove one, choose others, choose all. */
	CHECK(!set(ftrace_set_filter, &ops, "two", 0));
	CHECK(hits_of(&seen) == 3);
	CHECK(!set(ftrace_set_filter, &ops, "!one", 0));
	CHECK(hits_of(&seen) == 1);
	CHECK(set(ftrace_set_filter, &ops, "nosuch", 1) == -EINVAL);
	CHECK(hits_of(&seen) == 1);
	CHECK(!set(ftrace_set_filter, &ops, "*all*", 1));
	CHECK(hits_of(&seen) == 1 && is_in(seen.ip, caller));
	CHECK(!ftrace_set_filter(&ops, NULL, 0, 1));
	CHECK(hits_of(&seen) == 4);
	/* An empty name matches no function. */
	CHECK(set(ftrace_set_filter, &ops, "", 1) == -EINVAL);
	CHECK(set(ftrace_set_filter, &ops, "!", 1) == -EINVAL);
	CHECK(!set(ftrace_set_filter, &ops, "*", 1));
	CHECK(hits_of(&seen) == 4);
	CHECK(!ftrace_set_filter_ip(&ops, (unsigned long)two, 1, 0));
	CHECK(hits_of(&seen) == 3);
	/* Removing a function that is not in the list fails, after the reset of the list. */
	CHECK(ftrace_set_filter_ip(&ops, (unsigned long)two, 1, 0) == -ENOENT);
	CHECK(ftrace_set_filter_ip(&ops, (unsigned long)one, 1, 1) == -ENOENT);
	CHECK(hits_of(&seen) == 3);
	/* Exclude these. */
	CHECK(!set(ftrace_set_notrace, &ops, "c*", 0));
	CHECK(hits_of(&seen) == 2);
	CHECK(!ftrace_set_filter(&ops, NULL, 0, 1));
	CHECK(hits_of(&seen) == 3);
	ftrace_free_filter(&ops);	/* has no effect while it is registered */
	CHECK(hits_of(&seen) == 3);
	CHECK(!unregister_ftrace_function(&ops));
	CHECK(hits_of(&seen) == 0);
	ftrace_free_filter(&ops);
	CHECK(!register_ftrace_function(&ops));
	CHECK(hits_of(&seen) == 4);
	/* Choose a function before it is registered. */
	CHECK(!set(ftrace_set_filter, &ops, "one", 0));
	CHECK(hits_of(&seen) == 2);
	CHECK(!unregister_ftrace_function(&ops));
	ftrace_free_filter(&ops);
}

static int follow(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	(void)ent;
	(void)ops;
	return 1;
}

static void see_return(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	struct seen *seen = ops->private;

	seen->hits++;
	seen->ip = ret->func;
}

static void test_graph_names(void)
{
	struct seen seen = { 0 };
	struct fgraph_ops ops = {
		.entryfunc = follow, .retfunc = see_return, .private = &seen,
	};

	CHECK(!set(ftrace_set_filter, &ops.ops, "caller", 0));
	CHECK(!register_ftrace_graph(&ops));
	CHECK(hits_of(&seen) == 1 && is_in(seen.ip, caller));
	unregister_ftrace_graph(&ops);
	ftrace_free_filter(&ops.ops);
}

/* A call of __fentry__ has become a NOP, even if the function was never traced. */
static void test_quiet(void)
{
	const uint8_t *code = (const uint8_t *)one;

	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		code += 4;
	if (code[0] == 0x67)		/* a prefix that linkers insert */
		code++;
	CHECK(code[0] != 0xe8 && code[0] != 0xff);
}

/* ---- switching while threads run ---- */

static bool is_done;

static void *run(void *arg)
{
	(void)arg;
	for (long i = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); i++) {
		CHECK(caller((int)i % 1000) == 2 * ((int)i % 1000) + 3);
		CHECK(two((double)(i % 100), 3, i, 1.0) == (double)(i % 100) * 3);
	}
	return NULL;
}

static void count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)regs;
	__atomic_add_fetch((unsigned long *)ops->private, 1, __ATOMIC_RELAXED);
}

static void test_switching(int rounds)
{
	unsigned long hits = 0;
	struct ftrace_ops ops = { .func = count, .private = &hits };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, NULL));
	for (int i = 0; i < rounds; i++) {
		unsigned long before;

		CHECK(!register_ftrace_function(&ops));
		CHECK(caller(1) == 5);
		CHECK(!unregister_ftrace_function(&ops));
		before = __atomic_load_n(&hits, __ATOMIC_RELAXED);
		sched_yield();
		/* unregister has returned, so no thread may call the callback any more. */
		CHECK(__atomic_load_n(&hits, __ATOMIC_RELAXED) == before);
	}
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK(hits >= 3ul * (unsigned int)rounds);
}

/* ---- switching while a thread is inside of an entry ---- */

static struct ftrace_ops step_ops;
static unsigned long step_hits;
static uint64_t stop_at;		/* an address in the entry */
static int (*on_stop)(struct ftrace_ops *ops);	/* the action there, or NULL */
static bool has_stopped;

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if ((uint64_t)regs[REG_RIP] != stop_at || has_stopped)
		return;
	has_stopped = true;
	regs[REG_EFL] &= ~0x100;		/* no more steps */
	if (on_stop)
		CHECK(!on_stop(&step_ops));
}

/* Call @function with the trap flag, which gives a signal per instruction.  Returns true if
 * it stopped. */
static bool stepped(int (*function)(int), int x, int (*do_there)(struct ftrace_ops *))
{
	int result;

	has_stopped = false;
	on_stop = do_there;
	__asm__ volatile("pushfq; orl $0x100, (%rsp); popfq");
	result = function(x);
	__asm__ volatile("pushfq; andl $~0x100, (%rsp); popfq");
	CHECK(result == x + 1);
	return has_stopped;
}

/* Call @change while this thread is at the place, or, if @is_place is false, at once: the same
 * steps through the same instructions would not find the place either. */
static void switch_there(bool is_place, int at, int (*change)(struct ftrace_ops *))
{
	if (is_place)
		CHECK(stepped(fresh[at], at, change));
	else
		CHECK(!change(&step_ops));
}

/* Switch each function while a thread is at the byte of its entry, if an instruction starts
 * there.  Returns the number of these places. */
static int step_all(void)
{
	int nr_stops = 0;

	for (int at = 0; at < NR_FRESH; at++) {
		uint64_t entry = (uint64_t)fresh[at];
		bool is_place;

		CHECK(!ftrace_set_filter_ip(&step_ops, entry, 0, 1));
		stop_at = entry + (uint64_t)at;
		is_place = stepped(fresh[at], at, NULL);
		nr_stops += is_place;
		switch_there(is_place, at, register_ftrace_function);
		step_hits = 0;
		is_place = stepped(fresh[at], at, NULL);
		CHECK(step_hits == 1);
		nr_stops += is_place;
		switch_there(is_place, at, unregister_ftrace_function);
		step_hits = 0;
		CHECK(fresh[at](at) == at + 1 && !step_hits);
	}
	return nr_stops;
}

static void test_steps(void)
{
	struct sigaction action = {
		.sa_sigaction = on_step, .sa_flags = SA_SIGINFO,
	};
	const char *sanitizer = getenv("ULF_SANITIZER");

	if (sanitizer && !strcmp(sanitizer, "thread")) {
		puts("no steps: TSan's run-time would be called in its own locks");
		return;
	}
	CHECK(!sigaction(SIGTRAP, &action, NULL));
	step_ops = (struct ftrace_ops){ .func = count, .private = &step_hits };
	/* There are at least a place before the entry's NOP and one after it.  Repeat this,
	 * because bytes that were written once stay. */
	CHECK(step_all() >= 4);
	CHECK(step_all() >= 4);
	CHECK(caller(1) == 5);
}

int main(int argc, char **argv)
{
	test_quiet();
	test_steps();
	test_callbacks();
	test_flags();
	test_names();
	test_graph_names();
	test_switching(argc > 1 ? atoi(argv[1]) : 300);
	return 0;
}
