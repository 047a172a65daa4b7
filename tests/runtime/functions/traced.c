/* SPDX-License-Identifier: MIT */
#include "traced.h"

#ifndef TRACED
#define TRACED	__attribute__((patchable_function_entry(5)))
#endif

__attribute__((noinline)) TRACED int one(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) TRACED double two(double x, int nr, ...)
{
	__asm__ volatile("" : "+x"(x));
	return x * nr;
}

__attribute__((noinline)) TRACED int caller(int x)
{
	return one(x) + one(x) + 1;
}

#define FRESH(n)							\
	TRACED static int fresh_##n(int x)				\
	{								\
		__asm__ volatile("" : "+r"(x));				\
		return x + 1;						\
	}
#define ALL(X)								\
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)		\
	X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
ALL(FRESH)

#define ROW(n)	fresh_##n,
int (*const fresh[NR_FRESH])(int x) = { ALL(ROW) };
