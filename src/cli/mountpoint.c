/* SPDX-License-Identifier: MIT */
/* Find a mount point, and explain why a mount failed; see mountpoint.h. */
#include "cli/mountpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "cli/cli.h"

/* Resolve symbolic links as realpath() does, even if the last name of @word is a dead
 * mount.  On a dead mount realpath() fails with ENOTCONN. */
static char *resolve_mountpoint(const char *word)
{
	char *path = realpath(word, NULL), *copy, *slash, *parent;
	size_t len;

	if (path || errno != ENOTCONN)
		return path;
	copy = strdup(word);
	if (!copy)
		return NULL;
	for (len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
		copy[len - 1] = '\0';
	slash = strrchr(copy, '/');
	if (slash)
		*slash = '\0';
	parent = realpath(!slash ? "." : *copy ? copy : "/", NULL);
	if (parent && asprintf(&path, "%s/%s", strcmp(parent, "/") ? parent : "",
			       slash ? slash + 1 : copy) < 0)
		path = NULL;
	free(parent);
	free(copy);
	return path;
}

int mountpoint_find(const char *dir, const char *word, char **ret_path)
{
	char tracing[DIR_PATH_BYTES + 32];
	int ret;

	if (!word) {
		ret = dir_join(dir, DIR_TRACING, tracing, sizeof(tracing));
		if (ret < 0)
			return ret;
		mkdir(tracing, 0700);
		word = tracing;
	}
	*ret_path = resolve_mountpoint(word);
	if (*ret_path)
		return 0;
	ret = -errno;
	cli_error("%s: %s%s", word, strerror(-ret),
		  ret == -ENOENT ? "; make it first, with mkdir" : "");
	return ret;
}

static void report_no_fuse_device(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		cli_error("/dev/fuse: there is no such device; root can say `modprobe fuse`, "
			  "a container needs --device /dev/fuse");
		break;
	case -EACCES:
	case -EPERM:
		cli_error("/dev/fuse: no permission; root can say `chmod 666 /dev/fuse`");
		break;
	default:
		cli_error("/dev/fuse: %s", strerror(-error));
	}
	cli_error("without a mount, `ulf cat` and `ulf echo` reach the same files");
}

void mountpoint_report_error(const char *path, int error, enum fusemount_step step)
{
	switch (step) {
	case FUSEMOUNT_DEVICE:
		report_no_fuse_device(error);
		break;
	case FUSEMOUNT_HELPER:
		if (error == -ENOENT)
			cli_error("fusermount3 is not installed; root can say `apt-get "
				  "install fuse3`; until then use `ulf cat` and `ulf echo`");
		else
			cli_error("fusermount3: %s", strerror(-error));
		break;
	case FUSEMOUNT_MOUNT:
		cli_error("cannot mount on %s: %s", path, strerror(-error));
		break;
	}
}
