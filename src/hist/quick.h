/* SPDX-License-Identifier: MIT */
/*
 * Quick programs: programs of histograms with one key and at most one value.  The key is a
 * number or an array of characters of the record, the value is a number of the record.  Most
 * histograms are of this form.  A hit of such a histogram needs no interpreter and no
 * registers.  These functions are inlined into the path of an event.  For keys that are
 * numbers the assembly of ulf_event_commit() (commit.S of src/arch) does what
 * hist_quick_add() does.
 */
#ifndef HIST_QUICK_H
#define HIST_QUICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/hist.h"
#include "arch/arch.h"
#include "hist/run.h"
#include "hist/update.h"

#define HIST_QUICK_SET		1u	/* value of hist_quick.small_max, the size up to which
					 * the assembly writes a record to a ring: smaller than
					 * every record, so it never does */
#define HIST_QUICK_PROBES	8u	/* maximum number of slots that a search for a key
					 * looks at */
#define HIST_QUICK_WORDS	6u	/* maximum size of the key of a quick program, in
					 * words */

enum hist_quick_kind {
	HIST_QUICK_NOT,			/* the program is not a quick program */
	HIST_QUICK_NUM,			/* the key is a number */
	HIST_QUICK_STR,			/* quick program whose key is an array of characters */
};

enum hist_quick_change {
	HIST_QUICK_SAME = ARCH_HIST_SAME,	/* the key is a number that is loaded from the
						 * record, unchanged */
	HIST_QUICK_LOG2 = ARCH_HIST_LOG2,	/* the key is hist_log2() of a number that is
						 * loaded from the record */
	HIST_QUICK_SUBLOG2 = ARCH_HIST_SUBLOG2,	/* the key is hist_sublog2() of a number that
						 * is loaded from the record */
	HIST_QUICK_BUCKET,			/* the key is the lower bound of the bucket to
						 * which a number of the record belongs */
};

/* A number of the record. */
struct hist_quick_num {
	uint16_t offset;		/* offset of the number in the record, bytes */
	uint8_t bytes;			/* size of the number, bytes; 0: there is none */
	uint8_t sign_shift;		/* shift for the sign extension of the number: 64
					 * minus its number of bits; 0 if the number is
					 * unsigned */
};

/* A quick program and its table.  If an event has only this histogram, ulf_event.set points
 * to this struct in place of the event's set of rings. */
struct hist_quick {
	uint32_t nr_cpus;		/* number of CPUs that have a part of the table; must
					 * be at the offset of ring_set.nr_cpus */
	uint32_t small_max;		/* always HIST_QUICK_SET; must be at the offset of
					 * ring_set.small_max */
	const void *load;		/* address of the code that loads the key
					 * (arch_hist_load()); NULL: the assembly cannot run
					 * this program */
	const void *change_code;	/* address of the code that changes the key
					 * (arch_hist_change()) */
	uint64_t one;			/* the constant 1, which the assembly adds to the hits */
	const uint64_t *soft;		/* address of a rule word; while it is 0, the event is
					 * also recorded */
	const uint64_t *paused;		/* address of a rule word, or of a constant 0; while
					 * it is not 0, hits are not counted */
	struct hist_quick_num key, val;
	uint8_t kind;			/* enum hist_quick_kind */
	uint8_t change;			/* enum hist_quick_change */
	uint8_t key_words;		/* for HIST_QUICK_STR: maximum size of the key, in
					 * words */
	uint8_t reserved;
	uint32_t key_bytes;		/* for HIST_QUICK_STR: size of the array of
					 * characters, bytes */
	uint64_t change_value;		/* number by which the key is changed; for
					 * HIST_QUICK_SUBLOG2: hist_insn.value; for
					 * HIST_QUICK_BUCKET: size of a bucket */
	/* the members below describe the table of the histogram */
	uint64_t seed;
	const uint64_t *slots;
	uint32_t slot_shift, slot_mask;
	char *entries;
	uint64_t nr_entries, entry_bytes;
	struct arch_figures figures;
	uint32_t record_bytes;		/* minimum size of a record */
	uint32_t reserved2;
};

/* Set up *@ret_quick for a program, without @soft and @paused.  If the program is not a quick
 * program, ret_quick->kind is HIST_QUICK_NOT. */
void hist_quick_init(struct hist_quick *ret_quick, const struct hist_unit *unit);

/*
 * Returns a number that is loaded from the record.  The function consists of ifs, which become
 * branches: a jump table would be slower.
 */
