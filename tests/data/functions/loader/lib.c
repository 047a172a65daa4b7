/* SPDX-License-Identifier: MIT */
/* A library for loader.c.  NAME_begins() calls NAME_inner() before dlopen() returns, and
 * NAME_called() is called after that.  If INNER is defined, NAME_begins() loads that
 * library. */
#include <dlfcn.h>
#include <stddef.h>

#define JOIN(a, b)	a##b
#define NAMED(a, b)	JOIN(a, b)

__attribute__((noinline)) int NAMED(NAME, _inner)(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((constructor)) void NAMED(NAME, _begins)(void)
{
#ifdef INNER
	dlopen(INNER, RTLD_NOW);
#endif
	NAMED(NAME, _inner)(1);
	__asm__ volatile("");
}

int NAMED(NAME, _called)(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int (*const called)(int x) = NAMED(NAME, _called);
