/* SPDX-License-Identifier: MIT */
/*
 * Waits for a line of input, then calls a function which calls itself on STACKS other stacks,
 * each below the one before.  All these stacks hash to neighbouring entries of the graph
 * tracer's table of stacks (src/runtime/function/shadow.h), which cannot hold all of them.
 * Status 0: each call has returned the right value to the right place.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACKS		200
#define STACK_BYTES	(16 * 4096ul)
#define PLACE		4711u		/* range of hashes */
#define PLACES		32u

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define UNTRACED	__attribute__((noinline, patchable_function_entry(0)))

static ucontext_t contexts[STACKS + 1];
static volatile int sum;

__attribute__((noinline)) int in_crowd(int nr);
__attribute__((noinline)) int outside(int nr);
UNTRACED void run_even(int nr);
UNTRACED void run_odd(int nr);
UNTRACED void next(int nr);

int in_crowd(int nr)
{
	if (nr < STACKS)
		next(nr + 1);
	__asm__ volatile("" : "+r"(nr));
	return nr + 1;
}

int outside(int nr)
{
	return in_crowd(nr) + 1;
}

void run_even(int nr)
{
	sum += in_crowd(nr) - nr;
}

void run_odd(int nr)
{
	sum += 1000 * (in_crowd(nr) - nr);
}

/* Returns the next lower page that has such a hash, and that can be the last page of a
 * stack. */
static uint64_t next_page(void)
{
	static uint64_t page = 0x780000000;
	void *low;

	do {
		do {
			page -= 0x10000;
		} while ((page * 0x9e3779b97f4a7c15ull >> 48) - PLACE >= PLACES);
		low = (void *)(((page + 1) << 12) - STACK_BYTES);
	} while (mmap(low, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		      MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != low);
	return page;
}

void next(int nr)
{
	ucontext_t context;

	getcontext(&context);
	context.uc_stack.ss_sp = (void *)(((next_page() + 1) << 12) - STACK_BYTES);
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = &contexts[nr];
	makecontext(&context, (void (*)(void))(void *)(nr % 2 ? run_odd : run_even), 1,
		    nr);
	swapcontext(&contexts[nr], &context);
}

int main(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return 1;
	return in_crowd(0) == 1 && outside(STACKS) == STACKS + 2 &&
	       sum == STACKS / 2 * 1001 ? 0 : 1;
}
