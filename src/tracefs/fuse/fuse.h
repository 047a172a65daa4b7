/* SPDX-License-Identifier: MIT */
/*
 * A FUSE mount of the tree: turns the kernel's requests into calls of
 * tracefs.h.  Driven by the server's event loop; nothing here blocks.
 */
#ifndef ULF_TRACEFS_FUSE_H
#define ULF_TRACEFS_FUSE_H

#include <stdbool.h>

struct server;
struct tracefs_fuse;

/*
 * tracefs_fuse_new - serve the mount behind @fd, an open /dev/fuse that
 * mount(2) was given
 *
 * Takes @fd over if it succeeds: it is closed by tracefs_fuse_free(), and
 * with that the mount is dead (ENOTCONN) until somebody unmounts it.
 */
int tracefs_fuse_new(struct server *server, int fd, struct tracefs_fuse **ret_fuse);
/* Requests that wait are answered with EINTR. */
void tracefs_fuse_free(struct tracefs_fuse *fuse);

/* When @fd is readable: take requests.  -ENODEV: it was unmounted, or is
 * otherwise dead; the caller frees it. */
int tracefs_fuse_dispatch(struct tracefs_fuse *fuse);
/* Try again what waits. */
void tracefs_fuse_tick(struct tracefs_fuse *fuse);
/* Does anything wait, so that ticks should come soon? */
bool tracefs_fuse_is_waiting(const struct tracefs_fuse *fuse);

#endif
