/* SPDX-License-Identifier: MIT */
/*
 * Inlined functions for the path of a hit, which make the key of a string and search for an
 * entry of the table. run.h declares the functions that are not inlined.
 */
#ifndef HIST_UPDATE_H
#define HIST_UPDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/hist.h"
#include "arch/arch.h"
#include "hist/run.h"

#define HIST_NOT_FOUND	(-1)		/* result of a search that has found a free slot, and
					 * so no entry with the key */
#define HIST_NO_SLOT	(-2)		/* result of a search that has found neither the key
					 * nor a free slot */

static inline uint64_t *hist_slots(const struct hist_view *view)
{
	return (uint64_t *)(void *)(view->base + view->layout.slots_off);
}

/* Returns the address of the entry @index of the table; @index must be below
 * geometry.nr_entries. */
static inline uint64_t *hist_entry(const struct hist_view *view, uint32_t index)
{
	return (uint64_t *)(void *)(view->base + view->layout.entries_off +
				    (uint64_t)index * view->layout.entry_bytes);
}

static inline struct hist_part *hist_part(const struct hist_view *view, uint32_t part)
{
	return (struct hist_part *)(void *)(view->base + view->layout.parts_off +
					    part * view->layout.part_bytes);
}

/* Returns the address of the figures of entry @index in part @part of the table: the hits,
 * then the sums. */
static inline uint64_t *hist_figures(const struct hist_view *view, uint32_t part,
				     uint32_t index)
{
	return (uint64_t *)(void *)((char *)(hist_part(view, part) + 1) +
				    (uint64_t)index * view->layout.figure_bytes);
}

/* Returns true if the entry at @entry has the key @key of @nr words. */
static inline bool hist_has_key(const uint64_t *entry, const uint64_t *key, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (__atomic_load_n(&entry[i], __ATOMIC_RELAXED) != key[i])
			return false;
	}
	return true;
}

/*
 * Search the table for a key, from slot *@slot on.  Sets *@slot to the slot at which the
 * search has ended.  Returns the index of the entry, HIST_NOT_FOUND or HIST_NO_SLOT.
 */
static inline int64_t hist_search(const struct hist_view *view, const uint64_t *key,
				  uint32_t nr, uint64_t hash, uint32_t *slot)
{
	const uint64_t *slots = hist_slots(view);
	uint32_t mask = view->layout.nr_slots - 1;

	for (uint32_t i = 0; i < HIST_PROBES_MAX; i++) {
		/* acquire: the entry's key is complete; mate: update.c [hist.slot] */
		uint64_t word = __atomic_load_n(&slots[*slot], __ATOMIC_ACQUIRE);
		uint32_t index = (uint32_t)word - 1;

		if (!word)
			return HIST_NOT_FOUND;
		if (word >> 32 == (uint32_t)hash && index < view->geometry.nr_entries &&
		    hist_has_key(hist_entry(view, index), key, nr))
			return index;
		*slot = (*slot + 1) & mask;
	}
	return HIST_NO_SLOT;
}

/* Returns the first slot in which an entry with this hash may be. */
static inline uint32_t hist_first_slot(const struct hist_view *view, uint64_t hash)
{
	return (uint32_t)(hash >> view->layout.slot_shift);
}

/* ---- strings ---- */

#define HIST_ONES	0x0101010101010101ull

/* Returns a word whose lowest 1 bit is in the first byte of @word that is 0; or 0 if @word has
 * no such byte. */
static inline uint64_t hist_find_nul(uint64_t word)
{
	return (word - HIST_ONES) & ~word & HIST_ONES << 7;
}

/* Returns @word with its first 0 byte and all bytes after it set to 0.  @nul: result of
 * hist_find_nul() for @word. */
static inline uint64_t hist_cut_at_nul(uint64_t word, uint64_t nul)
{
	return word & (((nul & -nul) >> 7) - 1);
}

/* Returns the next word of a string in private memory.  @left: number of bytes that are left
 * of the string. */
static inline uint64_t hist_next_word(const char *at, uint32_t left)
{
	uint64_t word = 0;

	if (left >= sizeof(word))
		memcpy(&word, at, sizeof(word));
	else if (left)
		memcpy(&word, at, left);
	return word;
}

/*
 * Copy a string in private memory to @to, with its NUL, and fill the last word with zeroes.
 * The string ends at its NUL, or after @bytes bytes.
 * @max: maximum number of words, at least 1; a string that needs more is cut.
 * Returns the number of words.
 */
static inline uint32_t hist_copy_array(const char *from, uint32_t bytes, uint64_t *to,
				       uint32_t max)
{
	for (uint32_t i = 0; i < max; i++) {
		uint32_t left = bytes > 8 * i ? bytes - 8 * i : 0;
		uint64_t word = hist_next_word(from + 8 * i, left);
		uint64_t nul = hist_find_nul(word);

		to[i] = nul ? hist_cut_at_nul(word, nul) : word;
		if (nul)
			return i + 1;
	}
	to[max - 1] &= ~0ull >> 8;
	return max;
}

#endif
