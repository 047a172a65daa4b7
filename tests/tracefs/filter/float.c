/* SPDX-License-Identifier: MIT */
/* A program whose event has floating-point fields; it hits with each value in turn. */
#include <math.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "float_trace.h"

int main(void)
{
	static const double loads[] = { -2.5, -0.0, 0.25, 1.5, 1e300, NAN };

	for (int i = 0; ; i++) {
		trace_float_sample(loads[i % 6], (float)(i % 6) / 4);
		usleep(1000);
	}
}
