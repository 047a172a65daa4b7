/* SPDX-License-Identifier: MIT */
/* A module with a TRACE_EVENT_FN.  The test decides what its functions do. */
#define CREATE_TRACE_POINTS
#include "fnmod_trace.h"
#include "hooks.h"

int fnmod_hit_reg(void)
{
	return hooks_of_module->reg();
}

void fnmod_hit_unreg(void)
{
	hooks_of_module->unreg();
}

void fnmod_hit(int who);
void fnmod_hit(int who)
{
	trace_fnmod_hit(who);
}
