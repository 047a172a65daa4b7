/* SPDX-License-Identifier: MIT */
/*
 * A read, write or flush of a client that may have to wait.  All parked requests for files
 * are of this kind.  FUSE and the CLI's socket both keep a struct tracefs_call with each
 * request that they have not answered yet.  Both try the call again on each tick, and when a
 * parser has ended.
 *
 *	              -EAGAIN, -ERESTART                     0, -errno
 *	begin: try ---------------------> waiting -- try ---------------------> answered
 *	       |                                              ^
 *	       |  -EINPROGRESS                                |
 *	       +-----------------------> applying -- try -----+
 *
 * In "waiting" nothing was changed, and a try calls the file again with the same arguments.  In
 * "applying" (has_begun) a write or flush was accepted, and a try asks whether all processes have
 * applied it.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_TRACEFS_CALL_H
#define ULF_TRACEFS_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tracefs_file;

enum tracefs_op {
	TRACEFS_OP_READ,
	TRACEFS_OP_WRITE,
	TRACEFS_OP_FLUSH,		/* apply the bytes that were written to the file
					 * (tracefs_flush()) */
	TRACEFS_OP_FLUSH_WRITTEN,	/* flush as TRACEFS_OP_FLUSH does, but only if
					 * bytes were written since the last flush */
};

struct tracefs_call {
	enum tracefs_op op;
	struct tracefs_file *file;
	size_t size;			/* number of bytes: of the memory at @buf for a
					 * read, of the bytes at @data for a write */
	/* The members @buf to @is_empty are for a read; see tracefs_read_begin(). */
	char *buf;			/* memory in which the bytes that are read are
					 * stored */
	off_t offset;
	bool is_whole;			/* see tracefs_read_whole() */
	bool is_nonblocking;		/* true: the read fails with -EAGAIN if there is
					 * nothing to read */
	bool is_empty;			/* result of a read: true if the last try has
					 * found nothing to read */
	/* Members for a write: */
	const char *data;		/* bytes that must be written; the caller must keep
					 * them until @has_begun is set */
	pid_t tid;			/* thread that writes */
	size_t taken;			/* result of a write: number of bytes that were
					 * accepted */
	/* The next member is for a write or flush. */
	bool has_begun;			/* true: the write or flush was accepted and
					 * cannot be undone, so it must not be repeated
					 * when the call is tried again */
};

#define TRACEFS_PARKED	(-EINPROGRESS)

/*
 * Try a read, write or flush.  Returns the number of bytes of a read or write, 0 for a
 * flush, or -errno.  After TRACEFS_PARKED the caller must keep @call and try it again
 * later.
 */
ssize_t tracefs_call_try(struct tracefs_call *call);
/*
 * Return the answer to a parked call whose client no longer waits.  If the settings are
 * already changed (call->has_begun), returns the number of bytes of a write, or 0 for a
 * flush.  Otherwise returns -EINTR.
 */
ssize_t tracefs_call_interrupt(const struct tracefs_call *call);

#endif
