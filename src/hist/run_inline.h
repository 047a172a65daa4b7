/* SPDX-License-Identifier: MIT */
/*
 * Run a program: the steps that most programs need, in functions that are inlined.  The caller
 * passes the two callbacks that most programs use as constants, so that the compiler can
 * inline these, too.
 */
#ifndef HIST_RUN_INLINE_H
#define HIST_RUN_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "hist/quick.h"
#include "hist/run.h"
#include "hist/run_state.h"
#include "hist/update.h"

#define HIST_INLINE	static inline __attribute__((always_inline))

/* ---- instructions ---- */

#define HIST_LOAD(type)							\
	({								\
		type value_;						\
									\
		memcpy(&value_, run->rec + insn->offset, sizeof(value_)); \
		value_;							\
	})

/* Returns the time of this hit.  The clock is read only once for a hit. */
HIST_INLINE uint64_t hist_get_time(struct hist_run *run, uint64_t (*now)(void *ctx))
{
	if (!run->has_now)
		run->now = now ? now(run->ctx) : 0;
	run->has_now = true;
	return run->now;
}

/* Run the instructions from @insn to before @end. */
HIST_INLINE void hist_run_insns(struct hist_run *run, const struct hist_insn *insn,
				const struct hist_insn *end, uint64_t (*now)(void *ctx))
{
	uint64_t *values = run->values;

	for (; insn < end; insn++) {
		switch (insn->op) {
		case HIST_OP_LOAD_U64:
			values[insn->dst] = HIST_LOAD(uint64_t);
			break;
		case HIST_OP_LOAD_S32:
			values[insn->dst] = (uint64_t)(int64_t)HIST_LOAD(int32_t);
			break;
		case HIST_OP_LOAD_U32:
			values[insn->dst] = HIST_LOAD(uint32_t);
			break;
		case HIST_OP_TIME:
			values[insn->dst] = hist_get_time(run, now);
			break;
		case HIST_OP_REF:
			values[insn->dst] = run->refs[insn->value];
			run->where[insn->dst].from = HIST_FROM_TABLE;
			break;
		case HIST_OP_SUB:
			values[insn->dst] = values[insn->a] - values[insn->b];
			break;
		default:
			hist_run_insn(run, insn);
		}
	}
}

/* ---- variables ---- */

/* Returns true if a value was stored in variable @bit of the entry at @entry. */
static inline bool hist_has_var(const struct hist_view *view, uint64_t *entry, uint32_t bit)
{
	/* acquire: the variable is stored; mate: hist_set_bit() [hist.set] */
	return __atomic_load_n(hist_set(view, entry), __ATOMIC_ACQUIRE) >> bit & 1;
}

/* Store a number in a variable.  A number that is equal to HIST_TAKEN is stored as HIST_TAKEN
 * + 1, because HIST_TAKEN stands for "no value". */
static inline void hist_store_number(uint64_t *var, uint64_t value)
{
	__atomic_store_n(var, value + (value == HIST_TAKEN), __ATOMIC_RELAXED);
}

/* Read the number in a variable and take it away: afterwards the variable has no value.  The
 * entry is not written if the variable already has no value. */
static inline uint64_t hist_take_number(uint64_t *var)
{
	if (__atomic_load_n(var, __ATOMIC_RELAXED) == HIST_TAKEN)
		return HIST_TAKEN;
	return __atomic_exchange_n(var, HIST_TAKEN, __ATOMIC_RELAXED);
}

/* Load a variable of the entry at @entry.  Returns false if the variable has no value. */
HIST_INLINE bool hist_load_ref(const struct hist_view *view, uint64_t *entry,
			       const struct hist_ref *ref, uint64_t *ret)
{
	uint64_t *var = hist_var(view, entry, ref->offset);

	if (!hist_has_var(view, entry, ref->bit))
		return false;
	if (ref->kind != HIST_NUM)
		return hist_load_bytes(view, entry, ref, ret);
	*ret = ref->is_once ? hist_take_number(var) : __atomic_load_n(var, __ATOMIC_RELAXED);
	return *ret != HIST_TAKEN;
}

/* ---- entries ---- */

/* Find the entry of a key of @nr words, whose hash is @hash.  Returns its index, or a negative
 * number. */
HIST_INLINE int64_t hist_locate_key(const struct hist_view *view, const uint64_t *key,
				    uint32_t nr, uint64_t hash)
{
	uint32_t slot = hist_first_slot(view, hash);
	/* acquire: the key of the entry is complete; mate: update.c [hist.slot] */
	uint64_t word = __atomic_load_n(&hist_slots(view)[slot], __ATOMIC_ACQUIRE);
	uint64_t index = word - (hash << 32) - 1;

	/* If the slot has another hash, @index is larger than the index of every entry. */
	if (likely(index < view->geometry.nr_entries &&
		   hist_has_key(hist_entry(view, (uint32_t)index), key, nr)))
		return (int64_t)index;
	return word ? hist_search(view, key, nr, hash, &slot) : -1;
}

/* Load the values of all references.  @key: the key of this hit, of @nr words.  @hash: hash
 * of the key with the seed of the program's own table.  Returns false if a variable has no
 * value. */
