/* SPDX-License-Identifier: MIT */
/*
 * FUSE: open files.  A request that cannot be answered yet is parked and retried on ticks; the
 * kernel may interrupt it meanwhile.  So any number of readers can wait, and no other request
 * waits for them.
 *
 * There are two kinds of reads.  read(2) is direct: the request has the reader's lock owner, and
 * the reply may have any number of bytes.  splice(2) fills the page cache: the request has no
 * lock owner, and after a short reply the kernel would assume that the file ends there.  So the
 * reply must be complete, or an error.
 *
 * A splice asks for its pages one by one.  In the kernel a splice of trace_pipe_raw returns the
 * pages that there are.  Here the server cannot distinguish the next page of a splice from the
 * first page of another one, unless the reader polls in between.  For a reader that polls, an
 * error after the last page makes the splice return the pages that it has.
 */
#include "tracefs/fuse/fuse_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/testpoint.h"
#include "server/rings/receipt.h"

/* How many bytes of page cache are kept before the reader's offset.  Older pages are dropped ... */
#define CACHE_KEPT_BYTES	(1 << 20)
/* ... as soon as there are at least this many bytes of them. */
#define CACHE_DROP_BYTES	(1 << 20)
/* How often the kernel asks for the same page: once for read-ahead, then for the page itself. */
#define SPLICE_TRIES		2

static struct fuse_open *open_of(const struct fuse_file_info *fi)
{
	return (struct fuse_open *)(uintptr_t)fi->fh;
}

static void open_free(struct tracefs_fuse *fuse, struct fuse_open *open)
{
	LIST_REMOVE(open, link);
	if (open->poll)
		fuse_pollhandle_destroy(open->poll);
	tracefs_close(open->file);
	open->node->nr_users--;
	if (open->node != &fuse->top)
		fuse_node_put(open->node);
	free(open);
}

void fuse_op_open(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_open *open = calloc(1, sizeof(*open));
	int ret;

	if (!open) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	open->node = fuse_node_of(fuse, id);
	ret = tracefs_open(open->node->node, fi->flags, &open->file);
	if (ret < 0) {
		free(open);
		fuse_reply_err(req, -ret);
		return;
	}
	open->node->nr_users++;
	LIST_INSERT_HEAD(&fuse->opens, open, link);
	fi->fh = (uintptr_t)open;
	fi->direct_io = 1;
	fi->nonseekable = tracefs_is_stream(open->file);
	fi->noflush = !tracefs_has_flush(open->file);
	/* If the reply fails, the kernel has not got it, and will not send a release. */
	if (fuse_reply_open(req, fi) < 0)
		open_free(fuse, open);
}

/* libfuse calls this function while it handles another request, so only note the interrupt.
 * fuse_file_end_interrupted() answers the parked request later. */
static void interrupted(fuse_req_t req, void *data)
{
	struct fuse_parked *parked = data;
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	parked->is_interrupted = true;
	fuse->has_interrupted = true;
}

/* Park a copy of @what, which takes over its data.  If there is no memory the request fails. */
static void park(struct tracefs_fuse *fuse, const struct fuse_parked *what)
{
	struct fuse_parked *parked = malloc(sizeof(*parked));

	if (!parked) {
		fuse_reply_err(what->req, ENOMEM);
		free(what->data);
		return;
	}
	*parked = *what;
	TAILQ_INSERT_TAIL(&fuse->parked, parked, link);
	fuse_req_interrupt_func(parked->req, interrupted, parked);
}

/* Remove a parked request that was answered, and free it: its fuse_req_t is not valid any more. */
static void unpark(struct tracefs_fuse *fuse, struct fuse_parked *parked)
{
	TAILQ_REMOVE(&fuse->parked, parked, link);
	free(parked->data);
	free(parked);
}

/*
 * Drop old pages from the page cache.  Nobody asks for them again, and without this they would
 * accumulate until memory is short.
 *
 * The call waits for pages that are being filled, so no page that this server has yet to answer
 * may be among them.  A reader asks for pages in order, so the parked requests of this open file
 * are at @offset or beyond it.  The loop checks the requests of other open files of the node.
 */
