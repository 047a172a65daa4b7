/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the FUSE glue share: fuse.c (session), fuse_node.c (node
 * ids), fuse_dir.c (directories), fuse_file.c (open, read, write, poll).
 */
#ifndef ULF_TRACEFS_FUSE_IMPL_H
#define ULF_TRACEFS_FUSE_IMPL_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "tracefs/tracefs.h"

/* The largest read or write that is taken at once. */
#define FUSE_IO_BYTES		(128u << 10)
/* What the kernel may remember: the names of files, and attributes. */
#define FUSE_FILE_SECONDS	1.0
#define FUSE_ATTR_SECONDS	1.0

/*
 * What the kernel knows as a node id: the address of one of these.  A file
 * with a size can be read through the page cache (splice), where everybody
 * who has the same node gets the same pages: such a file is a new node at
 * every lookup.  Any other place in the tree has one node, found by its ino.
 */
struct fuse_node {
	LIST_ENTRY(fuse_node) link;	/* in tracefs_fuse.nodes */
	struct tracefs_node *node;	/* referenced */
	uint64_t ino;
	uint64_t nlookup;		/* what the kernel will forget() */
	uint32_t nr_users;		/* open files and directories */
	bool is_shared;			/* lookups find it again */
};
LIST_HEAD(fuse_node_list, fuse_node);

#define FUSE_NODE_BUCKETS	4096u

/* An open file: fuse_file_info.fh. */
struct fuse_open {
	LIST_ENTRY(fuse_open) link;	/* in tracefs_fuse.opens */
	struct tracefs_file *file;
	struct fuse_node *node;
	struct fuse_pollhandle *poll;	/* somebody polls, or NULL */
	uint32_t poll_events;
	bool was_ready;			/* at the last poll, and not drained since */
	bool is_polled;			/* by a reader that polls and then splices */
	uint32_t nr_ends;		/* errors that end a splice which has got
					 * something already */
	off_t dropped;			/* page cache below this was given back */
};
LIST_HEAD(fuse_open_list, fuse_open);

/* A request that could not be answered yet. */
struct fuse_parked {
	TAILQ_ENTRY(fuse_parked) link;	/* in tracefs_fuse.parked */
	fuse_req_t req;
	uint64_t unique;		/* read: the kernel's number of it */
	struct fuse_open *open;
	size_t size;			/* read: asked for; write: bytes taken */
	off_t offset;
	bool is_write;
	bool is_flush;			/* of what was written: nothing taken */
	bool is_cached;			/* read for the page cache */
	bool is_interrupted;
	bool is_restart;		/* not begun: -ERESTART */
	char *data;			/* of a write that is not begun, or NULL */
	size_t bytes;			/* of it */
	pid_t tid;			/* who writes it */
};
TAILQ_HEAD(fuse_parked_list, fuse_parked);

struct tracefs_fuse {
	struct server *server;
	struct fuse_session *session;
	struct fuse_buf request;
	char *io;			/* FUSE_IO_BYTES */
	struct fuse_node top;		/* FUSE_ROOT_ID */
	struct fuse_node_list nodes[FUSE_NODE_BUCKETS];
	struct fuse_open_list opens;
	LIST_HEAD(fuse_listing_list, fuse_listing) listings;
	struct fuse_parked_list parked;
	bool has_interrupted;		/* a parked request is_interrupted */
};

/* fuse_node.c */
struct fuse_node *fuse_node_of(struct tracefs_fuse *fuse, fuse_ino_t id);
void fuse_node_put(struct fuse_node *node);
void fuse_node_free_all(struct tracefs_fuse *fuse);
void fuse_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void fuse_op_forget(fuse_req_t req, fuse_ino_t id, uint64_t nlookup);
void fuse_op_forget_multi(fuse_req_t req, size_t count,
			  struct fuse_forget_data *forgets);
void fuse_op_getattr(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_setattr(fuse_req_t req, fuse_ino_t id, struct stat *attr, int to_set,
		     struct fuse_file_info *fi);
void fuse_node_reply_entry(fuse_req_t req, struct tracefs_node *node);

/* fuse_dir.c */
void fuse_op_opendir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_readdir(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		     struct fuse_file_info *fi);
void fuse_op_releasedir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi);
void fuse_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void fuse_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);

void fuse_dir_free_all(struct tracefs_fuse *fuse);

/* fuse_file.c */
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
bool fuse_file_is_waiting(const struct tracefs_fuse *fuse);
void fuse_file_retry(struct tracefs_fuse *fuse);
void fuse_file_end_interrupted(struct tracefs_fuse *fuse);
void fuse_file_free_all(struct tracefs_fuse *fuse);

#endif
