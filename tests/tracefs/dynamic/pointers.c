/* SPDX-License-Identifier: MIT */
/* Hits an event whose records have pointers: for a line that it reads, once. */
#include <stdio.h>
#include <string.h>

#define CREATE_TRACE_POINTS
#include "pointers_trace.h"

int main(void)
{
	static const struct thing next = { .id = 4712, .names = { "inner" } };
	static const struct thing thing = {
		.id = 4711, .tag = "tag of it", .value = 0x123456789abcdef0, .bits = 0xa5,
		.names = { "first", "second" }, .next = &next,
	};
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		trace_pointers_hit(&thing, "a name", (const void *)16, -2);
		puts("hit");
	}
	return 0;
}
