/* SPDX-License-Identifier: MIT */
/* Writes a record to a slow ring that the test itself has made, and can therefore trust. */
#ifndef ULF_TESTS_RING_LOCKED_H
#define ULF_TESTS_RING_LOCKED_H

#include "ring/ring.h"

static inline int ring_write_locked(struct abi_ring *ring, void *payload,
				    uint32_t bytes, uint64_t now_ns, uint32_t tid)
{
	struct ring_view view;
	int r = ring_view_init(&view, ring, ring_bytes(ring->page_bytes, ring->nr_pages));

	return r ? r : ring_view_write(&view, payload, bytes, now_ns, tid);
}

#endif
