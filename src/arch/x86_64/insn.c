/* SPDX-License-Identifier: MIT */
/*
 * Decode instructions with the library Zydis.  Zydis reads no more than the bytes that the
 * caller passes, allocates nothing and makes no system call, so it runs in the parser's
 * sandbox.
 */
#include <string.h>

#include <Zydis/Zydis.h>

#include "arch/x86_64/insn.h"
#include "arch/x86_64/moved.h"
#include "arch/x86_64/unwind.h"

#define STATUS_FLAGS	(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | \
			 ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF)
enum { REG_SP = 4, REG_FRAME = 5, RM_SIB = 4, RM_RIP = 5, NO_INDEX = 4 };

static ZydisDecoder decoder;	/* Only insn_init() writes this decoder, with the same
				 * values each time. */

void insn_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/* Set the reason why the instruction cannot be moved, unless it already has a
 * reason. */
static void set_fixed(struct insn *insn, enum moved_reason reason)
{
	insn->move = INSN_FIXED;
	insn->reason = (uint8_t)reason;
}

/* ---- memory operands ---- */

uint64_t insn_version(void)
{
	return ZydisGetVersion();
}

static void read_stack_operand(const ZydisDecodedInstruction *in, uint8_t base, struct insn *insn)
{
	if (base == REG_SP)
		insn->stack_register = ARCH_UNWIND_SP;
	else if (base == REG_FRAME)
		insn->stack_register = ARCH_UNWIND_FRAME;
	insn->stack_offset = in->raw.disp.value;
}

/* Read the memory operand that the modrm byte describes. */
static void read_memory_operand(const ZydisDecodedInstruction *in,
				const ZydisDecoderContext *context, uint64_t vaddr,
				struct insn *insn)
{
	uint8_t high = context->vector_unified.B ? 8 : 0;
	uint8_t mod = in->raw.modrm.mod, rm = in->raw.modrm.rm;
	uint8_t index = (uint8_t)(in->raw.sib.index | (context->vector_unified.X ? 8 : 0));

	if (!(in->attributes & ZYDIS_ATTRIB_HAS_MODRM) || mod == 3)
		return;
	insn->takes_address = in->mnemonic == ZYDIS_MNEMONIC_LEA;
	if (mod == 0 && rm == RM_RIP) {
		insn->has_address = true;
		insn->address = vaddr + in->length + (uint64_t)in->raw.disp.value;
		insn->field = in->raw.disp.offset;
		if (in->address_width != 64 || in->raw.disp.size != 32)
			set_fixed(insn, MOVED_BY_INSTRUCTION);
	} else if (rm != RM_SIB) {
		read_stack_operand(in, rm | high, insn);
	} else if (index == NO_INDEX && (mod || in->raw.sib.base != REG_FRAME)) {
		read_stack_operand(in, in->raw.sib.base | high, insn);
	}
}

/* ---- jumps and calls ---- */

/* Returns true if no prefix changes the operand size of a jump or call.  Then the opcode
 * alone says what the instruction does. */
static bool has_usual_prefixes(const ZydisDecodedInstruction *in)
{
	for (uint32_t i = 0; i < in->raw.prefix_count; i++) {
		uint8_t value = in->raw.prefixes[i].value;

		/* accepted prefixes, which have no effect on jumps and calls: hints of
		 * branches, notrack, bnd, and REX */
		if (value != 0x2e && value != 0x3e && value != 0xf2 && (value & 0xf0) != 0x40)
			return false;
	}
	return in->operand_width == 64;
}

