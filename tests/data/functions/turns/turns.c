/* SPDX-License-Identifier: MIT */
/*
 * Two coroutines.  The upper one leaves first() and calls second() at the same place of its
 * stack while the lower one is in outer(), which was called when first() was above it.
 */
#include <stdio.h>
#include <ucontext.h>

#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define STACK	65536

static ucontext_t all, lower, upper;
static char stacks[2 * STACK];

__attribute__((noinline)) void inner(void)
{
	swapcontext(&lower, &upper);
	__asm__ volatile("");		/* inner() returns to here */
}

__attribute__((noinline)) void outer(void)
{
	inner();
	__asm__ volatile("");
}

__attribute__((noinline)) void first(void)
{
	swapcontext(&upper, &lower);
	__asm__ volatile("");
}

__attribute__((noinline)) void second(void)
{
	swapcontext(&upper, &lower);
	__asm__ volatile("");
}

OUTSIDE static void run_lower(void)
{
	for (;;) {
		outer();
		swapcontext(&lower, &upper);
	}
}

OUTSIDE static void run_upper(void)
{
	for (int i = 0; i < 100; i++) {
		first();
		second();
	}
	swapcontext(&upper, &all);
}

OUTSIDE static void make(ucontext_t *context, char *stack, void (*run)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK;
	makecontext(context, run, 0);
}

OUTSIDE int main(void)
{
	getchar();
	make(&lower, stacks, run_lower);
	make(&upper, stacks + STACK, run_upper);
	swapcontext(&all, &upper);
	return 0;
}
