/* SPDX-License-Identifier: MIT */
/* A program whose events have names for numbers; it hits with each value in turn. */
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "names_trace.h"

int main(void)
{
	static const int flags[] = { 0, NAMES_READ, NAMES_WRITE, NAMES_READ | NAMES_WRITE };

	for (int i = 0; ; i++) {
		trace_names_do(NAMES_GET + i % 4, flags[i / 4 % 4]);
		trace_names_plain(NAMES_GET + i % 4);
		usleep(1000);
	}
}
