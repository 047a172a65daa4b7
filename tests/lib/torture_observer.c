/* SPDX-License-Identifier: MIT */
/*
 * A reader of the torture that consumes nothing.  It reads whole pages, from the oldest to
 * the newest, again and again, and reads records with a cursor at its own speed.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/torture.h"

#define BATCH	500

struct observer {
	struct torture *t;
	struct ring_page page;
	struct ring_cursor *cursors;	/* [nr_rings] */
	uint64_t *times;		/* [nr_rings], time of each cursor's last record */
	uint64_t records, pages, lost;
};

/* Check all records of a page.  Returns their number. */
static uint64_t check_page(struct observer *o, uint32_t ring)
{
	uint64_t time_ns = o->page.time_ns, last_ns = time_ns, nr = 0;
	struct ring_record record;
	struct record_id id;
	uint32_t offset = 0;
	int r;

	while ((r = ring_record_next(&o->page, &offset, &time_ns,
				     &record)) > 0) {
		if (o->t->ops->check(o->t, &record, &id))
			torture_fail(o->t, "ring %u, page %llu at %u: torn", ring,
				     (unsigned long long)o->page.seq,
				     record.offset);
		if (record.time_ns < last_ns)
			torture_fail(o->t, "ring %u, page %llu: time ran back",
				     ring, (unsigned long long)o->page.seq);
		last_ns = record.time_ns;
		nr++;
	}
	if (r < 0)
		torture_fail(o->t, "ring %u, page %llu at %u: no record", ring,
			     (unsigned long long)o->page.seq, offset);
	o->records += nr;
	o->pages++;
	return nr;
}

/* Read all pages.  The counts at their beginning must add up, and times must not go back. */
static void read_pages(struct observer *o, uint32_t ring)
{
	const struct ring_view *view = &o->t->views[ring];
	uint64_t entries = 0, time_ns = 0;
	bool is_next = false;
	struct ring_head head;

	if (ring_head(view, &head))
		return;
	for (uint64_t seq = ring_oldest(view, &head); seq <= head.page; seq++) {
		int r = ring_page_read(view, seq, &o->page);

		if (r) {
			is_next = false;
			continue;
		}
		if (is_next && (o->page.entries != entries ||
				o->page.time_ns < time_ns))
			torture_fail(o->t, "ring %u: page %llu does not follow "
				     "the one before", ring,
				     (unsigned long long)seq);
		time_ns = o->page.time_ns;
		entries = o->page.entries + check_page(o, ring);
		is_next = !o->page.is_open;
	}
}

static uint32_t follow(struct observer *o, uint32_t ring)
{
	struct ring_cursor *cursor = &o->cursors[ring];
	struct ring_record record;
	struct record_id id;
	uint32_t nr = 0;

	while (nr < BATCH && ring_cursor_peek(cursor, &record)) {
		o->lost += cursor->lost;
		if (o->t->ops->check(o->t, &record, &id))
			torture_fail(o->t, "ring %u: record %llu is torn", ring,
				     (unsigned long long)cursor->entries);
		if (record.time_ns < o->times[ring])
			torture_fail(o->t, "ring %u: time ran back", ring);
		o->times[ring] = record.time_ns;
		ring_cursor_advance(cursor, &record);
		nr++;
	}
	if (cursor->is_corrupt) {
		torture_fail(o->t, "ring %u cannot be parsed", ring);
		_exit(1);
	}
	o->records += nr;
	return nr;
}

static void check_end(struct observer *o, uint32_t ring)
{
	struct ring_cursor *cursor = &o->cursors[ring];
	struct ring_head head;

	if (ring_head(&o->t->views[ring], &head))
		return;
	if (cursor->entries != head.entries ||
	    cursor->read_count + cursor->lost_count != head.entries)
		torture_fail(o->t, "ring %u: a cursor read %llu and lost %llu "
			     "of %llu", ring,
			     (unsigned long long)cursor->read_count,
			     (unsigned long long)cursor->lost_count,
			     (unsigned long long)head.entries);
}

static void observe(struct observer *o)
{
	struct torture *t = o->t;
	uint64_t random = t->seed;

	for (;;) {
		bool is_last = __atomic_load_n(&t->shared->drain,
					       __ATOMIC_ACQUIRE);
		uint32_t nr = 0;

		for (uint32_t i = 0; i < t->nr_rings; i++) {
			if (!random_below(&random, 4))
				read_pages(o, i);
			nr += follow(o, i);
		}
		if (is_last && !nr)
			break;
		if (!is_last)
			usleep(random_below(&random, 3000));
	}
	for (uint32_t i = 0; i < t->nr_rings; i++)
		check_end(o, i);
}

void torture_observer(struct torture *t)
{
	struct observer o = {
		.t = t,
		.page.data = malloc(t->config->page_bytes),
		.cursors = calloc(t->nr_rings, sizeof(*o.cursors)),
		.times = calloc(t->nr_rings, sizeof(*o.times)),
	};

	if (!o.page.data || !o.cursors || !o.times)
		_exit(1);
	/* Create the cursors before the consumer runs: then only the consumer may look up its
	 * position. */
	for (uint32_t i = 0; i < t->nr_rings; i++) {
		if (ring_cursor_init(&o.cursors[i], &t->views[i]))
			_exit(1);
	}
	__atomic_add_fetch(&t->shared->observers_ready, 1, __ATOMIC_RELEASE);
	observe(&o);
	__atomic_add_fetch(&t->shared->observed, o.records, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->shared->observed_pages, o.pages,
			   __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->shared->observed_lost, o.lost, __ATOMIC_RELAXED);
	_exit(0);
}
