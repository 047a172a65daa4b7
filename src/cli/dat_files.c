/* SPDX-License-Identifier: MIT */
#include "cli/dat_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int open_file(struct dat_files *files, const char *path)
{
	const char *why = NULL;
	int r = files->nr < DAT_FILES_MAX ? datfile_open(path, &files->files[files->nr], &why) :
					    -E2BIG;

	if (!r)
		files->nr++;
	else
		cli_error("%s: %s", path, why ? why : strerror(-r));
	return r;
}

int dat_files_open(struct dat_files *files, int nr_paths, char **paths)
{
	int r = nr_paths ? 0 : open_file(files, "trace.dat");

	for (int i = 0; !r && i < nr_paths; i++)
		r = open_file(files, paths[i]);
	return r;
}

void dat_files_close(struct dat_files *files)
{
	while (files->nr)
		datfile_close(files->files[--files->nr]);
}

int dat_files_time(const char *option, const char *value, uint64_t *ret_time)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end != value && !*end && seconds >= 0 && seconds < 1e10) {
		*ret_time = (uint64_t)(seconds * 1e9 + 0.5);
		return 0;
	}
	cli_error("%s: `%s` is no time; write seconds, as the lines have them: 1234.567890",
		  option, value);
	return -EINVAL;
}
