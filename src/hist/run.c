/* SPDX-License-Identifier: MIT */
/*
 * Run histogram programs: the functions that run_inline.h does not inline.  A register
 * contains only the address of a string or stack.  The bytes are copied once, to the key, the
 * variable or the record that needs them.  So a run needs little of the thread's stack, which
 * may be that of a signal handler.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "hist/run.h"
#include "hist/run_inline.h"

/* Returns the maximum size of the record of @action. */
static uint32_t record_bytes_max(const struct hist_unit *unit, const struct hist_action *action)
{
	uint32_t bytes = ALIGN_UP((uint32_t)action->record_bytes, 8u);

	for (uint32_t i = 0; action->kind == HIST_DO_TRACE && i < action->nr; i++) {
		const struct hist_param *param = &unit->params[action->first + i];

		if (param->store == HIST_STORE_LOC)
			bytes += param->kind == HIST_STR ? HIST_STR_BYTES : HIST_STACK_DEPTH * 8;
	}
	return bytes;
}

void hist_unit_init(struct hist_unit *unit, const struct hist_program *program,
		    const struct hist_view *views)
{
	*unit = (struct hist_unit){
		.program = program, .views = views,
		.insns = hist_insns(program), .keys = hist_keys(program),
		.vals = hist_vals(program), .refs = hist_refs(program),
		.vars = hist_vars(program), .actions = hist_actions(program),
		.params = hist_params(program),
	};
	for (uint32_t i = 0; i < program->nr_insns; i++) {
		if (unit->insns[i].dst >= unit->nr_regs)
			unit->nr_regs = unit->insns[i].dst + 1u;
	}
	for (uint32_t i = 0; i < program->nr_actions; i++)
		unit->record_max[i] = record_bytes_max(unit, &unit->actions[i]);
}

/* ---- instructions ---- */

static uint64_t sign_extend(uint64_t a, uint32_t bytes)
{
	uint32_t shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(a << shift) >> shift);
}

/* Returns the number of @size bytes at @address in the process; 0 if it cannot be read. */
static uint64_t peek_number(const struct hist_run *run, uint64_t address, uint32_t size)
{
	uint64_t value = 0;

	if (!run->context->peek ||
	    run->context->peek(run->ctx, address, &value, size) != size)
		return 0;
	return value;
}

/* Store the address and the size of a string or stack for register @reg. */
static void set_bytes(const struct hist_run *run, uint32_t reg, uint64_t address, uint32_t bytes,
		      enum hist_from from)
{
	run->values[reg] = address;
	run->where[reg] = (struct hist_bytes){ bytes, from };
}

/* Find the bytes of a dynamic field.  If the field's word does not point into the record, the
 * field is empty. */
static void find_dynamic(const struct hist_run *run, const struct hist_insn *insn)
{
	uint32_t word = HIST_LOAD(uint32_t);
	size_t start = word & 0xffff, bytes = word >> 16;

	if (insn->op == HIST_OP_STR_REL)
		start += insn->offset + sizeof(word);
	if (start > run->bytes || bytes > run->bytes - start)
		start = bytes = 0;
	set_bytes(run, insn->dst, (uint64_t)(run->rec + start), (uint32_t)bytes,
		  HIST_FROM_RECORD);
}

/* Find the bytes of a string or stack that an instruction loads. */
static void find_bytes(const struct hist_run *run, const struct hist_insn *insn)
{
	switch (insn->op) {
	case HIST_OP_STR_ARRAY:
		set_bytes(run, insn->dst, (uint64_t)(run->rec + insn->offset),
			  insn->size ? insn->size : (uint32_t)(run->bytes - insn->offset),
			  HIST_FROM_RECORD);
		break;
	case HIST_OP_STR_PTR:
		set_bytes(run, insn->dst, HIST_LOAD(uint64_t), 0, HIST_FROM_PROCESS);
		break;
	case HIST_OP_PEEK_STR:
		set_bytes(run, insn->dst, run->values[insn->a] + insn->value, 0,
			  HIST_FROM_PROCESS);
		break;
	case HIST_OP_STR_COMM:
	case HIST_OP_STACK:
		set_bytes(run, insn->dst, 0, 0, HIST_FROM_THREAD);
		break;
	default:
		find_dynamic(run, insn);
	}
}

