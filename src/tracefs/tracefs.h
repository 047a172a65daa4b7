/* SPDX-License-Identifier: MIT */
/*
 * The tree of files that a root shows, independent of how it is reached:
 * FUSE (fuse.c) and the CLI's socket (daemon/socket.c) both call this.
 * Single-threaded: everything runs in the server's event loop and nothing
 * here blocks.
 *
 * The top directory has one directory a root, named <comm>.<pid>.
 */
#ifndef ULF_TRACEFS_TRACEFS_H
#define ULF_TRACEFS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct server;				/* server/core/server.h */

/* A place in the tree.  Stable while its root lives; `ino` is unique and never
 * reused by something else while the server runs. */
struct tracefs_node;

struct tracefs_node *tracefs_top(struct server *server);
/* 0 and a referenced node, or -ENOENT, -ENOTDIR. */
int tracefs_lookup(struct tracefs_node *dir, const char *name,
		   struct tracefs_node **ret_node);
/* By path relative to the top ("a.1/events/sched/enable"). */
int tracefs_walk(struct server *server, const char *path,
		 struct tracefs_node **ret_node);
void tracefs_node_get(struct tracefs_node *node);
void tracefs_node_put(struct tracefs_node *node);
/* st_ino, st_mode, st_nlink, st_size, st_uid, st_gid, times. */
void tracefs_stat(struct tracefs_node *node, struct stat *ret_stat);
/* Calls @emit for every entry, without . and ..; stops when it is not 0. */
int tracefs_readdir(struct tracefs_node *dir,
		    int (*emit)(void *arg, const char *name, const struct stat *st),
		    void *arg);
/* mkdir, rmdir, create, unlink, rename: the kernel's errno for this place. */
int tracefs_mkdir(struct tracefs_node *dir, const char *name);
int tracefs_rmdir(struct tracefs_node *dir, const char *name);

/* Flag of tracefs_open(): what is read goes to a terminal.  Newlines in strings of
 * the traced program are escaped, so that each of them cannot begin a line. */
#define TRACEFS_TERMINAL	(1 << 30)

/* An open file. @flags: O_ACCMODE, O_TRUNC, O_APPEND, O_NONBLOCK as open(2), and
 * TRACEFS_TERMINAL. */
struct tracefs_file;
int tracefs_open(struct tracefs_node *node, int flags, struct tracefs_file **ret_file);
void tracefs_close(struct tracefs_file *file);

/*
 * A file that names functions may have to wait for a parser (symbols/parse.h).  Then
 * tracefs_read(), tracefs_write(), tracefs_flush() and tracefs_settle() answer
 * -ERESTART, and have changed nothing: the caller keeps the request, also one of a file
 * that is O_NONBLOCK, and calls again with the same arguments when a parser has ended,
 * or on the next tick.  It never takes longer than the parser may.
 *
 * tracefs_settle() does what tracefs_open() could not do yet: O_TRUNC.  The first write
 * and the flush do so, too.
 */
int tracefs_settle(struct tracefs_file *file);

/*
 * Read at @offset (streams ignore it).  > 0 bytes, 0 at the end, -errno.
 * -EAGAIN: nothing yet; the caller answers EAGAIN if the file is opened
 * O_NONBLOCK, else keeps the request and calls again on the next tick.
 */
ssize_t tracefs_read(struct tracefs_file *file, char *buf, size_t size, off_t offset);

/*
 * Read for a reader in another process, to which the caller hands the bytes.
 * The records that they show stay in the buffer until the caller reports what
 * became of the bytes (tracefs_deliver()); it must do so before it reads again.
 * @is_whole: as tracefs_read_whole().
 */
ssize_t tracefs_read_begin(struct tracefs_file *file, char *buf, size_t size,
			   off_t offset, bool is_whole);
enum tracefs_delivery {
	TRACEFS_OFFERED,	/* the next system call may hand over all of them:
				 * a server that is killed from here on leaves
				 * the records in doubt */
	TRACEFS_LATER,		/* it has not handed over all; a reader that gets
				 * no more drops what it has */
	TRACEFS_TAKEN,		/* the reader has them; ends the read */
	TRACEFS_REFUSED,	/* the reader has nothing; ends the read, and the
				 * next one gives the same bytes */
	TRACEFS_RETURNED,	/* after TRACEFS_TAKEN: the reader ended without
				 * having looked at them */
};
/* For files that are no streams it does nothing. */
void tracefs_deliver(struct tracefs_file *file, enum tracefs_delivery what);

/*
 * Read a file that has a size (trace_pipe_raw: st_size is 1 << 62) for the page
 * cache, which splice() goes through: exactly @size bytes (fuse.c asks for
 * memory pages, one at a time), taken from whole sub-buffers only, in order, a
 * larger sub-buffer piece by piece; or -errno.  -EAGAIN: no whole one yet.
 */
ssize_t tracefs_read_whole(struct tracefs_file *file, char *buf, size_t size);

/*
 * Write on behalf of thread @tid.  > 0 bytes taken, -errno as the kernel's.
 * -EINPROGRESS: accepted, but not yet in force in every process; the caller
 * keeps the request and calls tracefs_write_done() on each tick until it
 * answers something else (0: done; then the answer to the write is the
 * number of bytes that was returned in *@ret_taken).
 */
ssize_t tracefs_write(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid, size_t *ret_taken);
int tracefs_write_done(struct tracefs_file *file);

/*
 * There are files (tracefs_has_flush()) that put into force what was written when
 * they are closed.  tracefs_close() does it; this one also says when it is in
 * force: 0, or -errno; -EINPROGRESS as above.
 */
int tracefs_flush(struct tracefs_file *file);
bool tracefs_has_flush(const struct tracefs_file *file);
/* Is there anything that was not flushed? */
bool tracefs_is_written(const struct tracefs_file *file);

/* POLLIN, POLLOUT ... that are true now. */
unsigned int tracefs_poll(struct tracefs_file *file);
/* Also: the thread @tid asks by poll(2), and so has done with what it read before. */
unsigned int tracefs_poll_start(struct tracefs_file *file, pid_t tid);
/* Is this a stream (trace_pipe, trace_pipe_raw): no seeking, may block? */
bool tracefs_is_stream(const struct tracefs_file *file);
/* Is this a stream of lines, so that a read may get fewer than it asked for? */
bool tracefs_is_line_stream(const struct tracefs_file *file);

#endif
