/* SPDX-License-Identifier: MIT */
/* A program with an event whose records have the address of a constant string. */
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "word_trace.h"

int main(void)
{
	for (;;) {
		trace_word("a constant string");
		usleep(1000);
	}
}
