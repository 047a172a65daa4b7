/* SPDX-License-Identifier: MIT */
/*
 * The tree of files that the server shows.  Two callers use these functions: FUSE
 * (fuse/fuse.c) and the CLI's socket (daemon/socket.c).
 *
 * Only the server's thread calls these functions, from its event loop.  None of them
 * blocks.  Functions that return int return 0 or -errno, unless stated otherwise.
 *
 * The top directory has one directory per root, named <comm>.<pid>.
 */
#ifndef ULF_TRACEFS_TRACEFS_H
#define ULF_TRACEFS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct server;				/* server/core/server.h */

/* A file or directory of the tree.  Its inode number is never used for another file or
 * directory while the server runs. */
struct tracefs_node;

/* Return the top directory, or NULL if there is no memory.  The server owns the node, so
 * the caller must not release it. */
struct tracefs_node *tracefs_top(struct server *server);
/* Find the entry @name of the directory @dir.  Returns 0 and a reference of the entry,
 * which the caller must release; -ENOENT, -ENOTDIR or -ENOMEM. */
int tracefs_lookup(struct tracefs_node *dir, const char *name,
		   struct tracefs_node **ret_node);
/* Find a file or directory by its path from the top directory ("a.1/events/sched/enable").
 * Returns 0 and a reference, which the caller must release; -ENOENT, -ENOTDIR, -ENOMEM or
 * -ENAMETOOLONG. */
int tracefs_walk(struct server *server, const char *path,
		 struct tracefs_node **ret_node);
/* Take a reference of @node. */
void tracefs_node_get(struct tracefs_node *node);
/* Release a reference of @node.  @node may be NULL. */
void tracefs_node_put(struct tracefs_node *node);
/* Get the attributes of @node: inode number, mode, number of links, block size, size,
 * owner, times. */
void tracefs_stat(struct tracefs_node *node, struct stat *ret_stat);
/* Call @emit for every entry of @dir except . and ..  Stops when @emit returns a value
 * other than 0, and returns this value. */
int tracefs_readdir(struct tracefs_node *dir,
		    int (*emit)(void *arg, const char *name, const struct stat *st),
		    void *arg);
/*
 * Make or remove the directory @name in @dir.  Only the directory `instances` allows this;
 * in other directories both functions return -EPERM.  Errors are those of the kernel:
 * -EEXIST, -ENOENT, -EBUSY ...
 */
int tracefs_mkdir(struct tracefs_node *dir, const char *name);
int tracefs_rmdir(struct tracefs_node *dir, const char *name);

/* Flag of tracefs_open(): the reader is a terminal.  Newlines in strings of the traced
 * program are escaped, so that a string cannot look like another line of the trace. */
#define TRACEFS_TERMINAL	(1 << 30)

/* An open file. */
struct tracefs_file;
/*
 * tracefs_open - open a file
 * @flags: flags of open(2) (O_ACCMODE, O_TRUNC and O_NONBLOCK), and TRACEFS_TERMINAL
 *
 * Returns 0; -EISDIR; -EACCES if the mode of the file forbids it; -ENODEV if the root or the
 * instance is gone; -ENOMEM; or another error that depends on the file, for example
 * -EBUSY for trace_pipe.
 */
int tracefs_open(struct tracefs_node *node, int flags, struct tracefs_file **ret_file);
/* Flush and free @file.  @file may be NULL. */
void tracefs_close(struct tracefs_file *file);

/*
 * tracefs_settle - truncate a file that tracefs_open() could not truncate yet (O_TRUNC)
 *
 * To use a file that names functions, the server may have to wait for a parser
 * (symbols/parse.h).  Then tracefs_read(), tracefs_write(), tracefs_flush() and
 * tracefs_settle() return -ERESTART, and have changed nothing.  The caller must park the
 * request, even if the file was opened with O_NONBLOCK.  The caller must call again with the
 * same arguments when a parser has ended, or on the next tick.  The wait is limited by the
 * time limit of the parser.
 *
 * The first write and the flush call tracefs_settle() themselves.
 */
int tracefs_settle(struct tracefs_file *file);

/*
 * tracefs_read - read from a file at @offset; streams ignore @offset
 *
 * Returns the number of bytes, 0 at the end, or -errno. -EAGAIN means that there is
 * nothing to read yet.  Then the caller replies EAGAIN if the file was opened with
 * O_NONBLOCK; otherwise it parks the request and calls again on the next tick.  For
 * -ERESTART see tracefs_settle().
 */
