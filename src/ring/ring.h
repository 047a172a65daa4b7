/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer: making one, writing records, reading pages and records.
 * Knows no events.  The protocol and its proof are in docs/design/ring.md,
 * the layout in abi/ring.h.
 */
#ifndef ULF_RING_RING_H
#define ULF_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/ring.h"

/* ---- making (init.c) ---- */

struct ring_config {
	uint32_t page_bytes;
	uint32_t nr_pages;
	uint32_t cpu;
	uint32_t flags;			/* enum abi_ring_flags */
	bool overwrite;
	bool is_paused;			/* made with recording off */
	/* ns = clock_ns + ((tsc - clock_tsc) * clock_mult >> 32), mult not
	 * above 1 << 32: a TSC of at least 1 GHz, or ticks for ns */
	uint64_t clock_mult, clock_tsc, clock_ns;
};

/* Bytes that a ring with this geometry takes; 0 if the geometry is invalid. */
uint64_t ring_bytes(uint32_t page_bytes, uint32_t nr_pages);
/* Make a ring in @mem, which is zeroed and of ring_bytes(). */
int ring_init(void *mem, const struct ring_config *config);

/* Off: writers find no room in a fast ring, and ask why.  A slow one does not
 * know of it. */
void ring_set_recording(struct abi_ring *ring, bool on);
static inline bool ring_is_recording(const struct abi_ring *ring)
{
	return !__atomic_load_n(&ring->off, __ATOMIC_RELAXED);
}

/*
 * A ring whose geometry was checked and copied.  Private to this process: another
 * process that maps the ring can store anything there, so an address is computed from
 * a view, never from the ring's own words.
 */
struct ring_view {
	struct abi_ring *ring;		/* NULL: there is none */
	uint32_t page_bytes, nr_pages, cpu, flags;
	uint64_t pages_off;
};

/* Copies the geometry of the ring at @mem, of which @bytes are accessible, and checks
 * the copy.  -EBADMSG: there can be no ring. */
int ring_view_init(struct ring_view *view, void *mem, uint64_t bytes);

/* ---- writing (write.c) ---- */

#define RING_CPUS		1024
#define RING_SIDES		2
#define RING_HOOK_MAX		48	/* bytes that ftrace.S writes at once */

/* The views of one side of a buffer, [nr_cpus] each. */
struct ring_side {
	struct ring_view *fast, *slow;
};

/*
 * The rings of one buffer as one process sees them.  Private memory.  After the set is
 * published only the entries of @fast and @slow change, from a ring to another of the
 * same CPU; everything else is replaced together with the set.
 */
struct ring_set {
	uint32_t nr_cpus;
	uint32_t small_max;		/* RING_SMALL_MAX, or 0: a short cut
					 * may not be taken */
	const struct ring_view **slow;	/* [nr_cpus]; entries of @side */
	uint8_t has_rseq;		/* this process may use fast rings */
	uint8_t clock_given;		/* they are ABI_RING_CLOCK_GIVEN */
	uint16_t tag;			/* whose calls hooks may record here, as the
					 * owner of the set has it; 0: nobody's */
	uint32_t clock;			/* and this is the clock's row */
	struct ring_side side[RING_SIDES];
	struct abi_ring *none[2];	/* ring_none: fast[cpu] of threads without rseq,
					 * which are on CPUs -1 and -2 */
	struct abi_ring *fast[RING_CPUS];	/* or ring_none; hooks do not compare
						 * with nr_cpus */
	uint64_t limit[RING_CPUS];	/* [ring.limit] see ring_limit() */
	uint64_t hook_limit[RING_CPUS];	/* for a record of RING_HOOK_MAX bytes */
};

/*
 * ring_set_alloc_bytes - bytes of a set for @nr_cpus, with its views.
 * ring_set_init - make an empty set of so many bytes at @set: no rings.
 * ring_set_limit - compute the limits, after the views have been filled in.
 */
size_t ring_set_alloc_bytes(uint32_t nr_cpus);
void ring_set_init(struct ring_set *set, uint32_t nr_cpus);
void ring_set_limit(struct ring_set *set);

/*
 * ring_limit - the bound of all stores into a fast ring: a record of n bytes may begin
 * at most ring_limit() - n bytes after the ring's start.  A longer delta takes 8 bytes
 * more, the header 4.  The writer adds two words of the ring, which any process can
 * change, and compares the sum with this before it stores.
 */
static inline uint64_t ring_limit(const struct ring_view *view)
{
	return view->pages_off + (uint64_t)view->page_bytes * view->nr_pages - (8 + 4);
}

/* Where there is no ring: nobody writes to it, as no record fits.  So events and hooks
 * need not ask: they look for room in any case. */
extern struct abi_ring ring_none;

/* The view of the ring that fast writers of @cpu use now.  NULL: there is none, or
 * there is no such CPU. */
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

