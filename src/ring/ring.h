/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer: create a ring, write records, read pages and records.  This code knows
 * nothing about events.  docs/design/ring.md has the protocol and its proof, abi/ring.h
 * the layout.
 */
#ifndef ULF_RING_RING_H
#define ULF_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/ring.h"

/* ---- functions of ring_init.c: create a ring ---- */

/* The parameters of ring_init(): the properties of the new ring. */
struct ring_config {
	uint32_t page_bytes;
	uint32_t nr_pages;
	uint32_t cpu;
	uint32_t flags;			/* enum abi_ring_flags */
	bool overwrite;
	bool is_paused;			/* true: create the ring with recording off */
	/* The ring's clock: ns = clock_ns + ((tsc - clock_tsc) * clock_mult >> 32).
	 * clock_mult must be at most 1 << 32.  This is true if the TSC runs at 1 GHz or
	 * faster, or if the clock counts ticks that stand for ns. */
	uint64_t clock_mult, clock_tsc, clock_ns;
};

/* Returns the number of bytes of a ring with @nr_pages pages of @page_bytes bytes, or 0
 * if one of the two numbers is invalid. */
uint64_t ring_bytes(uint32_t page_bytes, uint32_t nr_pages);
/*
 * Create a ring at @mem.  The caller provides ring_bytes() bytes, all zero.
 * Returns 0, or -EINVAL: invalid size or number of pages, or clock_mult is too large.
 */
int ring_init(void *mem, const struct ring_config *config);

/* Turn recording in @ring on or off.  While recording is off, no record fits into a
 * fast ring: so its writer calls ring_leave(), which finds that recording is off.
 * Writers of slow rings ignore this setting. */
void ring_set_recording(struct abi_ring *ring, bool on);
static inline bool ring_is_recording(const struct abi_ring *ring)
{
	return !__atomic_load_n(&ring->off, __ATOMIC_RELAXED);
}

/*
 * A view of a ring: the ring's address, and a checked copy of its geometry (size and
 * number of pages).  A view is private to this process.  Another process that maps the
 * ring can store anything in the ring, so code computes addresses from a view, never
 * from the words in the ring.
 */
struct ring_view {
	struct abi_ring *ring;		/* the ring; NULL if this CPU has no ring */
	uint32_t page_bytes, nr_pages, cpu, flags;
	uint64_t pages_off;		/* bytes from the ring's start to its first page */
};

/*
 * Copy the size and number of pages of the ring at @mem into @view, and check the
 * copy.  @bytes bytes at @mem are accessible.
 * Returns 0, or -EBADMSG if these bytes cannot be a ring.
 */
int ring_view_init(struct ring_view *view, void *mem, uint64_t bytes);

/* ---- functions of write.c: write records ---- */

#define RING_CPUS		1024
#define RING_SIDES		2
#define RING_VIEWS		3	/* number of rings that a CPU has on one side */
#define RING_HOOK_MAX		48	/* maximum size of a record that ftrace.S
					 * writes, bytes */

/* The views of all rings on one side of a buffer.  Each array has nr_cpus elements.
 * @fast, @slow and @late: the rings of each kind, one for each CPU. */
struct ring_side {
	struct ring_view *fast, *slow, *late;
};

/*
 * The rings of one buffer as one process uses them, in private memory.  After the set
 * is published, only the entries of @fast and @slow change, each to another ring of its
 * CPU.  To change anything else, the owner replaces the whole set.
 */
struct ring_set {
	uint32_t nr_cpus;
	uint32_t small_max;		/* maximum size of a payload, in bytes, that a
					 * writer may give to arch_ring_append()
					 * directly, without ring_write():
					 * RING_SMALL_MAX or 0 */
	const struct ring_view **slow;	/* the slow ring of each CPU: nr_cpus pointers
					 * to views in @side */
	uint8_t has_rseq;		/* is 1 if this process may use fast rings */
	uint8_t clock_given;		/* is 1 if the fast rings have ABI_RING_CLOCK_GIVEN */
	uint16_t tag;			/* tag of the graph tracer whose calls are
					 * recorded in these rings; 0: there is no such
					 * tracer.  The owner of the set stores the tag */
	uint32_t clock;			/* clock of these rings: row in the table of
					 * clocks */
	struct ring_side side[RING_SIDES];
	struct abi_ring *none[2];	/* the elements fast[-2] and fast[-1]: always
					 * &ring_none, because a thread without rseq
					 * has the CPU number -1 or -2 */
	struct abi_ring *fast[RING_CPUS];	/* the fast ring of each CPU; a CPU
						 * without a ring has ring_none, so hooks
						 * need not check the CPU number */
	/* for each CPU, the bound of all stores to its fast rings: ring_limit() of
	 * the smaller one of its two rings, of the main and of the spare side; 0:
	 * the CPU has no ring [ring.limit] */
	uint64_t limit[RING_CPUS];
	uint64_t hook_limit[RING_CPUS];	/* for each CPU, the bound for records that
					 * hooks write: limit - RING_HOOK_MAX */
};

