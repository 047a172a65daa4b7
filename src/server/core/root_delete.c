/* SPDX-License-Identifier: MIT */
/* Delete the files of a root, and find out whether they are in use. */
#include "server/core/root_delete.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/core/root.h"

/*
 * Delete the file `memory` in @dir, if it still belongs to @root.  Returns -EBUSY if
 * the file belongs to another root.  This happens when a program has called exec():
 * the old root is renamed, and the new root gets the name of the old one.
 */
static int delete_memory(const struct root *root, int dir)
{
	struct stat st;

	if (fstatat(dir, "memory", &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (root->ino && (st.st_ino != root->ino || st.st_dev != root->dev))
		return -EBUSY;
	unlinkat(dir, "memory", 0);
	return 0;
}

/* Open the directory of @root.  @roots: descriptor of DIR/roots.  Returns a descriptor
 * or -1. */
static int open_root(const struct root *root, int roots)
{
	return openat(roots, root->name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int root_delete_files(const struct root *root, int roots)
{
	int dir = open_root(root, roots);
	int r = 0;

	if (dir >= 0) {
		r = delete_memory(root, dir);
		close(dir);
	}
	if (!r && unlinkat(roots, root->name, AT_REMOVEDIR) && errno != ENOENT)
		r = -errno;
	return r;
}

/*
 * Return true if a process has mapped the file `memory`.  To find out, try to get a
 * read lease: the kernel refuses it while the file is open for writing, and a mapping
 * counts as open.  If the file system has no leases, the result is false.  A process
 * that opens the file during the lease causes a signal.  So the signal is set to
 * SIGURG, which the server ignores.
 */
bool root_is_mapped(const struct root *root, int roots)
{
	int dir = open_root(root, roots);
	int fd = dir < 0 ? -1 : openat(dir, "memory", O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
				       O_CLOEXEC);
	bool is_used = fd >= 0 && !fcntl(fd, F_SETSIG, SIGURG) &&
		       fcntl(fd, F_SETLEASE, F_RDLCK) < 0 && errno == EAGAIN;

	if (fd >= 0)
		close(fd);	/* close() also ends the lease on the file */
	if (dir >= 0)
		close(dir);
	return is_used;
}
