/* SPDX-License-Identifier: MIT */
/* The functions whose calls are measured.  This file is built with -DKIND=... for each kind
 * in calls.h. */
#include "calls.h"

#define PASTE(a, b)	a##b
#define NAME(a, b)	PASTE(a, b)
#define CALLED		__attribute__((noinline))

CALLED int NAME(leaf_, KIND)(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

CALLED int NAME(neighbour_, KIND)(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

CALLED unsigned int NAME(fib_, KIND)(unsigned int n)
{
	return n < 2 ? n : NAME(fib_, KIND)(n - 1) + NAME(fib_, KIND)(n - 2);
}
