/* SPDX-License-Identifier: MIT */
/* A module with a format that mod_two.c has, too. */
#include <ulf/tracing.h>

void plugin_say(int value);

void plugin_say(int value)
{
	trace_printk("of both: %d\n", value);
}