static void read_relative(const ZydisDecodedInstruction *in, uint64_t vaddr, struct insn *insn)
{
	insn->has_target = true;
	insn->target = vaddr + in->length + (uint64_t)in->raw.imm[0].value.s;
	insn->operand = in->opcode & 15;
	if (!has_usual_prefixes(in))
		set_fixed(insn, MOVED_BY_INSTRUCTION);
	else if (in->meta.category == ZYDIS_CATEGORY_CALL)
		insn->move = INSN_MOVE_CALL;
	else if (in->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		insn->move = INSN_MOVE_JUMP;
	else if (in->meta.category == ZYDIS_CATEGORY_COND_BR &&
		 (in->opcode_map == ZYDIS_OPCODE_MAP_0F || in->opcode >> 4 == 7))
		insn->move = INSN_MOVE_BRANCH;
	else
		set_fixed(insn, MOVED_BY_INSTRUCTION);	/* loop, jrcxz, xbegin */
}

/* Read a call through a register or memory.  A copy of the call pushes the return address
 * before it loads the operand, so the operand must not depend on rsp. */
static void read_indirect_call(const ZydisDecodedInstruction *in,
			       const ZydisDecoderContext *context, struct insn *insn)
{
	uint8_t base = in->raw.modrm.rm == RM_SIB && in->raw.modrm.mod != 3 ?
		       in->raw.sib.base : in->raw.modrm.rm;

	insn->operand = in->raw.modrm.offset;
	if (insn->move == INSN_FIXED)
		return;
	insn->move = INSN_MOVE_CALL_INDIRECT;
	if (!has_usual_prefixes(in) || in->meta.branch_type != ZYDIS_BRANCH_TYPE_NEAR ||
	    (base == REG_SP && !context->vector_unified.B))
		set_fixed(insn, MOVED_BY_INSTRUCTION);
}

static void read_branch(const ZydisDecodedInstruction *in, const ZydisDecoderContext *context,
			uint64_t vaddr, struct insn *insn)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_CALL:	insn->flow = INSN_CALL; break;
	case ZYDIS_CATEGORY_UNCOND_BR:	insn->flow = INSN_JUMP; break;
	case ZYDIS_CATEGORY_COND_BR:	insn->flow = INSN_BRANCH; break;
	case ZYDIS_CATEGORY_RET:	insn->flow = INSN_END; break;
	default:			break;
	}
	if (in->raw.imm[0].is_relative)
		read_relative(in, vaddr, insn);
	else if (insn->flow == INSN_CALL)
		read_indirect_call(in, context, insn);
	else if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		set_fixed(insn, MOVED_BY_INSTRUCTION);
	if (in->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		insn->flow = INSN_BRANCH;
}

/* ---- other kinds of instructions ---- */

static void read_kind(const ZydisDecodedInstruction *in, struct insn *insn)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		insn->is_nop = insn->is_padding = true;
		break;
	case ZYDIS_MNEMONIC_XCHG:
		/* xchg %ax,%ax is a NOP: it has the opcode of nop, and a
		 * prefix */
		insn->is_nop = insn->is_padding = in->opcode == 0x90 && in->operand_width == 16 &&
						  in->raw.prefix_count == 1;
		break;
	case ZYDIS_MNEMONIC_INT3:
		insn->is_padding = true;
		break;
	case ZYDIS_MNEMONIC_ENDBR64:
		insn->is_landing_pad = true;
		break;
	case ZYDIS_MNEMONIC_POP:
		insn->pops = true;
		break;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
		insn->flow = INSN_END;
		break;
	case ZYDIS_MNEMONIC_OR:
		/* lock or $0,(%rsp) is a memory barrier and changes nothing, so
		 * it does not count as an access to the stack */
		if (in->attributes & ZYDIS_ATTRIB_HAS_LOCK && in->raw.imm[0].size &&
		    !in->raw.imm[0].value.u)
			insn->stack_register = 0;
		break;
	default:
		break;
	}
	if (in->meta.category == ZYDIS_CATEGORY_SYSCALL)
		set_fixed(insn, MOVED_BY_SYSCALL);
	if (in->meta.category == ZYDIS_CATEGORY_INTERRUPT ||
	    in->meta.category == ZYDIS_CATEGORY_SYSRET)
		set_fixed(insn, MOVED_BY_INSTRUCTION);
}

