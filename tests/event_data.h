/* SPDX-License-Identifier: MIT */
/* Functions that read tests/data, for the tests of src/event. */
#ifndef TESTS_EVENT_DATA_H
#define TESTS_EVENT_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Get the path of a file in tests/data.  tests/run sets the directory of the sources; by hand
 * it is the current directory. */
static inline void data_path(char *path, size_t size, const char *name)
{
	const char *top = getenv("ULF_SRC");

	snprintf(path, size, "%s/tests/data/%s", top ? top : ".", name);
}

/* Returns a whole file as a string, which the caller frees, or NULL if it cannot be read. */
static inline char *read_path(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/*
 * Returns the formats of all events of Linux 6.1, one after the other.  The caller frees
 * them.  NULL if they cannot be read.
 */
static inline char *read_kernel_formats(void)
{
	char path[1024], command[1200], *text = NULL;
	size_t size = 0;
	FILE *f;

	data_path(path, sizeof(path), "formats-6.1.tar.gz");
	snprintf(command, sizeof(command),
		 "tar -xzOf '%s' --wildcards '*/format'", path);
	f = popen(command, "re");
	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (pclose(f) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Returns the next format, which the caller frees, or NULL at the end.  @pos: the position,
 * which is advanced. */
static inline char *next_kernel_format(char **pos)
{
	char *start = *pos, *end = strstr(start, "\nname: ");

	if (!*start)
		return NULL;
	end = end ? end + 1 : start + strlen(start);
	*pos = end;
	return strndup(start, end - start);
}

static inline char *read_data(const char *name)
{
	char path[1024];

	data_path(path, sizeof(path), name);
	return read_path(path);
}

#endif
