/* SPDX-License-Identifier: MIT */
/*
 * Mount and unmount FUSE as any user.  User id 0, and any user in a user namespace, may
 * call mount(2) and umount2(2).  Other users need the set-uid helper fusermount3.  If
 * fusermount3 cannot unmount, umount(8) is tried.
 */
#ifndef BASE_FUSEMOUNT_H
#define BASE_FUSEMOUNT_H

#include <stdbool.h>

#define FUSEMOUNT_TYPE		"fuse.tracefs"

/* The steps of fusemount_open().  After a failure the caller gets the step that failed. */
enum fusemount_step {
	FUSEMOUNT_DEVICE,		/* open /dev/fuse */
	FUSEMOUNT_HELPER,		/* start fusermount3 */
	FUSEMOUNT_MOUNT,		/* mount the file system; when this step
					 * fails, fusermount3 has printed the reason */
};

/*
 * fusemount_open - mount a FUSE file system on @dir
 * @ret_fd: an open /dev/fuse for tracefs_fuse_new(); the mount is dead as soon as the
 * caller closes it
 * @ret_step: the step that failed; always set
 *
 * Returns 0; -ENOENT if fusermount3 is needed and not installed; -EPERM if fusermount3 refused;
 * or -errno of open() or mount().  Sleeps.  The server must not call it: the path to @dir may
 * lead through a mount that the server itself serves, and the call would wait for ever.
 */
int fusemount_open(const char *dir, int *ret_fd, enum fusemount_step *ret_step);

/* Mount like fusemount_open(), but with mount(2) alone, never with fusermount3.  @name
 * is the mount's source, which fusemount_open() sets to `tracefs`. */
int fusemount_open_as(const char *name, const char *dir, int *ret_fd,
		      enum fusemount_step *ret_step);

/* Return true if @fd is an open /dev/fuse. */
bool fusemount_is_device(int fd);

/*
 * fusemount_close - unmount @dir
 * @is_lazy: detach the mount even if it is in use
 * @is_quiet: do not print the messages of the helpers
 *
 * Returns 0; -EBUSY if the mount is in use; -ENOENT if fusermount3 is not installed and
 * umount(8) fails; or another -errno.  Sleeps.
 */
int fusemount_close(const char *dir, bool is_lazy, bool is_quiet);

/* Return true if the topmost mount on @dir is a mount of ulf.  @dir must be a path without
 * symbolic links. */
bool fusemount_is_mounted(const char *dir);
/* Return true if the server of the mount on @dir has died.  If the server is alive, the
 * call waits for its answer. */
bool fusemount_is_stale(const char *dir);

#endif
