/* SPDX-License-Identifier: MIT */
/* Where `ulf mount` and `ulf umount` mount; see place.h. */
#include "cli/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "cli/cli.h"

/* realpath(), but the last part may be a dead mount. */
static char *resolve(const char *word)
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

int place_find(const char *dir, const char *word, char **ret_path)
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
	*ret_path = resolve(word);
	if (*ret_path)
		return 0;
	ret = -errno;
	cli_error("%s: %s%s", word, strerror(-ret),
		  ret == -ENOENT ? "; make it first, with mkdir" : "");
	return ret;
}
