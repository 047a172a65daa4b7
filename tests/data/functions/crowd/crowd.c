/* SPDX-License-Identifier: MIT */
/*
 * crowd: waits for a line of input, then calls a function on STACKS stacks which lie
 * where the graph tracer's table of stacks (src/runtime/shadow.h) looks for them at
 * the same place.  It has not room for all.  Status 0: each call did what it must.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACKS		200
#define STACK_BYTES	(16 * 4096ul)
#define PLACE		4711u

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

static ucontext_t here, there;
static volatile int sum;

__attribute__((noinline)) int in_crowd(int x);
__attribute__((noinline)) int outside(int x);
void run(int x);

int in_crowd(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int outside(int x)
{
	return in_crowd(x) + 1;
}

__attribute__((patchable_function_entry(0))) void run(int x)
{
	sum += in_crowd(x) - x;
}

/* The next page after @page of which the table looks there, and which can be the last
 * of a stack. */
static uint64_t next_page(uint64_t page)
{
	void *low;

	do {
		do {
			page++;
		} while (page * 0x9e3779b97f4a7c15ull >> 48 != PLACE);
		low = (void *)(((page + 1) << 12) - STACK_BYTES);
	} while (mmap(low, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		      MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != low);
	return page;
}

int main(void)
{
	uint64_t page = 0x100000;
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < STACKS; i++) {
		page = next_page(page);
		getcontext(&there);
		there.uc_stack.ss_sp = (void *)(((page + 1) << 12) - STACK_BYTES);
		there.uc_stack.ss_size = STACK_BYTES;
		there.uc_link = &here;
		makecontext(&there, (void (*)(void))(void *)run, 1, i);
		swapcontext(&here, &there);
	}
	return outside(1) == 3 && sum == STACKS ? 0 : 1;
}
