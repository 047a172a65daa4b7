/* SPDX-License-Identifier: MIT */
/* The FUSE mounts that the server serves. */
#ifndef ULF_SERVER_MOUNTS_H
#define ULF_SERVER_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

struct loop;
struct mounts;
struct server;
struct text;

/* @mounter_fd: mounter_start()'s, or negative; it stays the caller's. */
int mounts_new(struct loop *loop, struct server *server, const char *dir, int mounter_fd,
	       struct mounts **ret_mounts);
/* Unmounts them all. */
void mounts_free(struct mounts *mounts);

/* Serve @fd, an open /dev/fuse mounted on @path (which is never looked at, for
 * it may lead through a mount of ours), or, if that is "", in a namespace that
 * we cannot reach: it goes with its users.  Takes @fd over if it succeeds. */
int mounts_add(struct mounts *mounts, const char *path, int fd);
/* Something was unmounted: forget what is dead. */
void mounts_check(struct mounts *mounts);
/* Their paths, NUL after each, in the order of mounting. */
void mounts_list(const struct mounts *mounts, struct text *out);

/* Mount again what a server that was killed had mounted. */
void mounts_restore(struct mounts *mounts);
/* Is that still going on, and worth waiting for? */
bool mounts_is_restoring(const struct mounts *mounts);

void mounts_tick(struct mounts *mounts);
bool mounts_is_waiting(const struct mounts *mounts);

#endif