static void drop_cache(struct tracefs_fuse *fuse, struct fuse_open *open, off_t offset)
{
	off_t end = offset - CACHE_KEPT_BYTES;
	struct fuse_parked *parked;

	if (end - open->dropped < CACHE_DROP_BYTES)
		return;
	TAILQ_FOREACH(parked, &fuse->parked, link) {
		if (parked->open->node == open->node && parked->offset < offset)
			return;
	}
	fuse_lowlevel_notify_inval_inode(fuse->session, (fuse_ino_t)(uintptr_t)open->node,
					 open->dropped, end - open->dropped);
	open->dropped = end;
}

/* Try to read into fuse->io.  Returns what tracefs_read_begin() returns. */
static ssize_t read_now(struct tracefs_fuse *fuse, const struct fuse_parked *read)
{
	bool is_whole = read->is_cached && tracefs_is_stream(read->open->file);
	size_t size = read->size;
	ssize_t ret;

	if (tracefs_is_line_stream(read->open->file) && size > RECEIPT_REPLY_MAX)
		size = RECEIPT_REPLY_MAX;
	ret = tracefs_read_begin(read->open->file, fuse->io, size, read->offset,
				 is_whole);
	if (ret == -EAGAIN)
		read->open->was_ready = false;
	if (ret > 0)
		read->open->nr_ends = read->is_cached && read->open->is_polled ?
				      SPLICE_TRIES : 0;
	return ret;
}

/*
 * Reply with bytes of a stream.  If the kernel accepts the reply, it has copied the bytes to the
 * reader or to the page cache, and the reader's call returns them even if this server is killed
 * at once.  If it refuses the reply (-ENOENT), the reader does not wait for them any more.
 */
static void reply_bytes(struct tracefs_fuse *fuse, const struct fuse_parked *read,
			size_t bytes)
{
	struct tracefs_file *file = read->open->file;
	int ret;

	receipt_begin();
	tracefs_deliver(file, TRACEFS_OFFERED);
	TESTPOINT("fuse.reply");
	ret = receipt_reply(fuse_session_fd(fuse->session), read->unique, fuse->io, bytes);
	if (ret != -ENOSYS) {
		fuse_reply_none(read->req);
	} else {
		/* Receipts are not available: reply without one. */
		tracefs_deliver(file, TRACEFS_LATER);
		tracefs_deliver(file, TRACEFS_OFFERED);
		ret = fuse_reply_buf(read->req, fuse->io, bytes);
	}
	TESTPOINT("fuse.replied");
	tracefs_deliver(file, ret ? TRACEFS_REFUSED : TRACEFS_TAKEN);
}

static void reply_read(struct tracefs_fuse *fuse, const struct fuse_parked *read,
		       ssize_t ret)
{
	if (ret < 0)
		fuse_reply_err(read->req, (int)-ret);
	else if (ret > 0 && tracefs_is_stream(read->open->file))
		reply_bytes(fuse, read, (size_t)ret);
	else
		fuse_reply_buf(read->req, fuse->io, (size_t)ret);
	if (ret > 0 && read->is_cached)
		drop_cache(fuse, read->open, read->offset);
}

void fuse_op_read(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		  struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	const struct fuse_in_header *head = fuse->request.mem;
	struct fuse_parked read = {
		.req = req,
		.unique = head->unique,
		.open = open_of(fi),
		.size = size < FUSE_IO_BYTES ? size : FUSE_IO_BYTES,
		.offset = offset,
		.is_cached = fi->lock_owner == 0,
	};
	ssize_t ret;

	(void)id;
	ret = read_now(fuse, &read);
	if (ret == -EAGAIN && read.is_cached && read.open->nr_ends) {
		read.open->nr_ends--;
		ret = -EINTR;
	}
	if (ret == -ERESTART || (ret == -EAGAIN && !(fi->flags & O_NONBLOCK)))
		park(fuse, &read);
	else
		reply_read(fuse, &read, ret);
}

