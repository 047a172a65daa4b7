/* SPDX-License-Identifier: MIT */
/* Functions that only hit a tracepoint. */
#include "off_trace.h"

struct pair {
	long a, b;
};

void only_hit(long a);
void only_hit(long a)
{
	trace_off_hit(a);
}

/* The argument must be computed, but not while the tracepoint is off. */
void with_argument(const struct pair *pair);
void with_argument(const struct pair *pair)
{
	trace_off_hit(pair->a * 3 + pair->b);
}

void in_a_branch(const struct pair *pair);
void in_a_branch(const struct pair *pair)
{
	if (trace_off_hit_enabled())
		trace_off_hit(pair->a);
}