ssize_t tracefs_read(struct tracefs_file *file, char *buf, size_t size, off_t offset);

/*
 * tracefs_read_begin - read on behalf of a reader in another process
 * @is_whole: true to read as tracefs_read_whole() does
 *
 * The caller hands the bytes to the reader, and must then report the result with
 * tracefs_deliver() before it reads again.  Until then the records stay in the buffer.
 * Returns the number of bytes, 0 at the end, or -errno as tracefs_read() does.
 */
ssize_t tracefs_read_begin(struct tracefs_file *file, char *buf, size_t size,
			   off_t offset, bool is_whole);
/* Steps of handing bytes over to a reader.  The caller reports with them what happened to
 * the bytes of tracefs_read_begin(). */
enum tracefs_delivery {
	TRACEFS_OFFERED,	/* the caller is about to make a system call that may hand
				 * over all bytes; if the server is killed after this
				 * step, it is not known whether the reader has the bytes */
	TRACEFS_LATER,		/* the system call has not handed over all bytes; if the
				 * reader does not get the rest, it drops the bytes that
				 * it has */
	TRACEFS_TAKEN,		/* the reader has got all bytes, and the read is finished */
	TRACEFS_REFUSED,	/* the reader has got none of the bytes, and the read is
				 * finished; the next read returns the bytes again */
	TRACEFS_RETURNED,	/* after TRACEFS_TAKEN: the reader has exited without
				 * using the bytes */
};
/* Report what happened to the bytes of the last tracefs_read_begin().  Does nothing for
 * a file that is not a stream. */
void tracefs_deliver(struct tracefs_file *file, enum tracefs_delivery what);

/*
 * tracefs_read_whole - read trace_pipe_raw for the page cache
 *
 * For splice(2), which reads through the page cache.  The page cache requires a file
 * with a size (st_size of trace_pipe_raw is 1 << 62), and asks for one memory page at
 * a time.  Fills @buf with bytes of full sub-buffers only, in order, and returns
 * @size.  If a sub-buffer is larger than @size, several calls are needed for it.
 * Returns -EAGAIN if no sub-buffer is full yet, or another -errno.
 */
ssize_t tracefs_read_whole(struct tracefs_file *file, char *buf, size_t size);

/*
 * tracefs_write - write on behalf of thread @tid
 * @ret_taken: bytes taken; set with -EINPROGRESS only
 *
 * Returns the number of bytes taken, or -errno as the kernel does. -EINPROGRESS means that the
 * change was accepted, but that not every process has applied it yet.  Then the caller must
 * park the request, and call tracefs_write_done() on each tick until the result is not
 * -EINPROGRESS.  If that result is 0, the write returns *@ret_taken bytes.  For -ERESTART see
 * tracefs_settle().
 */
ssize_t tracefs_write(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid, size_t *ret_taken);
/* Return 0 if all processes have applied the last write or flush of @file; -EINPROGRESS
 * if some have not; or the error of a process that could not apply it. */
int tracefs_write_done(struct tracefs_file *file);

/*
 * tracefs_flush - apply what was written, as close(2) does
 *
 * Some files (tracefs_has_flush()) apply what was written only when they are closed.
 * tracefs_close() flushes, too, but only tracefs_flush() returns the result.  Returns 0
 * or -errno.  For -EINPROGRESS see tracefs_write(), for -ERESTART see tracefs_settle().
 */
int tracefs_flush(struct tracefs_file *file);
/* Return true if the settings that are written to @file are applied only when it is
 * flushed (tracefs_flush()). */
bool tracefs_has_flush(const struct tracefs_file *file);
/* Return true if bytes were written to @file that were not flushed yet. */
bool tracefs_is_written(const struct tracefs_file *file);

/* Return the events of poll(2) for which @file is ready now: POLLIN, POLLOUT ... */
unsigned int tracefs_poll(struct tracefs_file *file);
/*
 * Return the events of poll(2) for which @file is ready, as tracefs_poll() does.
 * Called when thread @tid calls poll(2): the function notes that this thread has
 * finished using the bytes that it read before.
 */
unsigned int tracefs_poll_start(struct tracefs_file *file, pid_t tid);
/* Return true if @file cannot seek, and reads may block: trace_pipe, trace_pipe_raw, and files
 * that can only be written. */
bool tracefs_is_stream(const struct tracefs_file *file);
/* Return true if @file is a stream of lines (trace_pipe).  A read of such a file may
 * return fewer bytes than were asked for. */
bool tracefs_is_line_stream(const struct tracefs_file *file);

#endif
