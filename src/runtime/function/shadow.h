/* SPDX-License-Identifier: MIT */
/*
 * The shadow of the stacks: a table with one entry for every 8 bytes of a stack.  If a
 * return address is stored in these bytes, the entry holds the graph tracer's data of that
 * call.
 *
 * An entry is found by the address of the return address (@place) alone, not by the order
 * of calls.  So the entries stay correct if longjmp() or an exception leaves frames, if a
 * thread switches stacks, and if a stack moves to another thread.  Unwinders can look
 * entries up by themselves: ftrace.S has the search of shadow_at() as a DWARF expression,
 * and its first step as code.  These three must agree.
 *
 *	keys[page % nr]			page numbers of stacks, 0: free; nr: SHADOW_KEYS
 *	keys[nr + hash(page)], ...
 *	entries[same index][512]	one for each 8 bytes of that page
 *
 * keys[page % nr] is the page's home.  If a page is at home, ftrace.S computes the address of
 * its entries without reading keys.  If another page (256 MB or a multiple of it away)
 * has this home already, the page gets the first free key from keys[nr + hash(page)]
 * on.  These keys are not homes.  If they were, the next free key could be far away:
 * the pages of stacks form long rows without gaps, and so do their homes.
 *
 * Example: page 0x7fff12345 has its home at index 0x2345, and so has page 0x7fff02345.
 * The page that comes second gets an index of nr or more.
 *
 * word			writer
 * key			any thread or handler, CAS 0 -> page; never changed again
 * entry		the thread whose stack it is
 */
#ifndef ULF_RUNTIME_SHADOW_H
#define ULF_RUNTIME_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_KEYS	0x10000u	/* number of homes, which the comment above
					 * calls nr */
#define SHADOW_HASH	0x9e3779b97f4a7c15u
#define SHADOW_PROBES	64u		/* maximum number of keys that a search tries,
					 * from keys[nr + hash(page)] on */
#define SHADOW_SLOTS	512u		/* number of entries for one memory page */
#define SHADOW_PAGES	(2 * SHADOW_KEYS + SHADOW_PROBES)
#define SHADOW_ENTRIES	(SHADOW_PAGES * (size_t)SHADOW_SLOTS)

/* An entry of the table of shadows, which describes a followed call. */
struct shadow {
	uint64_t ret;			/* the original return address */
	uint64_t time_ns;		/* time of the call's entry */
	uint64_t above;			/* the followed call around this one, in the form
					 * of ftrace_thread.top */
	uint32_t depth;			/* number of calls around this one that graph
					 * tracers follow; minus 1 if no graph tracer
					 * follows this call itself */
	uint32_t word;			/* the function's body, and the users that follow
					 * the call (shadow_tags.h) */
};

#define SHADOW_NONE	(uint64_t)INT64_MAX	/* value for "no call", which is above
						 * any stack address */
/* A flag in ftrace_thread.top and shadow.above.  It means that hit.c, not ftrace.S, must
 * handle calls inside of this call: this call is not simple (shadow_tags.h), the memory page
 * of its shadow is not at home, or its thread has no ring. */
#define SHADOW_SLOWLY	(1ull << 63)
#define SHADOW_DOWNS	8u		/* maximum number of signal stacks that a walk
					 * over calls crosses */
#define SHADOW_FAR	256u		/* maximum number of calls that a walk from call
					 * to call visits; so a walk takes some
					 * microseconds at most */

/* The table of shadows.  shadow_make() sets both pointers once, and they never change. */
extern uint64_t *shadow_keys;		/* array of SHADOW_PAGES keys; NULL: not
					 * allocated yet */
extern struct shadow *shadow_entries;	/* SHADOW_ENTRIES entries */

/* Make the table of shadows, unless it exists.  The table takes address space; the
 * kernel allocates its memory pages when they are used.  The caller holds
 * runtime_lock().  Returns 0 or -ENOMEM. */
int shadow_make(void);

/* Try to change *@key from 0 to @page.  Returns true if *@key is @page afterwards. */
static inline bool shadow_take_key(uint64_t *key, uint64_t page)
{
	uint64_t seen = __atomic_load_n(key, __ATOMIC_RELAXED);

	if (!seen)
		__atomic_compare_exchange_n(key, &seen, page, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return seen == page || !seen;
}

/* Returns the entry for the return address at @place, or NULL if the table has no
 * space for the memory page of @place.  If this page has no key yet, takes a key for
 * it.  Any thread and any signal handler may call this function; it uses only
 * general registers. */
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

/* Returns true if the memory page of @place is at home.  The page must have a key. */
static inline bool shadow_is_home(uint64_t place)
{
	return shadow_keys[(place >> 12) % SHADOW_KEYS] == place >> 12;
}

/* Returns the entry of the followed call at @place, or NULL if @place is SHADOW_NONE.
 * Ignores SHADOW_SLOWLY. */
static inline struct shadow *shadow_of(uint64_t place)
{
	place &= ~SHADOW_SLOWLY;
	return place == SHADOW_NONE ? NULL : shadow_at((const uint64_t *)place);
}

/*
 * Returns the followed call around the call at @place, or SHADOW_NONE.  The result is
 * a higher address, unless the call at @place is a signal handler whose stack is
 * above the stack that it interrupted.  Old entries of such handlers can form a
 * circle.  To end in any case, a walk goes to a lower address SHADOW_DOWNS times at
 * most.
 * @downs: how often the walk went to a lower address; 0 at its start
 */
static inline uint64_t shadow_around(uint64_t place, uint32_t *downs)
{
	uint64_t around = shadow_of(place)->above & ~SHADOW_SLOWLY;

	return around > place || ++*downs <= SHADOW_DOWNS ? around : SHADOW_NONE;
}

#endif
