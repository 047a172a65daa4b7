/* SPDX-License-Identifier: MIT */
/*
 * A root that makes the server work for it, beside a good one.  The server has one thread,
 * so a client of the good root waits as long as the longest call for the other one lasts.
 * That is measured in CPU time: a machine that is busy with something else changes
 * nothing.  The server aims at 100 ms; what these roots cost before there was a bound is
 * written at each.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

#include "server/server.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define MAPPINGS	32000u
#define LIMIT_MS	400u		/* an instrumented build takes several times as long */
#define MEMORY_KB	400000		/* more than the server had before */
#define ROUNDS		60

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static uint64_t longest_ms;

static void note(uint64_t started_ms)
{
	uint64_t ms = cpu_ms() - started_ms;

	if (ms > longest_ms)
		longest_ms = ms;
}

/* ---- processes with many mappings ---- */

/* Mappings of one page each; neighbours differ, so that they stay apart. */
static void be_large(int ready)
{
	size_t bytes = (size_t)MAPPINGS * 4096;
	char *pages = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint32_t i = 0; pages != MAP_FAILED && i < MAPPINGS; i += 2)
		if (mprotect(pages + (size_t)i * 4096, 4096, PROT_READ))
			_exit(1);
	if (pages == MAP_FAILED || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t make_large(void)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		be_large(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

#define LARGE	4
static pid_t large[LARGE];

static void end_large(void)
{
	for (int i = 0; i < LARGE; i++) {
		if (large[i] > 0) {
			kill(large[i], SIGKILL);
			waitpid(large[i], NULL, 0);
		}
		large[i] = 0;
	}
}

static void nothing(struct fake_root *root)
{
	(void)root;
}

/* Was 57 s. */
static void name_one_process(struct fake_root *root)
{
	large[0] = make_large();
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].pid = (uint32_t)large[0];
}

/* Slots that were taken one after another: the last one counts. */
static void name_it_in_order(struct fake_root *root)
{
	name_one_process(root);
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].claimed_ns = slot;
}

/* Several, in turns. */
static void name_some(struct fake_root *root)
{
	for (int i = 0; i < LARGE; i++)
		large[i] = make_large();
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].pid = (uint32_t)large[slot % LARGE];
}

/* Each time that the server looks something seems to be new. */
static void change_tables(struct fake_root *root)
{
	root->control->tables_changed++;
}

/* ---- the runs ---- */

static const struct attack {
	const char *what;
	void (*prepare)(struct fake_root *root);
	void (*each_round)(struct fake_root *root);
} attacks[] = {
	{ "nothing", nothing, nothing },
	{ "one process in all slots", name_one_process, change_tables },
	{ "one process, slots in order", name_it_in_order, change_tables },
	{ "processes in turns", name_some, change_tables },
};

static int see(void *arg, const struct server_root_info *info)
{
	if (!strcmp(info->name, "good.1") && info->state == SERVER_ROOT_ALIVE)
		(*(int *)arg)++;
	return 0;
}

/* What the server's loop does, and a client of the good root. */
static void run_rounds(struct server *server, struct fake_root *root,
		       const struct attack *attack)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now = cpu_ms();
		int nr = 0;

		attack->each_round(root);
		server_dispatch(server);
		note(now);
		now = cpu_ms();
		server_tick(server);
		note(now);
		now = cpu_ms();
		server_root_list(server, see, &nr);
		assert_int_equal(nr, 1);
		assert_int_equal(tree_echo(server, "good.1/tracing_on", "1"), 0);
		assert_string_equal(tree_cat(server, "good.1/tracing_on"), "1\n");
		note(now);
		usleep(20000);
	}
}

static uint64_t memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

/* In a process of its own, whose memory can be measured. */
static void run_attack(const char *dir, const struct attack *attack)
{
	struct fake_root good, root;
	struct server *server;
	uint64_t now, before_kb;

	fake_root_make(&good, dir, "good.1");
	fake_event_n(&good, 0, "sched", "tick");
	fake_root_show(&good, "good.1");
	fake_root_make(&root, dir, "hostile.1");
	attack->prepare(&root);
	fake_root_show(&root, "hostile.1");
	before_kb = memory_kb();
	now = cpu_ms();
	assert_int_equal(server_new(dir, &server), 0);
	note(now);
	run_rounds(server, &root, attack);
	print_message("%s: %lu ms, %lu kB\n", attack->what, longest_ms,
		      memory_kb() - before_kb);
	if (longest_ms > LIMIT_MS)
		fail_msg("%s: a client waits for %lu ms", attack->what, longest_ms);
	if (memory_kb() - before_kb > MEMORY_KB)
		fail_msg("%s: the server takes %lu kB", attack->what,
			 memory_kb() - before_kb);
	server_free(server);
	fake_root_done(&root);
	fake_root_done(&good);
}

static void others_are_served(void **state)
{
	char dir[128];

	(void)state;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		longest_ms = 0;
		fake_dir_make(dir);
		run_attack(dir, &attacks[i]);
		end_large();
		fake_dir_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