/* A record of up to so many bytes, in whole words, needs no framing: if the
 * process has rseq and the rings their own clock, arch_ring_append() alone
 * writes it. */
#define RING_SMALL_MAX		(ABI_REC_MAX_SMALL * 4)

/* Bytes free before the payload for the length word of a large record. */
#define RING_HEADROOM		4
/*
 * Bytes of a page that are not there for a record: a time extend, and one word
 * that stays free, because a position at the very end of a page would be the
 * start of the next.  And with the record's header those that its data may not
 * use.
 */
#define RING_RESERVE		(8 + 4)
#define RING_SPARE		(RING_RESERVE + 4)
/* The largest payload that fits into a page of the smallest size; it has a
 * length word in front. */
#define RING_PAYLOAD_MAX \
	(ABI_PAGE_BYTES_MIN - ABI_PAGE_HEADER - RING_SPARE - 4)

/*
 * ring_write - put one record into the ring of the CPU it runs on.
 * @payload: @bytes of it, readable up to the next multiple of 4, and with
 *	RING_HEADROOM writable bytes in front.
 * @now_ns: the time, for rings with ABI_RING_CLOCK_GIVEN; else ignored.
 * Returns 0, -ENOBUFS (full, counted in the ring), -ECANCELED (recording is
 * off in the fast ring), -ENODEV (no ring), -EBUSY (the slow ring's lock could not be
 * had).
 * Any thread, any signal handler; no errno; wait-free but for the lock of
 * the slow path, which is bounded.
 */
int ring_write(const struct ring_set *set, void *payload, uint32_t bytes,
	       uint64_t now_ns);

/* Would an append of @bytes find room?  A moment later it may be otherwise: the
 * append asks for itself. */
static inline bool ring_has_room(const struct abi_ring *ring, uint32_t bytes)
{
	uint64_t position = __atomic_load_n(&ring->position, __ATOMIC_RELAXED);

	return position + 4 + bytes +
	       __atomic_load_n(&ring->off, __ATOMIC_RELAXED) <=
	       __atomic_load_n(&ring->end[position & ABI_POS_FLAGS],
			       __ATOMIC_RELAXED);
}

/*
 * Room for a record of @bytes in this CPU's fast ring: if need be, a close and an open.
 * @now_ns: the time, for rings with ABI_RING_CLOCK_GIVEN; else 0.
 * 0: try it; -ENOBUFS: refused, and counted; -ECANCELED: recording is off.  General
 * registers only, as the next (cross.c).
 */
int ring_cross(const struct ring_set *set, uint32_t bytes, uint64_t now_ns);
/* The same for @view, whose ring is @cpu's and has none; a refused record is not counted.
 * @now_ns: if it is not 0 a recent time, by the ring's clock.  -EBADMSG: the ring's words
 * contradict each other, so another process has changed them. */
int ring_leave(const struct ring_view *view, uint32_t cpu, uint32_t bytes,
	       uint64_t now_ns);

/* Count a record that was not written because it can never fit, as refused on
 * the CPU that it runs on.  Any context, like ring_write(). */
void ring_drop(const struct ring_set *set);

/* The slow path by itself, also for the server, which writes markers: whatever becomes of
 * the ring meanwhile, nothing outside of it is written.  @tid: the caller, for the lock.
 * The caller must have blocked its signals.  -EBADMSG: it is no ring any more; -EBUSY: its
 * lock is not to be had. */
int ring_view_write(const struct ring_view *view, void *payload,
		    uint32_t bytes, uint64_t now_ns, uint32_t tid);

/* ---- reading (read.c): trusts nothing it reads ---- */

/* The writers' end, consistent in itself. */
struct ring_head {
	uint64_t page;			/* sequence number of the open page */
	uint32_t bytes;			/* of data committed in it */
	bool is_open;			/* its header is written */
	uint64_t entries;		/* records written since creation */
	uint64_t time_ns;		/* of the newest one */
	uint64_t dropped;		/* refused so far */
};
int ring_head(const struct ring_view *view, struct ring_head *ret_head);
/* The oldest page that is still there, for this head. */
uint64_t ring_oldest(const struct ring_view *view, const struct ring_head *head);

/* A private copy of a page. */
struct ring_page {
	uint64_t seq;
	uint64_t entries;		/* records before it */
	uint64_t time_ns;
	uint32_t bytes;			/* of data, without the header */
	uint32_t is_open;		/* 1: writers are in it, may grow */
	uint8_t *data;			/* page_bytes: header, data, zeroes */
};
/* Copies page @seq into ret_page->data (set by the caller, page_bytes long)
 * with the commit word set and the rest zeroed.  -EAGAIN: not written yet;
 * -ESTALE: overwritten. */
int ring_page_read(const struct ring_view *view, uint64_t seq,
		   struct ring_page *ret_page);