/* Compute the result of an instruction whose operands are numbers in registers. */
static uint64_t compute_number(const struct hist_run *run, const struct hist_insn *insn)
{
	uint64_t a = run->values[insn->a], b;

	switch (insn->op) {
	case HIST_OP_NEG:
		return -a;
	case HIST_OP_LOG2:
		return hist_log2(a);
	case HIST_OP_SUBLOG2:
		return hist_sublog2(a, insn->value);
	case HIST_OP_BUCKET:
		return a - a % insn->value;
	case HIST_OP_PEEK:
		return peek_number(run, a + insn->value, insn->size);
	case HIST_OP_SEXT:
		return sign_extend(a, insn->size);
	case HIST_OP_BITS:
		return a << (insn->value & 255) >> (insn->value >> 8);
	}
	b = run->values[insn->b];
	switch (insn->op) {
	case HIST_OP_ADD:
		return a + b;
	case HIST_OP_MUL:
		return a * b;
	default:
		return b ? a / b : ~0ull;	/* the result of a division by 0 has all bits
						 * set: see HIST_OP_DIV */
	}
}

void hist_run_insn(struct hist_run *run, const struct hist_insn *insn)
{
	uint64_t *dst = &run->values[insn->dst];

	switch (insn->op) {
	case HIST_OP_LOAD_U16:
		*dst = HIST_LOAD(uint16_t);
		break;
	case HIST_OP_LOAD_S16:
		*dst = (uint64_t)(int64_t)HIST_LOAD(int16_t);
		break;
	case HIST_OP_LOAD_U8:
		*dst = HIST_LOAD(uint8_t);
		break;
	case HIST_OP_LOAD_S8:
		*dst = (uint64_t)(int64_t)HIST_LOAD(int8_t);
		break;
	case HIST_OP_CONST:
		*dst = insn->value;
		break;
	case HIST_OP_CPU:
		*dst = run->cpu;
		break;
	case HIST_OP_STR_ARRAY:
	case HIST_OP_STR_LOC:
	case HIST_OP_STR_REL:
	case HIST_OP_STR_PTR:
	case HIST_OP_STR_COMM:
	case HIST_OP_STACK:
	case HIST_OP_STACK_LOC:
	case HIST_OP_PEEK_STR:
		find_bytes(run, insn);
		break;
	default:
		*dst = compute_number(run, insn);
	}
}

/* ---- copy strings and stacks ---- */

/* Copy a string from a table, which other threads may change meanwhile. */
static uint32_t copy_from_table(const uint64_t *from, uint64_t *to, uint32_t max)
{
	uint32_t i;

	for (i = 0; i < max && i < HIST_STR_BYTES / 8; i++) {
		uint64_t word = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
		uint64_t nul = hist_find_nul(word);

		to[i] = nul ? hist_cut_at_nul(word, nul) : word;
		if (nul)
			return i + 1;
	}
	to[i - 1] &= ~0ull >> 8;
	return i;
}

/* Copy the string at @address of the process.  It is "" if its end cannot be read. */
static uint32_t copy_from_process(const struct hist_run *run, uint64_t address, uint64_t *to,
				  uint32_t max)
{
	uint32_t bytes = 8 * max;
	size_t n = 0;

	if (run->context->peek)
		n = run->context->peek(run->ctx, address, to, bytes);
	if (n < bytes && !memchr(to, '\0', n))
		n = 0;
	return hist_copy_array((const char *)to, (uint32_t)n, to, max);
}

uint32_t hist_copy_string(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max)
{
	uint64_t address = run->values[reg];
	char comm[HIST_COMM_LEN] = "";

	switch (run->where[reg].from) {
	case HIST_FROM_RECORD:
		return hist_copy_array((const char *)address, run->where[reg].bytes, to, max);
	case HIST_FROM_TABLE:
		return copy_from_table((const uint64_t *)address, to, max);
	case HIST_FROM_PROCESS:
		return copy_from_process(run, address, to, max);
	default:
		if (run->context->get_comm)
			run->context->get_comm(run->ctx, comm);
		return hist_copy_array(comm, sizeof(comm), to, max);
	}
}

uint32_t hist_copy_stack(const struct hist_run *run, uint32_t reg, uint64_t *to, uint32_t max)
{
	const uint64_t *from = (const uint64_t *)run->values[reg];
	uint64_t nr;

	switch (run->where[reg].from) {
	case HIST_FROM_RECORD:
		nr = min_u32(run->where[reg].bytes / 8, max);
		if (nr)
			memcpy(to, from, nr * 8);
		return (uint32_t)nr;
	case HIST_FROM_TABLE:
		nr = min_u64(__atomic_load_n(from, __ATOMIC_RELAXED), max);
		for (uint32_t i = 0; i < nr; i++)
			to[i] = __atomic_load_n(&from[1 + i], __ATOMIC_RELAXED);
		return (uint32_t)nr;
	default:
		if (!run->context->stack)
			return 0;
		return min_u32(run->context->stack(run->ctx, to, max), max);
	}
}

