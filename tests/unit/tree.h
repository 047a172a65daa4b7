/* SPDX-License-Identifier: MIT */
/* Functions for tests of the tree that read and write files. */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/parts.h"
#include "server/core/server.h"
#include "tracefs/tracefs.h"

static inline int tree_open(struct server *server, const char *path, int flags,
			    struct tracefs_file **ret_file)
{
	struct tracefs_node *node;
	int r = tracefs_walk(server, path, &node);

	if (r)
		return r;
	r = tracefs_open(node, flags, ret_file);
	tracefs_node_put(node);
	return r;
}

/* Read the whole file, in reads of @step bytes.  The text is valid until the next call. */
static inline const char *tree_cat_by(struct server *server, const char *path,
				      size_t step)
{
	static char text[1 << 20];
	struct tracefs_file *file;
	size_t len = 0;
	ssize_t n;
	int r = tree_open(server, path, O_RDONLY | O_NONBLOCK, &file);

	if (r)
		return strerrorname_np(-r);
	while ((n = tracefs_read(file, text + len, step, (off_t)len)) > 0)
		len += (size_t)n;
	tracefs_close(file);
	if (n < 0 && n != -EAGAIN)
		return strerrorname_np((int)-n);
	text[len] = '\0';
	return text;
}

static inline const char *tree_cat(struct server *server, const char *path)
{
	return tree_cat_by(server, path, 4096);
}

/* Open a file with @flags and write once.  Returns the result of write(2). */
static inline ssize_t tree_write(struct server *server, const char *path, int flags,
				 const char *data, size_t size)
{
	struct tracefs_file *file;
	size_t taken = 0;
	ssize_t n;
	int r = tree_open(server, path, O_WRONLY | flags, &file);

	if (r)
		return r;
	n = tracefs_write(file, data, size, getpid(), &taken);
	if (n == -EINPROGRESS) {
		while ((n = tracefs_write_done(file)) == -EINPROGRESS)
			usleep(1000);
		if (!n)
			n = (ssize_t)taken;
	}
	tracefs_close(file);
	return n;
}

/* echo -n DATA > PATH.  Returns 0, an error, or the number of bytes of a partial write. */
static inline int tree_echo(struct server *server, const char *path, const char *data)
{
	ssize_t n = tree_write(server, path, O_TRUNC, data, strlen(data));

	return n == (ssize_t)strlen(data) ? 0 : (int)n;
}

static inline int tree_append(struct server *server, const char *path,
			      const char *data)
{
	ssize_t n = tree_write(server, path, O_APPEND, data, strlen(data));

	return n == (ssize_t)strlen(data) ? 0 : (int)n;
}

#endif
