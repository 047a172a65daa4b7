/* SPDX-License-Identifier: MIT */
/*
 * Use the rings and rules that the server places in the shared memory.  (For lists of
 * threads see pids.c.)  A process replaces its set of rings as a whole [buffer.set].  The agent
 * waits until no probe uses the old set any more.  Then it reports to the server that
 * the old rings are free.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/ring.h"
#include "abi/rules.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "event/clock.h"
#include "ring/ring.h"
#include "runtime/base/grace.h"
#include "runtime/base/memory.h"
#include "runtime/base/part.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/pids.h"
#include "runtime/buffer/switch.h"

struct ring_set buffer_no_rings;

static struct buffer buffers[ABI_BUFFERS];	/* the buffers as this process uses them;
						 * written under runtime_lock() */

static int populate_pages(const void *start, uint64_t bytes)
{
	return root_populate((uint64_t)((const char *)start -
					(const char *)root_control), bytes);
}

/* Make buffers[@index] usable, without rings at first.  Lock held.  Returns 0 or -errno of
 * root_populate(). */
static int buffer_need(uint32_t index)
{
	struct buffer *buffer = &buffers[index];
	int r;

	if (buffer->set)
		return 0;
	buffer->shared = root_buffer(index);
	r = populate_pages(buffer->shared, offsetof(struct abi_buffer, cpu_kb));
	if (r)
		return r;
	buffer->use.buffer = buffer;
	buffer->bit = 1u << index;
	__atomic_store_n(&buffer->set, &buffer_no_rings,
			 __ATOMIC_RELEASE);		/* [buffer.new] */
	return 0;
}

struct buffer *buffer_get(uint32_t index)
{
	return buffer_need(index) ? NULL : &buffers[index];
}

const struct buffer *buffer_if_used(uint32_t index)
{
	const struct buffer *buffer = &buffers[index];

	/* acquire: the buffer was set up before its set was stored; mate: buffer_get()
	 * [buffer.new] */
	return __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE) ? buffer : NULL;
}

const struct buffer *buffer_top(void)
{
	return root_control ? buffer_if_used(0) : NULL;
}

/* Get a view of the ring to which @shared refers.  If there is no ring, *@ret_view stays as
 * it is.  @used: the view that this process has had of the ring so far; its ring may be
 * NULL.
 * Returns 0 or -errno. */
static int ring_at(const struct abi_ring_ref *shared, const struct ring_view *used,
		   struct ring_view *ret_view)
{
	struct abi_ring_ref ref = {
		.off = __atomic_load_n(&shared->off, __ATOMIC_RELAXED),
		.bytes = __atomic_load_n(&shared->bytes, __ATOMIC_RELAXED),
	};
	int r;

	if (!ref.off)
		return 0;
	if (ref.off % ABI_ALIGN || ref.off < ABI_ARENA_OFF)
		return -EINVAL;
	if (used && root_at(ref.off) == used->ring) {
		*ret_view = *used;	/* the memory of this ring is populated
					 * already, because the ring is in use */
		return 0;
	}
	r = root_populate(ref.off, ref.bytes);
	return r ? r : ring_view_init(ret_view, root_at(ref.off), ref.bytes);
}

/*
 * Allocate a set of rings.  A thread without rseq, or a child of vfork(), may read a
 * set that was freed [grace.rseq].  Such a thread reads only nr_cpus, tag, hook_limit
 * and the pointers to ring_none, which it finds for its CPU number.  These members are
 * valid in every set, also in one that was freed.  So the memory of a set is never used
 * for anything but sets.
 */
static struct ring_set *set_new(void)
{
	struct ring_set *set = memory_alloc_stable(ring_set_alloc_bytes(root_nr_cpus()));

	if (!set)
		return NULL;
	ring_set_init(set, root_nr_cpus());
	set->has_rseq = root_has_rseq();
	return set;
}

static bool is_same(const struct ring_set *a, const struct ring_set *b)
{
	size_t bytes = a->nr_cpus * sizeof(struct ring_view);

	if (a->nr_cpus != b->nr_cpus)
		return false;
	for (uint32_t i = 0; i < RING_SIDES; i++) {
		if (memcmp(a->side[i].fast, b->side[i].fast, bytes) ||
		    memcmp(a->side[i].slow, b->side[i].slow, bytes) ||
		    memcmp(a->side[i].late, b->side[i].late, bytes))
			return false;
	}
	return true;
}

static int fill_side(const struct buffer *buffer, struct ring_set *set,
		     uint32_t side)
{
	const struct abi_ring_ref (*ref)[ABI_RING_KINDS] = buffer->shared->side[side].ring;
	const struct ring_side *old = buffer->set->nr_cpus ?
				      &buffer->set->side[side] : NULL;
	struct ring_side *new = &set->side[side];
	int r = populate_pages(ref, set->nr_cpus * sizeof(*ref));

	if (r == -ENOSPC)
		return 0;	/* No process has ever written to this table of rings,
				 * so there are no rings; see apply_buffer(). */
	for (uint32_t i = 0; i < set->nr_cpus && !r; i++) {
		r = ring_at(&ref[i][ABI_RING_FAST], old ? &old->fast[i] : NULL,
			    &new->fast[i]);
		if (!r)
			r = ring_at(&ref[i][ABI_RING_SLOW],
				    old ? &old->slow[i] : NULL, &new->slow[i]);
		if (!r)
			r = ring_at(&ref[i][ABI_RING_LATE],
				    old ? &old->late[i] : NULL, &new->late[i]);
	}
	return r;
}

