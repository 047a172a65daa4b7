/* SPDX-License-Identifier: MIT */
/*
 * Receipts; see receipt.h.
 *
 * Two system calls store their progress in the caller's memory, after their work and
 * before they return.  sendmmsg() stores the length of each message that it has sent,
 * and sendfile() stores the offset up to which it has read.  A process that gets
 * SIGKILL during such a call completes the call first.
 *
 *	page of this process	| page of DIR/server.receipts
 *	... struct msghdr	| msg_len, offset, ticket, earlier tickets
 *
 * A struct mmsghdr lies across the border of the two pages.  So the kernel reads the
 * message from private memory and stores the length into the file.
 *
 * The steps of a delivery, what the file says after each step, and what happens to the
 * records if the server is killed then:
 *
 *	receipt_begin()		ticket n, not sent	no ring has ticket n: delivered later
 *	ring_cursor_offer()	ticket n, not sent	delivered again
 *	the system call		ticket n, sent		not delivered again
 *	ring_cursor_consume()	ticket n, sent		no ring has ticket n: not delivered again
 *
 * receipt_init() of the next server moves ticket n to the earlier tickets.  A ring that
 * still has ticket n is settled by the next server that reads the ring, perhaps a much
 * later one: see receipt_settle().  After OLD_MAX later servers the ticket is dropped,
 * and its records are in doubt.
 */
#include "arch/arch.h"
#include "server/rings/receipt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "ring/ring.h"

#define PAGE		ARCH_PAGE_BYTES
#define VERSION		1u
#define OLD_MAX		200u		/* maximum number of earlier tickets in the file
					 * of receipts; each earlier server has left one */
#define REPLY_BYTES	(sizeof(struct fuse_out_header) + RECEIPT_REPLY_MAX)

/* The contents of the file DIR/server.receipts.  Only servers of this directory write it,
 * one at a time. */
struct receipts {
	uint32_t sent_bytes;		/* number of bytes sent: mmsghdr.msg_len, which
					 * sendmmsg() stores */
	uint32_t version;		/* version of the layout of this file; 0 if the
					 * file is new */
	int64_t sent_at;		/* offset in the reply up to which sendfile() has
					 * sent it; sendfile() stores this */
	uint64_t ticket;		/* ticket of the current delivery, or of the last
					 * one */
	uint64_t nr_old;		/* number of tickets that were ever stored in
					 * old[]; the next ticket goes to old[nr_old %
					 * OLD_MAX] */
	struct {
		uint64_t ticket;
		uint64_t is_sent;
	} old[OLD_MAX];
};

static_assert(sizeof(struct receipts) <= PAGE, "one page");
static_assert(offsetof(struct receipts, sent_at) == 8, "file format");
static_assert(offsetof(struct receipts, old) == 32, "file format");
static_assert(offsetof(struct mmsghdr, msg_len) == sizeof(struct msghdr),
	      "the border is between the two");
static_assert(REPLY_BYTES == 16 * PAGE, "what a pipe within sendfile() takes");

/* The state of the receipts of this process.  Only the server's thread uses these
 * variables. */
static char *border_pages;		/* two memory pages, across whose border a struct
					 * mmsghdr lies; NULL if there are no receipts */
static struct receipts *receipts;	/* mapping of the file of receipts; it is the second
					 * page of @border_pages */
static uint64_t current;		/* ticket of the current delivery; 0 if there is
					 * no ticket, or if it was cancelled */
static int reply_fd = -1;
static char *reply;			/* mapping of the file @reply_fd, in which replies are
					 * stored before they are sent; REPLY_BYTES bytes */

/* ---- functions that open, map and initialise the file of receipts ---- */

static bool is_sent(void)
{
	return receipts->sent_bytes || receipts->sent_at;
}

static const uint64_t *find_old(uint64_t ticket)
{
	for (uint32_t i = 0; i < OLD_MAX; i++)
		if (ticket && receipts->old[i].ticket == ticket)
			return &receipts->old[i].is_sent;
	return NULL;
}

/* Copy the last ticket of the previous server to the earlier tickets.  If this server is
 * killed during the copy, the next server copies the ticket again. */
static void keep_last(void)
{
	uint64_t slot = receipts->nr_old % OLD_MAX;

	if (find_old(receipts->ticket))
		return;
	receipts->old[slot].ticket = 0;
	receipts->old[slot].is_sent = is_sent();
	__atomic_store_n(&receipts->old[slot].ticket, receipts->ticket,
			 __ATOMIC_RELEASE);	/* [receipt.ticket] */
	receipts->nr_old++;
}

/*
 * Initialise a new file of receipts with a random ticket.  The ticket is random because
 * rings may still contain tickets of an earlier file that was removed.  Such a ticket
 * must not be used again.
 */
