/* SPDX-License-Identifier: MIT */
/* The FUSE mounts that the server serves. */
#ifndef ULF_DAEMON_MOUNTS_H
#define ULF_DAEMON_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

struct loop;
struct mounts;
struct server;
struct text;

/* Make an empty list of mounts.  @mounter_fd: socket of mounter_start(), which the caller
 * keeps; negative if there is no mounter.  Returns 0 or -ENOMEM. */
int mounts_new(struct loop *loop, struct server *server, const char *dir, int mounter_fd,
	       struct mounts **ret_mounts);
/* Unmount all mounts and free @mounts.  Waits up to 10 s for each answer of the mounter.
 * @mounts may be NULL. */
void mounts_free(struct mounts *mounts);

/*
 * mounts_add - serve @fd, an open /dev/fuse that is mounted on @path
 * @path: a path that is never accessed, because it may lead through a mount of this
 *   server; "" if the mount is in another mount namespace, which the server cannot
 *   reach.  The kernel removes such a mount together with its namespace
 *
 * Returns 0 and takes over @fd, or returns -errno.
 */
int mounts_add(struct mounts *mounts, const char *path, int fd);
/* Drop those mounts whose file system was unmounted.  Called after something was
 * unmounted. */
void mounts_check(struct mounts *mounts);
/* Append the path of each mount to @out, followed by a NUL, in the order of mounting. */
void mounts_list(const struct mounts *mounts, struct text *out);

/* Mount the mounts of a killed server again.  Does not wait until this is done. */
void mounts_restore(struct mounts *mounts);
/* Return true while mounts_restore() is in progress, so that clients should wait. */
bool mounts_is_restoring(const struct mounts *mounts);

/* Try again the FUSE requests that are parked, of all mounts. */
void mounts_tick(struct mounts *mounts);
/* Return true if a FUSE request of any mount is parked. */
bool mounts_is_waiting(const struct mounts *mounts);

#endif