static void rings_changed(const struct buffer *buffer)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, rings_changed)
		part->rings_changed(buffer);
}

static int apply_rings(struct buffer *buffer)
{
	struct ring_set *set = set_new();
	struct ring_set *old = buffer->set;
	const struct ring_view *view;
	uint32_t clock = __atomic_load_n(&buffer->shared->clock, __ATOMIC_RELAXED);
	int r;

	if (!set)
		return -ENOMEM;
	r = fill_side(buffer, set, 0);
	if (!r)
		r = fill_side(buffer, set, 1);
	if (r || is_same(set, old)) {
		memory_free(set);
		return r;
	}
	ring_set_limit(set);
	for (uint32_t i = 0; i < set->nr_cpus; i++)
		ring_set_point(set, i, abi_main_side(buffer->shared, i));
	view = ring_set_fast(set, 0);
	if (!view)
		view = set->slow[0];
	if (view->ring && (view->flags & ABI_RING_CLOCK_GIVEN)) {
		set->clock_given = 1;
		set->clock = clock;
	} else if (set->has_rseq) {
		set->small_max = RING_SMALL_MAX;
	}
	__atomic_store_n(&buffer->has_ticks, clock_get(clock)->is_tsc,
			 __ATOMIC_RELAXED);
	/* release: the set is complete; mate: buffer_set() [buffer.set] */
	__atomic_store_n(&buffer->set, set, __ATOMIC_RELEASE);
	rings_changed(buffer);
	if (old != &buffer_no_rings)
		grace_free(old);
	return 0;
}

/*
 * Apply the buffer's block of rules.  The server does not change the block while
 * abi_buffer.rules refers to it, but another process of the root can.  So this
 * function loads each length only once.  Code that uses the rest of the block
 * copies it first and verifies the copy (plan.c, function_probe.c).
 */
static int apply_rules(struct buffer *buffer)
{
	/* acquire: the block is complete; mate: block_publish() [block.word] */
	uint64_t off = __atomic_load_n(&buffer->shared->rules, __ATOMIC_ACQUIRE);
	const struct abi_rules *shared = root_at(off);
	struct rules rules = { .shared = shared };
	int r;

	if (!off) {
		buffer->rules = (struct rules){ 0 };
		return 0;
	}
	if (off % ABI_ALIGN || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(*shared));
	if (r)
		return r;
	rules.bytes = __atomic_load_n(&shared->bytes, __ATOMIC_RELAXED);
	rules.nr = __atomic_load_n(&shared->nr_rules, __ATOMIC_RELAXED);
	rules.nr_slots = __atomic_load_n(&shared->nr_slots, __ATOMIC_RELAXED);
	if (shared->magic != ABI_RULES_MAGIC ||
	    rules.bytes > ABI_RULES_BYTES_MAX || rules.bytes < sizeof(*shared) ||
	    rules.nr_slots > ABI_SLOTS ||
	    rules.nr > (rules.bytes - sizeof(*shared)) / sizeof(shared->rules[0]))
		return -EINVAL;
	r = root_populate(off, rules.bytes);
	if (!r && rules.nr_slots)
		r = populate_pages(buffer->shared->slots,
				   rules.nr_slots * sizeof(uint64_t));
	if (!r)
		buffer->rules = rules;
	return r;
}

/* Apply the settings that the parts have in @buffer.  If a part fails, stop and
 * return its error. */
static int apply_parts(struct buffer *buffer)
{
	const struct runtime_part *part;
	int r = 0;

	for_each_runtime_part(part, buffer_apply) {
		r = part->buffer_apply(buffer);
		if (r)
			break;
	}
	return r;
}

/* Apply the settings of the buffer with the number @index.  The server allocates
 * the memory of a buffer, and of its table of rings, before it stores anything in
 * this memory.  So if root_populate() returns -ENOSPC (the file system is full),
 * the server has stored nothing, and there are no settings to apply. */
static int apply_buffer(uint32_t index)
{
	struct buffer *buffer = &buffers[index];
	int r;

	if (!root_has_settings())
		return 0;
	r = buffer_need(index);
	if (r)
		return r == -ENOSPC ? 0 : r;
	if (!__atomic_load_n(&buffer->shared->used, __ATOMIC_ACQUIRE))	/* [buffer.used] */
		return 0;
	r = apply_rules(buffer);
	if (!r)
		r = apply_parts(buffer);
	if (!r)
		r = pids_apply(buffer);
	return r ? r : apply_rings(buffer);
}

int buffer_apply_all(void)
{
	int ret = 0, r;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		r = apply_buffer(i);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

void buffer_detach_all(void)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		__atomic_store_n(&buffers[i].set, &buffer_no_rings,
				 __ATOMIC_RELEASE);	/* [buffer.set] */
		rings_changed(&buffers[i]);
	}
}
