/* SPDX-License-Identifier: MIT */
/* A library for plugins.c; INNER: the name of a function that nobody else sees. */
int plugged(int x);

static __attribute__((noinline)) int INNER(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int plugged(int x)
{
	return INNER(x) + 1;
}
