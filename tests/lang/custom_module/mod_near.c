/* SPDX-License-Identifier: MIT */
/* A custom event on the program's tracepoint. */
#include "near_trace.h"
#define CREATE_CUSTOM_TRACE_EVENTS
#include "near_custom_trace.h"

__attribute__((visibility("default"))) int attach_near(void);

static void attach(struct tracepoint *tp, void *priv)
{
	*(int *)priv += trace_custom_event_near_hit_update(tp);
}

int attach_near(void)
{
	int nr = 0;

	for_each_kernel_tracepoint(attach, &nr);
	return nr;
}