/*
 * ring_set_alloc_bytes() returns the size of a set for @nr_cpus CPUs, with its
 * views.
 * ring_set_init() makes a set without rings at @set, which has that size.
 * ring_set_limit() computes the limits; the caller has filled in the views before.
 */
size_t ring_set_alloc_bytes(uint32_t nr_cpus);
void ring_set_init(struct ring_set *set, uint32_t nr_cpus);
void ring_set_limit(struct ring_set *set);

/*
 * ring_limit() is the bound of all stores into a fast ring: a record of n bytes may
 * begin at most ring_limit() - n bytes after the ring's start.  The 12 bytes that the
 * limit leaves free are for the record's header (4) and a time extend (8).  The address
 * of a store is the sum of two words in the ring, address and position, which any
 * process can change.  So the writer compares the sum with this limit before the store.
 */
static inline uint64_t ring_limit(const struct ring_view *view)
{
	return view->pages_off + (uint64_t)view->page_bytes * view->nr_pages - (8 + 4);
}

/* A substitute for the ring of a CPU that has no ring.  No record ever fits into it.
 * Events and hooks always check for space, so they need no extra check for a missing
 * ring. */
extern struct abi_ring ring_none;

/* Returns the view of the fast ring to which threads on @cpu write now, or NULL if this CPU
 * has no ring or does not exist. */
static inline const struct ring_view *ring_set_fast(const struct ring_set *set,
						    uint32_t cpu)
{
	const struct abi_ring *ring;

	if (cpu >= set->nr_cpus)
		return NULL;
	ring = __atomic_load_n(&set->fast[cpu], __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < RING_SIDES; i++) {
		if (set->side[i].fast[cpu].ring == ring)
			return &set->side[i].fast[cpu];
	}
	return NULL;
}

/* The largest payload, in bytes, of a record that needs no length word.  A writer may
 * pass such a record to arch_ring_append() directly, if the process has rseq and the
 * rings read the clock themselves. */
#define RING_SMALL_MAX		(ABI_REC_MAX_SMALL * 4)

/* Number of bytes that must be free before the payload.  They hold the length word of a
 * large record. */
#define RING_HEADROOM		4
/*
 * RING_RESERVE: number of bytes at the end of a page that no record uses.  8 of them are
 * for a time extend.  The other 4 stay free, so that the position after the last record
 * is never the very end of the page, which is also the start of the next page.
 *
 * RING_SPARE: RING_RESERVE and the 4 bytes of the record's header.
 */
#define RING_RESERVE		(8 + 4)
#define RING_SPARE		(RING_RESERVE + 4)
/*
 * RING_PAYLOAD_MAX: the largest payload, in bytes, that fits into a page of the smallest
 * size with a length word before it.
 * RING_PAYLOAD_MAX_SLOW: the largest payload that ring_view_write() takes.  Such a record
 * fills the page up to its last byte; see fill_page_locked() in write.c.
 */
#define RING_PAYLOAD_MAX \
	(ABI_PAGE_BYTES_MIN - ABI_PAGE_HEADER - RING_SPARE - 4)
#define RING_PAYLOAD_MAX_SLOW	(RING_PAYLOAD_MAX + RING_RESERVE)

