/* SPDX-License-Identifier: MIT */
/*
 * Write records.  The common case is one rseq section, arch_ring_append().  This file has
 * the other cases: retries after an abort, records that are refused in producer/consumer
 * mode, and the slow path with a lock.  cross.c moves to the next page.
 *
 *	position	0         16                 4090   4096      4112
 *	page		| header  | rec | rec | ...   |free  | header  | rec
 *
 *	append		position moves by the size of a record
 *	close		position moves to the start of the next page; from now
 *			on readers treat the old content of its slot as gone
 *	open		the header of that page is written, position moves to
 *			the byte after it
 *	fill		slow rings only: append and close in one step.  The
 *			record needs all of an empty page, position moves from
 *			the byte after the header to the start of the next page
 *
 * Each step is one commit, a store of `position`.  A SIGKILL before it leaves bytes
 * beyond the position, and copies of other words that the position does not select; no
 * code reads either.  In a fast ring the commit ends an rseq section of the ring's CPU;
 * in a LOCKED (slow) ring the writer holds the lock.  So only one writer at a time can
 * commit.  docs/design/ring.md has the proof.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/shmlock.h"
#include "ring/step.h"

#define ABORTS_MAX	100	/* limit: after this many aborts of an rseq section the
				 * writer takes the slow path; a debugger that
				 * single-steps the thread would abort each attempt */

/* ---- write a record to a slow ring; the caller holds the lock of the ring ---- */

static void commit_locked(struct abi_ring *ring, const struct step *step)
{
	for (uint32_t i = 0; i < step->nr; i++) {
		__atomic_store_n(step->stores[i].addr, step->stores[i].value,
				 __ATOMIC_RELAXED);
		TESTPOINT("ring.locked.store");
	}
	/* Commit the step [ring.commit].  A close takes the page slot of the oldest
	 * page, so the next stores overwrite this page.  The fence keeps readers from
	 * seeing those stores before the new position [ring.lap]. */
	__atomic_store_n(&ring->position, step->position, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	TESTPOINT("ring.locked.commit");
}

static void count_dropped_locked(struct abi_ring *ring, uint64_t nr)
{
	__atomic_store_n(&ring->dropped, ring->dropped + nr, __ATOMIC_RELAXED);
}

static void append_locked(const struct ring_view *view, uint64_t position,
			  const void *data, uint32_t bytes, uint32_t type_len,
			  uint64_t now_ns)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_RECORD;
	uint64_t last = ring->time_ns[old];
	uint64_t now = max_u64(ring_clock_now(ring, now_ns), last);
	uint64_t delta = now - last;
	uint64_t next = position + 4 + bytes;
	char *to = page_at(view, position) + page_offset(view, position);
	uint32_t word;

	if (delta >> ABI_REC_DELTA_BITS) {
		word = (uint32_t)(delta << ABI_REC_TYPE_BITS) |
		       ABI_REC_TIME_EXTEND;
		memcpy(to, &word, 4);
		word = (uint32_t)(delta >> ABI_REC_DELTA_BITS);
		memcpy(to + 4, &word, 4);
		delta = 0;
		to += 8;
		next += 8;
	}
	word = (uint32_t)(delta << ABI_REC_TYPE_BITS) | type_len;
	memcpy(to, &word, 4);
	memcpy(to + 4, data, bytes);
	/* Make the position that the previous commit stored visible before time_ns[new]
	 * and entries[new] change.  Pairs with ring_head() [ring.copy] */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ring->time_ns[new] = now;
	ring->entries[new] = ring->entries[old] + 1;
	TESTPOINT("ring.locked.append");
	__atomic_store_n(&ring->position, next ^ ABI_POS_RECORD,
			 __ATOMIC_RELEASE);		/* [ring.commit] */
}

/* Returns true if a record of @bytes fits only into an empty page, and needs the whole page. */
static bool needs_page(const struct ring_view *view, uint32_t bytes)
{
	return !page_has_space(view, ABI_PAGE_HEADER, bytes) &&
	       view->page_bytes - ABI_PAGE_HEADER >= bytes + 4;
}

