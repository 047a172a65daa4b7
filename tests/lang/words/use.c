/* SPDX-License-Identifier: MIT */
/* Hits tracepoints that another file defines. */
#include <trace/events/words.h>
#include "sub/sub_trace.h"
#include "use.h"

void use_in_c(int value)
{
	trace_word_first(value, 1);
	trace_sub_hit(value);
}
