/* SPDX-License-Identifier: MIT */
/* Stop recording at a warning, if the boot setting traceoff_on_warning asks for that.
 * Signal handlers may call disable_trace_on_warning(). */
#include "runtime/base/root.h"
#include <ulf/tracing.h>

void disable_trace_on_warning(void)
{
	static const char text[] = "a warning: recording stops\n";

	if (!root_has_boot(BOOT_WARNING))
		return;
	__trace_puts((unsigned long)__builtin_return_address(0), text,
		     sizeof(text) - 1);
	tracing_off();
}