/*
 * ring_write - write one record to the ring of the current CPU.
 * @payload: @bytes bytes.  They must be writable up to the next multiple of 4, because
 * this function fills the bytes up to there with zeros.  RING_HEADROOM bytes before
 * them must be writable, too.
 * @now_ns: the time, for rings with ABI_RING_CLOCK_GIVEN; other rings ignore it.
 *
 * Any thread and any signal handler may call this; it does not change errno.  It is
 * wait-free except for the lock of the slow path; the wait for that lock is bounded.
 *
 * Returns 0, -EMSGSIZE (@bytes is 0 or above RING_PAYLOAD_MAX), -ENOBUFS (the ring is
 * full; the record is counted as dropped), -ECANCELED (recording is off in the fast
 * ring),
 * -ENODEV (no ring), -EBUSY (did not get the lock of the slow ring) or -EBADMSG (another
 * process has overwritten the slow ring).
 */
int ring_write(const struct ring_set *set, void *payload, uint32_t bytes,
	       uint64_t now_ns);

/* Returns true if a record of @bytes seems to fit into the open page.  This is only a
 * hint: another writer may take the space, so the append checks again. */
static inline bool ring_has_room(const struct abi_ring *ring, uint32_t bytes)
{
	uint64_t position = __atomic_load_n(&ring->position, __ATOMIC_RELAXED);

	return position + 4 + bytes +
	       __atomic_load_n(&ring->off, __ATOMIC_RELAXED) <=
	       __atomic_load_n(&ring->end[position & ABI_POS_FLAGS],
			       __ATOMIC_RELAXED);
}

/*
 * ring_cross - make space for a record of @bytes in the fast ring of the current CPU.  If
 * necessary, close the current page and open the next one.
 * @now_ns: the time, for rings with ABI_RING_CLOCK_GIVEN; 0 for other rings.
 *
 * Uses general registers only, like ring_leave() (cross.c).
 *
 * Returns 0 (try the append), -ENOBUFS (the ring is full, and the record is counted as
 * dropped), -ECANCELED (recording is off) or -EBADMSG (see ring_leave()).
 */
int ring_cross(const struct ring_set *set, uint32_t bytes, uint64_t now_ns);
/*
 * ring_leave - make space for a record of @bytes in the ring of @view, which belongs
 * to @cpu and whose open page is full.  Does not count a record that is refused.
 * @now_ns: a recent time of the ring's clock; if it is 0, the function reads the
 * clock.
 *
 * Returns 0 (try the append), -ENOBUFS (full), -ECANCELED (recording is off) or
 * -EBADMSG (position, end and address contradict each other, so another process has
 * changed them).
 */
int ring_leave(const struct ring_view *view, uint32_t cpu, uint32_t bytes,
	       uint64_t now_ns);

/* Count a record as dropped in the ring of the current CPU, because it is too large for
 * any page.  Any thread and any signal handler may call this. */
void ring_drop(const struct ring_set *set);

/*
 * ring_view_write - write one record to the slow ring of @view, under its lock.
 * @payload, @bytes, @now_ns: as for ring_write(), but @bytes may be as large as
 *	RING_PAYLOAD_MAX_SLOW.
 * @tid: the caller's thread id, the owner of the lock.
 *
 * The server writes markers with this function.  The caller must have blocked its
 * signals.  Even if other processes store wrong values in the ring meanwhile, this
 * function writes nothing outside of the ring.
 *
 * Returns 0, -EMSGSIZE, -ENOBUFS, -EBADMSG (the ring's words are no longer valid) or
 * -EBUSY (did not get the lock).
 */
int ring_view_write(const struct ring_view *view, void *payload,
		    uint32_t bytes, uint64_t now_ns, uint32_t tid);

/*
 * ring_view_drop - count @nr records as refused in the slow ring of @view, under its lock.
 * @tid: as for ring_view_write().
 * Returns 0, or -EBUSY (did not get the lock).
 */
int ring_view_drop(const struct ring_view *view, uint64_t nr, uint32_t tid);

/* ---- functions of read.c: read pages, and check every value loaded from a ring ---- */

/* The state of a ring, from one consistent copy of the words that writers store. */
struct ring_head {
	uint64_t page;			/* sequence number of the current page */
	uint32_t bytes;			/* number of data bytes committed in the current page */
	bool is_open;			/* true: the header of the current page is
					 * written */
	uint64_t entries;		/* number of records written since the ring was created */
	uint64_t time_ns;		/* time of the newest record or page, ns */
	uint64_t dropped;		/* number of records refused since the ring was created */
};
/* Get the state of the ring.  Returns 0; or -EAGAIN if writers moved the position during
 * each of many attempts. */