struct ring_record {
	uint64_t time_ns;
	const uint8_t *data;
	uint32_t bytes;			/* of payload, a multiple of 4 */
	uint32_t offset;		/* in the page's data, of the record */
};
/* The record at data offset *@offset; moves *@offset and *@time_ns on.
 * 1: a record; 0: the end; -EBADMSG: the page is corrupt from here. */
int ring_record_next(const struct ring_page *page, uint32_t *offset,
		     uint64_t *time_ns, struct ring_record *ret_record);

/* ---- cursors (cursor.c): walking a ring record by record ---- */

struct ring_cursor {
	struct ring_view view;
	struct ring_page page;		/* the copy that is being walked */
	bool has_page;
	uint64_t seq;			/* page to read next or being read */
	uint32_t offset;		/* data offset in it */
	uint64_t entries;		/* index of the next record */
	uint64_t time_ns;
	uint64_t lost;			/* before the peeked record: overrun, or
					 * in doubt, and not reported yet */
	bool is_corrupt;		/* something could not be parsed */
	uint32_t next_offset;		/* behind the peeked record */
	uint64_t next_time_ns;
	uint64_t read_count;		/* since the last consume */
	uint64_t lost_count;
	uint8_t *ahead;			/* page_bytes for peek_second(), or NULL */
	struct abi_ring_read before;	/* the last consume */
};
/* At the place where the consuming reader stands. -ENOMEM */
int ring_cursor_init(struct ring_cursor *cursor, const struct ring_view *view);
void ring_cursor_done(struct ring_cursor *cursor);
/* Look at the next record without moving.  1, or 0 if there is none (yet).
 * The record stays valid until the next call. cursor->lost says how many
 * were overrun before it. */
int ring_cursor_peek(struct ring_cursor *cursor, struct ring_record *ret_record);
/* The same of the one behind the record just peeked; 0, too, if some were overrun
 * between them. */
int ring_cursor_peek_second(struct ring_cursor *cursor,
			    struct ring_record *ret_record);
/* Move past the record just peeked; clears ->lost. */
void ring_cursor_advance(struct ring_cursor *cursor,
			 const struct ring_record *record);
/*
 * Consume: make everything before the cursor read, because the reader has it.
 * Writers in producer/consumer mode get the pages back.
 *
 * Between ring_cursor_offer() and ring_cursor_consume() the reader is handed the
 * bytes; the cursor does not move meanwhile.  @ticket: where it is noted whether
 * the reader has them, or 0.  ring_cursor_withdraw() takes an
 * offer back: the reader has got nothing of it.  Only the server calls these.
 */
void ring_cursor_offer(const struct ring_cursor *cursor, uint64_t ticket);
void ring_cursor_withdraw(const struct ring_cursor *cursor);
void ring_cursor_consume(struct ring_cursor *cursor);
/* Undo the last consume: the reader has got nothing of it after all.  Nothing may
 * have been consumed since, by any cursor. */
void ring_cursor_return(struct ring_cursor *cursor);
/* Use this one if something has been consumed since: the records between the last
 * consume and @after, the state that it set, will be reported as lost. */
void ring_cursor_doubt(struct ring_cursor *cursor,
		       const struct abi_ring_read *after);
/* A copy of where the consuming reader stands; nothing in it is checked. */
struct abi_ring_read ring_read_state(const struct ring_view *view);
/* End an offer that nobody will end any more: the server was killed, or gives up.
 * Without an offer it changes nothing. */
enum ring_outcome {
	RING_IN_DOUBT,			/* records are not given again, and the
					 * next LOST line counts them */
	RING_TAKEN,			/* ring_cursor_consume() */
	RING_NOT_TAKEN,			/* ring_cursor_withdraw() */
};
void ring_settle(const struct ring_view *view, enum ring_outcome outcome);
/* The ticket of an offer that was not ended; 0: none, or there is no offer. */
uint64_t ring_offer_ticket(const struct ring_view *view);

struct ring_stats {
	uint64_t entries;		/* there to be read */
	uint64_t overrun;		/* lost by overwriting, since the clear */
	uint64_t dropped;		/* refused, since the clear */
	uint64_t read;			/* consumed since the clear */
	uint64_t pages;			/* in which those there are */
	uint64_t oldest_ns;		/* time of the oldest page's first; 0 */
	uint64_t unreported;		/* lost or in doubt, in no LOST line yet */
};
int ring_stats(const struct ring_view *view, struct ring_stats *ret_stats);
/* Of the records there to be read.  Looks at every page. */
uint64_t ring_unread_bytes(const struct ring_view *view);
/* Forget all that was written so far; counters start from 0. */
int ring_clear(const struct ring_view *view);
/* It takes the place of another one, and goes on with its counters. */
void ring_inherit(const struct ring_view *view, const struct ring_stats *old);

#endif
