/* SPDX-License-Identifier: MIT */
/*
 * The process that mounts and unmounts for the server.  The confined server
 * (confine.h) can do neither: it has no right to call mount(2), and no_new_privs
 * makes the set-uid fusermount3 useless.  So the server forks this process first.
 * It does nothing but what is below, and ends when the server does, however that ends.
 */
#ifndef ULF_SERVER_MOUNTER_H
#define ULF_SERVER_MOUNTER_H

#include <sys/types.h>

enum mounter_op {
	MOUNTER_RESTORE = 'R',		/* run `ulf mount --restore PATH` */
	MOUNTER_UNMOUNT = 'U',		/* lazily; only if it is a mount of ulf's type */
};

/*
 * mounter_start - fork it
 * @dir: the ulf directory, for `ulf mount`
 *
 * Returns a socket: it is readable when an answer is there, and at its end when the
 * process is gone.  -errno: there is none; the calls below then fail.
 */
int mounter_start(const char *dir, pid_t *ret_pid);
/* Let it end, and wait for that.  Jobs that run go on. */
void mounter_stop(int fd, pid_t pid);

/* Ask it.  The jobs of several requests run at the same time.  0 or -errno. */
int mounter_ask(int fd, enum mounter_op op, const char *path);

/*
 * mounter_answer - which job has ended, with whatever result
 * @wait_ms: how long to wait for one; 0: do not wait
 *
 * Returns an enum mounter_op, -EAGAIN: none yet, or another -errno: the process is
 * gone.
 */
int mounter_answer(int fd, int wait_ms);

#endif
