/* SPDX-License-Identifier: MIT */
/*
 * Writing records.  The common case is one rseq section, arch_ring_append();
 * here is what surrounds it: crossing into the next page, the refusals of
 * producer/consumer mode, and the slow path with a lock.
 *
 *	position	0         16                 4090   4096      4112
 *	page		| header  | rec | rec | ...   |free  | header  | rec
 *
 *	append		position moves by the size of a record
 *	close		position moves to the next page's start: its slot's
 *			old content is gone for readers from here on
 *	open		the header of that page is written, position moves
 *			behind it
 *
 * Each is one commit (a store of `position`); what a SIGKILL before it leaves
 * behind is bytes beyond the position and copies of other words that the
 * position does not select, which nobody looks at.  In a FAST ring the commit
 * ends an rseq section of the ring's CPU, in a LOCKED one the lock is held:
 * at any time one writer can commit.  docs/design/ring.md has the proof.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/x86_64/offsets.h"
#include "base/bits.h"
#include "ring/shmlock.h"
#include "base/testpoint.h"
#include "ring/ring.h"

#define ABORTS_MAX	100	/* then the slow path: somebody single-steps */
#define STORES_MAX	9

/* One step, prepared outside of any section. */
struct step {
	uint64_t expect, position;
	struct arch_store stores[STORES_MAX];
	uint32_t nr;
};

static void step_store(struct step *step, void *addr, uint64_t value)
{
	step->stores[step->nr++] = (struct arch_store){ addr, value };
}

static uint64_t clock_now(const struct abi_ring *ring, uint64_t given_ns)
{
	if (ring->flags & ABI_RING_CLOCK_GIVEN)
		return given_ns;
	return ring->clock_ns + arch_tsc_scale(arch_tsc(), ring->clock_mult);
}

/* In the program the ring's own words are good; the server's view of a ring
 * was checked, and what is written through it stays within the ring. */
static struct ring_view view_of(struct abi_ring *ring)
{
	return (struct ring_view){
		.ring = ring,
		.page_bytes = ring->page_bytes,
		.nr_pages = ring->nr_pages,
		.pages_off = ring->pages_off,
	};
}

static uint32_t page_offset(const struct ring_view *view, uint64_t position)
{
	return position & (view->page_bytes - 1) & ~ABI_POS_FLAGS;
}

static uint64_t slot_of(const struct ring_view *view, uint64_t position)
{
	return position / view->page_bytes % view->nr_pages;
}

static char *page_at(const struct ring_view *view, uint64_t position)
{
	return (char *)view->ring + view->pages_off +
	       slot_of(view, position) * view->page_bytes;
}

/* Leave the page that @position is in.  -ENOBUFS: the reader is behind. */
static int prepare_close(const struct ring_view *view, uint64_t position,
			 struct step *step)
{
	struct abi_ring *ring = view->ring;
	uint32_t offset = page_offset(view, position);
	uint64_t start = (position & ~(uint64_t)ABI_POS_FLAGS) - offset;
	uint64_t next = start + view->page_bytes;

	if (!__atomic_load_n(&ring->overwrite, __ATOMIC_RELAXED)) {
		/* mate: ring_cursor_consume() [ring.free] */
		uint64_t read = __atomic_load_n(&ring->read_page,
						__ATOMIC_ACQUIRE);

		if (next / view->page_bytes - read >= view->nr_pages)
			return -ENOBUFS;
	}
	step->expect = position;
	/* The same copies: the end of this page is below all of the next. */
	step->position = next | (position & ABI_POS_FLAGS);
	step->nr = 0;
	step_store(step, page_at(view, position) + 8, offset - ABI_PAGE_HEADER);
	return 0;
}

/* Write the header of the page that @position is at the start of. */
static void prepare_open(const struct ring_view *view, uint64_t position,
			 uint64_t now_ns, struct step *step)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_PAGE;
	uint64_t start = position - old;
	char *page = page_at(view, position);
	struct abi_ring_page *table = (void *)((char *)ring + ABI_RING_PAGES_AT);
	uint64_t entries = ring->entries[old];

	now_ns = max_u64(now_ns, ring->time_ns[old]);
	step->expect = position;
	step->position = (start + ABI_PAGE_HEADER) | new;
	step->nr = 0;
	step_store(step, page, now_ns);
	step_store(step, page + 8, 0);
	step_store(step, &table[slot_of(view, position)].entries, entries);
	step_store(step, &ring->time_ns[new], now_ns);
	step_store(step, &ring->entries[new], entries);
	/* Both copies that the records of this page will select in turn. */
	for (int i = 0; i < 2; i++, new ^= ABI_POS_RECORD) {
		step_store(step, &ring->end[new],
			   start + view->page_bytes - RING_RESERVE + new);
		step_store(step, &ring->address[new],
			   (uint64_t)(page - (char *)ring) - start - new);
	}
}

