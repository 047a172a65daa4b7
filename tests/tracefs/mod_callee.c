/* SPDX-License-Identifier: MIT */
/* A library that callee.c loads. */
int plugged(int x);

int plugged(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
