/* SPDX-License-Identifier: MIT */
/* A library that has tracepoints, too. */
#include "plug.h"
#define CREATE_TRACE_POINTS
#include "../mod_trace.h"

TRACED long plug_adds(long x)
{
	trace_mod_hit(x);
	return x + 1;
}

TRACED long plug_calls(long x, long (*back)(long))
{
	return back(plug_adds(x)) + 1;
}
