/* SPDX-License-Identifier: MIT */
#define TWINS_TYPE int
#define CREATE_TRACE_POINTS
#include "twins_trace.h"

void hit_one(int who);
void hit_one(int who)
{
	trace_twins_hit(who);
	trace_twins_differ(who);
}