static void read_flags(const ZydisDecodedInstruction *in, struct insn *insn)
{
	const ZydisAccessedFlags *flags = in->cpu_flags;

	if (!flags)
		return;
	insn->reads_flags = flags->tested & STATUS_FLAGS;
	insn->writes_flags = (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
			     STATUS_FLAGS;
}

bool insn_is_tracepoint(const uint8_t *code, uint64_t bytes)
{
	static const uint8_t site[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return bytes >= sizeof(site) && !memcmp(code, site, sizeof(site));
}

bool insn_decode(const uint8_t *code, uint64_t bytes, uint64_t vaddr, struct insn *ret_insn)
{
	ZydisDecodedInstruction in;
	ZydisDecoderContext context;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, code,
							bytes < INSN_BYTES_MAX ? bytes :
							INSN_BYTES_MAX, &in)))
		return false;
	*ret_insn = (struct insn){ .bytes = in.length };
	read_memory_operand(&in, &context, vaddr, ret_insn);
	read_kind(&in, ret_insn);
	if (in.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || in.raw.imm[0].is_relative ||
	    in.meta.category == ZYDIS_CATEGORY_RET)
		read_branch(&in, &context, vaddr, ret_insn);
	else if (in.raw.imm[0].size >= 32) {
		ret_insn->has_immediate = true;
		ret_insn->immediate = in.raw.imm[0].value.u;
	}
	read_flags(&in, ret_insn);
	return true;
}

bool insn_is_syscall(const uint8_t *code, uint64_t bytes)
{
	return bytes >= MOVED_SYSCALL_BYTES && code[0] == 0x0f && code[1] == 0x05;
}

bool insn_is_syscall_number(const uint8_t *code, uint64_t bytes, uint32_t *ret_nr)
{
	static const uint8_t to_rax[] = { 0x48, 0xc7, 0xc0 };

	*ret_nr = 0;
	if (bytes == 5 && code[0] == 0xb8)			/* mov $number,%eax */
		memcpy(ret_nr, code + 1, sizeof(*ret_nr));
	else if (bytes == 7 && !memcmp(code, to_rax, 3))	/* mov $number,%rax */
		memcpy(ret_nr, code + 3, sizeof(*ret_nr));
	else
		return bytes == 2 && (code[0] == 0x31 || code[0] == 0x33) &&
		       code[1] == 0xc0;				/* xor %eax,%eax */
	return true;
}

bool insn_keeps_syscall_number(const uint8_t *code, uint64_t bytes)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &in, operands)) ||
	    in.meta.category == ZYDIS_CATEGORY_CALL || in.meta.category == ZYDIS_CATEGORY_RET ||
	    in.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	    in.meta.category == ZYDIS_CATEGORY_SYSCALL)
		return false;
	for (uint32_t i = 0; i < in.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						     operands[i].reg.value) == ZYDIS_REGISTER_RAX)
			return false;
	return true;
}

static uint64_t relative_address(const uint8_t *field, uint64_t end)
{
	int32_t distance;

	memcpy(&distance, field, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

uint32_t insn_guess(const uint8_t *code, uint64_t bytes, uint64_t vaddr,
		    uint64_t ret_addresses[INSN_GUESSES])
{
	uint32_t nr = 0;

	if (bytes < 2)
		return 0;
	if (code[0] == 0xeb || code[0] >> 4 == 7 || (code[0] >= 0xe0 && code[0] <= 0xe3))
		ret_addresses[nr++] = vaddr + 2 + (uint64_t)(int64_t)(int8_t)code[1];
	if (bytes >= 5 && (code[0] == 0xe8 || code[0] == 0xe9))
		ret_addresses[nr++] = relative_address(code + 1, vaddr + 5);
	if (bytes < 6)
		return nr;
	if ((code[0] == 0x0f && code[1] >> 4 == 8) || (code[0] == 0x8d && (code[1] & 0xc7) == 5))
		ret_addresses[nr++] = relative_address(code + 2, vaddr + 6);
	return nr;
}
