/* SPDX-License-Identifier: MIT */
/*
 * The shadow of the stacks: for every place on any stack where a return address
 * may lie, room for what the graph tracer must remember of the call.  Found by
 * the place alone, not by an order of calls: so frames may be left by longjmp()
 * or an exception, stacks may be switched and move between threads, and
 * unwinders can look it up by themselves (ftrace.S has the same search as an
 * expression of DWARF's; both change together).
 *
 *	keys[h], keys[h + 1], ...	page numbers of stacks, 0: free
 *	entries[same index][512]	one for each 8 bytes of that page
 *
 * word			writer
 * key			CAS 0 -> page; never changed again
 * entry		the thread whose stack it is
 */
#ifndef ULF_RUNTIME_SHADOW_H
#define ULF_RUNTIME_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#define SHADOW_KEYS	0x10000u
#define SHADOW_HASH	0x9e3779b97f4a7c15ull
#define SHADOW_PROBES	64u		/* from the first place on, in a row */
#define SHADOW_SLOTS	512u		/* in a page */

struct shadow {
	uint64_t ret;			/* the return address, as it was */
	uint64_t time_ns;		/* of the call */
	uint64_t above;			/* the followed call around it: a frame */
	uint32_t depth;
	uint32_t is_silent;		/* nothing is recorded of it, nor of what
					 * it calls */
};

/* A frame that is followed: the place of its return address, is_silent and its
 * depth, in one word, so that a handler finds what belongs together; 0: none. */
#define FRAME_PLACE_MASK	((1ull << 44) - 1)
#define FRAME_IS_SILENT		(1ull << 44)
#define FRAME_DEPTH_SHIFT	45
#define FRAME_DEPTH_MAX		0x7ffffu	/* deeper ones count as that deep */

static inline uint64_t frame_place(const uint64_t *place)
{
	return (uint64_t)place >> 3 & FRAME_PLACE_MASK;
}

static inline uint64_t frame_make(const uint64_t *place, uint32_t depth,
				  uint32_t is_silent)
{
	uint64_t level = depth < FRAME_DEPTH_MAX ? depth : FRAME_DEPTH_MAX;

	return frame_place(place) | (is_silent ? FRAME_IS_SILENT : 0) |
	       level << FRAME_DEPTH_SHIFT;
}

/* Of what is called in there. */
static inline uint32_t frame_depth_within(uint64_t frame)
{
	return frame ? (uint32_t)(frame >> FRAME_DEPTH_SHIFT) + 1 : 0;
}

extern uint64_t *shadow_keys;		/* NULL: not made yet */
extern struct shadow *shadow_entries;

/* Make room.  Address space; memory comes with use. */
int shadow_make(void);

/* Of the return address at @place; NULL: no room.  General registers only. */
static inline struct shadow *shadow_at(const uint64_t *place)
{
	uint64_t page = (uint64_t)place >> 12;
	uint64_t *key = shadow_keys + (page * SHADOW_HASH >> 48);

	for (uint32_t i = 0; i < SHADOW_PROBES; i++, key++) {
		uint64_t seen = __atomic_load_n(key, __ATOMIC_RELAXED);

		if (seen != page && !seen)
			__atomic_compare_exchange_n(key, &seen, page, 0,
						    __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
		if (seen == page || !seen)
			return shadow_entries +
			       (size_t)(key - shadow_keys) * SHADOW_SLOTS +
			       ((uint64_t)place >> 3) % SHADOW_SLOTS;
	}
	return NULL;
}

#endif
