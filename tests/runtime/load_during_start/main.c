/* SPDX-License-Identifier: MIT */
/*
 * A thread loads a module while the program registers its own events.  Neither waits for the
 * other for ever.
 *
 * timeout: 20
 */
#include "early.h"
#include "lib/check.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

int main(void)
{
	CHECK(early_loaded());
	return 0;
}
