/* SPDX-License-Identifier: MIT */
#include "cli/dat_output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/dat_files.h"

#define WHY_BYTES	8192u

/* A file that is written. */
struct output {
	char *path;
	char *part;			/* the file until it is complete; NULL: @path is no
					 * regular file, or stdout */
	int fd;
};

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

static int open_output(struct output *output)
{
	if (!strcmp(output->path, "-")) {
		output->fd = STDOUT_FILENO;
		return 0;
	}
	if (is_regular(output->path) && asprintf(&output->part, "%s.part", output->path) < 0) {
		output->part = NULL;
		return -ENOMEM;
	}
	output->fd = open(output->part ? output->part : output->path,
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return output->fd < 0 ? -errno : 0;
}

/* Close the file.  Give it its name if @r is 0, or -EBADMSG: then the input was broken, and the
 * file has the records before that place.  Returns @r or -errno. */
static int close_output(struct output *output, int r)
{
	bool is_kept = !r || r == -EBADMSG;

	if (output->fd > STDERR_FILENO && close(output->fd) && is_kept)
		r = -errno;
	if (output->part && !is_kept)
		unlink(output->part);
	else if (output->part && rename(output->part, output->path))
		r = -errno;
	return r;
}

static void report(const struct output *output, const struct export_totals *totals)
{
	if (output->fd == STDOUT_FILENO)
		return;
	fprintf(stderr, "%s: %" PRIu64 " records, %" PRIu64 " calls, %" PRIu64 " lost\n",
		output->path, totals->records, totals->calls, totals->lost);
}

static int write_output(const struct dat_files *files, const struct export_format *format,
			const struct export_settings *settings, struct output *output)
{
	struct export_totals totals;
	struct text why;
	int r = open_output(output);

	if (r) {
		cli_error("%s: %s", output->path, strerror(-r));
		return r;
	}
	text_init(&why, WHY_BYTES);
	r = export_files(files->files, files->nr, format, settings, output->fd, &why, &totals);
	r = close_output(output, r);
	if (why.len)
		cli_error("%s", text_str(&why));
	else if (r == -EBADMSG)
		cli_error("a file is broken; %s has the records before that place", output->path);
	else if (r && r != -EPIPE)
		cli_error("%s: %s", output->path, strerror(-r));
	if (!r || r == -EBADMSG)
		report(output, &totals);
	text_done(&why);
	return r;
}

int dat_output(const struct dat_files *files, const struct export_format *format,
	       const struct export_settings *settings, const char *path)
{
	struct output output = { .fd = -1 };
	int r;

	if (path)
		output.path = strdup(path);
	else if (asprintf(&output.path, "%s.%s", datfile_path(files->files[0]),
			  export_format_suffix(format)) < 0)
		output.path = NULL;
	if (!output.path) {
		cli_error("no memory");
		return CLI_FAILED;
	}
	r = write_output(files, format, settings, &output);
	free(output.part);
	free(output.path);
	return r ? CLI_FAILED : 0;
}
