/* SPDX-License-Identifier: MIT */
/* A library for plugins.c.  INNER is the name of a static function. */
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