int ring_head(const struct ring_view *view, struct ring_head *ret_head);
/* Returns the sequence number of the oldest page that writers have not overwritten.
 * @head: the state of the ring, from ring_head(). */
uint64_t ring_oldest(const struct ring_view *view, const struct ring_head *head);

/* A private copy of one page of a ring, made by ring_page_read(). */
struct ring_page {
	uint64_t seq;
	uint64_t entries;		/* number of records written to the ring before
					 * this page */
	uint64_t time_ns;		/* time of the page's start */
	uint32_t bytes;			/* number of data bytes, without the page's header */
	uint32_t is_open;		/* is 1 if writers still append to this page */
	uint8_t *data;			/* the copy, page_bytes bytes: header, data, zeros */
};
/*
 * Copy page number @seq into ret_page->data, for which the caller provides page_bytes
 * bytes.  The function also sets the commit word of the copy, and the bytes after the
 * data to 0.
 * Returns 0, -EAGAIN (the page is not written yet) or -ESTALE (the page is
 * overwritten).
 */
int ring_page_read(const struct ring_view *view, uint64_t seq,
		   struct ring_page *ret_page);

struct ring_record {
	uint64_t time_ns;
	const uint8_t *data;
	uint32_t bytes;			/* bytes of payload, a multiple of 4 */
	uint32_t offset;		/* offset of the record in the page's data */
};
/*
 * Parse the record at offset *@offset of the page's data, and move *@offset and
 * *@time_ns to the end of this record.
 * Returns 1 (a record), 0 (end of the page) or -EBADMSG (the page is corrupt from here
 * on).
 */
int ring_record_next(const struct ring_page *page, uint32_t *offset,
		     uint64_t *time_ns, struct ring_record *ret_record);

/* ---- functions of cursor.c: walk a ring record by record ---- */

/* A cursor: a reader of one ring.  In the comments, the peeked record is the
 * record that the last ring_cursor_peek() returned. */
struct ring_cursor {
	struct ring_view view;
	struct ring_page page;		/* copy of the page that the cursor walks */
	bool has_page;			/* true: @page holds a valid copy */
	uint64_t seq;			/* sequence number of the page in @page, or of
					 * the page to read next */
	uint32_t offset;		/* offset of the next record in the data of the page */
	uint64_t entries;		/* index of the next record */
	uint64_t time_ns;		/* time of the record before the cursor, ns */
	uint64_t lost;			/* number of records before the peeked one that
					 * were overrun or are in doubt; no LOST line
					 * has reported them yet */
	bool is_corrupt;		/* true: some bytes of the ring could not be
					 * parsed */
	uint32_t next_offset;		/* offset in the page's data of the byte after
					 * the peeked record */
	uint64_t next_time_ns;		/* time of the peeked record, ns */
	uint64_t read_count;		/* number of records read since the last consume */
	uint64_t lost_count;		/* number of records lost since the last consume */
	uint8_t *ahead;			/* memory of page_bytes bytes for
					 * ring_cursor_peek_second(), or NULL */
	struct abi_ring_read before;	/* state of the consuming reader before the
					 * last consume */
};
/*
 * Initialise a cursor at the position of the consuming reader.
 * Returns 0 or -ENOMEM.
 */
int ring_cursor_init(struct ring_cursor *cursor, const struct ring_view *view);
/* Free the cursor's memory. */
void ring_cursor_done(struct ring_cursor *cursor);
/*
 * Read the next record without moving the cursor.  The record stays valid until the next
 * call for this cursor.  cursor->lost is then the number of records that were lost before
 * this record.
 * Returns 1, or 0 if there is no record yet.
 */
int ring_cursor_peek(struct ring_cursor *cursor, struct ring_record *ret_record);
/*
 * Read the record after the peeked one, without moving the cursor.
 * Returns 1.  Returns 0 if there is no such record yet, if records between the two were
 * overrun, or if there is no memory.
 */
int ring_cursor_peek_second(struct ring_cursor *cursor,
			    struct ring_record *ret_record);
/* Move the cursor to the record after the peeked record @record, and set
 * cursor->lost to 0. */
void ring_cursor_advance(struct ring_cursor *cursor,
			 const struct ring_record *record);
