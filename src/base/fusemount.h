/* SPDX-License-Identifier: MIT */
/*
 * Mounting and unmounting FUSE as anybody: with mount(2) where that is allowed
 * (root, a user namespace), else through the set-uid helper fusermount3; where
 * that cannot unmount, through umount(8).
 */
#ifndef BASE_FUSEMOUNT_H
#define BASE_FUSEMOUNT_H

#include <stdbool.h>

#define FUSEMOUNT_TYPE		"fuse.tracefs"

/* How far fusemount_open() got. */
enum fusemount_step {
	FUSEMOUNT_DEVICE,		/* open /dev/fuse */
	FUSEMOUNT_HELPER,		/* start fusermount3 */
	FUSEMOUNT_MOUNT,		/* mount; fusermount3 has said why not */
};

/*
 * fusemount_open - mount on @dir
 * @ret_fd: /dev/fuse, to be served (tracefs_fuse_new()); closing it kills the
 *	    mount
 * @ret_step: set on failure too
 *
 * May sleep; must not be called by the server, whose own mounts may be on the
 * way to @dir.
 */
int fusemount_open(const char *dir, int *ret_fd, enum fusemount_step *ret_step);

/* The same by mount(2) alone, under another name than `tracefs`. */
int fusemount_open_as(const char *name, const char *dir, int *ret_fd,
		      enum fusemount_step *ret_step);

/* Is @fd an open /dev/fuse? */
bool fusemount_is_device(int fd);

/*
 * fusemount_close - unmount @dir
 * @is_lazy: also if it is in use
 * @is_quiet: do not print the reasons of the helpers
 *
 * Returns 0, -EBUSY if it is in use, -ENOENT if fusermount3 is not installed and
 * umount(8) fails, or another -errno.  May sleep.
 */
int fusemount_close(const char *dir, bool is_lazy, bool is_quiet);

/* Is the topmost mount on @dir (a path without symbolic links) a ulf one? */
bool fusemount_is_mounted(const char *dir);
/* Has the server of that mount died? */
bool fusemount_is_stale(const char *dir);

#endif
