/* SPDX-License-Identifier: MIT */
/* Compares `format` texts with a file that contains all of them one after the other, without
 * the lines of the IDs. */
#ifndef TESTS_LANG_FORMATS_H
#define TESTS_LANG_FORMATS_H

#include "event_data.h"
#include "lib/check.h"
#include "lib/trace.h"

/* Compare the formats of the events of @system with tests/data/lang/@file. */
static inline void check_formats(struct driver *d, const char *system,
				 const char *file)
{
	char path[64], *expect, *at;

	snprintf(path, sizeof(path), "lang/%s", file);
	expect = read_data(path);
	CHECK(expect);
	for (at = expect; *at; ) {
		const char *end = strstr(at + 1, "\nname: ");
		size_t len = end ? (size_t)(end + 1 - at) : strlen(at);
		char name[64], *text;

		CHECK_EQ(sscanf(at, "name: %63s", name), 1);
		text = trace_format(d, system, name);
		if (strlen(text) != len || strncmp(text, at, len))
			fail("%s is\n%s\nand not\n%.*s", name, text, (int)len,
			     at);
		free(text);
		at += len;
	}
	free(expect);
}

#endif
