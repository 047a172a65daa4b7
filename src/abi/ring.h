/* SPDX-License-Identifier: MIT */
/*
 * The bytes of one ring, shared by every process of a root and the server.
 * docs/design/ring.md has the protocol; this file has the layout.
 *
 *	struct abi_ring | struct abi_ring_page [nr_pages] | pages
 *	0                 ABI_RING_PAGES_AT                 pages_off
 *
 * A page has the kernel's byte layout: a time stamp of 8 bytes, the commit word of 8 bytes
 * (how many bytes of data follow), then the records.
 *
 *	member		written by			read by
 *	position	writers, one store per commit	all		[ring.commit]
 *	time_ns[4], entries[4]
 *			writers, before that store	writers, server
 *	address[4], end[4]
 *			writers, before that store	writers
 *	off		server and processes		writers
 *	dropped		writers				server
 *	read_page	server				writers, once per page [ring.free]
 *	read_slot	server, one store per read step	the next server	[ring.read]
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

/* The header of a record is a word of 32 bits.  The low 5 bits are type_len.  The upper
 * 27 bits are the delta: the time since the previous record in ns. */
#define ABI_REC_TYPE_BITS	5
#define ABI_REC_DELTA_BITS	27
#define ABI_REC_MAX_SMALL	28	/* type_len 1..28 is the number of 4-byte words
					 * of payload */
#define ABI_REC_PADDING		29	/* type_len of padding: it is no record, and
					 * fills the rest of its page */
#define ABI_REC_TIME_EXTEND	30	/* type_len of a time extend: a record header
					 * with a second word, which has the bits of
					 * the delta from bit 27 on */
#define ABI_REC_TIME_STAMP	31

#define ABI_PAGE_HEADER		16	/* bytes of a page's header: time stamp and commit word */
#define ABI_COMMIT_MISSED	(1u << 31)	/* flag in the commit word: records were
						 * lost between the previous page and
						 * this one */
#define ABI_COMMIT_STORED	(1u << 30)	/* flag in the commit word: the number of
						 * lost records is stored after the data
						 * of the page */

/*
 * `position` is the number of bytes written to the ring so far, including page headers and
 * unused page ends.  Records are multiples of 4 bytes, so the two low bits are free.  They
 * select the valid element of each of the arrays time_ns[4], entries[4], address[4] and
 * end[4].  Example: position 0x1002 means 0x1000 bytes, and time_ns[2], entries[2],
 * address[2] and end[2] are valid.
 */
#define ABI_POS_RECORD		1u	/* parity bit: each new record changes it from
					 * 0 to 1 or back */
#define ABI_POS_PAGE		2u	/* parity bit: each new page changes it from 0
					 * to 1 or back */
#define ABI_POS_FLAGS		3u

#define ABI_RING_OFF		(1ull << 63)	/* value of abi_ring.off while recording
						 * is off; larger than every position */

enum abi_ring_flags {
	ABI_RING_LOCKED		= 1,	/* slow ring: writers take the lock and use no
					 * rseq */
	ABI_RING_CLOCK_GIVEN	= 2,	/* writers give the time of a record
					 * themselves, with arch_ring_append_given() */
};

/* How far the consuming reader has read.  abi_ring.read has two elements of this type, and
 * abi_ring.read_slot selects the valid one. */
struct abi_ring_read {
	uint64_t page;			/* number of the page that the reader is
					 * in */
	uint64_t offset;		/* number of data bytes of this page
					 * that the reader has read */
	uint64_t entries;		/* index of the next record to read */
	uint64_t read;			/* number of records consumed since the last clear */
	uint64_t lost;			/* number of records overrun since the last clear */
	uint64_t cleared_entries;	/* number of records written before the last
					 * clear of the buffer */
	uint64_t cleared_dropped;	/* value of abi_ring.dropped at the last clear */
	uint64_t unreported;		/* number of records that were certainly or
					 * possibly overrun, and that no LOST line has
					 * reported yet; all of them have an index
					 * below `entries` */
};

