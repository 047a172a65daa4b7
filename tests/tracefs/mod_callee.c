/* SPDX-License-Identifier: MIT */
/* A library for callee.c to load. */
int plugged(int x);

int plugged(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
