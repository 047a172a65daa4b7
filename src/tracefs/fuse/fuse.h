/* SPDX-License-Identifier: MIT */
/*
 * A FUSE mount of the tree: turns the kernel's requests into calls of the functions of
 * tracefs.h.  The server's event loop calls these functions.  None of them blocks.
 */
#ifndef ULF_TRACEFS_FUSE_H
#define ULF_TRACEFS_FUSE_H

#include <stdbool.h>

struct server;
struct tracefs_fuse;

/*
 * tracefs_fuse_new - serve a mount
 * @fd: an open /dev/fuse that was passed to mount(2)
 *
 * On success the mount owns @fd. tracefs_fuse_free() closes @fd; afterwards accesses
 * to the mount fail with ENOTCONN until it is unmounted.  Returns 0, -ENOMEM, -EIO or
 * -errno of fcntl().
 */
int tracefs_fuse_new(struct server *server, int fd, struct tracefs_fuse **ret_fuse);
/* Stop serving a mount.  Parked requests are answered with EINTR.  @fuse may be NULL. */
void tracefs_fuse_free(struct tracefs_fuse *fuse);

/*
 * Handle requests of the kernel.  Must be called when the descriptor of the mount is
 * readable.  Returns 0; or -ENODEV if the mount was unmounted or no longer works, so
 * that the caller must free @fuse.
 */
int tracefs_fuse_dispatch(struct tracefs_fuse *fuse);
/* Retry the parked requests of a mount.  Wake threads in poll(2) if their file is ready
 * now. */
void tracefs_fuse_tick(struct tracefs_fuse *fuse);
/* Return true if a request of the mount is parked or a thread waits in poll(2), so that
 * the next tick should come soon. */
bool tracefs_fuse_is_waiting(const struct tracefs_fuse *fuse);

#endif
