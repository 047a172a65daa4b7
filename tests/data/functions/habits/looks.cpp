// SPDX-License-Identifier: MIT
// Code that looks at its own frames.
#include <dlfcn.h>
#include <execinfo.h>
#include <unwind.h>

#include "habits.h"

static void *stack[64];
static int nr;
static void *returns_to;

// C does not say where the return address of a function leads.  In a traced function it may
// be an address in libulf.  So the test only checks that there is one.
extern "C" NOINLINE void looks_back(void)
{
	nr = backtrace(stack, 64);
	returns_to = __builtin_extract_return_addr(__builtin_return_address(0));
	__asm__ volatile("");
}

extern "C" NOINLINE void looks_from_afar(int depth);
// so that the compiler does not inline the calls or make jumps of them
static void (*volatile deeper)(int) = looks_from_afar;

void looks_from_afar(int depth)
{
	if (depth)
		deeper(depth - 1);
	else
		looks_back();
	__asm__ volatile("");
}

static bool is_in(void *addr, void (*function)(int))
{
	return _Unwind_FindEnclosingFunction((char *)addr - 1) == (void *)function;
}

void looks_at_itself(void)
{
	Dl_info info;
	int seen = 0;

	looks_from_afar(10);
	CHECK(nr > 12);
	for (int i = 0; i < nr; i++)
		seen += is_in(stack[i], looks_from_afar);
	CHECK(seen == 11);
	CHECK(returns_to && dladdr(returns_to, &info));
}