/* Copy the bytes of a write, which belong to libfuse, so that the write can be parked and
 * restarted.  Returns -EINPROGRESS: the caller must park the write; or -ENOMEM. */
static ssize_t keep_data(struct fuse_parked *write, const char *buf, size_t size)
{
	write->data = malloc(size + 1);
	if (!write->data)
		return -ENOMEM;
	memcpy(write->data, buf, size);
	write->bytes = size;
	write->tid = fuse_req_ctx(write->req)->pid;
	write->is_restart = true;
	return -EINPROGRESS;
}

void fuse_op_write(fuse_req_t req, fuse_ino_t id, const char *buf, size_t size,
		   off_t offset, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_parked write = {
		.req = req,
		.open = open_of(fi),
		.is_write = true,
	};
	ssize_t ret;

	/* In tracefs each write is a separate command, so its offset is ignored. */
	(void)id;
	(void)offset;
	ret = tracefs_write(write.open->file, buf, size, fuse_req_ctx(req)->pid,
			    &write.size);
	if (ret == -ERESTART)
		ret = keep_data(&write, buf, size);
	if (ret == -EINPROGRESS)
		park(fuse, &write);
	else if (ret < 0)
		fuse_reply_err(req, (int)-ret);
	else
		fuse_reply_write(req, (size_t)ret);
}

/* Flush only after a write.  A shell that redirects output has two descriptors of the file, and
 * closes one of them before anything is written. */
static int flush_now(struct tracefs_file *file)
{
	return tracefs_is_written(file) ? tracefs_flush(file) : tracefs_settle(file);
}

void fuse_op_flush(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_parked flush = {
		.req = req,
		.open = open_of(fi),
		.is_write = true,
		.is_flush = true,
	};
	int ret = flush_now(flush.open->file);

	(void)id;
	flush.is_restart = ret == -ERESTART;
	if (ret == -EINPROGRESS || ret == -ERESTART)
		park(fuse, &flush);
	else
		fuse_reply_err(req, -ret);
}

static void reply_parked_write(const struct fuse_parked *write, int ret)
{
	if (ret < 0 || write->is_flush)
		fuse_reply_err(write->req, -ret);
	else
		fuse_reply_write(write->req, write->size);
}

static uint32_t ready_events(struct fuse_open *open)
{
	return tracefs_poll(open->file) & (open->poll_events | POLLERR | POLLHUP);
}

void fuse_op_poll(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi,
		  struct fuse_pollhandle *poll)
{
	struct fuse_open *open = open_of(fi);
	unsigned int events = tracefs_poll_start(open->file, fuse_req_ctx(req)->pid);

	(void)id;
	open->is_polled = true;
	open->nr_ends = 0;
	if (poll) {
		if (open->poll)
			fuse_pollhandle_destroy(open->poll);
		open->poll = poll;
		open->poll_events = fi->poll_events ? fi->poll_events : POLLIN;
		open->was_ready = ready_events(open) != 0;
	}
	fuse_reply_poll(req, events);
}

/* Answer the parked requests of this open file with EINTR.  @cached_only: only the reads of a
 * splice. */
static void end_parked(struct tracefs_fuse *fuse, const struct fuse_open *open,
		       bool cached_only)
{
	struct fuse_parked *parked, *next;

	for (parked = TAILQ_FIRST(&fuse->parked); parked; parked = next) {
		next = TAILQ_NEXT(parked, link);
		if (parked->open == open && (parked->is_cached || !cached_only)) {
			fuse_reply_err(parked->req, EINTR);
			unpark(fuse, parked);
		}
	}
}

void fuse_op_ioctl(fuse_req_t req, fuse_ino_t id, unsigned int cmd, void *arg,
		   struct fuse_file_info *fi, unsigned int flags,
		   const void *in, size_t in_bytes, size_t out_bytes)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	(void)id;
	(void)arg;
	(void)in;
	(void)in_bytes;
	(void)out_bytes;
	if (cmd != 0 || (flags & FUSE_IOCTL_DIR) || !tracefs_is_stream(open_of(fi)->file)) {
		fuse_reply_err(req, ENOTTY);
		return;
	}
	/* The ioctl wakes readers.  A splice ends, with EINTR; a read(2) would only wait again,
	 * so it stays parked. */
	end_parked(fuse, open_of(fi), true);
	fuse_reply_ioctl(req, 0, NULL, 0);
}

