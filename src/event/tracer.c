/* SPDX-License-Identifier: MIT */
/* The names of the tracers, by number. */
#include <errno.h>
#include <string.h>

#include "event/tracer.h"

const struct tracer_row tracer_table[NR_TRACERS] = {
#define ROW(id, number, name, methods, help)	[number] = { name, help },
	TRACERS(ROW)
#undef ROW
};

int tracer_find(const char *name)
{
	for (int i = 0; i < NR_TRACERS; i++)
		if (!strcmp(tracer_table[i].name, name))
			return i;
	return -EINVAL;
}
