/* SPDX-License-Identifier: MIT */
/*
 * The state of a run, and the functions for runs that are not inlined: for strings, stacks,
 * keys with several parts, and actions.  run_inline.h has the others.
 */
#ifndef HIST_RUN_STATE_H
#define HIST_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist/run.h"

/* Where the bytes of a string or stack come from. */
enum hist_from {
	HIST_FROM_RECORD,		/* private memory with hist_reg.bytes bytes */
	HIST_FROM_TABLE,		/* memory of a variable of a table */
	HIST_FROM_PROCESS,		/* an address in the process, which may be invalid */
	HIST_FROM_THREAD,		/* the name of this thread, or its stack */
};

/* The size and origin of a string or stack in a register; its address is in hist_run.values. */
struct hist_bytes {
	uint32_t bytes;			/* HIST_FROM_RECORD: number of bytes that may be read */
	uint32_t from;			/* enum hist_from */
};

/* The state while a program runs for one record. */
struct hist_run {
	const struct hist_unit *unit;
	const char *rec;
	size_t bytes;			/* size of the record */
	const struct hist_context *context;	/* callbacks; the other members are copied below */
	void *ctx;			/* first argument of the callbacks */
	uint32_t cpu;
	bool has_rseq;			/* cpu, has_rseq: see struct hist_context */
	bool has_now;			/* true: @now is the time of this hit */
	uint64_t now;
	uint64_t *values;		/* registers */
	struct hist_bytes *where;	/* for registers that contain a string or a stack */
	uint64_t refs[HIST_REFS_MAX];	/* values of references; addresses of strings and stacks */
};

/* Returns the word `set` of the entry at @entry. */
static inline uint64_t *hist_set(const struct hist_view *view, uint64_t *entry)
{
	return entry + view->layout.set_off / 8;
}

/* Returns the variable at @offset of the entry at @entry. */
static inline uint64_t *hist_var(const struct hist_view *view, uint64_t *entry, uint32_t offset)
{
	return entry + (view->layout.vars_off + offset) / 8;
}

/*
 * Copy the string in register @reg to @to, with its NUL, and fill the last word with zeroes.
 * @max: maximum number of words, at least 1; a string that needs more is cut.
 * Returns the number of words.
 */
uint32_t hist_copy_string(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max);
/* Copy at most @max return addresses of the stack in register @reg to @to.  Returns how many. */
uint32_t hist_copy_stack(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max);
/* Run an instruction that is not in hist_run_insns(). */
void hist_run_insn(struct hist_run *run, const struct hist_insn *insn);

/* Find the entry of @view that has only the first @nr_keys keys of this hit.  Returns its
 * index, or -1. */
int64_t hist_find_by_first_keys(const struct hist_run *run, const struct hist_view *view,
				uint32_t nr_keys);
/* Load a reference to a string or stack of the entry at @entry.  Returns false if the variable
 * has no value. */
bool hist_load_bytes(const struct hist_view *view, uint64_t *entry, const struct hist_ref *ref,
		     uint64_t *ret);
/* Insert the key of @nr words, whose hash is @hash, in the program's own table.  Returns the
 * index of its entry, or -1 if the hit is dropped. */
int64_t hist_run_insert(const struct hist_run *run, const uint64_t *key, uint32_t nr,
			uint64_t hash);
/* Find or insert the entry of this hit, whose key is not a single number, and load all
 * references.  Returns the index of the entry, or -1 if the hit ends here. */
int64_t hist_run_locate(struct hist_run *run);
/* Commit the figures of a hit that could not be committed by the short rseq section for at
 * most one value.  Returns false if the hit is dropped. */
bool hist_run_commit(const struct hist_run *run, uint32_t index);

/* Run a program.  @run: unit, rec, bytes, context, ctx, cpu and has_rseq are set. */
bool hist_run_any(struct hist_run *run);
/* Set bit @bit of `set` of the entry at @entry: the variable has a value.  @always: also if
 * the bit is 1 already, because a reference may just be taking the value. */
void hist_set_bit(const struct hist_view *view, uint64_t *entry, uint32_t bit, bool always);
/* Store register @reg in a variable of the entry at @entry, of the program's own table. */
void hist_store_var(const struct hist_run *run, uint64_t *entry, uint32_t reg, uint32_t kind,
		    uint32_t bit, uint32_t offset);
/* Run the actions of a hit.  @entry, @index: the hit's entry; unused for an event probe.
 * Returns true if a snapshot must be taken. */
bool hist_run_actions(struct hist_run *run, uint64_t *entry, uint32_t index);

#endif
