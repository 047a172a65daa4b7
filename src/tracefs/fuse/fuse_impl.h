/* SPDX-License-Identifier: MIT */
/*
 * Declarations for the FUSE files: fuse.c (session), fuse_node.c (node ids), fuse_dir.c
 * (directories), fuse_file.c (open, read, write, poll).
 *
 * fuse_op_<request>() is the handler of a request in struct fuse_lowlevel_ops of libfuse.
 * Each handler answers the request @req, or parks it.  @id and @parent are node ids.
 */
#ifndef ULF_TRACEFS_FUSE_IMPL_H
#define ULF_TRACEFS_FUSE_IMPL_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "tracefs/call.h"
#include "tracefs/tracefs.h"

/* The maximum number of bytes that one request can read or write. */
#define FUSE_IO_BYTES		(128u << 10)
/* Time for which the kernel may cache the names (FILE) and the attributes (ATTR) of
 * files, seconds. */
#define FUSE_FILE_SECONDS	1.0
#define FUSE_ATTR_SECONDS	1.0

/*
 * A node that the kernel knows.  The address of this struct is the kernel's node id.
 * A file with a size can be read through the page cache (splice).  In the page cache
 * all readers of one node get the same memory pages.  So each lookup of such a file
 * makes a new node.  All other files and directories have one node each, which lookups
 * find by its inode number.
 */
struct fuse_node {
	LIST_ENTRY(fuse_node) link;	/* link in the list tracefs_fuse.nodes */
	struct tracefs_node *node;	/* holds a reference */
	uint64_t ino;			/* inode number of @node */
	uint64_t nlookup;		/* lookup count: number of lookups of this node
					 * that the kernel has not forgotten yet */
	uint32_t nr_users;		/* number of files and directories that are open
					 * and belong to this node */
	bool is_shared;			/* true: all lookups of the file or directory
					 * return this node; false: each makes a new one */
};
LIST_HEAD(fuse_node_list, fuse_node);

#define FUSE_NODE_BUCKETS	4096u

/* An open file, to which fuse_file_info.fh points. */
struct fuse_open {
	LIST_ENTRY(fuse_open) link;	/* link in the list tracefs_fuse.opens */
	struct tracefs_file *file;
	struct fuse_node *node;
	struct fuse_pollhandle *poll;	/* libfuse's handle of a poll(2) call that waits
					 * for the file; NULL if none waits */
	uint32_t poll_events;		/* events for which the poll(2) call of @poll
					 * waits */
	bool was_ready;			/* true: at the last poll(2) the file was ready,
					 * and no read has found it empty since */
	bool is_polled;			/* true: a thread has called poll(2) for this open
					 * file */
	uint32_t nr_ends;		/* number of reads, counted from the next one, that
					 * must fail with EINTR if they find nothing to read:
					 * so a splice returns the memory pages that it has,
					 * instead of waiting for more */
	off_t dropped;			/* offset in the file; memory pages before it were
					 * dropped from the page cache */
};
LIST_HEAD(fuse_open_list, fuse_open);

/* A read, write or flush that the kernel has requested.  The request is parked if it cannot
 * be answered yet. */
struct fuse_parked {
	TAILQ_ENTRY(fuse_parked) link;	/* link in the list tracefs_fuse.parked */
	fuse_req_t req;
	uint64_t unique;		/* for a read: number that the kernel has given to
					 * the request */
	struct fuse_open *open;
	struct tracefs_call call;
	bool is_cached;			/* true: the request is a read into the page
					 * cache, which a splice has caused */
	bool is_interrupted;		/* true: the kernel has interrupted the request */
	char *data;			/* for a parked write that has not begun: copy of
					 * the bytes at call.data; else NULL */
};
TAILQ_HEAD(fuse_parked_list, fuse_parked);

/* A FUSE mount that the server serves. */
struct tracefs_fuse {
	struct server *server;
	struct fuse_session *session;
	struct fuse_buf request;	/* request that is being handled, as the kernel
					 * has sent it */
	char *io;			/* memory for the data of the current reply,
					 * FUSE_IO_BYTES bytes */
	struct fuse_node top;		/* the top directory, whose node id is FUSE_ROOT_ID */
	struct fuse_node_list nodes[FUSE_NODE_BUCKETS];
	struct fuse_open_list opens;
	LIST_HEAD(fuse_listing_list, fuse_listing) listings;
	struct fuse_parked_list parked;
	bool has_interrupted;		/* true: the kernel has interrupted at least one
					 * parked request */
};

/* ---- functions that are defined in fuse_node.c ---- */

/* Return the node with the node id @id. */
struct fuse_node *fuse_node_of(struct tracefs_fuse *fuse, fuse_ino_t id);
/* Free @node, unless the kernel or an open file still uses it.  @node must not be the top
 * directory. */
void fuse_node_put(struct fuse_node *node);
/* Free all nodes of a mount that ends.  All files and directories must be closed. */
void fuse_node_free_all(struct tracefs_fuse *fuse);
/* Handlers that look up names, forget lookups, and get and set attributes. */
void fuse_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void fuse_op_forget(fuse_req_t req, fuse_ino_t id, uint64_t nlookup);
void fuse_op_forget_multi(fuse_req_t req, size_t count,
			  struct fuse_forget_data *forgets);
void fuse_op_getattr(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_setattr(fuse_req_t req, fuse_ino_t id, struct stat *attr, int to_set,
		     struct fuse_file_info *fi);
/* Answer a lookup or mkdir with the entry of @node.  The caller gives away its
 * reference of @node. */
void fuse_node_reply_entry(fuse_req_t req, struct tracefs_node *node);

/* ---- functions that are defined in fuse_dir.c ---- */

/* Handlers that open, read and close directories, and that make and remove instances. */
void fuse_op_opendir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_readdir(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		     struct fuse_file_info *fi);
void fuse_op_releasedir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void fuse_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);

/* Close all directories of a mount that ends. */
void fuse_dir_free_all(struct tracefs_fuse *fuse);

/* ---- functions that are defined in fuse_file.c ---- */

/* Handlers that open, use and close files.  Reads, writes and flushes may be parked.  The
 * ioctl with number 0 wakes readers that splice, as in the kernel. */
void fuse_op_open(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_read(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		  struct fuse_file_info *fi);
void fuse_op_write(fuse_req_t req, fuse_ino_t id, const char *buf, size_t size,
		   off_t offset, struct fuse_file_info *fi);
void fuse_op_flush(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_poll(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi,
		  struct fuse_pollhandle *poll);
void fuse_op_ioctl(fuse_req_t req, fuse_ino_t id, unsigned int cmd, void *arg,
		   struct fuse_file_info *fi, unsigned int flags,
		   const void *in, size_t in_bytes, size_t out_bytes);
void fuse_op_release(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
/* Return true if a request is parked or a thread waits in poll(2). */
bool fuse_file_is_waiting(const struct tracefs_fuse *fuse);
/* Retry the parked requests of a mount.  Wake threads in poll(2) if their file is ready
 * now. */
void fuse_file_retry(struct tracefs_fuse *fuse);
/* Answer the parked requests that the kernel has interrupted.  A write or flush that
 * has begun succeeds; all other requests get EINTR. */
void fuse_file_end_interrupted(struct tracefs_fuse *fuse);
/* Answer all parked requests with EINTR and close all files of a mount that ends. */
void fuse_file_free_all(struct tracefs_fuse *fuse);

#endif
