/* SPDX-License-Identifier: MIT */
/* The FUSE mounts that the server serves. */
#ifndef ULF_SERVER_MOUNTS_H
#define ULF_SERVER_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

struct loop;
struct mounts;
struct server;

int mounts_new(struct loop *loop, struct server *server, const char *dir,
	       struct mounts **ret_mounts);
/* Unmounts them all. */
void mounts_free(struct mounts *mounts);

/* Serve @fd, an open /dev/fuse mounted on @path (which is never looked at, for
 * it may lead through a mount of ours).  Takes @fd over if it succeeds. */
int mounts_add(struct mounts *mounts, const char *path, int fd);
/* Something was unmounted: forget what is dead. */
void mounts_check(struct mounts *mounts);
/* The paths, in the order of mounting; stops when @emit is not 0. */
int mounts_list(struct mounts *mounts, int (*emit)(void *arg, const char *path),
		void *arg);

/* Mount again what a server that was killed had mounted. */
void mounts_restore(struct mounts *mounts);
/* Is that still going on, and worth waiting for? */
bool mounts_is_restoring(const struct mounts *mounts);
/* The child @pid has ended. */
void mounts_reaped(struct mounts *mounts, pid_t pid);

void mounts_tick(struct mounts *mounts);
bool mounts_is_waiting(const struct mounts *mounts);

#endif
