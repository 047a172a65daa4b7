/* SPDX-License-Identifier: MIT */
/* Check that a histogram program is safe to run.  No value in the program is trusted. */
#include <errno.h>
#include <stdbool.h>

#include "abi/control.h"
#include "hist/run.h"
#include "ring/ring.h"

#define NO_KIND		HIST_KINDS	/* kind of a register to which no instruction has
					 * written */

/* The state while a histogram program is checked. */
struct check {
	const struct hist_program *p;
	uint8_t kinds[HIST_REGS];		/* kinds of the values in the registers, after
						 * the instructions that were checked so far */
};

static bool has_kind(const struct check *check, uint32_t reg, uint32_t kind)
{
	return reg < HIST_REGS && kind < HIST_KINDS && check->kinds[reg] == kind;
}

/* ---- instructions ---- */

/* Returns how many bytes of the record an instruction reads, from insn->offset on. */
static uint32_t insn_read_bytes(const struct hist_insn *insn)
{
	switch (insn->op) {
	case HIST_OP_LOAD_U8:
	case HIST_OP_LOAD_S8:
		return 1;
	case HIST_OP_LOAD_U16:
	case HIST_OP_LOAD_S16:
		return 2;
	case HIST_OP_LOAD_U32:
	case HIST_OP_LOAD_S32:
	case HIST_OP_STR_LOC:
	case HIST_OP_STR_REL:
	case HIST_OP_STACK_LOC:
		return 4;
	case HIST_OP_LOAD_U64:
	case HIST_OP_STR_PTR:
		return 8;
	case HIST_OP_STR_ARRAY:
		return insn->size;
	default:
		return 0;
	}
}

static bool is_size_valid(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Check the operands of an instruction: the registers a and b, and the constant @value. */
static bool is_insn_sound(const struct check *check, const struct hist_insn *insn)
{
	bool has_a = has_kind(check, insn->a, HIST_NUM);

	switch (insn->op) {
	case HIST_OP_ADD:
	case HIST_OP_SUB:
	case HIST_OP_MUL:
	case HIST_OP_DIV:
		return has_a && has_kind(check, insn->b, HIST_NUM);
	case HIST_OP_NEG:
	case HIST_OP_LOG2:
	case HIST_OP_PEEK_STR:
		return has_a;
	case HIST_OP_SUBLOG2:
		return has_a && insn->value < 64;
	case HIST_OP_BUCKET:
		return has_a && insn->value;
	case HIST_OP_PEEK:
	case HIST_OP_SEXT:
		return has_a && is_size_valid(insn->size);
	case HIST_OP_BITS:
		return has_a && (insn->value & 255) < 64 && insn->value >> 8 < 64;
	default:
		return insn->op < HIST_OPS;
	}
}

/* Returns the kind of value that an instruction computes. */
static uint8_t insn_kind(const struct check *check, const struct hist_insn *insn)
{
	switch (insn->op) {
	case HIST_OP_REF:
		return hist_refs(check->p)[insn->value].kind;
	case HIST_OP_STR_ARRAY:
	case HIST_OP_STR_LOC:
	case HIST_OP_STR_REL:
	case HIST_OP_STR_PTR:
	case HIST_OP_STR_COMM:
	case HIST_OP_PEEK_STR:
		return HIST_STR;
	case HIST_OP_STACK:
	case HIST_OP_STACK_LOC:
		return HIST_STACK;
	default:
		return HIST_NUM;
	}
}

/* Check the instructions from number @from to @to - 1, and store the kinds of the registers
 * that they set. */
static bool check_insns(struct check *check, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct hist_insn *insn = &hist_insns(check->p)[i];

		if (insn->dst >= HIST_REGS || !is_insn_sound(check, insn) ||
		    insn->offset + insn_read_bytes(insn) > check->p->record_bytes)
			return false;
		/* An instruction that reads a reference must come after those that compute
		 * the key, because references are loaded only when the key was made. */
		if (insn->op == HIST_OP_REF &&
		    (i < check->p->nr_key_insns || insn->value >= check->p->nr_refs))
			return false;
		check->kinds[insn->dst] = insn_kind(check, insn);
	}
	return true;
}

/* ---- check the parts of a program that use registers and variables ---- */

/* Returns the size of a variable of the kind @kind, bytes. */
static uint32_t var_size(uint32_t kind)
{
	return kind == HIST_NUM ? 8 : kind == HIST_STR ? HIST_STR_BYTES :
	       8 + HIST_STACK_DEPTH * 8;
}

/* Returns true if a variable lies inside an entry of table @table. */
static bool is_var_sound(const struct check *check, uint32_t table, uint32_t bit,
			 uint32_t kind, uint32_t offset)
{
	return table < check->p->nr_tables && bit < HIST_VARS_MAX && kind < HIST_KINDS &&
	       offset % 8 == 0 &&
	       offset + var_size(kind) <= hist_tables(check->p)[table].geometry.var_bytes;
}

static bool check_keys(const struct check *check)
{
	for (uint32_t i = 0; i < check->p->nr_keys; i++) {
		const struct hist_key *key = &hist_keys(check->p)[i];

		if (!has_kind(check, key->reg, key->kind))
			return false;
	}
	return true;
}

static bool check_refs(const struct check *check)
{
	for (uint32_t i = 0; i < check->p->nr_refs; i++) {
		const struct hist_ref *ref = &hist_refs(check->p)[i];

		if (!ref->table || ref->is_once > 1 || ref->nr_keys > check->p->nr_keys ||
		    !is_var_sound(check, ref->table, ref->bit, ref->kind, ref->offset))
			return false;
	}
	return true;
}

