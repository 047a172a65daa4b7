/* SPDX-License-Identifier: MIT */
/* A module with an event that is hit in its constructor, in its destructor, and on request. */
#define CREATE_TRACE_POINTS
#include "mod_trace.h"

void mod_hit(long value);
void mod_hit(long value)
{
	trace_mod_hit(value);
}

__attribute__((constructor)) static void coming(void)
{
	trace_mod_hit(-1);
}

__attribute__((destructor)) static void going(void)
{
	trace_mod_hit(-2);
}