static inline uint64_t hist_quick_load(const struct hist_quick_num *num, const char *rec)
{
	const char *at = rec + num->offset;
	uint64_t value;
	uint32_t half;
	uint16_t quarter;

	if (num->bytes == sizeof(value)) {
		memcpy(&value, at, sizeof(value));
		return value;
	}
	if (num->bytes == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		value = half;
	} else if (num->bytes == sizeof(quarter)) {
		memcpy(&quarter, at, sizeof(quarter));
		value = quarter;
	} else {
		value = *(const uint8_t *)at;
	}
	return (uint64_t)((int64_t)(value << num->sign_shift) >> num->sign_shift);
}

/* Returns the smallest n for which 1 << n is at least @a. */
static inline uint64_t hist_log2(uint64_t a)
{
	return a <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(a - 1);
}

/* Returns the lower bound of the bucket of @a, where each power of two has 1 << @bits
 * buckets.  Example with 2 bits: 1000 is 0b1111101000, so its bucket begins at
 * 0b1110000000 = 896. */
static inline uint64_t hist_sublog2(uint64_t a, uint64_t bits)
{
	uint32_t top = a ? 63 - (uint32_t)__builtin_clzll(a) : 0;

	return top <= bits ? a : a >> (top - bits) << (top - bits);
}

/* Returns the key for the number @key of the record, changed as the program says. */
static inline uint64_t hist_quick_change(const struct hist_quick *quick, uint64_t key)
{
	if (quick->change == HIST_QUICK_SAME)
		return key;
	if (quick->change == HIST_QUICK_LOG2)
		return hist_log2(key);
	if (quick->change == HIST_QUICK_SUBLOG2)
		return hist_sublog2(key, quick->change_value);
	return key - key % quick->change_value;
}

/* Make the key of a quick program from a record.  Returns the number of words of the key. */
static inline __attribute__((always_inline)) uint32_t
hist_quick_key(const struct hist_quick *quick, const char *rec, enum hist_quick_kind kind,
	       uint64_t *key)
{
	if (kind == HIST_QUICK_STR)
		return hist_copy_array(rec + quick->key.offset, quick->key_bytes, key,
				       quick->key_words);
	key[0] = hist_quick_change(quick, hist_quick_load(&quick->key, rec));
	return 1;
}

/*
 * Find the entry of a key.  Returns its index; or UINT32_MAX if there is no entry, or if
 * HIST_QUICK_PROBES slots were searched in vain.
 */
static inline __attribute__((always_inline)) uint32_t
hist_quick_find(const struct hist_quick *quick, const uint64_t *key, uint32_t nr)
{
	uint64_t hash = hist_hash(quick->seed, key, nr);
	uint64_t slot = hash >> quick->slot_shift;

	for (uint32_t i = 0; i < HIST_QUICK_PROBES; i++) {
		/* acquire: the key of the entry is complete; mate: update.c [hist.slot] */
		uint64_t word = __atomic_load_n(&quick->slots[slot], __ATOMIC_ACQUIRE);
		uint64_t index = word - (hash << 32) - 1;

		/*
		 * If the slot has another hash, @index is larger than the index of every
		 * entry.
		 */
		if (index < quick->nr_entries &&
		    hist_has_key((const uint64_t *)(const void *)
				 (quick->entries + index * quick->entry_bytes), key, nr))
			return (uint32_t)index;
		if (!word)
			break;
		slot = (slot + 1) & quick->slot_mask;
	}
	return UINT32_MAX;
}

/*
 * Count a hit.  @rec: a record of @bytes bytes.  @kind, @has_val: constants, so that the
 * compiler makes a variant of this function for each pair.  Returns false if the hit was not
 * counted: the record is too short, the key has no entry yet, the rseq section was aborted,
 * or this thread has no rseq.
 */
static inline __attribute__((always_inline)) bool
hist_quick_add(const struct hist_quick *quick, const char *rec, size_t bytes,
	       enum hist_quick_kind kind, bool has_val)
{
	uint64_t key[HIST_QUICK_WORDS], value = 0;
	uint32_t index;

	if (bytes < quick->record_bytes)
		return false;
	index = hist_quick_find(quick, key, hist_quick_key(quick, rec, kind, key));
	if (index == UINT32_MAX)
		return false;
	if (has_val)
		value = hist_quick_load(&quick->val, rec);
	return arch_figures_add_pair(&quick->figures, index, value) == ARCH_COMMIT_DONE;
}

#endif
