/* SPDX-License-Identifier: MIT */
/* A record and a buffer: it is written, or it is counted why not. */
#include <errno.h>

#include "event/clock.h"
#include "runtime/runtime.h"

static void count_lost(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static bool is_recording(const struct buffer *buffer)
{
	return __atomic_load_n(&buffer->shared->recording, __ATOMIC_RELAXED);
}

static const struct ring_set *set_of(const struct buffer *buffer)
{
	/* mate: buffer.c [buffer.set] */
	return __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
}

/* Rings are full while it is off, so every event gets here. */
void buffer_write(const struct buffer *buffer, void *entry, size_t bytes)
{
	const struct ring_set *set;
	uint64_t now_ns = 0;
	int r;

	if (!is_recording(buffer))
		return;
	set = set_of(buffer);
	if (set->clock_given)
		now_ns = clock_read(clock_get(set->clock),
				    &root_control->counter);
	r = ring_write(set, entry, (uint32_t)bytes, now_ns);
	/* a full ring counts by itself */
	if (r && r != -ENOBUFS && r != -ECANCELED)
		count_lost(r == -EBUSY ? &buffer->shared->lock_lost :
			   &buffer->shared->no_ring);
}

void buffer_drop(const struct buffer *buffer)
{
	if (!is_recording(buffer))
		return;
	count_lost(&buffer->shared->too_big);
	ring_drop(set_of(buffer));
}
