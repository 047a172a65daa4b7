/* SPDX-License-Identifier: MIT */
/*
 * Copy the entries of a table.
 *
 * A slot may hold any number, and several slots may refer to one entry.  So the server first
 * makes a bitmap of the entries to read.  Then it reads the entries in their order in memory,
 * which is faster than in the order of the slots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "hist/show_impl.h"

#define SLOTS_PER_STEP		4096u
#define ENTRIES_PER_STEP	128u

bool show_scan_slots(struct hist_show *show, struct text *out)
{
	uint32_t nr_slots = show->view->layout.nr_slots;
	uint32_t end = min_u32(nr_slots, show->at + SLOTS_PER_STEP);

	(void)out;
	for (; show->at < end; show->at++) {
		int64_t index = hist_read_slot(show->view, show->at);
		uint64_t bit = 1ull << (index & 63);

		if (index < 0 || index >= show->view->geometry.nr_entries ||
		    show->used[index / 64] & bit)
			continue;
		show->used[index / 64] |= bit;
		show->nr_used++;
	}
	return show->at == nr_slots;
}

/* Copy a string of at most HIST_STR_BYTES bytes, and zero the bytes after its NUL.  Returns
 * the number of words that the string takes. */
static uint32_t take_string(uint64_t *to, const uint64_t *from)
{
	size_t len = strnlen((const char *)from, HIST_STR_BYTES - 1);
	uint32_t nr = (uint32_t)(len / 8 + 1);

	memset(to, 0, 8 * (size_t)nr);
	memcpy(to, from, len);
	return nr;
}

/* Copy a stack without its length, and pad it with zeroes.  Returns the number of words that
 * the stack takes at @from. */
static uint32_t take_stack(uint64_t *to, const uint64_t *from)
{
	uint64_t nr = min_u64(from[0], HIST_STACK_DEPTH);

	memset(to, 0, 8 * HIST_STACK_DEPTH);
	memcpy(to, from + 1, 8 * nr);
	return (uint32_t)nr + 1;
}

/* No field of a key can end outside of @raw, because each field takes at most HIST_STR_BYTES
 * / 8 words. */
uint32_t show_read_key(const struct hist_show *show, uint32_t index, uint64_t *ret_key)
{
	uint64_t raw[HIST_KEY_WORDS_MAX] = { 0 };
	uint32_t nr_raw = min_u32(show->view->geometry.key_words, HIST_KEY_WORDS_MAX);
	const char *entry = show_entry_at(show, index);
	const uint64_t *from = raw;
	uint64_t *to = ret_key;

	for (uint32_t i = 0; i < nr_raw; i++)
		raw[i] = show_load(entry + 8 * i);
	for (uint32_t i = 0; i < show->def->nr_keys; i++) {
		const struct hist_node *node = show->def->keys[i];

		if (node->type == HIST_STACK)
			from += take_stack(to, from);
		else if (node->type == HIST_STR)
			from += take_string(to, from);
		else
			*to = *from++;
		to += show_key_width(node, to);
	}
	return (uint32_t)(to - ret_key);
}

uint32_t show_key_width(const struct hist_node *node, const uint64_t *words)
{
	if (node->type == HIST_STACK)
		return HIST_STACK_DEPTH;
	if (node->type == HIST_STR)
		return (uint32_t)(strlen((const char *)words) / 8 + 1);
	return 1;
}

/* Reserve space for a key at the end of hist_show.keys.  Returns its address, or NULL if
 * there is no memory. */
static uint64_t *reserve_key(struct hist_show *show)
{
	uint64_t *keys = show->keys;
	uint32_t cap = show->cap_words;

	if (cap - show->nr_words < HIST_KEY_WORDS_MAX) {
		cap = 2 * cap + HIST_KEY_WORDS_MAX;
		keys = realloc(show->keys, cap * sizeof(*keys));
		if (!keys)
			return NULL;
		show->keys = keys;
		show->cap_words = cap;
	}
	return keys + show->nr_words;
}

/* Copy entry @index.  An entry without hits is left out: the thread that has inserted its key
 * was killed, or has not counted its hit yet. */
static int read_entry(struct hist_show *show, uint32_t index)
{
	struct show_entry *entry = &show->entries[show->nr_entries];
	uint64_t *key = reserve_key(show);

	if (!key)
		return -ENOMEM;
	entry->hits = hist_read_figures(show->view, index, show->sums +
					(uint64_t)show->nr_entries * show->view->geometry.nr_vals);
	if (!entry->hits)
		return 0;
	entry->index = index;
	entry->key = show->nr_words;
	entry->key_words = show_read_key(show, index, key);
	show->nr_words += entry->key_words;
	show->nr_entries++;
	return 0;
}

static int begin_reading(struct hist_show *show)
{
	size_t nr = show->nr_used + 1, nr_vals = show->view->geometry.nr_vals + 1;

	show->has_begun = true;
	show->entries = calloc(nr, sizeof(*show->entries));
	show->sums = calloc(nr * nr_vals, sizeof(*show->sums));
	return show->entries && show->sums ? 0 : -ENOMEM;
}

bool show_read_entries(struct hist_show *show, struct text *out)
{
	uint32_t nr = show->view->geometry.nr_entries, read = 0;

	(void)out;
	if (!show->has_begun)
		show->error = begin_reading(show);
	for (; show->at < nr && read < ENTRIES_PER_STEP && !show->error; show->at++) {
		if (!(show->used[show->at / 64] >> (show->at & 63) & 1))
			continue;
		show->error = read_entry(show, show->at);
		read++;
	}
	return show->at == nr;
}
