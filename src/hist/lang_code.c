/* SPDX-License-Identifier: MIT */
/* Collect the instructions of a program, and assign registers to them. */
#include "hist/lang_code.h"

#include <errno.h>
#include <string.h>

/* Returns the number of operands of an instruction. */
static uint32_t nr_operands(uint8_t op)
{
	switch (op) {
	case HIST_OP_ADD:
	case HIST_OP_SUB:
	case HIST_OP_MUL:
	case HIST_OP_DIV:
		return 2;
	case HIST_OP_NEG:
	case HIST_OP_LOG2:
	case HIST_OP_SUBLOG2:
	case HIST_OP_BUCKET:
		return 1;
	default:
		return 0;
	}
}

static bool insn_is_same(const struct hist_code *code, uint32_t nth,
			 const struct hist_insn *insn, uint16_t a, uint16_t b)
{
	return !memcmp(&code->insns[nth], insn, sizeof(*insn)) && code->a[nth] == a &&
	       code->b[nth] == b;
}

uint16_t hist_code_emit(struct hist_code *code, struct hist_insn insn, uint16_t a, uint16_t b)
{
	uint32_t nr = code->nr;

	for (uint32_t i = 0; i < nr; i++) {
		if (insn_is_same(code, i, &insn, a, b))
			return (uint16_t)i;
	}
	if (nr == HIST_INSNS_MAX) {
		code->error = code->error ? code->error : -E2BIG;
		return 0;
	}
	code->insns[nr] = insn;
	code->a[nr] = a;
	code->b[nr] = b;
	code->last_use[nr] = nr;
	if (nr_operands(insn.op) > 0)
		hist_code_keep(code, a, nr);
	if (nr_operands(insn.op) > 1)
		hist_code_keep(code, b, nr);
	code->nr++;
	return (uint16_t)nr;
}

uint16_t hist_code_emit_load(struct hist_code *code, struct hist_insn insn, uint32_t read_bytes)
{
	uint32_t end = insn.offset + read_bytes;

	if (end > code->record_bytes)
		code->record_bytes = end;
	return hist_code_emit(code, insn, 0, 0);
}

void hist_code_keep(struct hist_code *code, uint16_t result, uint32_t at)
{
	if (at > code->last_use[result])
		code->last_use[result] = at;
}

/* Returns a bitmap of the registers whose values are read after instruction @at. */
static uint64_t live_registers(const struct hist_code *code, uint32_t at)
{
	uint64_t live = 0;

	for (uint32_t i = 0; i < at; i++) {
		if (code->last_use[i] > at)
			live |= 1ull << code->reg[i];
	}
	return live;
}

int hist_code_assign(struct hist_code *code)
{
	for (uint32_t i = 0; !code->error && i < code->nr; i++) {
		struct hist_insn *insn = &code->insns[i];
		uint64_t live = live_registers(code, i);
		uint32_t nr = nr_operands(insn->op);

		if (!~live)
			return -E2BIG;
		code->reg[i] = (uint8_t)__builtin_ctzll(~live);
		insn->dst = code->reg[i];
		insn->a = nr > 0 ? code->reg[code->a[i]] : 0;
		insn->b = nr > 1 ? code->reg[code->b[i]] : 0;
	}
	return code->error;
}
