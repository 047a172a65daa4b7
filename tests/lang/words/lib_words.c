/* SPDX-License-Identifier: MIT */
/* A shared library with events of its own. */
#define CREATE_TRACE_POINTS
#include "library_trace.h"
#include "use.h"

const void *library_address(void)
{
	static const char here;

	return &here;
}

void use_in_library(int value)
{
	trace_library_hit("library", value);
}