static bool check_vals_and_vars(const struct check *check)
{
	for (uint32_t i = 0; i < check->p->nr_vals; i++) {
		if (!has_kind(check, hist_vals(check->p)[i], HIST_NUM))
			return false;
	}
	for (uint32_t i = 0; i < check->p->nr_vars; i++) {
		const struct hist_var *var = &hist_vars(check->p)[i];

		if (!has_kind(check, var->reg, var->kind) ||
		    !is_var_sound(check, 0, var->bit, var->kind, var->offset))
			return false;
	}
	return true;
}

/* ---- actions ---- */

/* Check that a parameter is stored inside of the record of @action. */
static bool is_stored_inside(const struct hist_action *action, const struct hist_param *param)
{
	bool is_num = param->kind == HIST_NUM;
	uint32_t bytes = param->size;

	if (param->store == HIST_STORE_LOC) {
		is_num = !is_num;
		bytes = sizeof(uint32_t);
	} else if (param->store == HIST_STORE_ARRAY) {
		is_num = param->kind == HIST_STR && bytes;
	} else {
		is_num = is_num && param->store == HIST_STORE_NUM && is_size_valid(bytes);
	}
	return is_num && param->offset >= HIST_RECORD_HEAD &&
	       param->offset + bytes <= action->record_bytes;
}

static bool check_params(const struct check *check, const struct hist_action *action)
{
	for (uint32_t i = 0; i < action->nr; i++) {
		const struct hist_param *param = &hist_params(check->p)[action->first + i];
		bool is_sound = action->kind == HIST_DO_TRACE ?
				is_stored_inside(action, param) :
				is_var_sound(check, 0, param->bit, param->kind, param->offset);

		if (!is_sound || !has_kind(check, param->reg, param->kind))
			return false;
	}
	return true;
}

/* Check the values that onmax() and onchange() compare.  These handlers need an entry of a
 * table, so an event probe cannot have them. */
static bool is_handler_sound(const struct check *check, const struct hist_action *action)
{
	if (action->handler == HIST_ON_MATCH)
		return action->kind == HIST_DO_TRACE;
	return action->handler < HIST_HANDLERS && has_kind(check, action->reg, HIST_NUM) &&
	       is_var_sound(check, 0, action->bit, HIST_NUM, action->offset);
}

static bool check_actions(const struct check *check)
{
	for (uint32_t i = 0; i < check->p->nr_actions; i++) {
		const struct hist_action *action = &hist_actions(check->p)[i];

		if (action->kind >= HIST_ACTION_KINDS || !is_handler_sound(check, action) ||
		    action->nr > HIST_PARAMS_MAX ||
		    (uint32_t)action->first + action->nr > check->p->nr_params)
			return false;
		if (action->kind == HIST_DO_TRACE &&
		    (action->row >= ABI_DYNAMIC || action->record_bytes < HIST_RECORD_HEAD ||
		     action->record_bytes > RING_PAYLOAD_MAX))
			return false;
		if (!check_params(check, action))
			return false;
	}
	return true;
}

/* ---- the program ---- */

static bool are_counts_valid(const struct hist_program *p)
{
	return p->nr_tables <= HIST_TABLES_MAX && p->nr_insns <= HIST_INSNS_MAX &&
	       p->nr_key_insns <= p->nr_insns && p->nr_keys <= HIST_KEYS_MAX &&
	       p->nr_vals <= HIST_VALS_MAX && p->nr_refs <= HIST_REFS_MAX &&
	       p->nr_vars <= HIST_VARS_MAX && p->nr_actions <= HIST_ACTIONS_MAX &&
	       p->nr_params <= HIST_ACTIONS_MAX * HIST_PARAMS_MAX;
}

/* Check the tables of a program.  The program of an event probe has no tables, and so no
 * keys, values and variables. */
static bool check_tables(const struct hist_program *p)
{
	const struct hist_table_ref *own = hist_tables(p);

	if (p->flags & HIST_PROG_EVENT_PROBE)
		return !p->nr_tables && !p->nr_keys && !p->nr_vals && !p->nr_refs && !p->nr_vars;
	if (!p->nr_tables || !p->nr_keys || p->nr_keys > own->geometry.key_words ||
	    p->nr_vals != own->geometry.nr_vals)
		return false;
	for (uint32_t i = 0; i < p->nr_tables; i++) {
		if (!hist_geometry_is_valid(&own[i].geometry, own[i].bytes))
			return false;
	}
	return true;
}

int hist_verify(const void *program, size_t bytes, uint32_t record_bytes, uint32_t nr_slots)
{
	struct check check = { .p = program };
	const struct hist_program *p = program;

	for (uint32_t i = 0; i < HIST_REGS; i++)
		check.kinds[i] = NO_KIND;
	if ((uintptr_t)program % 8 || bytes < sizeof(*p) || p->magic != HIST_PROGRAM_MAGIC ||
	    p->bytes != bytes || !are_counts_valid(p) || hist_program_bytes(p) != bytes ||
	    p->record_bytes > record_bytes || p->paused > nr_slots ||
	    p->flags & ~HIST_PROG_EVENT_PROBE || !check_tables(p) || !check_refs(&check) ||
	    !check_insns(&check, 0, p->nr_key_insns) || !check_keys(&check) ||
	    !check_insns(&check, p->nr_key_insns, p->nr_insns) ||
	    !check_vals_and_vars(&check) || !check_actions(&check))
		return -EINVAL;
	return 0;
}