/*
 * Look at all records of a page at once, if the peeked record is the first record of the
 * page.
 * Returns the number of records in cursor->page, and the time of the last one.  Returns 0
 * if the peeked record is not the first record of its page, if the page is still written,
 * or if the page is corrupt.
 */
uint32_t ring_cursor_peek_page(const struct ring_cursor *cursor, uint64_t *ret_time_ns);
/* Move the cursor past the page that ring_cursor_peek_page() has looked at, and set
 * cursor->lost to 0.  @nr, @time_ns: what ring_cursor_peek_page() has returned. */
void ring_cursor_advance_page(struct ring_cursor *cursor, uint32_t nr, uint64_t time_ns);
/*
 * Three functions with which the server hands records to a reader.  Only the server calls
 * them.
 *
 * ring_cursor_offer() stores in the ring that all records before the cursor are being
 * handed over to the reader.  Then the server sends the bytes.  The caller must not move
 * the cursor meanwhile.
 * @ticket: number of the receipt that says whether the reader has got the bytes; 0: there
 * is no receipt.
 *
 * ring_cursor_withdraw() takes the offer back, because the reader got none of the bytes.
 *
 * ring_cursor_consume() marks all records before the cursor as read, because the reader has
 * them.  Writers in producer/consumer mode may then reuse the pages.
 */
void ring_cursor_offer(const struct ring_cursor *cursor, uint64_t ticket);
void ring_cursor_withdraw(const struct ring_cursor *cursor);
void ring_cursor_consume(struct ring_cursor *cursor);
/* Undo the last consume of @cursor, because the reader got none of the bytes.  The caller
 * must ensure that no other cursor has consumed records of this ring meanwhile. */
void ring_cursor_return(struct ring_cursor *cursor);
/* Take the records that @cursor consumed last for records in doubt.  The caller calls
 * this instead of ring_cursor_return() if another cursor has consumed records
 * meanwhile.  A later LOST line reports the records.  @after: the state of the reader
 * after the consume of @cursor. */
void ring_cursor_doubt(struct ring_cursor *cursor,
		       const struct abi_ring_read *after);
/* Returns a copy of the consuming reader's state.  The values are not checked. */
struct abi_ring_read ring_read_state(const struct ring_view *view);
/* How ring_settle() treats the records of an offer that was left open. */
enum ring_outcome {
	RING_IN_DOUBT,			/* give the records to no reader, and count them
					 * in the next LOST line */
	RING_TAKEN,			/* the reader has the records: mark them as
					 * read, like ring_cursor_consume() */
	RING_NOT_TAKEN,			/* the reader has none of the records: give them
					 * to the next reader, like
					 * ring_cursor_withdraw() */
};
/* End an offer that was left open because the server was killed or has given up.  Without
 * an open offer, this function does not change the state of the records. */
void ring_settle(const struct ring_view *view, enum ring_outcome outcome);
/* Returns the ticket of an offer that was left open; 0 if there is no open offer, or if it
 * has no ticket. */
uint64_t ring_offer_ticket(const struct ring_view *view);

struct ring_stats {
	uint64_t entries;		/* number of records that a reader can still
					 * read */
	uint64_t overrun;		/* number of records overwritten since the last clear */
	uint64_t dropped;		/* number of records refused since the last clear */
	uint64_t read;			/* number of records consumed since the last clear */
	uint64_t pages;			/* number of pages in which the unread
					 * records are */
	uint64_t oldest_ns;		/* time stamp of the oldest page with unread
					 * records, ns; 0: all records are read */
	uint64_t unreported;		/* number of records that are lost or in
					 * doubt, and that no LOST line has
					 * reported */
};
/* Get the counters of the ring.  Returns 0; or -EAGAIN if writers moved the position
 * during each of many attempts. */
int ring_stats(const struct ring_view *view, struct ring_stats *ret_stats);
/* Returns the number of bytes of the records that can be read.  The function is slow: it
 * loads the header of each page. */
uint64_t ring_unread_bytes(const struct ring_view *view);
/*
 * Forget all records written so far, and reset the counters to 0.
 * Returns 0; or -EAGAIN if writers moved the position during each of many
 * attempts.
 */
int ring_clear(const struct ring_view *view);
/* Add the counters @old to the counters of the new ring @view.  @old belongs to the
 * ring that @view has replaced. */
void ring_inherit(const struct ring_view *view, const struct ring_stats *old);

#endif
