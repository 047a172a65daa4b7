/* SPDX-License-Identifier: MIT */
/* What the program may do to its own trace, from any context. */
#include "runtime/runtime.h"
#include <ulf/tracing.h>

static void set_top(bool on)
{
	const struct buffer *top = buffer_top();

	if (!top || !ulf_probe_enter())
		return;
	buffer_set_recording(top, on);
	ulf_probe_exit();
}

void tracing_on(void)
{
	set_top(true);
}

void tracing_off(void)
{
	set_top(false);
}

int tracing_is_on(void)
{
	const struct buffer *top = buffer_top();

	return top && buffer_is_recording(top);
}