/*
 * Append a record that fills the page of @position, and close the page.  The caller has
 * just opened the page.  So the record has the page's time, and needs no time extend,
 * for which there is no space.
 *
 * The end of the page is the start of the next page.  So an append up to this point
 * also closes the page, and one commit must do both.
 *
 * Returns 0, or -ENOBUFS if the reader has not freed the next page yet.
 */
static int fill_page_locked(const struct ring_view *view, uint64_t position,
			    const void *data, uint32_t bytes, uint32_t type_len)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_RECORD;
	char *to = page_at(view, position) + page_offset(view, position);
	struct step step;

	if (step_close(view, position, &step))
		return -ENOBUFS;
	memcpy(to, &type_len, 4);	/* Write only the type_len to the record's
					 * header, because the time delta is 0. */
	memcpy(to + 4, data, bytes);
	TESTPOINT("ring.locked.fill");
	step.stores[STEP_CLOSE_COMMIT].value += 4 + bytes;
	step_store(&step, &ring->time_ns[new], ring->time_ns[old]);
	step_store(&step, &ring->entries[new], ring->entries[old] + 1);
	step.position ^= ABI_POS_RECORD;
	commit_locked(ring, &step);
	return 0;
}

/*
 * Write a record while the caller holds the lock.  A record that needs a whole page
 * gets the page's time, so this call must open the page for it.
 *
 * A killed writer can leave an open page without records.  This function closes such
 * a page and opens the next one.  Before it opens a page for a record that needs a
 * whole page, it checks that it can close this page.  Without this check, a refused
 * record would leave an open page without records, too.
 */
static int write_under_lock(const struct ring_view *view, const void *data,
			    uint32_t bytes, uint32_t type_len, uint64_t now_ns)
{
	bool is_large = needs_page(view, bytes), has_opened = false;
	struct abi_ring *ring = view->ring;
	int r = -EBADMSG;
	struct step step;

	/* A write needs at most three steps: a close, an open, and an append or a fill.  If
	 * three steps are not enough, another process has changed the ring's words. */
	for (int i = 0; i < 3; i++) {
		uint64_t position = __atomic_load_n(&ring->position,
						    __ATOMIC_RELAXED);
		uint32_t offset = page_offset(view, position);

		if (page_has_space(view, offset, bytes)) {
			append_locked(view, position, data, bytes, type_len,
				      now_ns);
			return 0;
		}
		if (is_large && has_opened && offset == ABI_PAGE_HEADER) {
			r = fill_page_locked(view, position, data, bytes, type_len);
			break;
		}
		if ((offset || is_large) && step_close(view, position, &step)) {
			r = -ENOBUFS;
			break;
		}
		if (!offset) {
			step_open(view, position, ring_clock_now(ring, now_ns), &step);
			has_opened = true;
		}
		commit_locked(ring, &step);
	}
	if (r == -ENOBUFS)
		count_dropped_locked(ring, 1);
	return r;
}

/* ---- write a record to a fast ring, or else to a slow ring ---- */

/* Prepare the payload for the copy: fill the last word with zeros, and put a length word
 * before a large payload.  Returns the type_len of the record's header. */
static uint32_t frame_payload(char **payload, uint32_t *bytes)
{
	uint32_t aligned = ALIGN_UP(*bytes, 4u);

	/* Clear the bytes up to the next multiple of 4, which the contract of
	 * ring_write() permits. */
	for (uint32_t i = *bytes; i < aligned; i++)
		(*payload)[i] = 0;
	if (aligned <= RING_SMALL_MAX) {
		*bytes = aligned;
		return aligned / 4;
	}
	*bytes = aligned + 4;
	*payload -= RING_HEADROOM;
	memcpy(*payload, bytes, 4);
	return 0;
}

/* Write a record under the lock of the slow ring of @view.  @patience: how
 * often to yield before giving up; see shmlock_take_patiently(). */
static int lock_and_write(const struct ring_view *view, void *payload, uint32_t bytes,
			  uint64_t now_ns, uint32_t tid, uint32_t *patience)
{
	char *data = payload;
	uint32_t type_len;
	int r;

	if (!bytes || bytes > RING_PAYLOAD_MAX_SLOW)
		return -EMSGSIZE;
	type_len = frame_payload(&data, &bytes);
	r = shmlock_take_patiently(&view->ring->lock, tid, patience);
	if (r)
		return r;
	r = write_under_lock(view, data, bytes, type_len, now_ns);
	shmlock_drop(&view->ring->lock);
	return r;
}

