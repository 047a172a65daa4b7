/* SPDX-License-Identifier: MIT */
/*
 * After a hit is counted: store variables, and run the actions of onmatch(), onmax() and
 * onchange().
 *
 * onmax() and onchange() compare a value with the last value, a variable of the entry.  The
 * thread that changes the last value runs the action.  For run_trace() and run_snapshot() one
 * compare-and-exchange changes it.  run_save() stores several variables that must belong to
 * one hit, so its thread holds the lock of the entry.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "hist/run.h"
#include "hist/run_inline.h"
#include "ring/ring.h"
#include "ring/shmlock.h"

#define RECORD_SHORT	256u		/* most records of dynamic events are not longer than
					 * this, bytes */
#define LOCK_YIELDS	SHMLOCK_ASK	/* number of yields while a thread waits for the lock
					 * of an entry: enough to find out that the thread
					 * that holds the lock is dead.  A thread that does
					 * not get the lock only skips save() */

/* ---- variables ---- */

void hist_set_bit(const struct hist_view *view, uint64_t *entry, uint32_t bit, bool always)
{
	uint64_t *set = hist_set(view, entry);

	if (always || !(__atomic_load_n(set, __ATOMIC_RELAXED) >> bit & 1))
		/* release: the variable is stored; mate: hist_has_var() [hist.set] */
		__atomic_fetch_or(set, 1ull << bit, __ATOMIC_RELEASE);
}

static void store_words(uint64_t *to, const uint64_t *from, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		__atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
}

/* Store the string or stack in register @reg in the variable @var. */
static __attribute__((noinline)) void
store_bytes(const struct hist_run *run, uint64_t *var, uint32_t reg, uint32_t kind)
{
	uint64_t words[HIST_STR_BYTES / 8];

	if (kind == HIST_STR) {
		store_words(var, words, hist_copy_string(run, reg, words, ARRAY_SIZE(words)));
		return;
	}
	words[0] = hist_copy_stack(run, reg, &words[1], HIST_STACK_DEPTH);
	store_words(var, words, 1 + (uint32_t)words[0]);
}

void hist_store_var(const struct hist_run *run, uint64_t *entry, uint32_t reg, uint32_t kind,
		    uint32_t bit, uint32_t offset)
{
	const struct hist_view *view = &run->unit->views[0];
	uint64_t *var = hist_var(view, entry, offset);

	if (kind == HIST_NUM)
		hist_store_number(var, run->values[reg]);
	else
		store_bytes(run, var, reg, kind);
	TESTPOINT("hist.var");
	hist_set_bit(view, entry, bit, kind != HIST_NUM);
}

/* ---- the handlers onmax() and onchange() ---- */

/* Returns true if the handler acts on @value, because it is greater than the last value
 * (onmax), or differs from the last value (onchange). */
static bool is_new(const struct hist_action *action, uint64_t last, uint64_t value)
{
	return action->handler == HIST_ON_MAX ? value > last : value != last;
}

/* Replace the last value by the value of this hit, if the handler acts on it.  Returns true
 * if this thread has replaced the last value, and so must run the action. */
