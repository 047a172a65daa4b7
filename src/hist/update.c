/* SPDX-License-Identifier: MIT */
/*
 * The table of a histogram: find and insert entries, commit hits, read figures.
 * docs/design/histograms.md shows that the steps are correct, and what a SIGKILL after each
 * of them leaves.
 */
#include <string.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/testpoint.h"
#include "hist/run.h"
#include "hist/update.h"
#include "ring/shmlock.h"

#define ABORTS_MAX	100	/* maximum number of aborts of the rseq section in one commit,
				 * for example by a debugger's single steps; after that the
				 * thread takes the lock instead */
#define READS_MAX	1000	/* maximum number of attempts to read one part of an entry's
				 * figures while threads hit the entry */

/* ---- geometry ---- */

bool hist_geometry_is_valid(const struct hist_geometry *geo, uint64_t bytes)
{
	struct hist_layout layout;

	if (geo->nr_entries < HIST_ENTRIES_MIN || geo->nr_entries > HIST_ENTRIES_MAX ||
	    (geo->nr_entries & (geo->nr_entries - 1)) ||
	    !geo->nr_parts || geo->nr_parts > ABI_CPUS + 1 ||
	    geo->nr_vals > HIST_VALS_MAX ||
	    !geo->key_words || geo->key_words > HIST_KEY_WORDS_MAX ||
	    geo->var_bytes > HIST_VARS_MAX * HIST_STR_BYTES || geo->var_bytes % 8 ||
	    geo->flags & ~(uint32_t)HIST_GEO_COMM)
		return false;
	hist_layout_init(geo, &layout);
	return layout.bytes == bytes && bytes <= HIST_TABLE_BYTES_MAX;
}

void hist_view_init(struct hist_view *view, void *base, const struct hist_geometry *geo)
{
	view->base = base;
	view->geometry = *geo;
	hist_layout_init(geo, &view->layout);
	view->figures = (struct arch_figures){
		.at = (char *)hist_figures(view, 0, 0),
		.part_bytes = view->layout.part_bytes,
		.figure_bytes = view->layout.figure_bytes,
		.nr_cpus = geo->nr_parts - 1,
	};
}

/* ---- entries ---- */

static struct hist_table *table_of(const struct hist_view *view)
{
	return (struct hist_table *)(void *)view->base;
}

int64_t hist_find(const struct hist_view *view, const uint64_t *key, uint32_t nr, uint64_t hash)
{
	uint32_t slot = hist_first_slot(view, hash);
	int64_t index = hist_search(view, key, nr, hash, &slot);

	return index < 0 ? -1 : index;
}

/* Take a spare entry, which another thread has taken but not used.  Returns the index of the
 * entry, or -1 if there is none. */
