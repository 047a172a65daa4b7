/* SPDX-License-Identifier: MIT */
#define TWINS_TYPE long
#define CREATE_TRACE_POINTS
#include "twins_trace.h"

void hit_two(int who);
void hit_two(int who)
{
	trace_twins_hit(who);
	trace_twins_differ(who);
}
