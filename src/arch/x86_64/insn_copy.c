/* SPDX-License-Identifier: MIT */
/*
 * Make the copy of a function's first instructions.
 *
 * A call becomes a push of the original return address and a jump, so that no return address
 * ever points into a copy.  Example, for call f at 0x1135, which has five bytes:
 *
 *	68 00 00 00 00			push $low		LOW32: 0x113a
 *	c7 44 24 04 00 00 00 00		movl $high,4(%rsp)	HIGH32: 0x113a
 *	e9 00 00 00 00			jmp f			REL32: f
 */
#include <string.h>

#include "arch/x86_64/insn.h"
#include "arch/x86_64/moved.h"

static bool has_space(const struct insn_copy *copy, uint32_t bytes)
{
	return copy->nr + bytes + MOVED_JUMP_BYTES <= sizeof(copy->bytes) &&
	       copy->nr_bounds + 4 <= INSN_BOUNDS && copy->nr_fixups + 4 <= MOVED_FIXUPS_MAX;
}

static void add_bytes(struct insn_copy *copy, const void *bytes, uint32_t nr)
{
	memcpy(copy->bytes + copy->nr, bytes, nr);
	copy->nr += nr;
}

static void add_bound(struct insn_copy *copy, uint8_t pushed)
{
	copy->bounds[copy->nr_bounds++] = (struct insn_bound){
		(uint8_t)copy->nr, (uint8_t)copy->nr_original, pushed,
	};
}

/* Add a fixup for the 4 bytes at offset @at of the instruction that ends at the present end
 * of the copy.  Store 0 in these 4 bytes, so that the table does not depend on their old
 * value. */
static void add_fixup(struct insn_copy *copy, enum moved_fixup_kind kind, uint32_t at,
		      uint64_t target)
{
	memset(copy->bytes + at, 0, 4);
	copy->fixups[copy->nr_fixups++] = (struct moved_fixup){
		.target = target, .at = (uint8_t)at, .end = (uint8_t)copy->nr,
		.kind = (uint8_t)kind,
	};
}

static void add_plain(struct insn_copy *copy, const struct insn *insn, const uint8_t *code)
{
	uint32_t at = copy->nr;

	add_bytes(copy, code, insn->bytes);
	if (insn->has_address)
		add_fixup(copy, MOVED_REL32, at + insn->field, insn->address);
}

/* Append an instruction whose opcode has @nr bytes and is followed by a 32-bit
 * distance. */
static void add_distance(struct insn_copy *copy, const uint8_t *opcode, uint32_t nr,
			 uint64_t target)
{
	static const uint8_t zero[4];

	add_bytes(copy, opcode, nr);
	add_bytes(copy, zero, sizeof(zero));
	add_fixup(copy, MOVED_REL32, copy->nr - 4, target);
}

static void add_branch(struct insn_copy *copy, const struct insn *insn)
{
	const uint8_t opcode[] = { 0x0f, 0x80 | insn->operand };

	add_distance(copy, opcode, sizeof(opcode), insn->target);
}

static void add_jump(struct insn_copy *copy, const struct insn *insn)
{
	static const uint8_t opcode[] = { 0xe9 };

	add_distance(copy, opcode, sizeof(opcode), insn->target);
}

static void push_return_address(struct insn_copy *copy, uint64_t vaddr)
{
	static const uint8_t push[] = { 0x68, 0, 0, 0, 0 };
	static const uint8_t store[] = { 0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0 };

	add_bytes(copy, push, sizeof(push));
	add_fixup(copy, MOVED_LOW32, copy->nr - 4, vaddr);
	add_bound(copy, 8);
	add_bytes(copy, store, sizeof(store));
	add_fixup(copy, MOVED_HIGH32, copy->nr - 4, vaddr);
	add_bound(copy, 8);
}

static void add_call(struct insn_copy *copy, const struct insn *insn, const uint8_t *code,
		     uint64_t vaddr)
{
	uint32_t at;

	push_return_address(copy, vaddr + insn->bytes);
	if (insn->move == INSN_MOVE_CALL) {
		add_jump(copy, insn);
		return;
	}
	/* Change the call to a jump: the middle three bits of its modrm byte become 4
	 * instead of 2. */
	at = copy->nr + insn->operand;
	add_plain(copy, insn, code);
	copy->bytes[at] = (uint8_t)((copy->bytes[at] & ~0x38) | 4 << 3);
}

bool insn_copy_add(struct insn_copy *copy, const struct insn *insn, const uint8_t *code,
		   uint64_t vaddr)
{
	if (!has_space(copy, 13 + INSN_BYTES_MAX))
		return false;
	add_bound(copy, 0);
	switch (insn->move) {
	case INSN_PLAIN:
		add_plain(copy, insn, code);
		break;
	case INSN_MOVE_BRANCH:
		add_branch(copy, insn);
		break;
	case INSN_MOVE_JUMP:
		add_jump(copy, insn);
		break;
	case INSN_MOVE_CALL:
	case INSN_MOVE_CALL_INDIRECT:
		add_call(copy, insn, code, vaddr);
		break;
	default:
		return false;
	}
	copy->nr_original += insn->bytes;
	copy->ends = insn->flow != INSN_NEXT && insn->flow != INSN_BRANCH;
	return true;
}