/*
 * The bits of abi_ring.read_slot.  ABI_READ_SLOT is the index of the valid element of
 * abi_ring.read.  ABI_READ_OFFERED is set while the server hands records over to a
 * reader: the records from the position in the valid element up to the position in the
 * other element.  If the server is killed meanwhile, read_ticket lets the next server
 * find out whether the reader got these records.  Without a ticket, the next server
 * cannot find this out.
 */
#define ABI_READ_SLOT		1u
#define ABI_READ_OFFERED	2u

struct abi_ring {
	/* Cache line 0 has the position, which writers store for every record. */
	uint64_t position;		/* number of bytes written; the low bits are
					 * ABI_POS_RECORD and ABI_POS_PAGE */
	/* 0, or ABI_RING_OFF while recording is off.  A writer adds `off` to the
	 * position before it checks for space.  With ABI_RING_OFF no record fits,
	 * so the writer leaves the fast path, and then checks whether recording is
	 * off */
	uint64_t off;
	uint64_t dropped;		/* number of records refused because the ring was
					 * full and overwrite was 0 */
	uint64_t clock_mult;		/* factor of the ring's clock: time in ns =
					 * @clock_ns + (tsc * @clock_mult >> 64) */
	uint64_t clock_ns;		/* time of the ring's clock when the TSC was 0,
					 * ns */
	uint32_t page_bytes;		/* size of a page in bytes: a power of two,
					 * 4096 .. 65536 */
	uint32_t nr_pages;		/* number of pages in the ring, at least 2 */
	uint32_t cpu;			/* number of the CPU whose threads write the
					 * ring */
	uint32_t flags;			/* enum abi_ring_flags */
	uint64_t pages_off;		/* offset of the first page from the ring's
					 * start, bytes */

	/*
	 * Cache line 1: the low bits of `position` select the valid elements: with i =
	 * position & ABI_POS_FLAGS these are time_ns[i] and entries[i].  The writer of a
	 * record writes time_ns[i ^ 1] and entries[i ^ 1].  Then it stores a position whose
	 * low bits select these two.
	 */
	uint64_t time_ns[4];		/* time of the newest record, ns; if the newest
					 * page has no record, time of this page */
	uint64_t entries[4];		/* number of records written since the ring was created */

	/*
	 * Cache line 2: the low bits of `position` also select the valid address[i] and
	 * end[i].  A writer that opens a page writes two elements of both arrays, those
	 * with the indices i ^ 2 and i ^ 3.  The records of the page use these two in turn,
	 * because each record flips bit 0 of the position.
	 */
	uint64_t address[4];		/* address of the next byte to write, minus
					 * the position, relative to the address of
					 * the ring: the next byte is at ring +
					 * address[i] + position */
	uint64_t end[4];		/* limit of this page: a record must end at or
					 * before the position end[i] */

	/* Cache line 3: the server writes these members, and writers of the ring read
	 * them. */
	uint32_t overwrite;		/* 1: when the ring is full, overwrite the oldest
					 * page; 0: refuse records */
	uint32_t reserved2;
	uint64_t read_page;		/* number of the page that the reader is at;
					 * if overwrite is 0, writers may only reuse
					 * pages before this page */
	uint64_t reserved3[6];

	/* Cache line 4: only rings with ABI_RING_LOCKED use these members. */
	uint32_t lock;			/* thread id of the lock's holder; 0: the lock is free */
	uint32_t reserved6;
	uint64_t reserved4[7];

	/* Cache lines 5 to 7: only the server uses these members. */
	uint32_t read_slot;		/* index of the valid element of @read
					 * (ABI_READ_SLOT), and whether an offer is
					 * open (ABI_READ_OFFERED) */
	uint32_t reserved7;
	uint64_t read_ticket;		/* ticket of the current offer
					 * (ABI_READ_OFFERED): server/rings/receipt.h
					 * finds out by it whether the reader got the
					 * records; 0: none */
	uint32_t reserved5[12];
	struct abi_ring_read read[2];
};

/* A row of the table of pages, which has one row for each page slot.  Writers write the row. */
struct abi_ring_page {
	uint64_t entries;		/* number of records written to the ring before
					 * this page */
};

#define ABI_RING_PAGES_AT	512	/* offset of the table of pages in the ring, bytes */
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
