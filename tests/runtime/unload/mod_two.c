/* SPDX-License-Identifier: MIT */
#include "plug.h"

long plug_more[5000];
long plug_fills(long x);

TRACED long plug_fills(long x)
{
	for (int i = 0; i < 100; i++)
		plug_more[(x + i * 31) % 5000] += i;
	return x;
}

TRACED long plug_calls(long x, long (*back)(long))
{
	return back(plug_adds(plug_fills(x))) + 1;
}

TRACED long plug_adds(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
