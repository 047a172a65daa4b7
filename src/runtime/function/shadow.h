/* SPDX-License-Identifier: MIT */
/*
 * The shadow of the stacks: for every place on any stack where a return address
 * may lie, room for what the graph tracer must remember of the call.  Found by
 * the place alone, not by an order of calls: so frames may be left by longjmp()
 * or an exception, stacks may be switched and move between threads, and
 * unwinders can look it up by themselves (ftrace.S has the same search as an
 * expression of DWARF's, and the first step of it as code; all change together).
 *
 *	keys[page % nr]			page numbers of stacks, 0: free
 *	keys[nr + hash(page)], ...
 *	entries[same index][512]	one for each 8 bytes of that page
 *
 * The first is where a page is at home, so that ftrace.S gets there without a look at
 * the keys.  If another one is there, 256 MB off or a multiple of it, a page goes to the
 * first free place from that of its hash on: behind the homes, which lie in long rows
 * as the pages of stacks do.
 *
 * word			writer
 * key			CAS 0 -> page; never changed again
 * entry		the thread whose stack it is
 */
#ifndef ULF_RUNTIME_SHADOW_H
#define ULF_RUNTIME_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/offsets.h"

#define SHADOW_KEYS	0x10000u
#define SHADOW_HASH	0x9e3779b97f4a7c15u
#define SHADOW_PROBES	64u		/* from there on, in a row */
#define SHADOW_SLOTS	512u		/* in a page */
#define SHADOW_PAGES	(2 * SHADOW_KEYS + SHADOW_PROBES)
#define SHADOW_ENTRIES	(SHADOW_PAGES * (size_t)SHADOW_SLOTS)

struct shadow {
	uint64_t ret;			/* the return address, as it was */
	uint64_t time_ns;		/* of the call */
	uint64_t above;			/* the followed call around it: as
					 * ftrace_thread.top */
	uint32_t depth;			/* of graph tracers' calls around it; if
					 * it is not one of theirs: less one */
	uint32_t word;			/* the function's body, and the users that
					 * follow the call: shadow_tags.h */
};

#define SHADOW_NONE	(uint64_t)INT64_MAX	/* further up than any stack */
/* With a place: ftrace.S must leave the call there to hit.c, as it is not simple
 * (shadow_tags.h), its shadow is not at home, or its thread has no ring. */
#define SHADOW_SLOWLY	(1ull << 63)
#define SHADOW_DOWNS	8u		/* signal stacks, each inside of another */
#define SHADOW_FAR	256u		/* calls; the way around so many takes some
					 * microseconds */

extern uint64_t *shadow_keys;		/* NULL: not made yet */
extern struct shadow *shadow_entries;

/* Make room.  Address space; memory comes with use. */
int shadow_make(void);

/* Is it the key of @page, or becomes so? */
static inline bool shadow_take_key(uint64_t *key, uint64_t page)
{
	uint64_t seen = __atomic_load_n(key, __ATOMIC_RELAXED);

	if (!seen)
		__atomic_compare_exchange_n(key, &seen, page, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return seen == page || !seen;
}

/* Of the return address at @place; NULL: no room.  General registers only. */
static inline struct shadow *shadow_at(const uint64_t *place)
{
	uint64_t page = (uint64_t)place >> 12;
	uint64_t *key = shadow_keys + page % SHADOW_KEYS;

	if (!shadow_take_key(key, page)) {
		uint64_t *end;

		key = shadow_keys + SHADOW_KEYS + (page * SHADOW_HASH >> 48);
		end = key + SHADOW_PROBES;
		while (!shadow_take_key(key, page)) {
			if (++key == end)
				return NULL;
		}
	}
	return shadow_entries + (size_t)(key - shadow_keys) * SHADOW_SLOTS +
	       ((uint64_t)place >> 3) % SHADOW_SLOTS;
}

/* Is the page of @place, which has a shadow, at home? */
static inline bool shadow_is_home(uint64_t place)
{
	return shadow_keys[(place >> 12) % SHADOW_KEYS] == place >> 12;
}

/* Of the followed call at @place; NULL: there is none. */
static inline struct shadow *shadow_of(uint64_t place)
{
	place &= ~SHADOW_SLOWLY;
	return place == SHADOW_NONE ? NULL : shadow_at((const uint64_t *)place);
}

/* Where the followed call around that at @place is.  That is further up, but for a
 * handler whose stack is above the one that it interrupted.  By what such handlers have
 * left behind the way may be a circle, so it goes down some times only.
 * @downs: how often so far */
static inline uint64_t shadow_around(uint64_t place, uint32_t *downs)
{
	uint64_t around = shadow_of(place)->above & ~SHADOW_SLOWLY;

	return around > place || ++*downs <= SHADOW_DOWNS ? around : SHADOW_NONE;
}

#endif
