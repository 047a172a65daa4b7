/* SPDX-License-Identifier: MIT */
/* The consuming reader of the torture, which compares sums at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "lib/torture.h"

#define BATCH			2000
#define CLOCKS_DIFFER_NS	100000	/* maximal difference between the TSCs of two CPUs */

/* A bound context missed some records in its own ring, although nothing was lost there.
 * These records must be in the slow ring. */
struct gap {
	uint32_t writer, from, to;
	uint32_t slow_ring;
};

struct consumer {
	struct torture *t;
	struct tally tally;
	struct consumer_ring {
		struct ring_cursor cursor;
		uint64_t read, lost;
		uint64_t time_ns;
		uint64_t lost_ns;	/* something was lost before this time */
		uint64_t extends;
		struct last {
			uint32_t next;		/* expected sequence number, 0: none yet */
			uint64_t lost;		/* ->lost when the last record was read */
		} *last;			/* [RECORD_WRITERS] */
	} *rings;
	struct gap *gaps;
	uint32_t nr_gaps, max_gaps;
	struct seen {
		struct record_id id;
		uint64_t time_ns;
	} *seen;			/* all records of a dead ring */
	uint64_t nr_seen, max_seen;
};

static void remember_gap(struct consumer *c, const struct gap *gap)
{
	if (c->nr_gaps == c->max_gaps) {
		c->max_gaps = c->max_gaps ? 2 * c->max_gaps : 64;
		c->gaps = realloc(c->gaps, c->max_gaps * sizeof(*c->gaps));
		if (!c->gaps)
			_exit(1);
	}
	c->gaps[c->nr_gaps++] = *gap;
}

static void remember_seen(struct consumer *c, struct record_id id,
			  uint64_t time_ns)
{
	if (c->nr_seen == c->max_seen) {
		c->max_seen = c->max_seen ? 2 * c->max_seen : 4096;
		c->seen = realloc(c->seen, c->max_seen * sizeof(*c->seen));
		if (!c->seen)
			_exit(1);
	}
	c->seen[c->nr_seen++] = (struct seen){ id, time_ns };
}

/* Records of one writer must be in the ring in the order of writing. */
static void check_order(struct consumer *c, uint32_t ring, struct record_id id)
{
	struct consumer_ring *cr = &c->rings[ring];
	struct last *last = &cr->last[id.writer];
	int32_t home = c->t->shared->contexts[id.writer].home;

	if (id.seq < last->next)
		torture_fail(c->t, "ring %u: writer %u: %u after %u", ring,
			     id.writer, id.seq, last->next - 1);
	else if (last->next && id.seq > last->next && home == (int32_t)ring &&
		 last->lost == cr->lost)
		remember_gap(c, &(struct gap){ id.writer, last->next, id.seq,
					       ring | 1 });
	last->next = id.seq + 1;
	last->lost = cr->lost;
}

static void check_record(struct consumer *c, uint32_t ring,
			 const struct ring_record *record)
{
	struct consumer_ring *cr = &c->rings[ring];
	uint64_t index = cr->cursor.entries;
	struct record_id id;
	int r;

	if (c->t->ops->check(c->t, record, &id)) {
		torture_fail(c->t, "ring %u: record %llu (%u bytes) is torn",
			     ring, (unsigned long long)index, record->bytes);
		return;
	}
	if (record->time_ns < cr->time_ns)
		torture_fail(c->t, "ring %u: time ran back by %llu ns", ring,
			     (unsigned long long)(cr->time_ns - record->time_ns));
	/* Within a page such a delta needs a time extend. */
	if (record->offset && record->time_ns - cr->time_ns >=
	    1ull << ABI_REC_DELTA_BITS)
		cr->extends++;
	cr->time_ns = record->time_ns;
	check_order(c, ring, id);
	if (c->t->is_dead)
		remember_seen(c, id, record->time_ns);
	r = tally_mark(&c->tally, id);
	if (r)
		torture_fail(c->t, "ring %u: writer %u: %u is there twice (%d)",
			     ring, id.writer, id.seq, r);
}

