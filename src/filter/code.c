/* SPDX-License-Identifier: MIT */
/* Collect the code that the filter compiler emits: instructions, the pool of strings and
 * masks, and lists of branches whose target is not known yet. */
#include <errno.h>
#include <stdlib.h>

#include "filter/compile.h"

void code_init(struct code *code)
{
	*code = (struct code){ 0 };
	text_init(&code->insns, FILTER_INSNS_MAX * sizeof(struct filter_insn));
	text_init(&code->pool, FILTER_POOL_MAX);
}

void code_done(struct code *code)
{
	text_done(&code->insns);
	text_done(&code->pool);
}

uint32_t code_nr_insns(const struct code *code)
{
	return code->insns.len / sizeof(struct filter_insn);
}

/* Returns the address of the target of branch @id: the member `yes` or `no` of an
 * instruction. */
static uint16_t *branch_target(struct code *code, uint16_t id)
{
	struct filter_insn *insns = (struct filter_insn *)code->insns.data;

	return id & 1 ? &insns[id / 2].no : &insns[id / 2].yes;
}

struct part code_emit(struct code *code, struct filter_insn insn,
		      uint32_t read_bytes)
{
	uint32_t n = code_nr_insns(code), end = insn.offset + read_bytes;

	insn.yes = insn.no = WAY_END;
	text_write(&code->insns, &insn, sizeof(insn));
	if (code->insns.error)
		return (struct part){ WAY_END, WAY_END };
	if (end > code->record_bytes)
		code->record_bytes = end;
	return (struct part){ .yes = n * 2, .no = n * 2 + 1 };
}

void code_pool(struct code *code, struct filter_insn *insn, const void *data,
	       size_t bytes)
{
	insn->pool = (uint16_t)code->pool.len;
	insn->bytes = (uint16_t)bytes;
	text_write(&code->pool, data, bytes);
}

uint16_t code_join(struct code *code, uint16_t a, uint16_t b)
{
	uint16_t last = a;

	if (a == WAY_END)
		return b;
	while (*branch_target(code, last) != WAY_END)
		last = *branch_target(code, last);
	*branch_target(code, last) = b;
	return a;
}

void code_patch(struct code *code, uint16_t list, uint32_t to)
{
	while (list != WAY_END) {
		uint16_t *end = branch_target(code, list);

		list = *end;
		*end = (uint16_t)to;
	}
}

int code_finish(struct code *code, struct part all,
		struct filter_program **ret_program)
{
	uint32_t nr = code_nr_insns(code);
	struct filter_program *p;

	if (code->insns.error)
		return code->insns.error;
	if (code->pool.error)
		return code->pool.error;
	code_patch(code, all.no, nr);
	code_patch(code, all.yes, nr + 1);
	p = malloc(sizeof(*p) + code->insns.len + code->pool.len);
	if (!p)
		return -ENOMEM;
	*p = (struct filter_program){
		.magic = FILTER_MAGIC,
		.record_bytes = code->record_bytes,
		.nr_insns = nr,
		.pool_bytes = (uint32_t)code->pool.len,
	};
	memcpy(p->insns, code->insns.data, code->insns.len);
	if (code->pool.len)
		memcpy(&p->insns[nr], code->pool.data, code->pool.len);
	*ret_program = p;
	return 0;
}
