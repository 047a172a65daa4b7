/* SPDX-License-Identifier: MIT */
/* The smallest program with an event: a hundred requests a second. */
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "hello_trace.h"

int main(void)
{
	static const char *const names[] = { "alice", "bob", "carol" };
	int count;

	for (count = 0;; count++) {
		trace_hello_request(count, names[count % 3]);
		usleep(10000);
	}
}
