/* SPDX-License-Identifier: MIT */
/*
 * The mounter: a process that mounts and unmounts for the server.  The confined server
 * (confine.h) can do neither: it has no right to call mount(2), and no_new_privs makes
 * the set-uid program fusermount3 useless.  So the server forks the mounter before it
 * confines itself.  The mounter does nothing else than these jobs, and exits when the
 * server exits or is killed.
 */
#ifndef ULF_DAEMON_MOUNTER_H
#define ULF_DAEMON_MOUNTER_H

#include <sys/types.h>

enum mounter_op {
	MOUNTER_RESTORE = 'R',		/* run the command `ulf mount --restore PATH` */
	MOUNTER_UNMOUNT = 'U',		/* unmount PATH lazily, but only if it is a mount
					 * of ulf */
};

/*
 * mounter_start - fork the mounter
 * @dir: the ulf directory, for `ulf mount`
 *
 * Returns a socket that becomes readable when there is an answer, and when the mounter
 * has exited (end-of-file).  The caller passes the socket to mounter_stop().
 * Returns -errno if there is no mounter: then mounter_ask() and mounter_answer() fail.
 */
int mounter_start(const char *dir, pid_t *ret_pid);
/* Let the mounter exit, and wait until it has exited.  Mounts and unmounts that are in
 * progress continue. */
void mounter_stop(int fd, pid_t pid);

/* Order the mounter to mount or unmount @path, without waiting for the end of this job.
 * Several jobs can run at the same time.  Returns 0 or -errno. */
int mounter_ask(int fd, enum mounter_op op, const char *path);

/*
 * mounter_answer - return one of the jobs of mounter_ask() that have ended, with or without
 * success
 * @wait_ms: maximum time to wait, ms; 0 to return at once
 *
 * Returns the job's enum mounter_op; -EAGAIN if no job has ended; or another -errno if
 * the mounter has exited.
 */
int mounter_answer(int fd, int wait_ms);

#endif
