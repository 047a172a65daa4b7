/* SPDX-License-Identifier: MIT */
/*
 * FUSE: open files.  A request that cannot be answered yet is parked and tried again on
 * each tick.  The kernel may interrupt it meanwhile.  So any number of readers can
 * wait, and no other request waits for them.
 *
 * There are two kinds of reads.  read(2) is direct: the request has the reader's lock owner, and
 * the reply may have any number of bytes.  splice(2) fills the page cache.  Its request
 * has no lock owner.  After a short reply the kernel would assume that the file ends
 * there, so the reply must be complete, or an error.
 *
 * A splice asks for its pages one by one.  On the kernel's own tracefs, a splice of
 * trace_pipe_raw returns the pages that exist, and does not wait for more.  The server cannot
 * do so in general: it does not see whether a request is for the next page of one splice, or
 * for the first page of another one.  But if the reader polls in between, the server knows.
 * After the last page it then answers with an error, so that the splice returns the pages that
 * it has.
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

/* Number of bytes before the reader's offset that are kept in the page cache. */
#define CACHE_KEPT_BYTES	(1 << 20)
/* Old memory pages are dropped from the page cache in portions of at least this number of
 * bytes. */
#define CACHE_DROP_BYTES	(1 << 20)
/* How often a splice asks for one memory page: once for read-ahead, then for the page
 * itself. */
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
	/* If the kernel does not take the reply, it does not know @open and will send no
	 * release request, so free @open. */
	if (fuse_reply_open(req, fi) < 0)
		open_free(fuse, open);
}

/*
 * Mark a parked request as interrupted. libfuse calls this function while it handles
 * another request, so the parked request is answered later, by
 * fuse_file_end_interrupted().
 */
static void note_interrupt(fuse_req_t req, void *data)
{
	struct fuse_parked *parked = data;
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	parked->is_interrupted = true;
	fuse->has_interrupted = true;
}

/* Park a copy of the request @what.  The copy owns what->data.  If there is no memory,
 * answer the request with ENOMEM. */
static void park_request(struct tracefs_fuse *fuse, const struct fuse_parked *what)
{
	struct fuse_parked *parked = malloc(sizeof(*parked));

	if (!parked) {
		fuse_reply_err(what->req, ENOMEM);
		free(what->data);
		return;
	}
	*parked = *what;
	TAILQ_INSERT_TAIL(&fuse->parked, parked, link);
	fuse_req_interrupt_func(parked->req, note_interrupt, parked);
}

/* Remove a parked request from the list of parked requests, and free it.  The caller has
 * answered the request, so parked->req is no longer valid. */
static void unpark_request(struct tracefs_fuse *fuse, struct fuse_parked *parked)
{
	TAILQ_REMOVE(&fuse->parked, parked, link);
	free(parked->data);
	free(parked);
}

/*
 * Drop old memory pages of a splice from the page cache.  No reader asks for these pages
 * again, and they would accumulate until memory is short.
 *
 * The notification by which pages are dropped waits until those that are being filled are
 * complete.  If a request for such a page is parked, the server would wait for itself, so
 * this function must not drop the page.  A reader asks for pages in order, so the parked
 * requests of @open are at @offset or later.  The loop checks the requests of other open
 * files of the node.
 */
static void drop_cache(struct tracefs_fuse *fuse, struct fuse_open *open, off_t offset)
{
	off_t end = offset - CACHE_KEPT_BYTES;
	struct fuse_parked *parked;

	if (end - open->dropped < CACHE_DROP_BYTES)
		return;
	TAILQ_FOREACH(parked, &fuse->parked, link) {
		if (parked->open->node == open->node && parked->call.offset < offset)
			return;
	}
	fuse_lowlevel_notify_inval_inode(fuse->session, (fuse_ino_t)(uintptr_t)open->node,
					 open->dropped, end - open->dropped);
	open->dropped = end;
}

/* Try a read, write or flush that the kernel has requested.  After a read, also update
 * @was_ready and @nr_ends of its open file.  Returns the number of bytes, 0 for a flush,
 * TRACEFS_PARKED, or another -errno. */
static ssize_t try_now(struct fuse_parked *request)
{
	struct tracefs_call *call = &request->call;
	struct fuse_open *open = request->open;
	ssize_t ret = tracefs_call_try(call);

	if (call->op != TRACEFS_OP_READ)
		return ret;
	if (call->is_empty)
		open->was_ready = false;
	if (ret > 0)
		open->nr_ends = request->is_cached && open->is_polled ? SPLICE_TRIES : 0;
	return ret;
}

/*
 * Answer a read of a stream with the @bytes bytes in fuse->io.  If the kernel accepts
 * the reply, it has copied the bytes to the reader or to the page cache.  Then the
 * reader's system call returns these bytes, even if this server is killed at once.  If
 * the kernel refuses the reply (-ENOENT), the reader no longer waits for the bytes.
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
		/* There are no receipts, which say whether the reader has got the bytes: send
		 * the reply without one. */
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
		drop_cache(fuse, read->open, read->call.offset);
}

