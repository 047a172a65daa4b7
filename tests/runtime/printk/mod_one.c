/* SPDX-License-Identifier: MIT */
/* A module that says what another says, too. */
#include <ulf/tracing.h>

void plugin_say(int value);

void plugin_say(int value)
{
	trace_printk("of both: %d\n", value);
}
