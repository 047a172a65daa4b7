/* SPDX-License-Identifier: MIT */
/*
 * Find out whether a buffer records, and to which of its sides.  The server and any
 * process of the root, also in a signal handler, can switch both at any moment.
 *
 *	word			writer
 *	abi_buffer.stopped	any process, the server: tracing_on
 *	abi_buffer.spare	any process, the server: swap the sides;
 *				the server: add or remove the spare side
 *	abi_buffer.paused	the server
 *	abi_buffer.cpus_off	the server: tracing_cpumask
 *	abi_buffer.cpus_swapped	the server: swap the sides of one CPU
 *	abi_ring.off		a process that changes one of the words above: off;
 *				writers of records: as the words above say
 *	ring_set.fast, slow	writers of records in this process
 *
 * The words of abi_buffer decide.  A writer of a small record does not load these
 * words.  It loads only the ring's `off', which stands for them: while a ring is off,
 * no record fits into it, and a writer that finds no space calls this code.
 *
 *	to change a word		to write a record
 *	1 store the word		1 load the words, select the main ring
 *	2 switch all rings off		2 switch it on or off, as the words say
 *	     [switch.off]		3 load the words again; if they have changed:
 *					  switch the ring off, start again
 *
 * docs/design/snapshot.md has the proof.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/ring.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/ring.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/buffer/buffer_write.h"
#include <ulf/event.h>

#define CHANGES_MAX	100	/* maximum number of restarts of one writer; after
				 * that the writer uses the state that it loaded last */

/* The state of one CPU in a buffer, as computed from the words of abi_buffer. */
struct state {
	bool is_on;
	uint32_t side;
};

static struct state state_load(const struct abi_buffer *shared, uint32_t cpu)
{
	return (struct state){
		.is_on = !__atomic_load_n(&shared->stopped, __ATOMIC_RELAXED) &&
			 !__atomic_load_n(&shared->paused, __ATOMIC_RELAXED) &&
			 !(__atomic_load_n(&shared->cpus_off[cpu / 64],
					   __ATOMIC_RELAXED) >> cpu % 64 & 1),
		.side = abi_main_side(shared, cpu),
	};
}

/* Make *@at point to @ring.  Store only if the value changes: usually it does not,
 * and a store would take the cache line away from other CPUs. */
#define POINT(at, ring)							\
	do {								\
		__typeof__(*(at)) to = (ring);				\
									\
		if (__atomic_load_n(at, __ATOMIC_RELAXED) != to)	\
			__atomic_store_n(at, to, __ATOMIC_RELAXED);	\
	} while (0)

/*
 * Make set->fast[@cpu] and set->slow[@cpu] point to the rings of @side.  If the agent
 * is late, this process may have no rings of @side yet.  Then its threads write to the
 * slow ring of the other side, which is safe because a slow ring is never off.
 */
struct abi_ring *ring_set_point(struct ring_set *set, uint32_t cpu,
				uint32_t side)
{
	struct abi_ring *fast = set->side[side].fast[cpu].ring;
	bool has_slow = set->side[side].slow[cpu].ring;

	POINT(&set->fast[cpu], fast ? fast : &ring_none);
	POINT(&set->slow[cpu], &set->side[has_slow ? side : !side].slow[cpu]);
	return fast;
}

bool ring_set_refresh(const struct buffer *buffer, struct ring_set *set)
{
	uint32_t cpu = thread_cpu();
	struct state state = state_load(buffer->shared, cpu), now;

	if (cpu >= set->nr_cpus) {
		/* This CPU has no rings, so its records go to a ring of CPU 0; see
		 * slow_ring(). */
		if (set->nr_cpus)
			ring_set_point(set, 0, abi_main_side(buffer->shared, 0));
		return state.is_on;
	}
	for (int i = 0; i < CHANGES_MAX; i++) {
		struct abi_ring *ring = ring_set_point(set, cpu, state.side);

		if (!set->has_rseq || !ring ||
		    ring_is_recording(ring) == state.is_on)
			break;
		TESTPOINT("switch.seen");
		ring_set_recording(ring, state.is_on);
		TESTPOINT("switch.off");
		__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* [switch.off] */
		now = state_load(buffer->shared, cpu);
		if (now.is_on == state.is_on && now.side == state.side)
			break;
		ring_set_recording(ring, false);
		state = now;
	}
	return state.is_on;
}

/* Switch all fast rings of @buffer off, so that every writer loads the words of
 * abi_buffer that the caller has changed. */
static void set_rings_off(const struct buffer *buffer)
{
	const struct ring_set *set = buffer_set(buffer);

	TESTPOINT("switch.word");
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* [switch.off] */
	for (uint32_t i = 0; i < set->nr_cpus; i++) {
		for (uint32_t side = 0; side < RING_SIDES; side++) {
			if (set->side[side].fast[i].ring)
				ring_set_recording(set->side[side].fast[i].ring,
						   false);
		}
	}
}

bool buffer_set_recording(const struct buffer *buffer, bool on)
{
	bool was_on = !__atomic_exchange_n(&buffer->shared->stopped,
					   on ? 0 : abi_late_stamp(arch_tsc()),
					   __ATOMIC_RELAXED);

	if (!on)
		set_rings_off(buffer);
	return was_on != on;
}

bool buffer_is_recording(const struct buffer *buffer)
{
	return !__atomic_load_n(&buffer->shared->stopped, __ATOMIC_RELAXED);
}

/* ---- take a snapshot of a buffer ---- */

static void write_text(const struct buffer *buffer, const char *text)
{
	struct {
		uint32_t headroom[2];	/* free space before the record; buffer_write()
					 * uses the last RING_HEADROOM bytes of this
					 * space */
		struct trace_entry head;
		uint64_t ip;
		char text[40];
	} record = {
		.head.type = ABI_EVENT_ID_PRINT,
		.head.pid = (int)thread_tid(),
		.ip = ABI_IP_SNAPSHOT,
	};
	size_t len = strlen(text) + 1;

	memcpy(record.text, text, len);
	buffer_write(buffer, &record.head, offsetof(__typeof__(record), text) -
		     offsetof(__typeof__(record), head) + ALIGN_UP(len, 4));
}

static void refuse_snapshot(const struct buffer *buffer)
{
	write_text(buffer, "*** SNAPSHOT NOT ALLOCATED ***\n");
	write_text(buffer, "*** stopping trace here!   ***\n");
	buffer_set_recording(buffer, false);
}

bool buffer_swap(const struct buffer *buffer)
{
	uint32_t *spare = &buffer->shared->spare;
	uint32_t seen = __atomic_load_n(spare, __ATOMIC_RELAXED);

	do {
		if (!(seen & ABI_SPARE_THERE))
			return false;
		if (__atomic_load_n(&buffer->shared->paused, __ATOMIC_RELAXED))
			return true;
	} while (!__atomic_compare_exchange_n(spare, &seen,
					      seen + ABI_SPARE_SWAP, false,
					      __ATOMIC_SEQ_CST,	/* [switch.off] */
					      __ATOMIC_RELAXED));
	set_rings_off(buffer);
	return true;
}

void buffer_snapshot(const struct buffer *buffer)
{
	if (__atomic_load_n(&buffer->shared->latency.owns_spare, __ATOMIC_RELAXED))
		return;
	if (!buffer_swap(buffer))
		refuse_snapshot(buffer);
}