static void reply_request(struct tracefs_fuse *fuse, const struct fuse_parked *request, ssize_t ret)
{
	switch (request->call.op) {
	case TRACEFS_OP_READ:
		reply_read(fuse, request, ret);
		break;
	case TRACEFS_OP_WRITE:
		if (ret >= 0) {
			fuse_reply_write(request->req, (size_t)ret);
			break;
		}
		/* fall through */
	default:
		fuse_reply_err(request->req, (int)-ret);
	}
}

void fuse_op_read(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		  struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	const struct fuse_in_header *head = fuse->request.mem;
	struct tracefs_file *file = open_of(fi)->file;
	struct fuse_parked read = {
		.req = req,
		.unique = head->unique,
		.open = open_of(fi),
		.is_cached = fi->lock_owner == 0,
		.call = {
			.op = TRACEFS_OP_READ,
			.file = file,
			.buf = fuse->io,
			.size = size < FUSE_IO_BYTES ? size : FUSE_IO_BYTES,
			.offset = offset,
			.is_whole = fi->lock_owner == 0 && tracefs_is_stream(file),
			.is_nonblocking = fi->flags & O_NONBLOCK,
		},
	};
	ssize_t ret;

	(void)id;
	if (tracefs_is_line_stream(file) && read.call.size > RECEIPT_REPLY_MAX)
		read.call.size = RECEIPT_REPLY_MAX;
	ret = try_now(&read);
	if (read.call.is_empty && read.is_cached && read.open->nr_ends) {
		read.open->nr_ends--;
		ret = -EINTR;
	}
	if (ret == TRACEFS_PARKED)
		park_request(fuse, &read);
	else
		reply_request(fuse, &read, ret);
}

/* Copy the bytes of a write that must wait. libfuse reuses their memory, and the write
 * needs them when it is tried again.  Returns TRACEFS_PARKED or -ENOMEM. */
static ssize_t keep_data(struct fuse_parked *write)
{
	write->data = malloc(write->call.size + 1);
	if (!write->data)
		return -ENOMEM;
	memcpy(write->data, write->call.data, write->call.size);
	write->call.data = write->data;
	return TRACEFS_PARKED;
}

void fuse_op_write(fuse_req_t req, fuse_ino_t id, const char *buf, size_t size,
		   off_t offset, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_parked write = {
		.req = req,
		.open = open_of(fi),
		.call = {
			.op = TRACEFS_OP_WRITE,
			.file = open_of(fi)->file,
			.data = buf,
			.size = size,
			.tid = fuse_req_ctx(req)->pid,
		},
	};
	ssize_t ret;

	/* The offset of a write is ignored, because each write to a tracefs file is a
	 * command of its own. */
	(void)id;
	(void)offset;
	ret = try_now(&write);
	if (ret == TRACEFS_PARKED && !write.call.has_begun)
		ret = keep_data(&write);
	if (ret == TRACEFS_PARKED)
		park_request(fuse, &write);
	else
		reply_request(fuse, &write, ret);
}

void fuse_op_flush(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_parked flush = {
		.req = req,
		.open = open_of(fi),
		.call = { .op = TRACEFS_OP_FLUSH_WRITTEN, .file = open_of(fi)->file },
	};
	ssize_t ret = try_now(&flush);

	(void)id;
	if (ret == TRACEFS_PARKED)
		park_request(fuse, &flush);
	else
		reply_request(fuse, &flush, ret);
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

/* Answer parked requests of @open with EINTR: all of them, or only reads of splices if
 * @cached_only is true. */
static void end_parked(struct tracefs_fuse *fuse, const struct fuse_open *open,
		       bool cached_only)
{
	struct fuse_parked *parked, *next;

	for (parked = TAILQ_FIRST(&fuse->parked); parked; parked = next) {
		next = TAILQ_NEXT(parked, link);
		if (parked->open == open && (parked->is_cached || !cached_only)) {
			fuse_reply_err(parked->req, EINTR);
			unpark_request(fuse, parked);
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
	/* This ioctl wakes readers.  Only splices are ended, with EINTR: a read(2) would only
	 * begin to wait again, so it stays parked. */
	end_parked(fuse, open_of(fi), true);
	fuse_reply_ioctl(req, 0, NULL, 0);
}

void fuse_op_release(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	(void)id;
	end_parked(fuse, open_of(fi), false);	/* the file is closed, so no thread waits
						 * for the requests that are still parked:
						 * end them */
	open_free(fuse, open_of(fi));
	fuse_reply_err(req, 0);
}

static void retry_parked(struct tracefs_fuse *fuse, struct fuse_parked *parked)
{
	ssize_t ret = try_now(parked);

	if (ret == TRACEFS_PARKED)
		return;
	reply_request(fuse, parked, ret);
	unpark_request(fuse, parked);
}

/* If the file is ready now, wake the thread that waits for it in poll(2). */
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
		reply_request(fuse, parked, tracefs_call_interrupt(&parked->call));
		unpark_request(fuse, parked);
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
		unpark_request(fuse, parked);
	}
	while (!LIST_EMPTY(&fuse->opens))
		open_free(fuse, LIST_FIRST(&fuse->opens));
}
