/* SPDX-License-Identifier: MIT */
/* Try the reads, writes and flushes of clients, which may have to wait; see call.h. */
#include "tracefs/call.h"

#include <errno.h>

#include "tracefs/tracefs.h"

static ssize_t try_read(struct tracefs_call *call)
{
	ssize_t ret = tracefs_read_begin(call->file, call->buf, call->size, call->offset,
					 call->is_whole);

	call->is_empty = ret == -EAGAIN;
	if (ret == -ERESTART || (ret == -EAGAIN && !call->is_nonblocking))
		return TRACEFS_PARKED;
	return ret;
}

static ssize_t try_change(struct tracefs_call *call)
{
	if (call->op == TRACEFS_OP_WRITE)
		return tracefs_write(call->file, call->data, call->size, call->tid,
				     &call->taken);
	/*
	 * Flush only if something was written.  A shell that redirects output has two
	 * descriptors of the file, and closes one of them before it writes.  This
	 * close must not flush.
	 */
	if (call->op == TRACEFS_OP_FLUSH_WRITTEN && !tracefs_is_written(call->file))
		return tracefs_settle(call->file);
	return tracefs_flush(call->file);
}

ssize_t tracefs_call_try(struct tracefs_call *call)
{
	ssize_t ret;

	if (call->op == TRACEFS_OP_READ)
		return try_read(call);
	if (call->has_begun) {
		ret = tracefs_write_done(call->file);
		return ret ? ret : (ssize_t)call->taken;
	}
	ret = try_change(call);
	call->has_begun = ret == -EINPROGRESS;
	return ret == -ERESTART ? TRACEFS_PARKED : ret;
}

ssize_t tracefs_call_interrupt(const struct tracefs_call *call)
{
	return call->has_begun ? (ssize_t)call->taken : -EINTR;
}
