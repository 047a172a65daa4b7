/* SPDX-License-Identifier: MIT */
/* A record and a buffer: it is written, or it is counted why not. */
#include <errno.h>

#include "event/clock.h"
#include "runtime/runtime.h"

#define TRIES	100		/* while it is switched all the time */

static void count_lost(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* A ring that takes it stands for the words (see switch.c).  One in which recording
 * is off may be another CPU's by now, or it was just switched: ask again. */
static int write_to(const struct buffer *buffer, struct ring_set *set,
		    void *entry, uint32_t bytes)
{
	uint64_t now_ns = 0;
	int r = -ECANCELED;

	if (!ring_write_straight(set, entry, bytes))
		return 0;
	for (int i = 0; r == -ECANCELED && i < TRIES; i++) {
		if (!buffer_aim(buffer, set))
			return 0;
		if (set->clock_given)
			now_ns = clock_read(clock_get(set->clock),
					    root_control);
		r = ring_write(set, entry, bytes, now_ns);
	}
	return r;
}

/* Rings are full while it is off, so every event gets here. */
void buffer_write(const struct buffer *buffer, void *entry, size_t bytes)
{
	int r = write_to(buffer, buffer_set(buffer), entry, (uint32_t)bytes);

	/* a full ring counts by itself */
	if (r && r != -ENOBUFS)
		count_lost(r == -EBUSY ? &buffer->shared->lock_lost :
			   &buffer->shared->no_ring);
}

void buffer_drop(const struct buffer *buffer)
{
	struct ring_set *set = buffer_set(buffer);

	if (!buffer_aim(buffer, set))
		return;
	count_lost(&buffer->shared->too_big);
	ring_drop(set);
}