/* ---- the fast ring ---- */

/* Count a refused record, on the CPU that refused it. */
static bool count_dropped(struct abi_ring *ring, uint32_t cpu)
{
	uint64_t dropped = __atomic_load_n(&ring->dropped, __ATOMIC_RELAXED);

	return arch_rseq_store(cpu, &ring->dropped, dropped, dropped + 1,
			       NULL, 0) == ARCH_COMMIT_DONE;
}

/* Does a record of @bytes fit at @offset of an open page? */
static bool has_room(const struct ring_view *view, uint32_t offset,
		     uint32_t bytes)
{
	return offset && view->page_bytes - offset >= bytes + RING_SPARE;
}

/*
 * Room for a record of @bytes: if need be, a close and an open.  0: try it;
 * -ENOBUFS: refused; -ECANCELED: recording is off.
 */
static int cross(const struct ring_set *set, uint32_t bytes, uint64_t now_ns)
{
	uint32_t cpu = arch_rseq_cpu();
	struct abi_ring *ring = cpu < set->nr_cpus ? set->fast[cpu] : NULL;
	struct ring_view view;
	struct step step;
	uint64_t position;
	uint32_t offset;

	if (!ring || ring_has_room(ring, bytes))
		return 0;	/* without a ring the append finds out */
	view = view_of(ring);
	if (!ring_is_recording(ring))
		return -ECANCELED;
	for (int i = 0; i < 2; i++) {
		/* Read before the clock: if it is unchanged at the commit,
		 * nobody has written a later time in between. */
		position = __atomic_load_n(&ring->position, __ATOMIC_ACQUIRE);
		offset = page_offset(&view, position);
		if (has_room(&view, offset, bytes))
			return 0;
		if (!offset) {
			prepare_open(&view, position, clock_now(ring, now_ns),
				     &step);
			TESTPOINT("ring.open");
		} else if (prepare_close(&view, position, &step)) {
			return count_dropped(ring, cpu) ? -ENOBUFS : 0;
		} else {
			TESTPOINT("ring.close");
		}
		if (arch_rseq_store(cpu, &ring->position, step.expect,
				    step.position, step.stores, step.nr) !=
		    ARCH_COMMIT_DONE)
			break;
	}
	return 0;
}

/* ---- the slow ring ---- */

static void commit_locked(struct abi_ring *ring, const struct step *step)
{
	for (uint32_t i = 0; i < step->nr; i++) {
		__atomic_store_n(step->stores[i].addr, step->stores[i].value,
				 __ATOMIC_RELAXED);
		TESTPOINT("ring.locked.store");
	}
	/* [ring.commit]; after a close the next stores go to the slot that
	 * this one gave up, and may not be seen before it: [ring.lap] */
	__atomic_store_n(&ring->position, step->position, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	TESTPOINT("ring.locked.commit");
}

static void count_dropped_locked(struct abi_ring *ring)
{
	__atomic_store_n(&ring->dropped, ring->dropped + 1, __ATOMIC_RELAXED);
}

static void append_locked(const struct ring_view *view, uint64_t position,
			  const void *data, uint32_t bytes, uint32_t type_len,
			  uint64_t now_ns)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_RECORD;
	uint64_t last = ring->time_ns[old];
	uint64_t now = max_u64(clock_now(ring, now_ns), last);
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
	ring->time_ns[new] = now;
	ring->entries[new] = ring->entries[old] + 1;
	TESTPOINT("ring.locked.append");
	__atomic_store_n(&ring->position, next ^ ABI_POS_RECORD,
			 __ATOMIC_RELEASE);		/* [ring.commit] */
}

