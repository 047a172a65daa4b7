/* SPDX-License-Identifier: MIT */
#include "plug.h"

TRACED long plug_adds(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

TRACED long plug_calls(long x, long (*back)(long))
{
	return back(plug_adds(x)) + 1;
}