int ring_view_write(const struct ring_view *view, void *payload,
		    uint32_t bytes, uint64_t now_ns, uint32_t tid)
{
	uint32_t yields = SHMLOCK_YIELDS;

	return lock_and_write(view, payload, bytes, now_ns, tid, &yields);
}

int ring_view_drop(const struct ring_view *view, uint64_t nr, uint32_t tid)
{
	uint32_t yields = SHMLOCK_YIELDS;
	int r = shmlock_take_patiently(&view->ring->lock, tid, &yields);

	if (r)
		return r;
	count_dropped_locked(view->ring, nr);
	shmlock_drop(&view->ring->lock);
	return 0;
}

/* How often threads of this process yield while they wait for the lock of a
 * slow ring. */
static uint32_t patience = SHMLOCK_YIELDS;

static uint32_t current_cpu(void)
{
	unsigned int cpu;

	return arch_syscall3(SYS_getcpu, &cpu, NULL, NULL) ? 0 : cpu;
}

/* Returns the slow ring for this thread.  CPU numbers may have gaps, so the number of
 * the CPU may be larger than the number of rings.  A thread on such a CPU uses ring 0,
 * which is safe because slow rings have locks. */
static const struct ring_view *slow_ring(const struct ring_set *set)
{
	const struct ring_view *view;
	uint32_t cpu = current_cpu();

	if (!set->nr_cpus)
		return NULL;
	view = __atomic_load_n(&set->slow[cpu < set->nr_cpus ? cpu : 0],
			       __ATOMIC_RELAXED);
	return view->ring ? view : NULL;
}

/* Block signals while this thread holds the lock of the slow ring.  Otherwise a signal
 * handler that traces would wait for the thread that it has interrupted. */
static int write_slow_ring(const struct ring_set *set, void *payload,
			   uint32_t bytes, uint64_t now_ns)
{
	const struct ring_view *view = slow_ring(set);
	struct arch_signals old;
	int r;

	if (!view)
		return -ENODEV;
	arch_signals_block(&old);
	r = lock_and_write(view, payload, bytes, now_ns, shmlock_self(), &patience);
	arch_signals_restore(&old);
	return r;
}

static void count_slow_drop(const struct ring_set *set)
{
	const struct ring_view *view = slow_ring(set);
	struct arch_signals old;

	if (!view)
		return;
	arch_signals_block(&old);
	if (!shmlock_take_patiently(&view->ring->lock, shmlock_self(), &patience)) {
		count_dropped_locked(view->ring, 1);
		shmlock_drop(&view->ring->lock);
	}
	arch_signals_restore(&old);
}

void ring_drop(const struct ring_set *set)
{
	for (uint32_t i = 0; set->has_rseq && i < ABORTS_MAX; i++) {
		uint32_t cpu = arch_rseq_cpu();
		const struct ring_view *view = ring_set_fast(set, cpu);

		if (!view)
			break;
		if (ring_count_dropped(view, cpu))
			return;
	}
	count_slow_drop(set);
}

int ring_write(const struct ring_set *set, void *payload, uint32_t bytes,
	       uint64_t now_ns)
{
	char *data = payload;
	uint32_t size = bytes;
	uint32_t type_len;

	if (unlikely(!bytes || bytes > RING_PAYLOAD_MAX))
		return -EMSGSIZE;
	if (unlikely(!set->has_rseq))
		return write_slow_ring(set, payload, bytes, now_ns);
	type_len = frame_payload(&data, &size);
	for (uint32_t i = 0; i < ABORTS_MAX; i++) {
		enum arch_commit r;
		int refused = ring_cross(set, size, set->clock_given ? now_ns : 0);

		if (refused == -EBADMSG)
			break;	/* Another process has overwritten the ring's words. */
		if (refused)
			return refused;
		r = set->clock_given ?
		    arch_ring_append_given(set, data, now_ns, type_len, 0, size) :
		    arch_ring_append(set, data, 0, type_len, 0, size);
		if (r == ARCH_COMMIT_DONE)
			return 0;
		if (r == ARCH_COMMIT_NO_RING)
			break;
	}
	return write_slow_ring(set, payload, bytes, now_ns);
}