static bool take_last(const struct hist_run *run, const struct hist_action *action,
		      uint64_t *entry)
{
	const struct hist_view *view = &run->unit->views[0];
	uint64_t *var = hist_var(view, entry, action->offset);
	uint64_t value = run->values[action->reg];
	uint64_t last = __atomic_load_n(var, __ATOMIC_RELAXED);

	do {
		if (!is_new(action, last, value))
			return false;
	} while (!__atomic_compare_exchange_n(var, &last, value, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	TESTPOINT("hist.last");
	hist_set_bit(view, entry, action->bit, false);
	return true;
}

/* ---- run_save() ---- */

static void save_locked(const struct hist_run *run, const struct hist_action *action,
			uint64_t *entry)
{
	for (uint32_t i = 0; i < action->nr; i++) {
		const struct hist_param *param = &run->unit->params[action->first + i];

		hist_store_var(run, entry, param->reg, param->kind, param->bit, param->offset);
		TESTPOINT("hist.save");
	}
}

/* Run save(): store the values of this hit if it replaces the saved hit.  Compare first
 * without the lock, because most hits do not replace the saved hit. */
static void run_save(const struct hist_run *run, const struct hist_action *action, uint64_t *entry)
{
	const struct hist_view *view = &run->unit->views[0];
	uint64_t *var = hist_var(view, entry, action->offset);
	uint32_t *lock = (uint32_t *)(hist_set(view, entry) + 1);
	struct arch_signals old;

	if (!is_new(action, __atomic_load_n(var, __ATOMIC_RELAXED),
		    run->values[action->reg]))
		return;
	arch_signals_block(&old);
	if (!shmlock_take_for(lock, shmlock_self(), LOCK_YIELDS)) {
		if (take_last(run, action, entry))
			save_locked(run, action, entry);
		shmlock_drop(lock);
	}
	arch_signals_restore(&old);
}

/* ---- run_snapshot() ---- */

/*
 * Store this hit as the last snapshot of the table.  If the last snapshot was one of @action,
 * too, do so only if the handler acts on the new value compared with the value of that
 * snapshot.  Returns true if the snapshot must be taken.
 */
static bool note_snapshot(const struct hist_run *run, const struct hist_action *action,
			  uint32_t index)
{
	struct hist_table *table = (struct hist_table *)(void *)run->unit->views[0].base;
	uint64_t value = run->values[action->reg];
	uint32_t number = (uint32_t)(action - run->unit->actions) + 1;

	if (__atomic_load_n(&table->last_action, __ATOMIC_RELAXED) == number &&
	    !is_new(action, __atomic_load_n(&table->last_value, __ATOMIC_RELAXED), value))
		return false;
	__atomic_store_n(&table->last_entry, index, __ATOMIC_RELAXED);
	__atomic_store_n(&table->last_value, value, __ATOMIC_RELAXED);
	TESTPOINT("hist.snapshot");
	__atomic_store_n(&table->last_action, number, __ATOMIC_RELEASE);	/* [hist.last] */
	return true;
}

static bool run_snapshot(const struct hist_run *run, const struct hist_action *action,
			 uint64_t *entry, uint32_t index)
{
	struct hist_table *table = (struct hist_table *)(void *)run->unit->views[0].base;
	struct arch_signals old;
	bool is_wanted = false;

	if (!take_last(run, action, entry))
		return false;
	arch_signals_block(&old);
	if (!shmlock_take_for(&table->last_lock, shmlock_self(), LOCK_YIELDS)) {
		is_wanted = note_snapshot(run, action, index);
		shmlock_drop(&table->last_lock);
	}
	arch_signals_restore(&old);
	return is_wanted;
}

/* ---- run_trace() ---- */

/* Returns true if register @reg is a string at an address that cannot be read. */
static bool is_fault(const struct hist_run *run, uint32_t reg)
{
	char first;

	return run->where[reg].from == HIST_FROM_PROCESS &&
	       (!run->context->peek ||
		run->context->peek(run->ctx, run->values[reg], &first, 1) != 1);
}

/* Store a dynamic field after the @used bytes of the record.  Returns the size of the
 * record with the field, in bytes. */
static uint32_t store_dynamic(const struct hist_run *run, const struct hist_param *param,
			      char *rec, uint32_t used)
{
	uint32_t reg = param->reg;
	uint32_t start = ALIGN_UP(used, 8u), bytes, word;
	uint64_t *to = (uint64_t *)(void *)(rec + start);

	memset(rec + used, 0, start - used);
	if (param->kind == HIST_STR) {
		bytes = 8 * (hist_copy_string(run, reg, to, HIST_STR_BYTES / 8) - 1);
		bytes += (uint32_t)strlen(rec + start + bytes) + 1;
		/* As in the kernel, the length 0 marks a string that cannot be read. */
		if (bytes == 1 && is_fault(run, reg))
			bytes = 0;
	} else {
		bytes = 8 * hist_copy_stack(run, reg, to, HIST_STACK_DEPTH);
	}
	word = bytes << 16 | start;
	memcpy(rec + param->offset, &word, sizeof(word));
	return start + bytes;
}

/* Store a string in an array of the record of a dynamic event. */
static void store_array(const struct hist_run *run, const struct hist_param *param, char *rec)
{
	uint64_t words[HIST_STR_BYTES / 8];
	uint32_t bytes = min_u32(param->size, sizeof(words));
	uint32_t nr = hist_copy_string(run, param->reg, words,
				       ALIGN_UP(bytes, 8u) / 8);

	bytes = min_u32(bytes, 8 * nr);
	memcpy(rec + param->offset, words, bytes);
	rec[param->offset + bytes - 1] = '\0';
}

/*
 * Store the lower @bytes bytes of a number.  The function consists of ifs, which become
 * branches: a call of memcpy() would be slower.
 */
static inline void store_number(char *to, uint64_t value, uint32_t bytes)
{
	if (bytes == 8)
		memcpy(to, &value, 8);
	else if (bytes == 4)
		memcpy(to, &value, 4);
	else if (bytes == 2)
		memcpy(to, &value, 2);
	else
		*to = (char)value;
}

/* Write the record of @action to @rec, which has space for it.  Returns the size of the
 * record. */
static inline uint32_t write_record(const struct hist_run *run,
				    const struct hist_action *action, char *rec)
{
	uint32_t used = action->record_bytes, end;

	for (uint32_t i = 0; i < used; i += 8)
		memset(rec + i, 0, 8);
	for (uint32_t i = 0; i < action->nr; i++) {
		const struct hist_param *param = &run->unit->params[action->first + i];

		if (param->store == HIST_STORE_NUM)
			store_number(rec + param->offset, run->values[param->reg], param->size);
		else if (param->store == HIST_STORE_ARRAY)
			store_array(run, param, rec);
		else
			used = store_dynamic(run, param, rec, used);
	}
	end = ALIGN_UP(used, 4u);
	for (; used < end; used++)
		rec[used] = 0;
	return end;
}

static inline void emit_record(const struct hist_run *run, const struct hist_action *action,
			       char *rec)
{
	run->context->emit(run->ctx, action->row, rec,
			   write_record(run, action, rec));
}

/* This function is not inlined, because its large buffer would enlarge the stack frame of
 * every hit. */
static __attribute__((noinline)) void emit_long(const struct hist_run *run,
						const struct hist_action *action)
{
	uint64_t words[2 + ALIGN_UP(RING_PAYLOAD_MAX, 8) / 8];

	emit_record(run, action, (char *)&words[2]);
}

static __attribute__((noinline)) void emit_short(const struct hist_run *run,
						 const struct hist_action *action)
{
	uint64_t words[2 + RECORD_SHORT / 8];

	emit_record(run, action, (char *)&words[2]);
}

static void run_trace(const struct hist_run *run, const struct hist_action *action)
{
	uint32_t bytes = run->unit->record_max[action - run->unit->actions];

	if (!run->context->emit)
		return;
	if (bytes <= RECORD_SHORT)
		emit_short(run, action);
	else if (bytes <= RING_PAYLOAD_MAX)
		emit_long(run, action);
	else
		run->context->emit(run->ctx, action->row, NULL, 0);
}

/* ---- run all actions ---- */

bool hist_run_actions(struct hist_run *run, uint64_t *entry, uint32_t index)
{
	bool is_snapshot = false;

	for (uint32_t i = 0; i < run->unit->program->nr_actions; i++) {
		const struct hist_action *action = &run->unit->actions[i];

		if (action->kind == HIST_DO_SAVE)
			run_save(run, action, entry);
		else if (action->kind == HIST_DO_SNAPSHOT)
			is_snapshot |= run_snapshot(run, action, entry, index);
		else if (action->handler == HIST_ON_MATCH || take_last(run, action, entry))
			run_trace(run, action);
	}
	return is_snapshot;
}
