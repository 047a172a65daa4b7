/* SPDX-License-Identifier: MIT */
/*
 * The state of a run, and the functions for runs that are not inlined: for strings, stacks,
 * keys with several parts, and actions.  run_inline.h has the inlined functions.
 */
#ifndef HIST_RUN_STATE_H
#define HIST_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist/run.h"

/* Where the bytes of a string or stack are before they are copied. */
enum hist_from {
	HIST_FROM_RECORD,		/* the bytes are in private memory, of which
					 * hist_bytes.bytes bytes may be read */
	HIST_FROM_TABLE,		/* the bytes are in the memory of a variable of a
					 * table */
	HIST_FROM_PROCESS,		/* the bytes are at an address of the process, which may
					 * be invalid */
	HIST_FROM_THREAD,		/* there are no bytes yet: the string is the name of
					 * this thread, or the stack its call stack */
};

/* The size and origin of the string or stack in a register.  Its address is in
 * hist_run.values. */
struct hist_bytes {
	uint32_t bytes;			/* for HIST_FROM_RECORD: number of bytes that may be
					 * read */
	uint32_t from;			/* enum hist_from */
};

/* The state while a program runs for one record. */
struct hist_run {
	const struct hist_unit *unit;
	const char *rec;
	size_t bytes;			/* size of the record */
	const struct hist_context *context;	/* callbacks; the other members of the context
						 * are copied below */
	void *ctx;			/* @ctx: the first argument of the callbacks */
	uint32_t cpu;
	bool has_rseq;			/* @cpu, @has_rseq: copies from struct hist_context */
	bool has_now;			/* true: @now contains the time of this hit */
	uint64_t now;
	uint64_t *values;		/* registers */
	struct hist_bytes *where;	/* array of registers: size and origin of the strings
					 * and stacks in them */
	uint64_t refs[HIST_REFS_MAX];	/* values of the references; for strings and stacks,
					 * their addresses */
};

/* Returns the word of the entry at @entry whose bits say which variables have a value. */
static inline uint64_t *hist_set(const struct hist_view *view, uint64_t *entry)
{
	return entry + view->layout.set_off / 8;
}

/* Returns the address of the variable at @offset of the entry at @entry. */
static inline uint64_t *hist_var(const struct hist_view *view, uint64_t *entry, uint32_t offset)
{
	return entry + (view->layout.vars_off + offset) / 8;
}

/*
 * Copy the string of register @reg to @to, with its NUL, and fill the last word with zeroes.
 * @max: maximum number of words, at least 1; a string that needs more is cut.
 * Returns the number of words.
 */
uint32_t hist_copy_string(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max);
/* Copy at most @max return addresses of the stack of register @reg to @to.  Returns the
 * number of addresses. */
uint32_t hist_copy_stack(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max);
/* Run an instruction that hist_run_insns() does not know. */
void hist_run_insn(struct hist_run *run, const struct hist_insn *insn);

/* Find the entry of @view whose key consists of the first @nr_keys keys of this hit.  Returns
 * its index, or -1. */
int64_t hist_find_by_first_keys(const struct hist_run *run, const struct hist_view *view,
				uint32_t nr_keys);
/* Load a variable of the entry at @entry that is a string or stack.  Returns false if the
 * variable has no value. */
bool hist_load_bytes(const struct hist_view *view, uint64_t *entry, const struct hist_ref *ref,
		     uint64_t *ret);
/* Insert the key of @nr words, whose hash is @hash, into the program's own table.  Returns
 * the index of its entry, or -1 if the hit is dropped. */
int64_t hist_run_insert(const struct hist_run *run, const uint64_t *key, uint32_t nr,
			uint64_t hash);
/* Find or insert the entry of this hit, whose key is not a single number, and load all
 * references.  Returns the index of the entry, or -1 if the hit ends without an entry. */
int64_t hist_run_locate(struct hist_run *run);
/* Commit the figures of a hit that could not be committed by the short rseq section for at
 * most one value.  Returns false if the hit is dropped. */
bool hist_run_commit(const struct hist_run *run, uint32_t index);

/*
 * Run a program of any form.  @run: the members @unit, @rec, @bytes, @context, @ctx, @cpu and
 * @has_rseq are set.
 */
bool hist_run_any(struct hist_run *run);
/* Store that variable @bit of the entry at @entry has a value.  @always: write the bit even
 * if it is 1 already, because another thread may be taking the value at this moment. */
void hist_set_bit(const struct hist_view *view, uint64_t *entry, uint32_t bit, bool always);
/* Store register @reg in a variable of the entry at @entry, which is in the program's own
 * table. */
void hist_store_var(const struct hist_run *run, uint64_t *entry, uint32_t reg, uint32_t kind,
		    uint32_t bit, uint32_t offset);
/* Run the actions of a hit.  @entry, @index: address and index of the hit's entry; unused for
 * an event probe.  Returns true if a snapshot must be taken. */
bool hist_run_actions(struct hist_run *run, uint64_t *entry, uint32_t index);

#endif
