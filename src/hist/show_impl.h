/* SPDX-License-Identifier: MIT */
/* Declarations that the files of hist_show() share. */
#ifndef HIST_SHOW_IMPL_H
#define HIST_SHOW_IMPL_H

#include "hist/lang.h"
#include "hist/show.h"
#include "hist/syscall_name.h"

/*
 * A private copy of an entry of the table.
 *
 * Its key is in hist_show.keys, in the kernel's form: a number takes one word; a string takes
 * the words up to its NUL, padded with zeroes; a stack takes HIST_STACK_DEPTH words, padded
 * with zeroes.
 */
struct show_entry {
	uint64_t hits;
	uint32_t index;			/* index of the entry in the histogram's table */
	uint32_t key;			/* index of the key's first word in hist_show.keys */
	uint32_t key_words;
};

/* The sum and the maximum of a value over all entries, for .percent and .graph. */
struct show_stat {
	uint64_t total, max;
};

/* An element of the array that is sorted.  It stands for an entry of the histogram. */
struct sort_item {
	uint64_t rank;			/* rank of the entry: entries are compared by rank
					 * first, then by their keys or values */
	uint32_t entry;			/* the entry that the item stands for: index in
					 * hist_show.entries */
};

/* The sort key by which one of the three sorts compares entries. */
struct sort_by {
	const struct hist_show *show;
	enum {
		SORT_NONE,		/* all entries count as equal, because the kernel does
					 * not compare stacks */
		SORT_HITS, SORT_VALUE, SORT_NUMBER, SORT_STRING, SORT_WHOLE_KEY,
	} kind;
	uint32_t value_nr, key_nr;	/* @value_nr: index of the value to sort by; @key_nr:
					 * index of the key's field to sort by */
	bool is_descending;
};

/* The state of a heapsort, which show_sort.c runs step by step. */
struct heapsort {
	struct sort_by by;
	struct sort_item *items;
	uint32_t nr;			/* number of items that belong to the heap */
	uint32_t top;			/* index of the item that was moved to its place
					 * (sifted) last; 0: the heap is complete */
	bool is_second_child;		/* true: of the two children of the heap root, the
					 * second was greater */
	bool is_done;
};

enum show_stage {
	SHOW_HEADER, SHOW_SLOTS, SHOW_ENTRIES, SHOW_STATS,
	SHOW_SORT_KEYS, SHOW_SORT_FIRST, SHOW_SORT_SECOND, SHOW_PRINT, SHOW_TOTALS,
	SHOW_DONE,
};

struct hist_show {
	const struct hist_def *def;
	const struct hist_view *view;
	const struct hist_show_env *env;
	enum show_stage stage;
	bool has_begun;			/* the stage has begun */
	uint32_t at;			/* number of the next slot, entry or item to handle in
					 * the current stage */
	int error;			/* 0 or -errno */

	uint64_t *used;			/* bitmap of the entries to which a slot refers */
	uint32_t nr_used;
	struct show_entry *entries;	/* copies of the entries that have hits */
	uint32_t nr_entries;
	uint64_t *sums;			/* array of sums: view->geometry.nr_vals numbers for
					 * each entry */
	uint64_t *keys;
	uint32_t nr_words, cap_words;	/* number of words in @keys; number of words for which
					 * there is space */
	struct show_stat *stats;	/* array with the sum and the maximum of each value */

	struct sort_item *items;
	struct heapsort sort;
};

/* ---- show_read.c ---- */

/* Run the stages SHOW_SLOTS and SHOW_ENTRIES.  The function of a stage returns true if the
 * stage is complete, and false if it must be called again. */
bool show_scan_slots(struct hist_show *show, struct text *out);
bool show_read_entries(struct hist_show *show, struct text *out);
/* Copy the key of entry @index to @ret_key, which has space for HIST_KEY_WORDS_MAX words, in
 * the form that struct show_entry describes.  Returns the number of words. */
uint32_t show_read_key(const struct hist_show *show, uint32_t index, uint64_t *ret_key);
/* Returns the number of words that the field @node of a key takes.  @words: the first word of
 * the field. */
uint32_t show_key_width(const struct hist_node *node, const uint64_t *words);
/* Load a word of a table. */
static inline uint64_t show_load(const void *from)
{
	return __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
}
/* Returns the address of entry @index in the histogram's table. */
static inline const char *show_entry_at(const struct hist_show *show, uint32_t index)
{
	const struct hist_layout *layout = &show->view->layout;

	return show->view->base + layout->entries_off +
	       (uint64_t)index * layout->entry_bytes;
}
/* Returns the value with the index @nr of the entry @entry in hist_show.entries. */
static inline uint64_t show_value(const struct hist_show *show, uint32_t entry, uint32_t nr)
{
	if (show->def->vals[nr]->kind == HIST_NODE_HITCOUNT)
		return show->entries[entry].hits;
	return show->sums[(uint64_t)entry * show->view->geometry.nr_vals + nr];
}

/* ---- show_sort.c: stages that sort entries ---- */

/* Run the stages SHOW_SORT_KEYS, SHOW_SORT_FIRST and SHOW_SORT_SECOND, which are the three
 * sorts. */
bool show_sort_keys(struct hist_show *show, struct text *out);
bool show_sort_first(struct hist_show *show, struct text *out);
bool show_sort_second(struct hist_show *show, struct text *out);

/* ---- show_key.c ---- */

/* Append the name of a key or value, as the kernel's hist_field_name() prints it. */
void show_put_name(const struct hist_node *node, struct text *out);
/* Append a number, right-aligned in at least @width columns. */
void show_put_number(uint64_t value, uint32_t width, struct text *out);
/* Append blanks until the text from @start on has @width bytes. */
void show_pad(struct text *out, size_t start, size_t width);
/* Append a stack of up to HIST_STACK_DEPTH return addresses that ends before a zero, one
 * line for each. */
void show_put_stack(const struct hist_show *show, const uint64_t *ips, struct text *out);
/* Append "{ NAME: VALUE, ... }" for a key.  @index: index of the key's entry in the table. */
void show_put_key(const struct hist_show *show, const uint64_t *words, uint32_t index,
		  struct text *out);

/* ---- show_entry.c ---- */

/* Run the stages SHOW_STATS and SHOW_PRINT. */
bool show_count_stats(struct hist_show *show, struct text *out);
bool show_print_entries(struct hist_show *show, struct text *out);
/* Append the lines about the last snapshot, if there was a snapshot. */
void show_put_snapshot(const struct hist_show *show, struct text *out);

#endif
