/* SPDX-License-Identifier: MIT */
#include "cli/dat_output.h"

#include <dirent.h>
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
	char *part;			/* temporary name of the file until it is complete;
					 * NULL: the output is stdout, or @path is no regular
					 * file */
	bool is_directory;
	int fd;
};

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

/* ---- directories ---- */

/* Make the output directory, under a temporary name that it has until it is complete.  No
 * file may have the temporary name already, because it could be the user's. */
static int open_directory(struct output *output)
{
	struct stat st;
	size_t len = strlen(output->path);

	while (len > 1 && output->path[len - 1] == '/')
		output->path[--len] = 0;
	if (!lstat(output->path, &st))
		return -EEXIST;
	if (asprintf(&output->part, "%s.part", output->path) < 0) {
		output->part = NULL;
		return -ENOMEM;
	}
	if (mkdir(output->part, 0777)) {
		int r = -errno;

		if (r == -EEXIST)
			cli_error("%s is in the way; remove it", output->part);
		return r;
	}
	output->fd = open(output->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return output->fd < 0 ? -errno : 0;
}

/* Remove a directory and the files in it. */
static void remove_directory(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

/* ---- output ---- */

static int open_output(struct output *output)
{
	if (output->is_directory)
		return open_directory(output);
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

/* Close the file or directory.  Give the output its final name if @r is 0 or -EBADMSG.
 * -EBADMSG says that the input is broken; the output then has the records before the broken
 * part.  Returns @r or -errno. */
static int close_output(struct output *output, int r)
{
	bool is_kept = !r || r == -EBADMSG;

	if (output->fd > STDERR_FILENO && close(output->fd) && is_kept)
		r = -errno;
	if (output->part && !is_kept)
		output->is_directory ? remove_directory(output->part) : (void)unlink(output->part);
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
	struct output output = { .fd = -1, .is_directory = export_format_is_directory(format) };
	int r;

	if (path && !strcmp(path, "-") && output.is_directory) {
		cli_error("this format is a directory, which stdout cannot be; use -o DIRECTORY");
		return CLI_FAILED;
	}
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
