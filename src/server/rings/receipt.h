/* SPDX-License-Identifier: MIT */
/*
 * Receipts: whether a reader got what it was being handed when the server was
 * killed.  The system call that hands the bytes over also stores, before it returns
 * to this program, that it has done so, in memory that outlives the server
 * (DIR/server.receipts).  So there is no moment at which a kill leaves it open.
 *
 *	ticket = receipt_begin()		the memory says: not handed over
 *	rings are marked with the ticket	(ring_cursor_offer())
 *	receipt_send(), receipt_reply()		bytes go, the memory says so
 *	rings are marked as read		(ring_cursor_consume())
 *
 * Without receipts (the file cannot be made, the kernel does not have the calls) the
 * ticket is 0, and what is handed over when the server is killed is in doubt.
 *
 * One a process: it belongs to the server that holds the lock of the directory.
 */
#ifndef ULF_SERVER_RECEIPT_H
#define ULF_SERVER_RECEIPT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ring_view;

/* The most bytes that receipt_reply() takes. */
#define RECEIPT_REPLY_MAX	((64u << 10) - 16)

/* Called once, with the lock of @dir held, before anything is read.  After a failure
 * there are no receipts. */
void receipt_init(const char *dir);
void receipt_done(void);

/* Something is about to be handed over, once: its ticket, or 0. */
uint64_t receipt_begin(void);
/* The ticket of the delivery that was begun last, or 0. */
uint64_t receipt_ticket(void);
/* The calls below cannot hand it over: from here on its ticket is 0. */
void receipt_cancel(void);

/* send(2) of one byte with MSG_NOSIGNAL.  1, or -errno; -ENOSYS: cancelled, nothing was
 * sent. */
ssize_t receipt_send(int fd, const char *byte);
/* Answer request @unique of the FUSE device @fd with @bytes of @data.  0, or -errno;
 * -ENOENT: nobody waits for it any more; -ENOSYS: cancelled, nothing was sent. */
int receipt_reply(int fd, uint64_t unique, const char *data, size_t bytes);

/* ring_settle() with what is known about the ticket. */
void receipt_settle(const struct ring_view *view);

#endif
