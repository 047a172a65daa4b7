/* SPDX-License-Identifier: MIT */
/* Recognize quick programs, which quick.h runs without an interpreter. */
#include "hist/quick.h"

/* Recognize an instruction that loads a number from the record. */
static bool set_num(struct hist_quick_num *num, const struct hist_insn *insn)
{
	static const uint8_t sizes[] = {
		[HIST_OP_LOAD_U8] = 1, [HIST_OP_LOAD_U16] = 2, [HIST_OP_LOAD_U32] = 4,
		[HIST_OP_LOAD_U64] = 8, [HIST_OP_LOAD_S8] = 1, [HIST_OP_LOAD_S16] = 2,
		[HIST_OP_LOAD_S32] = 4,
	};

	if (insn->op >= sizeof(sizes))
		return false;
	num->offset = insn->offset;
	num->bytes = sizes[insn->op];
	if (insn->op >= HIST_OP_LOAD_S8)
		num->sign_shift = 64 - 8 * num->bytes;
	return true;
}

/* Recognize an instruction that changes the number that is the key. */
static bool set_change(struct hist_quick *quick, const struct hist_insn *insn)
{
	quick->change_value = insn->value;
	switch (insn->op) {
	case HIST_OP_LOG2:
		quick->change = HIST_QUICK_LOG2;
		return true;
	case HIST_OP_SUBLOG2:
		quick->change = HIST_QUICK_SUBLOG2;
		return true;
	case HIST_OP_BUCKET:
		quick->change = HIST_QUICK_BUCKET;
		return true;
	default:
		return false;
	}
}

/* Recognize a key that is an array of characters. */
static bool set_array(struct hist_quick *quick, const struct hist_insn *insn, uint32_t key_words)
{
	if (insn->op != HIST_OP_STR_ARRAY || !insn->size || key_words > HIST_QUICK_WORDS)
		return false;
	quick->kind = HIST_QUICK_STR;
	quick->key.offset = insn->offset;
	quick->key_bytes = insn->size;
	quick->key_words = (uint8_t)key_words;
	return true;
}

/* Recognize the key of a quick program: an instruction that loads it, and possibly an
 * instruction that changes it. */
static bool set_key(struct hist_quick *quick, const struct hist_unit *unit)
{
	const struct hist_insn *load = unit->insns;
	uint32_t nr = unit->program->nr_key_insns;

	if (!nr || nr > 2 || load[nr - 1].dst != unit->keys[0].reg)
		return false;
	if (nr == 1 && set_array(quick, load, unit->views[0].geometry.key_words))
		return true;
	quick->kind = HIST_QUICK_NUM;
	return set_num(&quick->key, load) &&
	       (nr == 1 || (load[1].a == load->dst && set_change(quick, &load[1])));
}

/* Find the code with which the assembly of ulf_event_commit() loads and changes the key.
 * There is none for some keys. */
static void find_code(struct hist_quick *quick)
{
	if (quick->kind == HIST_QUICK_STR) {
		quick->load = arch_hist_load_string(quick->key_bytes, quick->key_words);
	} else if (quick->change != HIST_QUICK_BUCKET) {
		quick->load = arch_hist_load(quick->key.bytes, quick->key.sign_shift);
		quick->change_code = arch_hist_change(quick->change);
	}
}

/*
 * Recognize the value of a quick program.  Three forms are possible: no value; a number that is
 * loaded after the key; the number from which the key was made.
 */
static bool set_val(struct hist_quick *quick, const struct hist_unit *unit)
{
	uint32_t nr_key = unit->program->nr_key_insns, nr = unit->program->nr_insns - nr_key;
	const struct hist_insn *load = &unit->insns[nr ? nr_key : 0];

	if (!unit->program->nr_vals)
		return !nr;
	if (nr > 1 || load->dst != unit->vals[0] || !set_num(&quick->val, load))
		return false;
	return nr || nr_key == 1 || unit->insns[1].dst != load->dst;
}

void hist_quick_init(struct hist_quick *ret_quick, const struct hist_unit *unit)
{
	const struct hist_program *p = unit->program;
	const struct hist_view *view = unit->views;
	struct hist_quick quick = {
		.small_max = HIST_QUICK_SET, .one = 1, .record_bytes = p->record_bytes,
	};

	*ret_quick = (struct hist_quick){ .kind = HIST_QUICK_NOT };
	if (p->nr_tables != 1 || p->nr_keys != 1 || p->nr_vals > 1 || p->nr_vars ||
	    p->nr_actions || !set_key(&quick, unit) || !set_val(&quick, unit))
		return;
	find_code(&quick);
	quick.nr_cpus = view->figures.nr_cpus;
	quick.slot_shift = view->layout.slot_shift;
	quick.slot_mask = view->layout.nr_slots - 1;
	quick.nr_entries = view->geometry.nr_entries;
	quick.entry_bytes = view->layout.entry_bytes;
	quick.seed = view->geometry.seed;
	quick.slots = hist_slots(view);
	quick.entries = view->base + view->layout.entries_off;
	quick.figures = view->figures;
	*ret_quick = quick;
}