static int write_under_lock(const struct ring_view *view, const void *data,
			    uint32_t bytes, uint32_t type_len, uint64_t now_ns)
{
	struct abi_ring *ring = view->ring;
	struct step step;

	/* Room, or an open, or a close and an open; else it is no ring. */
	for (int i = 0; i < 3; i++) {
		uint64_t position = __atomic_load_n(&ring->position,
						    __ATOMIC_RELAXED);
		uint32_t offset = page_offset(view, position);

		if (has_room(view, offset, bytes)) {
			append_locked(view, position, data, bytes, type_len,
				      now_ns);
			return 0;
		}
		if (!offset) {
			prepare_open(view, position, clock_now(ring, now_ns),
				     &step);
		} else if (prepare_close(view, position, &step)) {
			count_dropped_locked(ring);
			return -ENOBUFS;
		}
		commit_locked(ring, &step);
	}
	return -EBADMSG;
}

/* ---- both ---- */

/* The word in front of a large payload, and what to copy. */
static uint32_t frame(char **payload, uint32_t *bytes)
{
	uint32_t aligned = ALIGN_UP(*bytes, 4u);

	/* The end of the last word is ours to clear. */
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

int ring_view_write(const struct ring_view *view, void *payload,
		    uint32_t bytes, uint64_t now_ns, uint32_t tid)
{
	char *data = payload;
	uint32_t type_len;
	int r;

	if (!bytes || bytes > RING_PAYLOAD_MAX)
		return -EMSGSIZE;
	type_len = frame(&data, &bytes);
	r = shmlock_take(&view->ring->lock, tid);
	if (r)
		return r;
	r = write_under_lock(view, data, bytes, type_len, now_ns);
	shmlock_drop(&view->ring->lock);
	return r;
}

int ring_write_locked(struct abi_ring *ring, void *payload, uint32_t bytes,
		      uint64_t now_ns, uint32_t tid)
{
	struct ring_view view = view_of(ring);

	return ring_view_write(&view, payload, bytes, now_ns, tid);
}

static uint32_t current_cpu(void)
{
	unsigned int cpu;

	return arch_syscall3(SYS_getcpu, &cpu, NULL, NULL) ? 0 : cpu;
}

/* A number beyond the count, where there are holes: any has a lock. */
static struct abi_ring *slow_ring(const struct ring_set *set)
{
	uint32_t cpu = current_cpu();

	if (!set->nr_cpus)
		return NULL;
	return set->slow[cpu < set->nr_cpus ? cpu : 0];
}

/* Signals are kept out while the lock is held, or a handler that traces
 * would wait for the thread it interrupted. */
static int write_slow(const struct ring_set *set, void *payload,
		      uint32_t bytes, uint64_t now_ns)
{
	uint64_t all = ~0ull, old;
	struct abi_ring *ring = slow_ring(set);
	int r;

	if (!ring)
		return -ENODEV;
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	r = ring_write_locked(ring, payload, bytes, now_ns,
			      (uint32_t)arch_syscall0(SYS_gettid));
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
	return r;
}

static void drop_slow(const struct ring_set *set)
{
	uint64_t all = ~0ull, old;
	struct abi_ring *ring = slow_ring(set);

	if (!ring)
		return;
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	if (!shmlock_take(&ring->lock, (uint32_t)arch_syscall0(SYS_gettid))) {
		count_dropped_locked(ring);
		shmlock_drop(&ring->lock);
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
}

void ring_drop(const struct ring_set *set)
{
	for (uint32_t i = 0; set->has_rseq && i < ABORTS_MAX; i++) {
		uint32_t cpu = arch_rseq_cpu();
		struct abi_ring *ring = cpu < set->nr_cpus ?
					set->fast[cpu] : NULL;

		if (!ring)
			break;
		if (count_dropped(ring, cpu))
			return;
	}
	drop_slow(set);
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
		return write_slow(set, payload, bytes, now_ns);
	type_len = frame(&data, &size);
	for (uint32_t i = 0; i < ABORTS_MAX; i++) {
		enum arch_commit r;
		int refused = cross(set, size, now_ns);

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
	return write_slow(set, payload, bytes, now_ns);
}

static_assert(SET_NR_CPUS == offsetof(struct ring_set, nr_cpus), "asm");
static_assert(SET_SMALL_MAX == offsetof(struct ring_set, small_max), "asm");
static_assert(SET_NR_SMALL == offsetof(struct ring_set, nr_small), "asm");
static_assert(SET_FAST == offsetof(struct ring_set, fast), "asm");
