/* SPDX-License-Identifier: MIT */
/*
 * The bytes of one ring buffer, shared by every process of a root and by the
 * server.  docs/design/ring.md has the protocol; this file has the layout.
 *
 *	struct abi_ring | struct abi_ring_page [nr_pages] | pages
 *	0                 ABI_RING_PAGES_AT                 pages_off
 *
 * A page has the kernel's byte layout: 8 bytes of time stamp, 8 bytes of
 * commit (bytes of data that follow), then records.
 *
 * word		writer				readers
 * position	writers, one store a commit	everybody	[ring.commit]
 * [4] of them	writers, before that store	writers; server (time, entries)
 * off		who stops and starts recording	writers
 * dropped	writers				server
 * read_page	server, producer/consumer	writers once a page [ring.free]
 * read_slot	server, one store a step	the next server	[ring.read]
 * read[2], read_ticket
 *		server, before that store	the next server
 * lock		writers of a LOCKED ring	the same
 * the rest	whoever makes the ring, before it is published
 */
#ifndef ULF_ABI_RING_H
#define ULF_ABI_RING_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* A record: 27 bits of time delta above 5 bits of type_len. */
#define ABI_REC_TYPE_BITS	5
#define ABI_REC_DELTA_BITS	27
#define ABI_REC_MAX_SMALL	28	/* type_len 1..28: that many words */
#define ABI_REC_PADDING		29
#define ABI_REC_TIME_EXTEND	30	/* a second word: delta >> 27 */
#define ABI_REC_TIME_STAMP	31

#define ABI_PAGE_HEADER		16	/* time stamp and commit word */
#define ABI_COMMIT_MISSED	(1u << 31)	/* events were lost before */
#define ABI_COMMIT_STORED	(1u << 30)	/* their count follows the data */

/*
 * Position: the number of bytes written to the ring so far, page headers and
 * unused page ends included.  Records are multiples of 4, so two bits are
 * free to say which of four copies of the writer's other words belongs to it.
 */
#define ABI_POS_RECORD		1u	/* flips with every record */
#define ABI_POS_PAGE		2u	/* flips when a page is opened */
#define ABI_POS_FLAGS		3u

#define ABI_RING_OFF		(1ull << 63)	/* beyond every position */

enum abi_ring_flags {
	ABI_RING_LOCKED		= 1,	/* writers take the lock; no rseq */
	ABI_RING_CLOCK_GIVEN	= 2,	/* the caller brings the time */
};

/* Where the consuming reader stands.  Two copies, see abi_ring.read_slot. */
struct abi_ring_read {
	uint64_t page;			/* sequence number of the page */
	uint64_t offset;		/* bytes of its data that are read */
	uint64_t entries;		/* index of the next record to read */
	uint64_t read;			/* records consumed since the clear */
	uint64_t lost;			/* records overrun since the clear */
	uint64_t cleared_entries;	/* records there were at the clear */
	uint64_t cleared_dropped;	/* abi_ring.dropped at the clear */
	uint64_t unreported;		/* records before `entries` that were
					 * overrun, or may be, and that no
					 * LOST line has named yet */
};

/*
 * abi_ring.read_slot: which copy of abi_ring_read is valid, and whether the
 * reader is being handed the records between that copy and the other one.  A
 * server that is killed while ABI_READ_OFFERED is set leaves these in doubt, unless
 * read_ticket says more.
 */
#define ABI_READ_SLOT		1u
#define ABI_READ_OFFERED	2u

struct abi_ring {
	/* line 0: the position is written for every record */
	uint64_t position;
	uint64_t off;			/* 0, or ABI_RING_OFF: no record fits,
					 * and who wants to write one asks
					 * whether to record */
	uint64_t dropped;		/* refused: ring full, no overwrite */
	uint64_t clock_mult;		/* ns = clock_ns + */
	uint64_t clock_ns;		/*	(tsc * clock_mult >> 64) */
	uint32_t page_bytes;		/* power of two, 4096 .. 65536 */
	uint32_t nr_pages;		/* >= 2 */
	uint32_t cpu;
	uint32_t flags;			/* enum abi_ring_flags */
	uint64_t pages_off;		/* first page, from the ring's start */

	/* line 1: [position & ABI_POS_FLAGS], one written for every record */
	uint64_t time_ns[4];		/* of the newest record or page */
	uint64_t entries[4];		/* records written since creation */

	/* line 2: the same, two written for every page */
	uint64_t address[4];		/* + ring + position: the next byte */
	uint64_t end[4];		/* the position after a record is not
					 * above this one */

	/* line 3: the server's word to writers */
	uint32_t overwrite;		/* 1: the oldest page goes first */
	uint32_t reserved2;
	uint64_t read_page;		/* pages before this one are free */
	uint64_t reserved3[6];

	/* line 4: LOCKED rings only */
	uint32_t lock;			/* thread id of the holder, or 0 */
	uint32_t reserved6;
	uint64_t reserved4[7];

	/* lines 5-7: the server's own */
	uint32_t read_slot;		/* ABI_READ_SLOT | ABI_READ_OFFERED */
	uint32_t reserved7;
	uint64_t read_ticket;		/* if OFFERED: server/rings/receipt.h knows
					 * whether the reader has them; 0: no */
	uint32_t reserved5[12];
	struct abi_ring_read read[2];
};

/* One for each page of the ring, in slot order. */
struct abi_ring_page {
	uint64_t entries;		/* records written before this page */
};

#define ABI_RING_PAGES_AT	512	/* the abi_ring_page table */
#define ABI_PAGE_BYTES_MIN	4096u
#define ABI_PAGE_BYTES_MAX	65536u

static_assert(offsetof(struct abi_ring, position) == 0, "ABI");
static_assert(offsetof(struct abi_ring, off) == 8, "ABI");
static_assert(offsetof(struct abi_ring, clock_mult) == 24, "ABI");
static_assert(offsetof(struct abi_ring, clock_ns) == 32, "ABI");
static_assert(offsetof(struct abi_ring, page_bytes) == 40, "ABI");
static_assert(offsetof(struct abi_ring, flags) == 52, "ABI");
static_assert(offsetof(struct abi_ring, pages_off) == 56, "ABI");
static_assert(offsetof(struct abi_ring, time_ns) == 64, "ABI");
static_assert(offsetof(struct abi_ring, entries) == 96, "ABI");
static_assert(offsetof(struct abi_ring, address) == 128, "ABI");
static_assert(offsetof(struct abi_ring, end) == 160, "ABI");
static_assert(offsetof(struct abi_ring, overwrite) == 192, "ABI");
static_assert(offsetof(struct abi_ring, read_page) == 200, "ABI");
static_assert(offsetof(struct abi_ring, lock) == 256, "ABI");
static_assert(offsetof(struct abi_ring, read_slot) == 320, "ABI");
static_assert(offsetof(struct abi_ring, read_ticket) == 328, "ABI");
static_assert(offsetof(struct abi_ring, read) == 384, "ABI");
static_assert(offsetof(struct abi_ring_read, unreported) == 56, "ABI");
static_assert(sizeof(struct abi_ring_read) == 64, "ABI");
static_assert(sizeof(struct abi_ring) == 512, "ABI");
static_assert(sizeof(struct abi_ring) <= ABI_RING_PAGES_AT, "ABI");

#endif
