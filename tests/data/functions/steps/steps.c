/* SPDX-License-Identifier: MIT */
/*
 * A signal handler interrupts quiet() once, at each instruction on the way into it in turn.
 * The handler calls hushed().
 *
 *	steps through		only steps through loud()
 *	steps again		the handler sets the trap flag again for each step
 *	steps debugged		only calls loud(), between two calls of step()
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <ucontext.h>

#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define TRAP	0x100

static volatile int nr, stop_at;		/* numbers of instructions */
static volatile bool is_again;
static volatile int nr_loud, nr_quiet, nr_hushed;	/* numbers of calls */

OUTSIDE static void step(bool is_on)
{
	__asm__ volatile("pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq" ::
			 "r"(is_on ? TRAP : 0) : "memory", "cc");
}

__attribute__((noinline)) void loud(void)
{
	nr_loud++;
}

__attribute__((noinline)) void hushed(void)
{
	nr_hushed++;
}

__attribute__((noinline)) void in_quiet(void)
{
	nr_quiet++;
}

__attribute__((noinline)) void quiet(void)
{
	step(false);
	in_quiet();
	__asm__ volatile("");		/* in_quiet() returns to here */
}

OUTSIDE static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (is_again)
		regs[REG_EFL] |= TRAP;
	if (++nr != stop_at)
		return;
	regs[REG_EFL] &= ~TRAP;
	hushed();
}

OUTSIDE static int step_through(bool by_handler)
{
	for (int i = 0; i < 2; i++) {
		is_again = by_handler;
		step(true);
		loud();
		is_again = false;
		step(false);
	}
	return nr < 100;
}

OUTSIDE static int be_debugged(void)
{
	step(false);
	loud();
	step(false);
	return nr;
}

OUTSIDE int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	getchar();
	if (argc > 1 && argv[1][0] == 'd')
		return be_debugged();
	if (argc > 1)
		return step_through(argv[1][0] == 'a');
	do {
		loud();			/* opens a page of the ring */
		stop_at++;
		nr = 0;
		step(true);
		quiet();
	} while (nr >= stop_at);
	return nr_hushed < 100 || nr_hushed != nr_quiet - 1;
}
