/* SPDX-License-Identifier: MIT */
/*
 * Sites are switched one by one and by the hundred, by several users with random choices,
 * while threads run through them.  After each change a model says which sites are on, and
 * which users are called.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include <linux/ftrace.h>

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
#define STEPS	600

/* 256 functions */
#define EACH4(X, n)	X(n##0) X(n##1) X(n##2) X(n##3)
#define EACH16(X, n)	EACH4(X, n##0) EACH4(X, n##1) EACH4(X, n##2) EACH4(X, n##3)
#define EACH64(X, n)	EACH16(X, n##0) EACH16(X, n##1) EACH16(X, n##2) EACH16(X, n##3)
#define EACH(X)		EACH64(X, 0) EACH64(X, 1) EACH64(X, 2) EACH64(X, 3)

#define DECLARE(n)	int function_##n(int x);
EACH(DECLARE)
#define DEFINE(n)							\
	TRACED int function_##n(int x)					\
	{								\
		__asm__ volatile("" : "+r"(x));				\
		return x + 1;						\
	}
EACH(DEFINE)
#define ADDRESS(n)	function_##n,
static int (*const functions[])(int) = { EACH(ADDRESS) };
#define NR		(sizeof(functions) / sizeof(functions[0]))

/* ---- the model ---- */

#define USERS		4		/* the last user also sees returns */
#define GRAPH		(USERS - 1)

static struct user {
	struct ftrace_ops ops;
	bool is_on;
	bool is_chosen[NR];
	unsigned int nr_chosen;
} users[USERS];
static struct fgraph_ops graph;

static bool is_user(const struct user *user, unsigned int i)
{
	return user->is_on && (!user->nr_chosen || user->is_chosen[i]);
}

static struct ftrace_ops *ops_of(struct user *user)
{
	return user == &users[GRAPH] ? &graph.ops : &user->ops;
}

/* ---- the calls of users ---- */

static __thread bool is_counted;
static unsigned int entries[USERS], exits;	/* counted in the thread that has is_counted set */

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)regs;
	if (is_counted)
		entries[(struct user *)ops->private - users]++;
}

static int graph_entered(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	(void)ent;
	(void)ops;
	if (is_counted)
		entries[GRAPH]++;
	return 1;
}

static void graph_left(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	(void)ret;
	(void)ops;
	if (is_counted)
		exits++;
}

static bool has_jump(int (*function)(int))
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = (const uint8_t *)function;

	if (!memcmp(code, endbr, sizeof(endbr)))
		code += sizeof(endbr);
	return *(const volatile uint8_t *)code == 0xe9;
}

static void check_all(void)
{
	is_counted = true;
	for (unsigned int i = 0; i < NR; i++) {
		bool is_on = false;

		memset(entries, 0, sizeof(entries));
		exits = 0;
		CHECK(functions[i]((int)i) == (int)i + 1);
		for (unsigned int u = 0; u < USERS; u++) {
			CHECK(entries[u] == is_user(&users[u], i));
			is_on |= is_user(&users[u], i);
		}
		CHECK(exits == is_user(&users[GRAPH], i));
		CHECK(has_jump(functions[i]) == is_on);
	}
	is_counted = false;
}

/* ---- changes ---- */

static void toggle(struct user *user)
{
	if (user == &users[GRAPH]) {
		if (user->is_on)
			unregister_ftrace_graph(&graph);
		else
			CHECK(!register_ftrace_graph(&graph));
	} else if (user->is_on) {
		CHECK(!unregister_ftrace_function(&user->ops));
	} else {
		CHECK(!register_ftrace_function(&user->ops));
	}
	user->is_on = !user->is_on;
}

static void choose(struct user *user, unsigned int i, bool is_reset)
{
	bool is_out = !is_reset && user->is_chosen[i];

	CHECK(!ftrace_set_filter_ip(ops_of(user), (unsigned long)functions[i],
				    is_out, is_reset));
	if (is_reset)
		memset(user->is_chosen, 0, sizeof(user->is_chosen));
	user->is_chosen[i] = !is_out;
	user->nr_chosen = is_reset ? 1 : is_out ? user->nr_chosen - 1 :
					          user->nr_chosen + 1;
}

static void change(void)
{
	struct user *user = &users[rand() % USERS];
	unsigned int i = (unsigned int)rand() % NR;
	int what = rand() % 16;

	if (what < 6)
		toggle(user);
	else if (what == 6)
		choose(user, i, true);
	else
		/* few functions, so that sometimes none is left */
		choose(user, what < 12 ? i % 8 * 32 : i, false);
}

static bool is_done;

static void *run(void *arg)
{
	while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED))
		for (unsigned int i = 0; i < NR; i++)
			CHECK(functions[i](7) == 8);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (unsigned int u = 0; u < USERS; u++)
		users[u].ops = (struct ftrace_ops){
			.func = entered, .private = &users[u],
		};
	graph.entryfunc = graph_entered;
	graph.retfunc = graph_left;
	srand(5);
	check_all();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, NULL));
	for (int i = 0; i < STEPS; i++) {
		change();
		check_all();
	}
	for (unsigned int u = 0; u < USERS; u++)
		if (users[u].is_on)
			toggle(&users[u]);
	check_all();
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