/* Returns the number of records read, or -EBADMSG. */
static int read_some(struct consumer *c, uint32_t ring)
{
	struct consumer_ring *cr = &c->rings[ring];
	struct ring_record record;
	int nr = 0;

	while (nr < BATCH && ring_cursor_peek(&cr->cursor, &record)) {
		cr->lost += cr->cursor.lost;
		if (cr->cursor.lost)
			cr->lost_ns = record.time_ns;
		check_record(c, ring, &record);
		ring_cursor_advance(&cr->cursor, &record);
		cr->read++;
		nr++;
	}
	ring_cursor_consume(&cr->cursor);
	if (cr->cursor.is_corrupt) {
		torture_fail(c->t, "ring %u cannot be parsed after %llu records",
			     ring, (unsigned long long)cr->read);
		return -EBADMSG;
	}
	return nr;
}

static int read_until_drained(struct consumer *c)
{
	struct torture *t = c->t;

	for (;;) {
		bool is_last = __atomic_load_n(&t->shared->drain,
					       __ATOMIC_ACQUIRE);
		int nr = 0;

		for (uint32_t i = 0; i < t->nr_rings; i++) {
			int r = read_some(c, i);

			if (r < 0)
				return r;
			nr += r;
		}
		if (is_last && !nr)
			return 0;
		if (!nr)
			usleep(200);
	}
}

/* ---- sums ---- */

struct sums {
	uint64_t entries, dropped;	/* counted by the rings */
	uint64_t read, lost;		/* counted by the reader */
	uint64_t written, refused;	/* counted by the writers */
	uint64_t unsure;		/* number of writers killed inside write() */
};

static void close_ring(struct consumer *c, uint32_t i, struct sums *sums)
{
	struct consumer_ring *cr = &c->rings[i];
	struct torture *t = c->t;
	struct ring_stats stats;
	struct ring_head head;

	if (ring_head(&t->views[i], &head) ||
	    ring_stats(&t->views[i], &stats)) {
		torture_fail(t, "ring %u has no end", i);
		return;
	}
	cr->lost += cr->cursor.lost;	/* lost after the last record */
	if (cr->read + cr->lost != head.entries)
		torture_fail(t, "ring %u: %llu read + %llu lost != %llu written",
			     i, (unsigned long long)cr->read,
			     (unsigned long long)cr->lost,
			     (unsigned long long)head.entries);
	if (stats.entries || stats.read != cr->read ||
	    stats.overrun != cr->lost || stats.dropped != head.dropped)
		torture_fail(t, "ring %u: the statistics are wrong", i);
	if (!t->config->overwrite && cr->lost)
		torture_fail(t, "ring %u: overrun by %llu without overwrite", i,
			     (unsigned long long)cr->lost);
	sums->entries += head.entries;
	sums->dropped += head.dropped;
	sums->read += cr->read;
	sums->lost += cr->lost;
	t->shared->extends += cr->extends;
}

static void close_context(struct consumer *c, uint32_t i, struct sums *sums)
{
	struct torture *t = c->t;
	const struct torture_context *context = &t->shared->contexts[i];
	uint32_t written = (uint32_t)context->written;
	bool is_unsure = !context->is_done && context->is_trying;
	uint32_t seen = tally_count(&c->tally, i, written);
	uint32_t all = c->tally.writers[i].count;

	/* A writer may have written one record more than it counted: the record during which
	 * it was killed. */
	if (all > seen && (!is_unsure || all != seen + 1 ||
			   !tally_has(&c->tally,
				      (struct record_id){ i, written })))
		torture_fail(t, "writer %u wrote %u, but there are %u more", i,
			     written, all - seen);
	if (!t->config->overwrite && !t->ops->unreported && seen != written)
		torture_fail(t, "writer %u wrote %u, of which %u are there", i,
			     written, seen);
	sums->written += written;
	sums->refused += context->refused;
	sums->unsure += is_unsure;
}

static void close_gaps(struct consumer *c)
{
	/* Records that were refused, or lost because of a lock, are gaps, too. */
	if (c->t->ops->unreported &&
	    (!c->t->config->overwrite || c->t->ops->unreported(c->t)))
		return;
	for (uint32_t i = 0; i < c->nr_gaps; i++) {
		const struct gap *gap = &c->gaps[i];

		if (c->rings[gap->slow_ring].lost)
			continue;
		for (uint32_t seq = gap->from; seq < gap->to; seq++) {
			struct record_id id = { gap->writer, seq };

			if (tally_has(&c->tally, id))
				continue;
			torture_fail(c->t, "writer %u: %u is missing where "
				     "nothing was lost", id.writer, seq);
			break;
		}
	}
}

