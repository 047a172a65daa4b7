/* SPDX-License-Identifier: MIT */
/* A module with a TRACE_EVENT_FN. */
#define CREATE_TRACE_POINTS
#include "cm_trace.h"

int nr_calls;

int cm_hit_reg(void)
{
	nr_calls++;
	return 0;
}

void cm_hit_unreg(void)
{
	nr_calls++;
}
