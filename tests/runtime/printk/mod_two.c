/* SPDX-License-Identifier: MIT */
/* A module with the format of mod_one.c and one of its own. */
#include <ulf/tracing.h>

void plugin_say(int value);

void plugin_say(int value)
{
	trace_printk("of both: %d\n", value);
	trace_puts("of the second\n");
}
