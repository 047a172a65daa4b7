/* SPDX-License-Identifier: MIT */
/* The instructions of a histogram's program while the program is compiled. */
#ifndef HIST_LANG_CODE_H
#define HIST_LANG_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"

#define HIST_NEVER		UINT32_MAX

/*
 * Instructions are appended with virtual registers: the result of instruction n is virtual
 * register n.  hist_code_assign() replaces virtual registers by the registers of the
 * program.  An instruction that exists already is not appended again.  So a field that is a
 * key and a value is loaded once.
 */
struct hist_code {
	struct hist_insn insns[HIST_INSNS_MAX];	/* the instructions; their registers are not
						 * set yet */
	uint16_t a[HIST_INSNS_MAX], b[HIST_INSNS_MAX];	/* virtual registers of each
							 * instruction's operands */
	uint32_t last_use[HIST_INSNS_MAX];	/* for each instruction, index of the last
						 * instruction that reads its result;
						 * HIST_NEVER: the result is needed at the end
						 * of the program */
	uint8_t reg[HIST_INSNS_MAX];	/* for each instruction, the register for its result,
					 * which hist_code_assign() sets */
	uint32_t nr;
	uint32_t nr_key_insns;		/* number of the instructions that compute the key;
					 * they are the first instructions */
	uint32_t record_bytes;		/* minimum size of a record */
	int error;			/* -errno of the first mistake that was found; 0: none */
};

/* Append an instruction that computes a value.  @a, @b: virtual registers of the operands, 0
 * if the instruction has none.  Returns the virtual register of the result. */
uint16_t hist_code_emit(struct hist_code *code, struct hist_insn insn, uint16_t a, uint16_t b);
/* Append an instruction that reads @read_bytes bytes of the record at insn.offset. */
uint16_t hist_code_emit_load(struct hist_code *code, struct hist_insn insn, uint32_t read_bytes);
/* Keep the register of @result in use until instruction @at has read it; HIST_NEVER: until
 * the end of the program. */
void hist_code_keep(struct hist_code *code, uint16_t result, uint32_t at);
/* Assign registers of the program to the virtual registers.  Returns 0, -E2BIG (there are too
 * few registers) or code->error. */
int hist_code_assign(struct hist_code *code);

#endif
