/* SPDX-License-Identifier: MIT */
/* The table of options. */
#include <string.h>

#include "event/option.h"

const struct option_row option_table[] = {
#define ROW(id, number, name, on, tracer, who, help) \
	{ name, OPTION_##id, TRACER_##tracer },
	OPTIONS(ROW)
#undef ROW
};

const size_t option_table_rows = sizeof(option_table) / sizeof(option_table[0]);

const struct option_row *option_find(const char *name)
{
	for (size_t i = 0; i < option_table_rows; i++)
		if (!strcmp(option_table[i].name, name))
			return &option_table[i];
	return NULL;
}
