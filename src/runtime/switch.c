/* SPDX-License-Identifier: MIT */
/*
 * Whether a buffer records, switched by the server or by any process of the root
 * at any moment, in any context.
 *
 *	word			writer
 *	abi_buffer.stopped	anybody: tracing_on
 *	abi_buffer.paused	the server
 *	abi_buffer.cpus_off	the server: tracing_cpumask
 *	abi_ring.offset_mask	those who change one of the above: 0;
 *				writers of records: by what they say
 *
 * The words are the truth.  An event that goes straight to its ring looks at
 * none of them, so a fast ring's mask stands for them: while it is 0 no record
 * fits, and whoever wants to write one comes here.
 *
 *	who changes a word		who writes a record, in a ring with mask 0
 *	1 store the word		1 load the words
 *	2 clear all masks		2 they say on: set the mask
 *	     [switch.mask]		3 load them again; if they say off now,
 *					  clear it
 *
 * If step 3 does not see a change, the change's step 2 comes after the writer's
 * step 2, and the mask ends up clear.  Any number of changes may overlap, also in
 * a handler that interrupts another; clearing twice does no harm.
 * SIGKILL between 1 and 2 of a change, or between 2 and 3 of a writer, leaves a
 * mask set that should be clear: the ring takes records until its page is full,
 * and then its writers come here, find out, and clear it.
 */
#include "runtime/runtime.h"

#define CHANGES_MAX	100	/* that a writer puts up with */

static bool is_on(const struct abi_buffer *shared, uint32_t cpu)
{
	return !__atomic_load_n(&shared->stopped, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&shared->paused, __ATOMIC_RELAXED) &&
	       !(__atomic_load_n(&shared->cpus_off[cpu / 64],
				 __ATOMIC_RELAXED) >> cpu % 64 & 1);
}

bool buffer_aim(const struct buffer *buffer, const struct ring_set *set)
{
	uint32_t cpu = thread_cpu();
	bool on = is_on(buffer->shared, cpu);
	struct abi_ring *ring = set->has_rseq && cpu < set->nr_cpus ?
				set->fast[cpu] : NULL;

	for (int i = 0; ring && i < CHANGES_MAX; i++) {
		uint32_t mask = __atomic_load_n(&ring->offset_mask,
						__ATOMIC_RELAXED);

		if (on == (mask != 0))
			break;
		ring_set_recording(ring, ring->page_bytes, on);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* [switch.mask] */
		on = is_on(buffer->shared, cpu);
	}
	return on;
}

/* Have all writers look at the words that were changed. */
static void clear_masks(const struct buffer *buffer)
{
	const struct ring_set *set = buffer_set(buffer);

	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* [switch.mask] */
	for (uint32_t cpu = 0; cpu < set->nr_cpus; cpu++) {
		if (set->fast[cpu])
			ring_set_recording(set->fast[cpu], 0, false);
	}
}

void buffer_set_recording(const struct buffer *buffer, bool on)
{
	__atomic_store_n(&buffer->shared->stopped, !on, __ATOMIC_RELAXED);
	if (!on)
		clear_masks(buffer);
}

bool buffer_is_recording(const struct buffer *buffer)
{
	return !__atomic_load_n(&buffer->shared->stopped, __ATOMIC_RELAXED);
}
