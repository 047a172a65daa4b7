/* SPDX-License-Identifier: MIT */
/* The table of tracers. */
#include <errno.h>
#include <string.h>

#include "event/tracer.h"

const char *const tracer_names[ABI_TRACERS] = {
	[ABI_TRACER_NOP] = "nop",
	[ABI_TRACER_FUNCTION] = "function",
	[ABI_TRACER_GRAPH] = "function_graph",
};

int tracer_find(const char *name)
{
	for (int i = 0; i < ABI_TRACERS; i++)
		if (!strcmp(tracer_names[i], name))
			return i;
	return -EINVAL;
}
