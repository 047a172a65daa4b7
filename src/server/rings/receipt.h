/* SPDX-License-Identifier: MIT */
/*
 * A receipt says whether a reader has got the bytes that were being handed over when the
 * server was killed.  The system calls that hand bytes over also store, before they return,
 * how much they have sent: sendmmsg() a length, sendfile() an offset.  These numbers are
 * stored in the file DIR/server.receipts, which outlives the server.  So the next server can
 * find out whether the bytes were sent, at whatever moment the server was killed.
 *
 *	ticket = receipt_begin()		the file says: not handed over
 *	rings are marked with the ticket	(ring_cursor_offer())
 *	receipt_send(), receipt_reply()		bytes are sent, the file says so
 *	rings are marked as read		(ring_cursor_consume())
 *
 * There are no receipts if the file cannot be created, or if the kernel lacks the calls.
 * Then the ticket is 0, and records that are being handed over when the server is killed
 * are in doubt.
 *
 * There is one such file per process.  The server that holds the lock of the directory
 * owns it.  Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_RECEIPT_H
#define ULF_SERVER_RECEIPT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ring_view;

/* Maximum number of bytes that receipt_reply() can send. */
#define RECEIPT_REPLY_MAX	((64u << 10) - 16)

/*
 * Open the file of receipts.  Must be called once, with the lock of @dir held, before any
 * ring is read.  If this fails, there are no receipts.
 */
void receipt_init(const char *dir);
/* Close the file of receipts and free its memory. */
void receipt_done(void);

/* Begin to hand bytes over to a reader.  Returns the ticket of this delivery, or 0 if
 * there are no receipts. */
uint64_t receipt_begin(void);
/* Return the ticket of the current delivery; 0 if the delivery has no ticket. */
uint64_t receipt_ticket(void);
/* Set the ticket of the current delivery to 0.  Call this function if the bytes cannot be
 * sent with receipt_send() or receipt_reply(). */
void receipt_cancel(void);

/* Send one byte, with the flag MSG_NOSIGNAL.  Returns 1 or -errno. -ENOSYS means that the
 * delivery's ticket was cancelled and nothing was sent. */
ssize_t receipt_send(int fd, const char *byte);
/*
 * Answer request @unique of the FUSE device @fd with @bytes bytes at @data.  Returns 0 or
 * -errno. -ENOENT means that no process waits for the answer any more. -ENOSYS means that the
 * delivery's ticket was cancelled and nothing was sent.
 */
int receipt_reply(int fd, uint64_t unique, const char *data, size_t bytes);

/* Settle an offer that a killed server has left in the ring: call ring_settle() with the
 * result that the receipts have for the offer's ticket. */
void receipt_settle(const struct ring_view *view);

#endif
