/* SPDX-License-Identifier: MIT */
/* A module with formats of trace_printk().  If it is preloaded, its constructor runs at the
 * start of the program. */
#include <ulf/tracing.h>

void full_say(int value);

void full_say(int value)
{
	trace_printk("says %d\n", value);
	trace_printk("says %s\n", "a text");
}

__attribute__((constructor)) static void coming(void)
{
	full_say(1);
}