static int64_t take_spare(const struct hist_view *view)
{
	for (uint32_t i = 0; i < HIST_SPARES; i++) {
		uint32_t *spare = &table_of(view)->spare[i];
		uint32_t word = __atomic_load_n(spare, __ATOMIC_RELAXED);

		if (word && word - 1 < view->geometry.nr_entries &&
		    __atomic_compare_exchange_n(spare, &word, 0, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return word - 1;
	}
	return -1;
}

/* Take a free entry of the table.  Returns the index of the entry, or -1 if the table is
 * full. */
static int64_t take_entry(const struct hist_view *view)
{
	uint32_t *next = &table_of(view)->next;
	int64_t spare = take_spare(view);
	uint32_t index = __atomic_load_n(next, __ATOMIC_RELAXED);

	if (spare >= 0)
		return spare;
	do {
		if (index >= view->geometry.nr_entries)
			return -1;
	} while (!__atomic_compare_exchange_n(next, &index, index + 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return index;
}

/* Store an unused entry as a spare entry.  If there is no space for more spare entries, the
 * entry is lost. */
static void give_back(const struct hist_view *view, uint32_t index)
{
	for (uint32_t i = 0; i < HIST_SPARES; i++) {
		uint32_t none = 0;

		if (__atomic_compare_exchange_n(&table_of(view)->spare[i], &none, index + 1, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

/* Write the key to an entry to which no slot refers yet. */
static void fill_entry(const struct hist_view *view, uint32_t index, const uint64_t *key,
		       uint32_t nr, const char *comm)
{
	uint64_t *entry = hist_entry(view, index);

	for (uint32_t i = 0; i < view->geometry.key_words; i++)
		__atomic_store_n(&entry[i], i < nr ? key[i] : 0, __ATOMIC_RELAXED);
	if (view->geometry.flags & HIST_GEO_COMM)
		memcpy((char *)entry + view->layout.comm_off, comm, HIST_COMM_LEN);
	TESTPOINT("hist.filled");
}

int64_t hist_insert(const struct hist_view *view, const uint64_t *key, uint32_t nr,
		    uint64_t hash, const char comm[HIST_COMM_LEN])
{
	uint32_t slot = hist_first_slot(view, hash);
	int64_t index = hist_search(view, key, nr, hash, &slot), new;
	uint64_t word;

	if (index != HIST_NOT_FOUND)
		return index < 0 ? -1 : index;
	new = take_entry(view);
	if (new < 0)
		return -1;
	TESTPOINT("hist.taken");
	fill_entry(view, (uint32_t)new, key, nr, comm);
	word = hash << 32 | (uint32_t)(new + 1);
	do {
		uint64_t none = 0;

		/* release: the entry's key is complete; mate: hist_search() [hist.slot] */
		if (__atomic_compare_exchange_n(&hist_slots(view)[slot], &none, word, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
			TESTPOINT("hist.inserted");
			return new;
		}
		/* Another thread has taken this slot, possibly for the same key, so search
		 * again. */
		index = hist_search(view, key, nr, hash, &slot);
	} while (index == HIST_NOT_FOUND);
	give_back(view, (uint32_t)new);
	TESTPOINT("hist.given");
	return index < 0 ? -1 : index;
}

/* ---- figures ---- */

/* Add a hit to the hits and the sum at @figures. */
static void add_pair_locked(uint64_t *figures, uint64_t value)
{
	uint64_t pair[2];

	arch_figures_load(figures, pair);
	pair[0]++;
	pair[1] += value;
	TESTPOINT("hist.locked.sums");
	arch_figures_store(figures, pair);
	TESTPOINT("hist.locked.commit");
}

/* Add a hit to the hits and to the @nr sums at @figures.  There are two copies of the sums:
 * the new sums are written to the copy that is not in use. */
static void add_copies_locked(uint64_t *figures, const uint64_t *values, uint32_t nr)
{
	uint64_t hits = __atomic_load_n(figures, __ATOMIC_RELAXED);
	const uint64_t *from = figures + 1 + (hits % 2) * nr;
	uint64_t *to = figures + 1 + ((hits + 1) % 2) * nr;

	/* release: a hit writes copy @to only after all threads can see the hits that select
	 * the other copy; mate: read_copies() [hist.copy] */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (uint32_t i = 0; i < nr; i++)
		__atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED) + values[i],
				 __ATOMIC_RELAXED);
	TESTPOINT("hist.locked.sums");
	__atomic_store_n(figures, hits + 1, __ATOMIC_RELEASE);	/* [hist.figures] */
	TESTPOINT("hist.locked.commit");
}

/* Add a hit to the last part of the table, whose lock this thread holds. */
static void add_locked(const struct hist_view *view, uint32_t index, const uint64_t *values)
{
	uint32_t nr = view->geometry.nr_vals;
	uint64_t *figures = hist_figures(view, view->geometry.nr_parts - 1, index);

	if (nr <= 1)
		add_pair_locked(figures, nr ? *values : 0);
	else
		add_copies_locked(figures, values, nr);
}

/* maximum number of yields while a thread waits for the lock of a part of the table */
static uint32_t patience = SHMLOCK_YIELDS;

bool hist_commit_locked(const struct hist_view *view, uint32_t index, const uint64_t *values)
{
	struct hist_part *part = hist_part(view, view->geometry.nr_parts - 1);
	struct arch_signals old;
	int r;

	arch_signals_block(&old);
	r = shmlock_take_patiently(&part->lock, shmlock_self(), &patience);
	if (!r) {
		add_locked(view, index, values);
		shmlock_drop(&part->lock);
	}
	arch_signals_restore(&old);
	return !r;
}

bool hist_commit(const struct hist_view *view, uint32_t index, const uint64_t *values,
		 bool has_rseq)
{
	enum arch_commit r = has_rseq ? ARCH_COMMIT_ABORTED : ARCH_COMMIT_NO_RING;
	uint32_t nr = view->geometry.nr_vals;

	for (int i = 0; r == ARCH_COMMIT_ABORTED && i < ABORTS_MAX; i++) {
		r = nr <= 1 ? arch_figures_add_pair(&view->figures, index, nr ? *values : 0) :
		    arch_figures_add(&view->figures, index, values, nr);
	}
	return r == ARCH_COMMIT_DONE || hist_commit_locked(view, index, values);
}

void hist_drop(const struct hist_view *view, uint32_t cpu)
{
	uint32_t last = view->geometry.nr_parts - 1;

	__atomic_add_fetch(&hist_part(view, cpu < last ? cpu : last)->dropped, 1,
			   __ATOMIC_RELAXED);
	TESTPOINT("hist.dropped");
}

/* ---- read a table ---- */

/* Add the hits and the sum that an entry has in one part of the table to *@hits and @sums.
 * @figures: address of both.  @nr: number of elements of @sums. */
static void read_pair(const uint64_t *figures, uint32_t nr, uint64_t *hits, uint64_t *sums)
{
	uint64_t pair[2];

	arch_figures_load(figures, pair);
	*hits += pair[0];
	if (nr)
		sums[0] += pair[1];
}

/*
 * Add the figures that an entry has in one part of the table to *@hits and @sums.  @figures:
 * their address.  If the figures change during each attempt, the result of the last attempt is
 * used.  So many changes can only come from a process that writes wrong values.
 */
static void read_copies(const uint64_t *figures, uint32_t nr, uint64_t *hits, uint64_t *sums)
{
	uint64_t copy[HIST_VALS_MAX], seen = 0;

	for (int i = 0; i < READS_MAX; i++) {
		/* acquire: the copy that these hits select is complete; mate: add_locked(),
		 * arch_figures_add() [hist.figures] */
		seen = __atomic_load_n(figures, __ATOMIC_ACQUIRE);
		for (uint32_t k = 0; k < nr; k++)
			copy[k] = __atomic_load_n(&figures[1 + (seen % 2) * nr + k],
						  __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);	/* [hist.copy] */
		if (__atomic_load_n(figures, __ATOMIC_RELAXED) == seen)
			break;
	}
	*hits += seen;
	for (uint32_t k = 0; k < nr; k++)
		sums[k] += copy[k];
}

uint64_t hist_read_figures(const struct hist_view *view, uint32_t index, uint64_t *ret_sums)
{
	uint32_t nr = view->geometry.nr_vals;
	uint64_t hits = 0;

	memset(ret_sums, 0, nr * sizeof(*ret_sums));
	for (uint32_t i = 0; i < view->geometry.nr_parts; i++)
		(nr <= 1 ? read_pair : read_copies)(hist_figures(view, i, index), nr, &hits,
						    ret_sums);
	return hits;
}

uint64_t hist_read_dropped(const struct hist_view *view)
{
	uint64_t dropped = 0;

	for (uint32_t i = 0; i < view->geometry.nr_parts; i++)
		dropped += __atomic_load_n(&hist_part(view, i)->dropped, __ATOMIC_RELAXED);
	return dropped;
}

int64_t hist_read_slot(const struct hist_view *view, uint32_t slot)
{
	/* acquire: the key of the entry is complete; mate: hist_insert() [hist.slot] */
	uint64_t word = __atomic_load_n(&hist_slots(view)[slot & (view->layout.nr_slots - 1)],
					__ATOMIC_ACQUIRE);
	uint32_t index = (uint32_t)word - 1;

	return word && index < view->geometry.nr_entries ? (int64_t)index : -1;
}
