/* SPDX-License-Identifier: MIT */
#define MODS_TYPE	int
#define MODS_FIELD	number
#define MODS_TEXT	"number"
#define CREATE_TRACE_POINTS
#include "mods_trace.h"
#include "alone_trace.h"

void hit(int who);
void hit(int who)
{
	trace_mods_same(who);
	trace_mods_differ(who);
	trace_alone_hit(who);
}
