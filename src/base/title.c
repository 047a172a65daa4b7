/* SPDX-License-Identifier: MIT */
/* Set the name and the arguments that ps shows for this process; see title.h. */
#include "base/title.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* The memory of the strings of argv, and its size in bytes.  title_init() sets both, once. */
static char *area;
static size_t area_bytes;

void title_init(char *argv_start, size_t bytes)
{
	area = argv_start;
	area_bytes = bytes;
}

void title_set(const char *comm, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int len;

	prctl(PR_SET_NAME, comm);
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!area || len < 0 || (size_t)len >= sizeof(text) || (size_t)len >= area_bytes)
		return;
	memset(area, 0, area_bytes);
	memcpy(area, text, (size_t)len);
}