HIST_INLINE bool hist_load_refs(struct hist_run *run, const uint64_t *key, uint32_t nr,
				uint64_t hash)
{
	uint64_t own_seed = run->unit->views[0].geometry.seed;
	const struct hist_view *view = NULL;
	uint64_t *entry = NULL;

	for (uint32_t i = 0; i < run->unit->program->nr_refs; i++) {
		const struct hist_ref *ref = &run->unit->refs[i];
		int64_t index = -1;

		/*
		 * Look up the entry only if this reference is to another table than the one
		 * before: most references of a program are to variables of one table.
		 */
		if (view != &run->unit->views[ref->table]) {
			view = &run->unit->views[ref->table];
			if (ref->nr_keys)
				index = hist_find_by_first_keys(run, view, ref->nr_keys);
			else if (nr <= view->geometry.key_words)
				index = hist_locate_key(view, key, nr,
							view->geometry.seed == own_seed ? hash :
							hist_hash(view->geometry.seed, key, nr));
			if (index < 0)
				return false;
			entry = hist_entry(view, (uint32_t)index);
		}
		if (!hist_load_ref(view, entry, ref, &run->refs[i]))
			return false;
	}
	return true;
}

/* Do steps 2 and 3 of a hit (struct hist_program): load the references, then find or insert
 * the entry.  @key: the key, of @nr words.  Returns the index of the entry, or -1 if the hit
 * ends without an entry. */
HIST_INLINE int64_t hist_find_or_insert(struct hist_run *run, const uint64_t *key, uint32_t nr)
{
	const struct hist_view *view = &run->unit->views[0];
	uint64_t hash = hist_hash(view->geometry.seed, key, nr);
	int64_t index;

	if (run->unit->program->nr_refs && !hist_load_refs(run, key, nr, hash))
		return -1;
	index = hist_locate_key(view, key, nr, hash);
	return likely(index >= 0) ? index : hist_run_insert(run, key, nr, hash);
}

/* Returns the index of the entry of this hit, or -1 if the hit ends without an entry.
 * Handles one key that is a number first, because most histograms have such a key. */
HIST_INLINE int64_t hist_locate(struct hist_run *run)
{
	const struct hist_key *keys = run->unit->keys;

	if (run->unit->program->nr_keys != 1 || keys[0].kind != HIST_NUM)
		return hist_run_locate(run);
	return hist_find_or_insert(run, &run->values[keys[0].reg], 1);
}

/* ---- a hit ---- */

/* Commit the figures of a hit.  Returns false if the hit was dropped. */
HIST_INLINE bool hist_commit_hit(const struct hist_run *run, uint32_t index)
{
	const struct hist_unit *unit = run->unit;
	uint32_t nr = unit->program->nr_vals;

	if (nr <= 1 && run->has_rseq &&
	    arch_figures_add_pair(&unit->views[0].figures, index,
				  nr ? run->values[unit->vals[0]] : 0) == ARCH_COMMIT_DONE)
		return true;
	return hist_run_commit(run, index);
}

/* Store the variables of a hit in the entry at @entry. */
HIST_INLINE void hist_store_vars(const struct hist_run *run, uint64_t *entry)
{
	const struct hist_view *view = &run->unit->views[0];

	for (uint32_t i = 0; i < run->unit->program->nr_vars; i++) {
		const struct hist_var *var = &run->unit->vars[i];

		if (var->kind == HIST_NUM && hist_has_var(view, entry, var->bit)) {
			hist_store_number(hist_var(view, entry, var->offset),
					  run->values[var->reg]);
			TESTPOINT("hist.var");
		} else {
			hist_store_var(run, entry, var->reg, var->kind, var->bit, var->offset);
		}
	}
}

/*
 * Run a program, as hist_run() does.  @run: all members but @has_now, @now and @refs are set.
 * @now: the callback @now of the context; a constant, so that the compiler can inline it.
 */
HIST_INLINE bool hist_run_program(struct hist_run *run, uint64_t (*now)(void *ctx))
{
	const struct hist_unit *unit = run->unit;
	const struct hist_program *p = unit->program;
	uint64_t *entry = NULL;
	int64_t index = 0;

	run->has_now = false;
	hist_run_insns(run, unit->insns, &unit->insns[p->nr_key_insns], now);
	if (p->nr_tables) {
		index = hist_locate(run);
		if (index < 0)
			return false;
		entry = hist_entry(unit->views, (uint32_t)index);
	}
	hist_run_insns(run, &unit->insns[p->nr_key_insns], &unit->insns[p->nr_insns], now);
	if (entry && !hist_commit_hit(run, (uint32_t)index))
		return false;
	hist_store_vars(run, entry);
	return p->nr_actions && hist_run_actions(run, entry, (uint32_t)index);
}

#define HIST_REGS_FEW	16u		/* most programs need at most this number of registers */

/*
 * Run a program that needs few registers.  @run: the members @unit, @rec, @bytes, @context,
 * @ctx, @cpu and @has_rseq are set.  @now: the callback @now of the context; a constant, so
 * that the compiler can inline it.
 */
HIST_INLINE bool hist_run_few(struct hist_run *run, uint64_t (*now)(void *ctx))
{
	struct hist_bytes where[HIST_REGS_FEW];
	uint64_t values[HIST_REGS_FEW];

	run->values = values;
	run->where = where;
	return hist_run_program(run, now);
}

#endif
