/* SPDX-License-Identifier: MIT */
/*
 * Sort entries as the kernel does, step by step.
 *
 * The kernel sorts three times.  The first sort is by the bytes of the keys, so that the
 * result does not depend on the order in the hash table.  The second is by the first sort
 * key.  The third sorts each group of entries with equal first sort keys by the second sort
 * key.  Its sort() is a heapsort, which does not keep the order of equal elements.  So only
 * the same heapsort produces the kernel's order of entries whose sort keys are all equal.
 * heap_round() makes the same comparisons and moves.
 *
 * An item to sort has a rank, so that most comparisons do not look at the entry.  The rank of
 * a number is its value, with the sign bit inverted if it is signed.  The rank of a string or
 * of a whole key is its first eight bytes as a number of big endian, which compares as
 * memcmp() does.  If two ranks are equal, the next words are compared in this way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "hist/show_impl.h"

#define ROUNDS_PER_STEP		256u

/* ---- comparison ---- */

/* Returns the address of the first word of the field @nr in the key of an entry. */
static const uint64_t *key_field(const struct hist_show *show, uint32_t entry, uint32_t nr)
{
	const uint64_t *words = show->keys + show->entries[entry].key;

	for (uint32_t i = 0; i < nr; i++)
		words += show_key_width(show->def->keys[i], words);
	return words;
}

static int compare_keys(const struct hist_show *show, uint32_t a, uint32_t b)
{
	const struct show_entry *x = &show->entries[a], *y = &show->entries[b];
	uint32_t end = min_u32(x->key_words, y->key_words);

	for (uint32_t i = 0; i < end; i++) {
		uint64_t v = show->keys[x->key + i], w = show->keys[y->key + i];

		if (v != w)
			return __builtin_bswap64(v) < __builtin_bswap64(w) ? -1 : 1;
	}
	return 0;
}

static int compare_strings(const struct sort_by *by, uint32_t a, uint32_t b)
{
	return strcmp((const char *)key_field(by->show, a, by->key_nr),
		      (const char *)key_field(by->show, b, by->key_nr));
}

/* Compare two items as the kernel does.  Returns a number less than, equal to or greater
 * than 0. */
static int compare_items(const struct sort_by *by, const struct sort_item *a,
			 const struct sort_item *b)
{
	int ret = 0;

	if (a->rank != b->rank)
		ret = a->rank < b->rank ? -1 : 1;
	else if (by->kind == SORT_WHOLE_KEY)
		ret = compare_keys(by->show, a->entry, b->entry);
	else if (by->kind == SORT_STRING)
		ret = compare_strings(by, a->entry, b->entry);
	return by->is_descending ? -ret : ret;
}

/* ---- ranks ---- */

/* Returns the rank of a number that the kernel compares by the type of field @node.  For a
 * key that is not a field the kernel uses 64 bits, and the sign of its first operand. */
static uint64_t rank_number(const struct hist_node *node, uint64_t value)
{
	uint32_t bits = node->kind == HIST_NODE_FIELD ? 8 * node->size : 64;

	switch (bits) {
	case 8: case 16: case 32: case 64:
		break;
	default:
		return 0;	/* all ranks are equal, because the kernel does not compare
				 * strings and stacks in this case */
	}
	value <<= 64 - bits;
	return node->is_signed ? value ^ 1ull << 63 : value;
}

static uint64_t rank_item(const struct sort_by *by, uint32_t entry)
{
	const struct hist_show *show = by->show;
	const uint64_t *words;

	if (by->kind == SORT_HITS)
		return show->entries[entry].hits;
	if (by->kind == SORT_VALUE)
		return show_value(show, entry, by->value_nr);
	words = key_field(show, entry, by->key_nr);
	if (by->kind == SORT_NUMBER)
		return rank_number(show->def->keys[by->key_nr], *words);
	return by->kind == SORT_NONE ? 0 : __builtin_bswap64(*words);
}

static struct sort_by sort_by_field(const struct hist_show *show, const struct hist_sort *sort)
{
	struct sort_by by = { .show = show, .is_descending = sort->is_descending };
	uint32_t nr_vals = show->def->nr_vals;

	if (sort->field == 0) {
		by.kind = SORT_HITS;
	} else if (sort->field <= nr_vals) {
		by.kind = SORT_VALUE;
		by.value_nr = sort->field - 1;
	} else {
		uint32_t nr = sort->field - nr_vals - 1;

		by.key_nr = nr;
		switch (show->def->keys[nr]->type) {
		case HIST_STR:
			by.kind = SORT_STRING;
			break;
		case HIST_STACK:
			by.kind = SORT_NONE;
			break;
		default:
			by.kind = SORT_NUMBER;
		}
	}
	return by;
}

/* ---- heapsort ---- */

static uint32_t heap_parent(uint32_t child)
{
	return (child - 1) / 2;
}

static void swap_items(struct sort_item *a, struct sort_item *b)
{
	struct sort_item item = *a;

	*a = *b;
	*b = item;
}

/* Begin to sort @nr items. */
static void heap_start(struct heapsort *sort, const struct sort_by *by, struct sort_item *items,
		       uint32_t nr)
{
	*sort = (struct heapsort){
		.by = *by, .items = items, .nr = nr, .top = nr / 2, .is_done = nr < 2,
	};
	for (uint32_t i = 0; i < nr; i++)
		items[i].rank = rank_item(by, items[i].entry);
}

