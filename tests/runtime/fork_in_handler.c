/* SPDX-License-Identifier: MIT */
/*
 * no-sanitize: thread fork() in a signal handler may hang in TSan's own locks
 * no-sanitize: address fork() in a signal handler may hang in ASan's own locks
 * A signal handler may call fork() while its thread is inside of libulf.  Then the child
 * continues there: it must not wait for a lock that a thread of its parent holds, and must
 * not patch its parent's code instead of its own.
 */
#include <linux/ftrace.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"

#define TRACED		__attribute__((noinline, patchable_function_entry(5)))
#define CHILDREN	300

#define DEFINE_TRACED(n)						\
	void traced_##n(void);						\
	TRACED void traced_##n(void)					\
	{								\
		__asm__ volatile("");					\
	}
DEFINE_TRACED(0)
DEFINE_TRACED(1)
DEFINE_TRACED(2)
DEFINE_TRACED(3)

static volatile sig_atomic_t is_inside;	/* the thread is in register_ftrace_function() */
static volatile sig_atomic_t is_child;
static volatile pid_t child;		/* 0: there is no child */
static volatile int nr_calls;		/* calls of count_call() */

static void count_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *regs)
{
	(void)ip, (void)parent_ip, (void)ops, (void)regs;
	nr_calls++;
}

static void fork_once(int signal)
{
	(void)signal;
	if (!is_inside || is_child || child)
		return;
	child = fork();
	if (!child)
		is_child = 1;
}

/* Call the traced functions.  Returns how many of the calls libulf reported. */
static int count_reports(void)
{
	nr_calls = 0;
	traced_0();
	traced_1();
	traced_2();
	traced_3();
	return nr_calls;
}

static void check_child(int nr)
{
	int status;

	CHECK_EQ(waitpid(child, &status, 0), child);
	if (status)
		fail("child %d: status %#x", nr, status);
	child = 0;
}

int main(void)
{
	struct sigaction action = { .sa_handler = fork_once, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 900 }, { 0, 900 } };
	struct ftrace_ops ops = { .func = count_call };
	unsigned char functions[] = "traced_?";

	CHECK_EQ(ftrace_set_filter(&ops, functions, sizeof(functions) - 1, 1), 0);
	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	CHECK_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (int nr = 0; nr < CHILDREN;) {
		is_inside = 1;
		CHECK_EQ(register_ftrace_function(&ops), 0);
		is_inside = 0;
		if (is_child)
			_exit(count_reports() != 4);
		CHECK_EQ(count_reports(), 4);
		CHECK_EQ(unregister_ftrace_function(&ops), 0);
		CHECK_EQ(count_reports(), 0);
		if (child)
			check_child(nr++);
	}
	return 0;
}
