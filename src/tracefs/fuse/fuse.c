/* SPDX-License-Identifier: MIT */
/* Start and end FUSE sessions: negotiate options with the kernel, and list the handlers
 * of requests. */
#include "tracefs/fuse/fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tracefs/fuse/fuse_impl.h"

/* Maximum number of requests that one call of tracefs_fuse_dispatch() handles.  The limit
 * is needed so that other work of the server is not delayed. */
#define REQUESTS_AT_ONCE	64

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	/*
	 * Negotiate options of the FUSE session with the kernel.  The server turns these off:
	 * ASYNC_READ, so that a read of the page cache can be interrupted; AUTO_INVAL_DATA,
	 * so that the kernel does not drop the data of a stream when attributes change;
	 * read-ahead, so that the kernel reads only what the reader has asked for; and
	 * splices of the requests themselves, because replies of this size would not become
	 * faster.  The server turns ATOMIC_O_TRUNC on: the kernel then passes O_TRUNC to the
	 * open request, the only request that truncates.
	 */
	conn->want &= ~(unsigned int)(FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO |
				      FUSE_CAP_AUTO_INVAL_DATA |
				      FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO |
				      FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
				      FUSE_CAP_SPLICE_MOVE);
	conn->want |= conn->capable & FUSE_CAP_ATOMIC_O_TRUNC;
	conn->max_readahead = 0;
	conn->max_write = FUSE_IO_BYTES;
}

/* ---- functions that refuse to make, rename or remove files, as tracefs does ---- */

/*
 * Refuse to create a file. tracefs returns EACCES.  But a user who types `echo 1 >
 * tracing_onn' would look for missing permissions.  So ulf returns the error that says
 * that the file does not exist.
 */
static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		      mode_t mode, struct fuse_file_info *fi)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)fi;
	fuse_reply_err(req, ENOENT);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode, dev_t rdev)
{
	(void)parent;
	(void)name;
	(void)rdev;
	fuse_reply_err(req, S_ISREG(mode) ? EACCES : EPERM);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

static void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent,
		       const char *name)
{
	(void)target;
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		      fuse_ino_t newparent, const char *newname, unsigned int flags)
{
	(void)parent;
	(void)name;
	(void)newparent;
	(void)newname;
	(void)flags;
	fuse_reply_err(req, EPERM);
}

static void op_link(fuse_req_t req, fuse_ino_t id, fuse_ino_t newparent,
		    const char *newname)
{
	(void)id;
	(void)newparent;
	(void)newname;
	fuse_reply_err(req, EPERM);
}

static void op_statfs(fuse_req_t req, fuse_ino_t id)
{
	struct statvfs st = {
		.f_bsize = ARCH_PAGE_BYTES,
		.f_frsize = ARCH_PAGE_BYTES,
		.f_namemax = 255,
	};

	(void)id;
	fuse_reply_statfs(req, &st);
}

static const struct fuse_lowlevel_ops ops = {
	.init		= op_init,
	.lookup		= fuse_op_lookup,
	.forget		= fuse_op_forget,
	.forget_multi	= fuse_op_forget_multi,
	.getattr	= fuse_op_getattr,
	.setattr	= fuse_op_setattr,
	.opendir	= fuse_op_opendir,
	.readdir	= fuse_op_readdir,
	.releasedir	= fuse_op_releasedir,
	.mkdir		= fuse_op_mkdir,
	.rmdir		= fuse_op_rmdir,
	.open		= fuse_op_open,
	.read		= fuse_op_read,
	.write		= fuse_op_write,
	.flush		= fuse_op_flush,
	.poll		= fuse_op_poll,
	.ioctl		= fuse_op_ioctl,
	.release	= fuse_op_release,
	.create		= op_create,
	.mknod		= op_mknod,
	.unlink		= op_unlink,
	.symlink	= op_symlink,
	.rename		= op_rename,
	.link		= op_link,
	.statfs		= op_statfs,
};

static int session_new(struct tracefs_fuse *fuse, int fd)
{
	char name[] = "ulf", place[32];
	char *argv[] = { name, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, argv);

	fuse->session = fuse_session_new(&args, &ops, sizeof(ops), fuse);
	fuse_opt_free_args(&args);
	if (!fuse->session)
		return -ENOMEM;
	/* Pass @fd to libfuse as the path /dev/fd/N. libfuse then uses the descriptor N,
	 * which is already mounted, and mounts nothing. */
	snprintf(place, sizeof(place), "/dev/fd/%d", fd);
	if (fuse_session_mount(fuse->session, place) < 0)
		return -EIO;
	return 0;
}

int tracefs_fuse_new(struct server *server, int fd, struct tracefs_fuse **ret_fuse)
{
	struct tracefs_fuse *fuse;
	int flags, ret;

	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	fuse = calloc(1, sizeof(*fuse));
	if (!fuse)
		return -ENOMEM;
	TAILQ_INIT(&fuse->parked);
	fuse->server = server;
	fuse->top.node = tracefs_top(server);
	fuse->io = malloc(FUSE_IO_BYTES);
	ret = fuse->io ? session_new(fuse, fd) : -ENOMEM;
	if (ret < 0) {
		if (fuse->session)
			fuse_session_destroy(fuse->session);
		free(fuse->io);
		free(fuse);
		return ret;
	}
	*ret_fuse = fuse;
	return 0;
}

void tracefs_fuse_free(struct tracefs_fuse *fuse)
{
	if (!fuse)
		return;
	fuse_file_free_all(fuse);
	fuse_dir_free_all(fuse);
	fuse_node_free_all(fuse);
	fuse_session_destroy(fuse->session);
	free(fuse->request.mem);
	free(fuse->io);
	free(fuse);
}

int tracefs_fuse_dispatch(struct tracefs_fuse *fuse)
{
	int i, ret;

	for (i = 0; i < REQUESTS_AT_ONCE; i++) {
		ret = fuse_session_receive_buf(fuse->session, &fuse->request);
		if (ret == -EAGAIN || ret == -EINTR)
			return 0;
		if (ret <= 0)
			return -ENODEV;
		fuse_session_process_buf(fuse->session, &fuse->request);
		fuse_file_end_interrupted(fuse);
		if (fuse_session_exited(fuse->session))
			return -ENODEV;
	}
	return 0;
}

void tracefs_fuse_tick(struct tracefs_fuse *fuse)
{
	fuse_file_retry(fuse);
}

bool tracefs_fuse_is_waiting(const struct tracefs_fuse *fuse)
{
	return fuse_file_is_waiting(fuse);
}