/*
 * Restore the order of the heap below item @top: move this item down to its place (sift).
 *
 * The walk goes down to a leaf, always to the greater child, and then up again, to the first
 * item that is greater than the moved item.  This needs fewer comparisons than looking for
 * the place on the way down.
 */
static void sift_item(struct heapsort *sort, uint32_t top)
{
	struct sort_item *items = sort->items, moved;
	uint32_t at = top, child = 2 * at + 1;

	for (; child + 1 < sort->nr; child = 2 * at + 1)
		at = compare_items(&sort->by, &items[child], &items[child + 1]) > 0 ?
		     child : child + 1;
	if (child + 1 == sort->nr)
		at = child;
	while (at != top && compare_items(&sort->by, &items[top], &items[at]) >= 0)
		at = heap_parent(at);
	if (at == top)
		return;
	moved = items[at];
	items[at] = items[top];
	while ((at = heap_parent(at)) != top)
		swap_items(&items[at], &moved);
	items[top] = moved;
}

/* End the heapsort: put the last two or three items of the heap in order. */
static void heap_finish(struct heapsort *sort)
{
	struct sort_item *items = sort->items;

	sort->nr--;
	swap_items(&items[0], &items[sort->nr]);
	if (sort->nr == 2 && compare_items(&sort->by, &items[0], &items[1]) > 0)
		swap_items(&items[0], &items[1]);
	sort->is_done = true;
}

/*
 * Move the two greatest items of the heap to its end: item 0, and its greater child.  The
 * last two items of the heap take their places.  Sets @sort->top to the index of that child.
 * The next two rounds sift the items at that index and at 0.
 */
static void take_two(struct heapsort *sort)
{
	struct sort_item *items = sort->items;

	sort->nr--;
	swap_items(&items[0], &items[sort->nr]);
	sort->is_second_child = compare_items(&sort->by, &items[1], &items[2]) <= 0;
	sort->top = 1u << sort->is_second_child;
	sort->nr--;
	swap_items(&items[sort->top], &items[sort->nr]);
}

/*
 * Do one round of the heapsort.  While the heap is built, sort->top goes down from the middle
 * to 0.  After that, two items are taken from the heap at a time.
 *
 * Example: { 9, 7, 8, 1, 2, 3 } is a heap.  9 changes places with 3, and 8, the greater child,
 * with 2: { 3, 7, 2, 1 | 8, 9 }.  This round sifts 2, the next one sifts 3:
 * { 7, 3, 2, 1 | 8, 9 }.
 */
static void heap_round(struct heapsort *sort)
{
	if (sort->top) {
		sort->top -= 1u << sort->is_second_child;
	} else if (sort->nr > 3) {
		take_two(sort);
	} else {
		heap_finish(sort);
		return;
	}
	sift_item(sort, sort->top);
}

/* Do some rounds of the heapsort.  Returns true if the items are sorted. */
static bool heap_step(struct heapsort *sort)
{
	for (uint32_t i = 0; i < ROUNDS_PER_STEP && !sort->is_done; i++)
		heap_round(sort);
	return sort->is_done;
}

/* ---- stages ---- */

bool show_sort_keys(struct hist_show *show, struct text *out)
{
	const struct sort_by by = { .show = show, .kind = SORT_WHOLE_KEY };

	(void)out;
	if (!show->has_begun) {
		show->has_begun = true;
		show->items = calloc(show->nr_entries + 1, sizeof(*show->items));
		if (!show->items) {
			show->error = -ENOMEM;
			return false;
		}
		for (uint32_t i = 0; i < show->nr_entries; i++)
			show->items[i].entry = i;
		heap_start(&show->sort, &by, show->items, show->nr_entries);
	}
	return heap_step(&show->sort);
}

bool show_sort_first(struct hist_show *show, struct text *out)
{
	(void)out;
	if (!show->has_begun) {
		const struct sort_by by = sort_by_field(show, &show->def->sort[0]);

		show->has_begun = true;
		heap_start(&show->sort, &by, show->items, show->nr_entries);
	}
	return heap_step(&show->sort);
}

/* Find the group of items, from show->at on, whose first sort keys are equal, and begin to
 * sort this group by the second sort key.  Sets show->at to the end of the group. */
static void start_group(struct hist_show *show, const struct sort_by *first)
{
	const struct sort_by second = sort_by_field(show, &show->def->sort[1]);
	struct sort_item *group = &show->items[show->at];
	uint32_t nr = 1, left = show->nr_entries - show->at;

	while (nr < left && !compare_items(first, group, group + nr))
		nr++;
	heap_start(&show->sort, &second, group, nr);
	show->at += nr;
}

/* Run the stage SHOW_SORT_SECOND.  The items after the last group still have the ranks of the
 * first sort key, which start_group() compares. */
bool show_sort_second(struct hist_show *show, struct text *out)
{
	const struct sort_by first = sort_by_field(show, &show->def->sort[0]);

	(void)out;
	if (show->def->nr_sort < 2)
		return true;
	for (uint32_t i = 0; i < ROUNDS_PER_STEP; i++) {
		if (show->sort.is_done && show->at == show->nr_entries)
			return true;
		if (show->sort.is_done)
			start_group(show, &first);
		else
			heap_round(&show->sort);
	}
	return false;
}
