/* SPDX-License-Identifier: MIT */
#define CREATE_TRACE_POINTS
#include "far_trace.h"

__attribute__((visibility("default"))) void hit_far(int value);

void hit_far(int value)
{
	trace_far_hit(value);
}
