/* SPDX-License-Identifier: MIT */
#define MODS_TYPE	unsigned char
#define MODS_FIELD	letter
#define MODS_TEXT	"letter"
#define CREATE_TRACE_POINTS
#include "mods_trace.h"

void hit(int who);
void hit(int who)
{
	trace_mods_same(who);
	trace_mods_differ(who);
}
