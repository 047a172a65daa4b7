/* SPDX-License-Identifier: MIT */
/*
 * The bytes of one ring, shared by every process of a root and the server.
 * docs/design/ring.md has the protocol; this file has the layout.
 *
 *	struct abi_ring | struct abi_ring_page [nr_pages] | pages
 *	0                 ABI_RING_PAGES_AT                 pages_off
 *
 * A page has the kernel's byte layout: 8 bytes of time stamp, 8 bytes of commit (bytes of
 * data that follow), then records.
 *
 *	word		writer				readers
 *	position	writers, one store a commit	all		[ring.commit]
 *	arrays of [4]	writers, before that store	writers; server (time, entries)
 *	off		server and processes		writers
 *	dropped		writers				server
 *	read_page	server, producer/consumer	writers once a page [ring.free]
 *	read_slot	server, one store a step	the next server	[ring.read]
 *	read[2], read_ticket
 *			server, before that store	the next server
 *	lock		writers of a LOCKED ring	writers of a LOCKED ring
 *	others		the creator, before it publishes the ring
 */
#ifndef ULF_ABI_RING_H
#define ULF_ABI_RING_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The header of a record: 27 bits of time delta in ns above 5 bits of type_len. */
#define ABI_REC_TYPE_BITS	5
#define ABI_REC_DELTA_BITS	27
#define ABI_REC_MAX_SMALL	28	/* type_len 1..28: 4-byte words of payload */
#define ABI_REC_PADDING		29	/* padding: not a record */
#define ABI_REC_TIME_EXTEND	30	/* a second word follows: delta >> 27 */
#define ABI_REC_TIME_STAMP	31

#define ABI_PAGE_HEADER		16	/* time stamp and commit word */
#define ABI_COMMIT_MISSED	(1u << 31)	/* records were lost before this page */
#define ABI_COMMIT_STORED	(1u << 30)	/* the number of lost records follows
						 * the data */

/*
 * position: the number of bytes written to the ring so far, including page headers and
 * unused page ends.  Records are multiples of 4 bytes, so the two low bits are free.
 * They select which of four copies of the writers' other words is valid.  Example:
 * position 0x1002 means 0x1000 bytes, and time_ns[2], entries[2], address[2] and end[2]
 * are valid.
 */
#define ABI_POS_RECORD		1u	/* flips with every record */
#define ABI_POS_PAGE		2u	/* flips when a page is opened */
#define ABI_POS_FLAGS		3u

#define ABI_RING_OFF		(1ull << 63)	/* above every position */

enum abi_ring_flags {
	ABI_RING_LOCKED		= 1,	/* slow ring: writers take the lock and use no
					 * rseq */
	ABI_RING_CLOCK_GIVEN	= 2,	/* the caller of the append gives the time */
};

/* The place of the consuming reader.  There are two copies, see abi_ring.read_slot. */
struct abi_ring_read {
	uint64_t page;			/* sequence number of the page */
	uint64_t offset;		/* bytes of the page's data that are read */
	uint64_t entries;		/* index of the next record to read */
	uint64_t read;			/* records consumed since the last clear */
	uint64_t lost;			/* records overrun since the last clear */
	uint64_t cleared_entries;	/* records written before the last clear */
	uint64_t cleared_dropped;	/* abi_ring.dropped at the last clear */
	uint64_t unreported;		/* records before `entries` that were overrun,
					 * or may have been, and that no LOST line has
					 * reported */
};

/*
 * abi_ring.read_slot: the index of the valid copy of abi_ring_read, and whether the
 * server is handing over the records between that copy and the other one.  If the server
 * is killed while ABI_READ_OFFERED is set, these records are in doubt, unless read_ticket
 * decides.
 */
#define ABI_READ_SLOT		1u
#define ABI_READ_OFFERED	2u

struct abi_ring {
	/* cache line 0: the position is written for every record */
	uint64_t position;		/* bytes written | ABI_POS_... */
	uint64_t off;			/* 0, or ABI_RING_OFF: no record fits, and the
					 * writer then checks whether recording is on */
	uint64_t dropped;		/* records refused because the ring is full and
					 * overwrite is 0 */
	uint64_t clock_mult;		/* ns = clock_ns + */
	uint64_t clock_ns;		/*	(tsc * clock_mult >> 64) */
	uint32_t page_bytes;		/* bytes of a page, a power of two, 4096 .. 65536 */
	uint32_t nr_pages;		/* pages of the ring, at least 2 */
	uint32_t cpu;			/* CPU whose threads write the ring */
	uint32_t flags;			/* enum abi_ring_flags */
	uint64_t pages_off;		/* bytes from the ring's start to its first page */

	/* cache line 1: element [position & ABI_POS_FLAGS] is valid; one of each is
	 * written for every record */
	uint64_t time_ns[4];		/* time of the newest record or page */
	uint64_t entries[4];		/* records written since creation */

	/* cache line 2: element [position & ABI_POS_FLAGS] is valid; two of each are
	 * written for every page */
	uint64_t address[4];		/* address[] + ring + position = address of the
					 * next byte */
	uint64_t end[4];		/* the position after a record must not be
					 * above this */

	/* cache line 3: the server writes, writers read */
	uint32_t overwrite;		/* 1: overwrite the oldest page; 0: refuse
					 * records when full */
	uint32_t reserved2;
	uint64_t read_page;		/* sequence number: pages before this one are free */
	uint64_t reserved3[6];

	/* cache line 4: LOCKED rings only */
	uint32_t lock;			/* thread id of the holder; 0: free */
	uint32_t reserved6;
	uint64_t reserved4[7];

	/* cache lines 5-7: only the server uses them */
	uint32_t read_slot;		/* ABI_READ_SLOT | ABI_READ_OFFERED */
	uint32_t reserved7;
	uint64_t read_ticket;		/* if OFFERED: the ticket by which
					 * server/rings/receipt.h finds out whether the
					 * reader has the records; 0: none */
	uint32_t reserved5[12];
	struct abi_ring_read read[2];
};

/* One for each page of the ring, in the order of page slots.  Written by writers. */
struct abi_ring_page {
	uint64_t entries;		/* records written before this page */
};

#define ABI_RING_PAGES_AT	512	/* offset of the abi_ring_page table, bytes */
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