void fuse_op_release(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	(void)id;
	end_parked(fuse, open_of(fi), false);	/* the file is closed, so nobody waits for them */
	open_free(fuse, open_of(fi));
	fuse_reply_err(req, 0);
}

/* Retry a parked write.  If it had to wait for a parser, restart it; else check whether all
 * processes have applied it.  Returns 0, -EINPROGRESS, -ERESTART or -errno. */
static ssize_t write_again(struct fuse_parked *parked)
{
	struct tracefs_file *file = parked->open->file;
	ssize_t ret;

	if (!parked->is_restart)
		return tracefs_write_done(file);
	if (parked->is_flush)
		ret = flush_now(file);
	else
		ret = tracefs_write(file, parked->data, parked->bytes, parked->tid,
				    &parked->size);
	if (ret > 0)
		parked->size = (size_t)ret;
	parked->is_restart = ret == -ERESTART;
	return ret > 0 ? 0 : ret;
}

static void retry_parked(struct tracefs_fuse *fuse, struct fuse_parked *parked)
{
	ssize_t ret;

	if (parked->is_write) {
		ret = write_again(parked);
		if (ret == -EINPROGRESS || ret == -ERESTART)
			return;
		reply_parked_write(parked, (int)ret);
	} else {
		ret = read_now(fuse, parked);
		if (ret == -EAGAIN || ret == -ERESTART)
			return;
		reply_read(fuse, parked, ret);
	}
	unpark(fuse, parked);
}

/* Wake the poller if the file has become ready. */
static void retry_poll(struct fuse_open *open)
{
	if (!open->poll || open->was_ready || !ready_events(open))
		return;
	fuse_lowlevel_notify_poll(open->poll);
	fuse_pollhandle_destroy(open->poll);
	open->poll = NULL;
}

void fuse_file_retry(struct tracefs_fuse *fuse)
{
	struct fuse_parked *parked, *next;
	struct fuse_open *open;

	for (parked = TAILQ_FIRST(&fuse->parked); parked; parked = next) {
		next = TAILQ_NEXT(parked, link);
		retry_parked(fuse, parked);
	}
	LIST_FOREACH(open, &fuse->opens, link)
		retry_poll(open);
}

/* A write that was begun has changed the settings already, so it succeeds although it was
 * interrupted. */
void fuse_file_end_interrupted(struct tracefs_fuse *fuse)
{
	struct fuse_parked *parked, *next;

	if (!fuse->has_interrupted)
		return;
	fuse->has_interrupted = false;
	for (parked = TAILQ_FIRST(&fuse->parked); parked; parked = next) {
		next = TAILQ_NEXT(parked, link);
		if (!parked->is_interrupted)
			continue;
		if (parked->is_write && !parked->is_restart)
			reply_parked_write(parked, 0);
		else
			fuse_reply_err(parked->req, EINTR);
		unpark(fuse, parked);
	}
}

bool fuse_file_is_waiting(const struct tracefs_fuse *fuse)
{
	const struct fuse_open *open;

	if (!TAILQ_EMPTY(&fuse->parked))
		return true;
	LIST_FOREACH(open, &fuse->opens, link) {
		if (open->poll && !open->was_ready)
			return true;
	}
	return false;
}

void fuse_file_free_all(struct tracefs_fuse *fuse)
{
	struct fuse_parked *parked;

	while ((parked = TAILQ_FIRST(&fuse->parked))) {
		fuse_reply_err(parked->req, EINTR);
		unpark(fuse, parked);
	}
	while (!LIST_EMPTY(&fuse->opens))
		open_free(fuse, LIST_FIRST(&fuse->opens));
}
