/* SPDX-License-Identifier: MIT */
/* Write a record to a buffer.  If this fails, count the loss by its cause. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "event/clock.h"
#include "ring/ring.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/late.h"
#include "runtime/buffer/switch.h"
#include "runtime/buffer/buffer_write.h"

#define TRIES	100		/* maximum number of attempts to write one record, for
				 * the case that other threads switch recording on and
				 * off */

static void count_lost(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* Write the record if this takes only one step: the record is small, recording is on,
 * and the ring's current page has space.  The words of abi_buffer that switch
 * recording off need not be loaded, because a ring that is off never has space (see
 * switch.c). */
static inline bool write_straight(const struct ring_set *set, const void *entry,
				  uint32_t bytes)
{
	uint32_t cpu = arch_rseq_cpu();

	return bytes <= set->small_max && cpu < set->nr_cpus &&
	       ring_has_room(set->fast[cpu], bytes) &&
	       arch_ring_append(set, entry, 0, bytes / 4, 0, bytes) ==
	       ARCH_COMMIT_DONE;
}

/* Select a ring, and write the record to this ring.  If recording is off in the ring,
 * select a ring again.  A second attempt is needed if the thread has moved to another
 * CPU, or if the ring was switched off after it was selected. */
static __attribute__((noinline)) bool
write_refreshed(const struct buffer *buffer, struct ring_set *set, void *entry, uint32_t bytes)
{
	uint64_t now_ns = 0;
	int r = -ECANCELED;

	for (int i = 0; r == -ECANCELED && i < TRIES; i++) {
		if (!ring_set_refresh(buffer, set))
			return false;
		if (set->clock_given)
			now_ns = clock_read(clock_get(set->clock),
					    root_control);
		r = ring_write(set, entry, bytes, now_ns);
	}
	/* -ENOBUFS means that the ring was full, and that ring_write() has already
	 * counted the record. */
	if (r && r != -ENOBUFS)
		count_lost(r == -EBUSY ? &buffer->shared->lock_lost :
			   &buffer->shared->no_ring);
	return true;
}

/* Write a record.  A ring that is off has no space, so write_straight() fails while
 * recording is off, and every record goes through write_refreshed(). */
bool buffer_write(const struct buffer *buffer, void *entry, size_t bytes)
{
	struct ring_set *set = buffer_set(buffer);

	if (write_straight(set, entry, (uint32_t)bytes))
		return true;
	return thread_is_late() ? late_write(buffer, entry, bytes) :
				  write_refreshed(buffer, set, entry, (uint32_t)bytes);
}

void buffer_drop(const struct buffer *buffer)
{
	struct ring_set *set = buffer_set(buffer);

	if (thread_is_late()) {
		late_count_lost(buffer, 1);
		return;
	}
	if (!ring_set_refresh(buffer, set))
		return;
	count_lost(&buffer->shared->too_big);
	ring_drop(set);
}