/* Returns true if the counts of rings and writers agree. */
static bool is_balanced(struct torture *t, const struct sums *s)
{
	uint64_t rings = s->entries + s->dropped;
	uint64_t writers = s->written + s->refused;

	if (t->ops->unreported) {
		rings += t->ops->unreported(t);
		return rings >= writers && rings <= writers + s->unsure;
	}
	return s->entries >= s->written && s->dropped >= s->refused &&
	       rings <= writers + s->unsure;
}

/*
 * Overwriting removes the oldest records.  So all records of a writer that are newer than the
 * oldest record of any ring that lost something must be there, up to the writer's last one.
 * Rings that refuse records are left out if write() does not report it.
 */
static void check_newest(struct consumer *c)
{
	uint32_t *from = malloc(RECORD_WRITERS * sizeof(*from));
	uint64_t since_ns = 0;

	if (!from || (!c->t->config->overwrite && c->t->ops->unreported) ||
	    (c->t->ops->unreported && c->t->ops->unreported(c->t))) {
		free(from);
		return;
	}
	memset(from, 0xff, RECORD_WRITERS * sizeof(*from));
	for (uint32_t i = 0; i < c->t->nr_rings; i++)
		since_ns = max_u64(since_ns, c->rings[i].lost_ns);
	since_ns += CLOCKS_DIFFER_NS;
	for (uint64_t i = 0; i < c->nr_seen; i++) {
		struct record_id id = c->seen[i].id;

		if (c->seen[i].time_ns > since_ns)
			from[id.writer] = min_u32(from[id.writer], id.seq);
	}
	for (uint32_t i = 0; i < RECORD_WRITERS; i++) {
		uint64_t written = c->t->shared->contexts[i].written;

		for (uint32_t seq = from[i]; seq < written; seq++) {
			if (tally_has(&c->tally, (struct record_id){ i, seq }))
				continue;
			torture_fail(c->t, "writer %u: %u of %llu is missing",
				     i, seq, (unsigned long long)written);
			break;
		}
	}
	free(from);
}

static void balance(struct consumer *c)
{
	struct torture *t = c->t;
	struct sums s = { 0 };

	for (uint32_t i = 0; i < t->nr_rings; i++)
		close_ring(c, i, &s);
	for (uint32_t i = 0; i < min_u32(t->shared->nr_contexts,
					 RECORD_WRITERS); i++)
		close_context(c, i, &s);
	close_gaps(c);
	if (t->is_dead)
		check_newest(c);
	if (!is_balanced(t, &s))
		torture_fail(t, "rings: %llu written, %llu dropped; writers: "
			     "%llu, %llu and %llu killed in the act",
			     (unsigned long long)s.entries,
			     (unsigned long long)s.dropped,
			     (unsigned long long)s.written,
			     (unsigned long long)s.refused,
			     (unsigned long long)s.unsure);
	if (c->tally.count != s.read)
		torture_fail(t, "%llu records read, %llu different",
			     (unsigned long long)s.read,
			     (unsigned long long)c->tally.count);
	t->shared->read = s.read;
	t->shared->lost = s.lost;
	t->shared->dropped = s.dropped;
}

static int init(struct consumer *c, struct torture *t)
{
	c->t = t;
	c->rings = calloc(t->nr_rings, sizeof(*c->rings));
	if (!c->rings || tally_init(&c->tally))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr_rings; i++) {
		struct consumer_ring *cr = &c->rings[i];

		cr->last = calloc(RECORD_WRITERS, sizeof(*cr->last));
		if (!cr->last || ring_cursor_init(&cr->cursor, &t->views[i]))
			return -ENOMEM;
	}
	return 0;
}

static void done(struct consumer *c)
{
	for (uint32_t i = 0; c->rings && i < c->t->nr_rings; i++) {
		ring_cursor_done(&c->rings[i].cursor);
		free(c->rings[i].last);
	}
	free(c->rings);
	free(c->gaps);
	free(c->seen);
	tally_done(&c->tally);
}

int torture_consume(struct torture *t)
{
	struct consumer c = { 0 };
	int r = init(&c, t);

	if (!r)
		r = read_until_drained(&c);
	if (!r)
		balance(&c);
	done(&c);
	return r;
}