static bool start_file(void)
{
	uint64_t ticket;

	if (getrandom(&ticket, sizeof(ticket), GRND_NONBLOCK) != sizeof(ticket))
		return false;
	memset(receipts, 0, PAGE);
	receipts->ticket = ticket >> 1;
	__atomic_store_n(&receipts->version, VERSION,
			 __ATOMIC_RELEASE);	/* [receipt.ticket] */
	return true;
}

static int open_file(const char *dir)
{
	char path[DIR_PATH_BYTES + 32];
	struct stat st;
	int fd;

	if (dir_join(dir, DIR_RECEIPTS, path, sizeof(path)) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	/* Allocate the space of the file now.  Otherwise a later store to the mapping
	 * could fail because the file system is full. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !posix_fallocate(fd, 0, PAGE))
		return fd;
	close(fd);
	return -1;
}

static bool map_file(const char *dir)
{
	int fd = open_file(dir);
	void *page;

	if (fd < 0)
		return false;
	border_pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (border_pages == MAP_FAILED) {
		border_pages = NULL;
		close(fd);
		return false;
	}
	page = mmap(border_pages + PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return false;
	receipts = page;
	return true;
}

static bool map_reply(void)
{
	reply_fd = memfd_create("ulf reply", MFD_CLOEXEC);
	if (reply_fd < 0 || ftruncate(reply_fd, REPLY_BYTES) < 0)
		return false;
	reply = mmap(NULL, REPLY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		     reply_fd, 0);
	if (reply != MAP_FAILED)
		return true;
	reply = NULL;
	return false;
}

void receipt_init(const char *dir)
{
	if (!map_file(dir) || !map_reply()) {
		receipt_done();
		return;
	}
	if (receipts->version == VERSION && receipts->ticket &&
	    receipts->ticket < INT64_MAX)
		keep_last();
	else if (!start_file())
		receipt_done();
}

void receipt_done(void)
{
	if (border_pages)
		munmap(border_pages, 2 * PAGE);
	if (reply)
		munmap(reply, REPLY_BYTES);
	if (reply_fd >= 0)
		close(reply_fd);
	border_pages = reply = NULL;
	receipts = NULL;
	current = 0;
	reply_fd = -1;
}

/* ---- functions that hand bytes over to a reader ---- */

uint64_t receipt_begin(void)
{
	if (!receipts)
		return 0;
	current = receipts->ticket + 1;
	receipts->sent_bytes = 0;
	receipts->sent_at = 0;
	/*
	 * sent_bytes and sent_at of the previous ticket were cleared above.  Both are no
	 * longer needed: either no ring has the previous ticket any more, or old[] contains
	 * it.  Release: both are cleared before the new ticket is valid [receipt.ticket].
	 */
	__atomic_store_n(&receipts->ticket, current, __ATOMIC_RELEASE);
	return current;
}

uint64_t receipt_ticket(void)
{
	return current;
}

void receipt_cancel(void)
{
	current = 0;
}

ssize_t receipt_send(int fd, const char *byte)
{
	struct iovec iov = { (void *)byte, 1 };
	struct mmsghdr *message;
	int r;

	if (!current)
		return -ENOSYS;
	message = (void *)(border_pages + PAGE - sizeof(struct msghdr));
	message->msg_hdr = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	r = sendmmsg(fd, message, 1, MSG_NOSIGNAL);
	if (r == 1)
		return 1;
	if (errno != EPERM && errno != ENOSYS)
		return -errno;
	receipt_cancel();
	return -ENOSYS;
}

int receipt_reply(int fd, uint64_t unique, const char *data, size_t bytes)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + bytes),
		.unique = unique,
	};
	ssize_t len;

	if (!current || bytes > RECEIPT_REPLY_MAX) {
		receipt_cancel();
		return -ENOSYS;
	}
	memcpy(reply, &head, sizeof(head));
	memcpy(reply + sizeof(head), data, bytes);
	len = sendfile(fd, reply_fd, &receipts->sent_at, head.len);
	if (len == (ssize_t)head.len)
		return 0;
	if (len < 0 && errno == ENOENT)
		return -ENOENT;
	/* Nothing was sent, because the kernel takes a message of a FUSE server as a
	 * whole or not at all. */
	receipt_cancel();
	return -ENOSYS;
}

/* ---- functions that settle offers of a server that was killed ---- */

void receipt_settle(const struct ring_view *view)
{
	uint64_t ticket = ring_offer_ticket(view);
	const uint64_t *is_sent_old = receipts ? find_old(ticket) : NULL;

	if (!is_sent_old)
		ring_settle(view, RING_IN_DOUBT);
	else
		ring_settle(view, *is_sent_old ? RING_TAKEN : RING_NOT_TAKEN);
}