/* ---- make the key of a hit, and find its entries in the tables ---- */

/* Make a key from the first @nr_keys keys of this hit.  @max: geometry.key_words, at least
 * the number of keys.  Returns the number of words of the key. */
static inline uint32_t make_key(const struct hist_run *run, uint32_t nr_keys, uint64_t *key,
				uint32_t max)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_keys; i++) {
		uint32_t reg = run->unit->keys[i].reg;
		uint32_t left = max - nr - (nr_keys - 1 - i);

		if (run->unit->keys[i].kind == HIST_NUM) {
			key[nr++] = run->values[reg];
		} else if (run->unit->keys[i].kind == HIST_STR) {
			nr += hist_copy_string(run, reg, &key[nr],
					       min_u32(left, HIST_STR_BYTES / 8));
		} else {
			key[nr] = hist_copy_stack(run, reg, &key[nr + 1],
						  min_u32(left - 1, HIST_STACK_DEPTH));
			nr += 1 + (uint32_t)key[nr];
		}
	}
	return nr;
}

int64_t hist_find_by_first_keys(const struct hist_run *run, const struct hist_view *view,
				uint32_t nr_keys)
{
	uint64_t key[HIST_KEY_WORDS_MAX];
	uint32_t nr;

	if (view->geometry.key_words < nr_keys)
		return -1;
	nr = make_key(run, nr_keys, key, view->geometry.key_words);
	return hist_find(view, key, nr, hist_hash(view->geometry.seed, key, nr));
}

bool hist_load_bytes(const struct hist_view *view, uint64_t *entry, const struct hist_ref *ref,
		     uint64_t *ret)
{
	*ret = (uint64_t)hist_var(view, entry, ref->offset);
	return !ref->is_once ||
	       __atomic_fetch_and(hist_set(view, entry), ~(1ull << ref->bit),
				  __ATOMIC_ACQUIRE) >> ref->bit & 1;	/* [hist.set] */
}

int64_t hist_run_insert(const struct hist_run *run, const uint64_t *key, uint32_t nr,
			uint64_t hash)
{
	const struct hist_view *view = &run->unit->views[0];
	char comm[HIST_COMM_LEN] = "";
	int64_t index;

	if (view->geometry.flags & HIST_GEO_COMM && run->context->get_comm)
		run->context->get_comm(run->ctx, comm);
	index = hist_insert(view, key, nr, hash, comm);
	if (index < 0)
		hist_drop(view, run->cpu);
	return index;
}

int64_t hist_run_locate(struct hist_run *run)
{
	uint64_t key[HIST_KEY_WORDS_MAX];

	return hist_find_or_insert(run, key,
				   make_key(run, run->unit->program->nr_keys, key,
					    run->unit->views[0].geometry.key_words));
}

/* ---- run a program ---- */

bool hist_run_commit(const struct hist_run *run, uint32_t index)
{
	const struct hist_view *view = &run->unit->views[0];
	uint64_t values[HIST_VALS_MAX];

	for (uint32_t i = 0; i < run->unit->program->nr_vals; i++)
		values[i] = run->values[run->unit->vals[i]];
	if (hist_commit(view, index, values, run->has_rseq))
		return true;
	hist_drop(view, run->cpu);
	return false;
}

static __attribute__((noinline)) bool run_many(struct hist_run *run)
{
	struct hist_bytes where[HIST_REGS];
	uint64_t values[HIST_REGS];

	run->values = values;
	run->where = where;
	return hist_run_program(run, run->context->now);
}

static __attribute__((noinline)) bool run_few(struct hist_run *run)
{
	return hist_run_few(run, run->context->now);
}

bool hist_run_any(struct hist_run *run)
{
	/* cppcheck-suppress ctuuninitvar ; hist_run() sets the members that it must set */
	return run->unit->nr_regs > HIST_REGS_FEW ? run_many(run) : run_few(run);
}

bool hist_run(const struct hist_unit *unit, const void *entry, size_t bytes,
	      const struct hist_context *context)
{
	struct hist_run run;

	if (bytes < unit->program->record_bytes)
		return false;
	run.unit = unit;
	run.rec = entry;
	run.bytes = bytes;
	run.context = context;
	run.ctx = context->ctx;
	run.cpu = context->cpu;
	run.has_rseq = context->has_rseq;
	return hist_run_any(&run);
}
