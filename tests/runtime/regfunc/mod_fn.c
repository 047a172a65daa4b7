/* SPDX-License-Identifier: MIT */
/* A module with such an event; what its functions do is the test's affair. */
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
